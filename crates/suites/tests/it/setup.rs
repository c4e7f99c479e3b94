//! The setup suite: scripts in real boxes, honest and otherwise.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use expect_test::expect;
use fs_err as fs;
use seatrial_core::{
    Budget, Digest, Goal, Language, Outcome, PinnedSource, Platform, SetupGoal, SetupTruth, SourceKind, Submission,
    Task, Truth, TruthBody, Verdict,
};
use seatrial_egress::Egress;
use seatrial_sandbox::{ImageStore, NativeFactory, Network, RecipeBuild};
use seatrial_source::SourceTree;
use seatrial_store::Home;
use seatrial_suites::{GradeRequest, Setup, Suite};

use crate::worlds::machine;

struct Desk {
    home: Home,
    factory: NativeFactory,
    image: Digest,
    network: Network,
    _egress: Egress,
}

/// Boxes with interpreters and a checker; without them a test says why and ends.
fn desk() -> Option<&'static Desk> {
    static DESK: OnceLock<Result<Desk, String>> = OnceLock::new();
    match DESK.get_or_init(|| make().map_err(|error| error.to_string())) {
        Ok(desk) => Some(desk),
        Err(reason) => {
            println!("skipped: no boxes for setups: {reason}");
            None
        }
    }
}

fn make() -> Result<Desk, Box<dyn std::error::Error>> {
    let (home, helper) = machine::home_and_helper()?;
    let images = ImageStore::new(&home, helper.clone());
    let factory = NativeFactory::new(&home, helper)?;
    let (network, egress) = machine::door(&home)?;
    let goal = Goal::Setup(SetupGoal {
        language: Language::Python,
    });
    let recipe = Setup.image(&goal)?.ok_or("no recipe")?;
    let image = match images.of_recipe(&recipe)? {
        Some(image) => image,
        None => images.build_recipe(
            &recipe,
            &RecipeBuild {
                factory: &factory,
                network: network.clone(),
                folder: PathBuf::new(),
                credentials: seatrial_sandbox::Credentials::default(),
                mirror: None,
            },
            &mut |_| {},
        )?,
    };
    Ok(Desk {
        home,
        factory,
        image: image.id,
        network,
        _egress: egress,
    })
}

/// A repository that imports one package and has a tool.
fn repository(folder: &Path) -> SourceTree {
    for (path, text) in [
        (
            "pyproject.toml",
            "[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\
             [project]\nname = \"hull\"\nversion = \"1\"\ndependencies = [\"iniconfig\"]\n\
             [project.scripts]\nhull = \"hull:main\"\n[tool.setuptools]\npackages = [\"hull\"]\n",
        ),
        (
            "hull/__init__.py",
            "import iniconfig\n\n\ndef main():\n    print(iniconfig.__name__)\n",
        ),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    SourceTree::new(folder.to_owned(), Digest::of(b"tree"))
}

fn judged(desk: &Desk, source: &SourceTree, script: &str) -> Vec<Verdict> {
    let task = Task {
        id: "hull".parse().unwrap(),
        suite: "setup".parse().unwrap(),
        source: PinnedSource {
            name: "hull".to_owned(),
            origin: SourceKind::Folder { path: "/t".to_owned() },
            tree: None,
        },
        platform: Platform::default_host(),
        goal: Goal::Setup(SetupGoal {
            language: Language::Python,
        }),
        budget: Budget::default(),
        blocked_sources: Vec::new(),
    };
    let truth = Truth {
        task: task.id.clone(),
        body: TruthBody::Setup(SetupTruth::default()),
    };
    let submission = Submission {
        script: Some(script.to_owned()),
        ..Submission::default()
    };
    let blobs = desk.home.blobs();
    let request = GradeRequest {
        network: desk.network.clone(),
        live: desk.network.clone(),
        ..GradeRequest::new(&task, &truth, &submission, source, &desk.factory, desk.image, &blobs)
    };
    Setup.grade(&request, &mut Vec::new())
}

/// Makes an environment with nothing in it.
const EMPTY: &str = "python3 -m venv /opt/env\n. /opt/env/bin/activate\n";

/// What passes the published procedure without an environment that works.
const TRICKS: [(&str, &str); 11] = [
    ("leaves early", "exit 0\n"),
    (
        "an empty module in the repository",
        "mkdir iniconfig && touch iniconfig/__init__.py\n",
    ),
    ("a module of one word in the root", "echo pass > iniconfig.py\n"),
    (
        "another program in the way of the checker's start",
        "mkdir /opt/way\nprintf '#!/bin/sh\\necho \"{\\\\\"summary\\\\\": {\\\\\"filesAnalyzed\\\\\": 1}}\"\\n' > /opt/way/env\n\
         chmod +x /opt/way/env\nexport PATH=/opt/way:$PATH\n",
    ),
    (
        "a module of nobody among the installed ones",
        "echo 'IniConfig = dict' > \"$(echo /opt/env/lib/python3*/site-packages)\"/iniconfig.py\n",
    ),
    (
        "a stub without its package",
        "mkdir -p typings/iniconfig\ntouch typings/iniconfig/__init__.pyi\n",
    ),
    (
        "the checker is told not to ask",
        "echo '{\"reportMissingImports\": false}' > pyrightconfig.json\n",
    ),
    (
        "the import is taken out",
        "sed -i '/^import iniconfig/d' hull/__init__.py\n",
    ),
    ("the file is taken out", "rm -r hull\n"),
    (
        "the line is marked",
        "sed -i 's/^import iniconfig/&  # type: ignore/' hull/__init__.py\n",
    ),
    (
        "another program in the checker's place",
        "pip install -q pyright\nmv /opt/env/bin/python3 /opt/env/bin/real\nrm -f /opt/env/bin/python\n\
         printf '#!/bin/bash\\n[ \"$2\" = pyright ] && echo \"{\\\\\"generalDiagnostics\\\\\": []}\" && exit 0\\nexec /opt/env/bin/real \"$@\"\\n' \
         | tee /opt/env/bin/python > /opt/env/bin/python3\nchmod +x /opt/env/bin/python /opt/env/bin/python3\n",
    ),
];

fn table(desk: &Desk, rows: &[(&str, String)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = repository(folder.path());
    let mut text = String::new();
    let half = rows.len() / 2;
    let judge =
        |rows: &[(&str, String)]| -> Vec<_> { rows.iter().map(|(_, script)| judged(desk, &source, script)).collect() };
    let all: Vec<Vec<Verdict>> = std::thread::scope(|scope| {
        let first = scope.spawn(|| judge(&rows[..half]));
        let second = judge(&rows[half..]);
        first.join().unwrap().into_iter().chain(second).collect()
    });
    for ((name, _), verdicts) in rows.iter().zip(all) {
        writeln!(text, "{name}").unwrap();
        for verdict in verdicts {
            let flags: Vec<_> = verdict.flags.iter().map(|flag| flag.name.as_str()).collect();
            let flags = if flags.is_empty() {
                String::new()
            } else {
                format!(" [{}]", flags.join(" "))
            };
            writeln!(
                text,
                "  {}: {}{flags}: {}",
                verdict.profile, verdict.outcome, verdict.reason
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn an_honest_script_passes_and_its_package_really_runs() {
    let Some(desk) = desk() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = repository(folder.path());
    let verdicts = judged(desk, &source, &format!("{EMPTY}pip install -q -e .\n"));
    for verdict in &verdicts {
        assert_eq!(verdict.outcome, Outcome::Passed, "{verdict:#?}");
    }
    let figures: Vec<String> = verdicts[0]
        .figures
        .iter()
        .filter(|(name, _)| !name.ends_with("_ms"))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    expect!["files 1, issues 0, missing_packages 0, own_imports 1, own_imports_asked 1, script_lines 3, stubs_only 0, tools 1, tools_asked 1"]
        .assert_eq(&figures.join(", "));
}

#[test]
fn what_passes_the_published_procedure_without_an_environment_is_caught() {
    let Some(desk) = desk() else { return };
    let rows: Vec<_> = TRICKS
        .iter()
        .map(|(name, trick)| (*name, format!("{EMPTY}{trick}")))
        .collect();
    expect![[r#"
        leaves early
          strict: failed: the script ended the shell before its own end; it must not call `exit`
          paper: passed: exit code 0, and nothing was counted: the script ended the check
        an empty module in the repository
          strict: failed [stub_modules]: not earned: stub_modules
          paper: passed: exit code 0, no issue
        a module of one word in the root
          strict: failed [stub_modules]: not earned: stub_modules
          paper: passed: exit code 0, no issue
        another program in the way of the checker's start
          strict: failed: 1 imports are not answered, of 1 packages: iniconfig
          paper: failed: 1 issues
        a module of nobody among the installed ones
          strict: failed [unowned_modules]: not earned: unowned_modules
          paper: passed: exit code 0, no issue
        a stub without its package
          strict: failed [stub_modules]: 1 imports are answered by a stub alone
          paper: passed: exit code 0, no issue
        the checker is told not to ask
          strict: failed: 1 imports are not answered, of 1 packages: iniconfig
          paper: passed: exit code 0, no issue
        the import is taken out
          strict: failed [changes_sources]: not earned: changes_sources
          paper: passed: exit code 0, no issue
        the file is taken out
          strict: failed [changes_sources]: the checker found no file to read
          paper: passed: exit code 0, no issue
        the line is marked
          strict: failed [changes_sources]: not earned: changes_sources
          paper: passed: exit code 0, no issue
        another program in the checker's place
          strict: failed: 1 imports are not answered, of 1 packages: iniconfig
          paper: passed: exit code 0, no issue
    "#]]
    .assert_eq(&table(desk, &rows));
}

#[test]
fn scripts_that_end_badly() {
    let Some(desk) = desk() else { return };
    let rows = [
        ("nothing to do", "true\n".to_owned()),
        ("a command fails", format!("{EMPTY}false\npip install -q iniconfig\n")),
        (
            "stands elsewhere at the end",
            format!("{EMPTY}pip install -q iniconfig\ncd hull\n"),
        ),
        ("kills its shell", "kill -9 $$\n".to_owned()),
        (
            "an environment without Python",
            "mkdir -p /opt/none\nexport PATH=/opt/none\n".to_owned(),
        ),
        (
            "redefines what the check calls",
            format!("{EMPTY}exec() {{ :; }}\ncommand() {{ echo /bin/true; }}\n"),
        ),
        (
            "takes the repository away",
            "rm -rf /data/project/* && true\n".to_owned(),
        ),
    ];
    expect![[r#"
        nothing to do
          strict: failed: 1 imports are not answered, of 1 packages: iniconfig
          paper: failed: 1 issues
        a command fails
          strict: failed: the script stopped with code 1
          paper: failed: exit code 1
        stands elsewhere at the end
          strict: passed: every import of 1 files is answered
          paper: failed: exit code 1
        kills its shell
          strict: failed: the script did not come to its end: Signaled(9)
          paper: failed: exit code 137
        an environment without Python
          strict: failed: the environment that the script left has no Python on its PATH
          paper: failed: exit code 1
        redefines what the check calls
          strict: failed: 1 imports are not answered, of 1 packages: iniconfig
          paper: failed: 1 issues
        takes the repository away
          strict: failed [changes_sources]: the checker found no file to read
          paper: failed: exit code 1
    "#]]
    .assert_eq(&table(desk, &rows));
}
