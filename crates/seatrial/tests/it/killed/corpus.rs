//! Tasks that take no time: each is the same small folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use seatrial_core::{Platform, SourceKind};
use seatrial_source::{Fetcher, SourceSpec};
use seatrial_store::Home;

use crate::support::makefile_project;

/// Lays a corpus below `folder`; its source is pinned in the data folder `home`.
pub(crate) fn lay(folder: &Path, home: &Path, tasks: usize) -> PathBuf {
    let source = folder.join("source");
    makefile_project(&source, "buoy", "");
    let platform = Platform::default_host();
    // Closed again when this returns: from then on the test does not work in the data folder itself.
    let pinned = Fetcher::new(&Home::open(home).unwrap(), &platform)
        .pin(&SourceSpec::Folder(source))
        .unwrap();
    let SourceKind::Folder { path } = &pinned.origin else {
        panic!("a folder was pinned")
    };
    let corpus = folder.join("tiny");
    for room in ["tasks", "truth"] {
        fs::create_dir_all(corpus.join(room)).unwrap();
    }
    fs::write(
        corpus.join("corpus.toml"),
        format!(
            "format = 1\nname = \"tiny\"\nversion = 1\nabout = \"One folder, many tasks.\"\nsuite = \"compile\"\n\
             platform = \"{platform}\"\narchive_revision = \"none\"\nseed = 0\ntool = \"test\"\n"
        ),
    )
    .unwrap();
    for number in 0..tasks {
        let id = format!("buoy-{number:03}");
        let task = format!(
            "id = \"{id}\"\nsuite = \"compile\"\nblocked_sources = []\n\n[source]\nname = \"buoy\"\ntree = \"{}\"\n\n\
             [source.origin]\nkind = \"folder\"\npath = {path:?}\n\n[platform]\ndistribution = \"{}\"\nrelease = \"{}\"\n\
             arch = \"{}\"\n\n[goal]\nkind = \"compile\"\n\n[budget]\nwall_seconds = 300\n",
            pinned.tree.unwrap(),
            platform.distribution,
            platform.release,
            platform.arch,
        );
        fs::write(corpus.join(format!("tasks/{id}.toml")), task).unwrap();
        let truth = format!("task = \"{id}\"\n\n[body]\nsuite = \"compile\"\nartifacts = [\"buoy\"]\n");
        fs::write(corpus.join(format!("truth/{id}.toml")), truth).unwrap();
    }
    corpus
}
