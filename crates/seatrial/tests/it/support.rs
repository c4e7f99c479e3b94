//! Running the program as a person would, in a data folder that all tests share.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

/// The data folder of tests: its image and index are made once.
pub(crate) fn home() -> PathBuf {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("SEATRIAL_TEST_HOME").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").unwrap_or_else(|| set("HOME").unwrap().join(".cache"));
        cache.join("seatrial/test-home")
    })
}

/// The program, with nothing of the caller's terminal.
pub(crate) fn seatrial() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_seatrial"));
    command
        .env("SEATRIAL_HOME", home())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// How the program ended and what it said.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Ran {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&stdout).into_owned(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// The same for a command whose standard output goes where the caller has said.
pub(crate) fn run_as_it_is(command: &mut Command) -> Ran {
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    Ran {
        code: status.code().unwrap_or(-1),
        out: String::new(),
        err: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Whether boxes can be made here; says aloud why not. A failure that is not the machine's fails the test.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn boxes() -> bool {
    static READY: OnceLock<Result<(), String>> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        let made = run(seatrial().args(["image", "build"]));
        let machine = [
            "is not installed",
            "mmdebstrap ended with",
            "subordinate ids",
            "Operation not permitted",
        ];
        if made.code == 0 {
            Ok(())
        } else if machine.iter().any(|words| made.err.contains(words)) {
            Err(made.err)
        } else {
            panic!(
                "the image cannot be made, and not because of this machine: {}",
                made.err
            )
        }
    });
    if let Err(why) = ready {
        println!("skipped: no image can be made here: {why}");
    }
    ready.is_ok()
}

/// The name of the folder of the image that boxes are made from.
pub(crate) fn image_name() -> String {
    // There is one already, so this only names it.
    let found = run(seatrial().args(["image", "build", "--json"]));
    let image: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let id = image["id"].as_str().unwrap();
    id.trim_start_matches("b3:").to_owned()
}

/// Writes a small project; `run:` before a name makes the file executable.
pub(crate) fn project(folder: &Path, files: &[(&str, &str)]) {
    use std::os::unix::fs::PermissionsExt;
    for (name, content) in files {
        let path = folder.join(name.trim_start_matches("run:"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        if name.starts_with("run:") {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// A project of one program whose Makefile runs extra commands first.
pub(crate) fn makefile_project(folder: &Path, name: &str, extra: &str) {
    let makefile = format!(
        "all: {name}\n\n{name}: main.o\n\t$(CC) -o $@ main.o\n\nmain.o: main.c\n{extra}\t$(CC) $(CFLAGS) -c main.c\n"
    );
    let source = format!(
        "#include <stdio.h>\n\nint main(void)\n{{\n    puts(\"this is the program {name}\");\n    return 0;\n}}\n"
    );
    project(
        folder,
        &[("Makefile", &makefile), ("main.c", &source), (".hidden", "kept\n")],
    );
}

/// Helper processes of boxes whose harness is gone. The kernel needs a moment to end them, so they are given one; other
/// tests have live boxes of their own, which do not count.
pub(crate) fn leftovers() -> Vec<String> {
    let since = std::time::Instant::now();
    loop {
        let found = orphans();
        if found.is_empty() || since.elapsed() > std::time::Duration::from_secs(20) {
            return found;
        }
        std::thread::yield_now();
    }
}

fn orphans() -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_seatrial");
    let words = |folder: &Path| {
        let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = words(&entry.path());
        if !(line.starts_with(program) && line.contains("__box")) {
            continue;
        }
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status
            .lines()
            .find_map(|line| line.strip_prefix("PPid:"))
            .unwrap_or("0")
            .trim()
            .to_owned();
        if !words(&Path::new("/proc").join(parent)).starts_with(program) {
            found.push(line);
        }
    }
    found
}
