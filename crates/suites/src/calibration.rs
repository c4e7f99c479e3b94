//! The reference solution: the distribution's own recipe, run from its own source package.
//!
//! Not an agent. It proves that a task can be done and that the answer key is what a real build makes.

use seatrial_core::{BOX_SOURCE, PinnedSource, SourceKind, Submission, Task};

/// The task's source together with the distribution's packaging: what the reference solution starts from.
///
/// `None` when the source is no source package of a distribution.
pub fn gold_source(task: &Task) -> Option<PinnedSource> {
    let SourceKind::Debian {
        package,
        version,
        directory,
        files,
        ..
    } = &task.source.origin
    else {
        return None;
    };
    Some(PinnedSource {
        name: task.source.name.clone(),
        origin: SourceKind::Debian {
            package: package.clone(),
            version: version.clone(),
            directory: directory.clone(),
            files: files.clone(),
            packaging: true,
        },
        // The pinned digest is that of the upstream tree alone.
        tree: None,
    })
}

/// The submission that runs the distribution's recipe. It is graded against the tree of [`gold_source`].
///
/// `None` when the source is no source package of a distribution.
pub fn gold_submission(task: &Task) -> Option<Submission> {
    gold_source(task)?;
    Some(Submission {
        script: Some(gold_script()),
        note: "the distribution's own recipe".to_owned(),
        ..Submission::default()
    })
}

fn gold_script() -> String {
    // Documentation is built too: what a recipe installs may depend on it. Tests are not, as they prove nothing here.
    format!(
        "set -eu\n\
         export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive\n\
         export DEB_BUILD_OPTIONS=\"nocheck noopt nostrip parallel=$(nproc)\" DEB_BUILD_PROFILES=nocheck\n\
         cd {BOX_SOURCE}\n\
         chmod +x debian/rules\n\
         packages() {{\n\
         apt-get install -y --no-install-recommends fakeroot dpkg-dev &&\n\
         apt-get build-dep -y --no-install-recommends {BOX_SOURCE}\n\
         }}\n\
         packages || {{ apt-get update && packages; }}\n\
         dpkg-buildpackage -b -uc -us -d\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_builds_with_debug_information_and_installs_what_the_recipe_declares() {
        let script = gold_script();
        for part in [
            "nostrip",
            "noopt",
            "nocheck",
            "apt-get build-dep",
            "dpkg-buildpackage -b",
        ] {
            assert!(script.contains(part), "{part}");
        }
    }
}
