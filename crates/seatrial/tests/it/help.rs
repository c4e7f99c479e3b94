//! Help texts and completions.

use expect_test::expect;

use crate::support::{run, seatrial};

#[test]
fn the_first_help_names_the_verbs_and_the_exit_codes() {
    let ran = run(seatrial().arg("--help").env("COLUMNS", "100"));
    assert_eq!(ran.code, 0);
    expect![[r#"
        Builds software that nobody documented, and proves the result by running it in a clean box

        Usage: seatrial [OPTIONS] <COMMAND>

        Commands:
          build        Build a source in a clean box and write a recipe that reproduces it
          repair       Make a package that fails on an architecture build there, proved by a rebuild from
                       clean
          diagnose     Say why a build failed, from its log
          bench        Measure an agent on a corpus
          model        Ask a model two short questions, to see whether it answers and whether it calls tools
          replay       Do again what an agent did in a trial, in a fresh box and without a model
          trajectory   Show what an agent did in a trial, step by step
          corpus       Look at, make or refresh a corpus
          image        Images that boxes are made from
          resolve      Say which packages have what a build asks for
          index        Indexes that names are looked up in
          cache        Say what the data folder takes, and make room in it
          mcp          Serve the tools over a box to any agent, by the Model Context Protocol
          doctor       Say what this machine can do, and how to get the rest
          completions  Print a completion script for a shell
          help         Print this message or the help of the given subcommand(s)

        Options:
              --json              Print one JSON document on standard output instead of text
              --home <DIR>        Data folder [default: $XDG_DATA_HOME/seatrial or ~/.local/share/seatrial]
                                  [env: SEATRIAL_HOME]
              --max-size <BYTES>  Bytes that the data folder may take, such as 20G [env: SEATRIAL_MAX_SIZE]
              --backend <KIND>    What boxes are made of: native, docker, or docker:SOCKET for another
                                  daemon than the usual one, such as Podman's [env: SEATRIAL_BACKEND]
                                  [default: native]
          -h, --help              Print help
          -V, --version           Print version

        Exit codes: 0 all passed; 1 ran and failed; 2 usage; 3 nothing was run; 4 invalid (infrastructure);
        5 budget spent; 130 interrupted.
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn every_verb_has_help_and_the_long_ones_have_examples() {
    for (words, examples) in [
        (&["build"][..], true),
        (&["diagnose"], true),
        (&["bench"], false),
        (&["bench", "run"], true),
        (&["bench", "report"], true),
        (&["bench", "compare"], true),
        (&["bench", "list"], false),
        (&["bench", "calibrate"], false),
        (&["model"], true),
        (&["replay"], true),
        (&["trajectory", "export"], true),
        (&["trajectory", "check"], false),
        (&["mcp"], true),
        (&["corpus", "list"], false),
        (&["corpus", "show"], false),
        (&["corpus", "mine", "debian-compile"], true),
        (&["corpus", "refresh"], false),
        (&["image", "build"], true),
        (&["image", "import"], true),
        (&["image", "pull"], true),
        (&["image", "run"], true),
        (&["image", "list"], false),
        (&["image", "rm"], false),
        (&["cache", "size"], false),
        (&["cache", "gc"], true),
        (&["doctor"], false),
        (&["completions"], true),
    ] {
        let ran = run(seatrial().args(words).arg("--help"));
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
        assert_eq!(ran.out.contains("Example"), examples, "{words:?}");
        assert!(ran.out.contains("--json"), "{words:?}");
    }
}

#[test]
fn completions_know_the_verbs() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(seatrial().args(["completions", shell]));
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("calibrate"), "{shell}");
    }
}
