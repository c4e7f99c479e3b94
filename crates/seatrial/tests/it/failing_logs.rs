//! `seatrial bench diagnosis` on a set of two logs.

use std::{fs, path::Path};

use expect_test::expect;

use crate::support::{run, seatrial};

fn case(id: &str, split: &str, subject: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"project\":\"p\",\"mutation\":\"m\",\"class\":\"preparation\",\"kind\":[\"missing_header\"],\
         \"subject\":[\"{subject}\"],\"lines\":[2,2],\"remedy\":\"install it\",\"tools\":[],\
         \"platform\":\"debian:bookworm/x86_64\",\"split\":\"{split}\"}}\n"
    )
}

fn set(folder: &Path) {
    fs::create_dir_all(folder.join("logs")).unwrap();
    fs::write(
        folder.join("corpus.toml"),
        "version = 1\nsuite = \"diagnosis\"\nname = \"two\"\nabout = \"Two logs.\"\nseed = 7\nunseen_projects = []\n\
         unseen_mutations = []\ndropped = 0\n",
    )
    .unwrap();
    let cases =
        case("right", "seen", "zlib.h") + &case("wrong", "seen", "gif_lib.h") + &case("kept", "unseen", "expat.h");
    fs::write(folder.join("cases.jsonl"), cases).unwrap();
    for (name, header) in [("right", "zlib.h"), ("wrong", "png.h"), ("kept", "other.h")] {
        let log = format!(
            "cc -c -o a.o a.c\na.c:1:10: fatal error: {header}: No such file or directory\ncompilation terminated.\n\
             make: *** [Makefile:2: a.o] Error 1\n"
        );
        fs::write(folder.join(format!("logs/{name}.log")), log).unwrap();
    }
}

#[test]
fn the_table_has_both_halves_and_only_the_seen_one_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path());
    let ran = run(seatrial().args(["bench", "diagnosis", "--failures"]).arg(folder.path()));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text: Vec<&str> = ran.out.lines().filter(|line| !line.starts_with("in ")).collect();
    expect![[r#"
        two: seed 7; projects and mutations held out as a whole; Wilson intervals of 95 %

                            cases              class               kind  kind and subject      line within 1
        seen preparation        2  100.0 % [34, 100]  100.0 % [34, 100]    50.0 % [9, 91]  100.0 % [34, 100]
        seen all                2  100.0 % [34, 100]  100.0 % [34, 100]    50.0 % [9, 91]  100.0 % [34, 100]
        unseen preparation      1  100.0 % [21, 100]  100.0 % [21, 100]     0.0 % [0, 79]  100.0 % [21, 100]
        unseen all              1  100.0 % [21, 100]  100.0 % [21, 100]     0.0 % [0, 79]  100.0 % [21, 100]


        wrong, of the seen half:
        wrong (subject)
          wanted preparation missing_header gif_lib.h (2, 2)
          got    preparation missing_header png.h (2, 2)"#]]
    .assert_eq(&text.join("\n"));
    let unseen = run(seatrial()
        .args(["bench", "diagnosis", "--failures", "--split", "unseen"])
        .arg(folder.path()));
    assert!(unseen.out.contains("unseen all"), "{}", unseen.out);
    assert!(
        !unseen.out.contains("kept") && !unseen.out.contains("other.h"),
        "{}",
        unseen.out
    );
}

#[test]
fn what_is_no_set_and_a_program_that_is_not_there_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let none = run(seatrial().args(["bench", "diagnosis"]).arg(folder.path()));
    assert_ne!(none.code, 0);
    assert!(none.err.contains("holds no set of failing logs"), "{}", none.err);
    set(folder.path());
    let absent = run(seatrial()
        .args(["bench", "diagnosis", "--with", "buildlog-consultant", "--program"])
        .args([folder.path().join("absent"), folder.path().to_owned()]));
    assert_ne!(absent.code, 0);
    assert!(absent.err.contains("cannot be started"), "{}", absent.err);
    let mined = run(seatrial().args(["corpus", "mine", "mutations"]).arg(folder.path()));
    assert_ne!(mined.code, 0);
    assert!(mined.err.contains("has no folder `catalogue`"), "{}", mined.err);
    let listed = run(seatrial().args(["corpus", "list"]).arg(folder.path()));
    assert!(listed.out.contains("3 failing logs"), "{}{}", listed.out, listed.err);
}

#[test]
fn a_damaged_set_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path());
    let good = fs::read(folder.path().join("cases.jsonl")).unwrap();
    let cut = &good[..good.len() - 40];
    for (content, line) in [(cut.to_vec(), 3), ([&*good, b"\xff\xfe\n"].concat(), 4)] {
        fs::write(folder.path().join("cases.jsonl"), content).unwrap();
        let ran = run(seatrial().args(["bench", "diagnosis"]).arg(folder.path()));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(&format!("cases.jsonl, line {line}: ")), "{}", ran.err);
    }
    fs::write(folder.path().join("cases.jsonl"), good).unwrap();
    fs::remove_file(folder.path().join("logs/kept.log")).unwrap();
    let ran = run(seatrial().args(["bench", "diagnosis"]).arg(folder.path()));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("line 3: the log of `kept` is not there"),
        "{}",
        ran.err
    );
}

#[test]
fn a_part_of_what_is_out_of_sight_is_revealed_by_draw() {
    let folder = tempfile::tempdir().unwrap();
    set(folder.path());
    let split = |words: &[&str]| run(seatrial().args(["corpus", "split"]).arg(folder.path()).args(words));
    for (words, said) in [
        (&["--reveal", "0"][..], "is no share"),
        (&["--reveal", "1.5"], "is no share"),
        (&["--reveal", "NaN"], "is no share"),
        (&["--seed", "3"], "`--reveal SHARE` makes a part"),
    ] {
        let ran = split(words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
    let nothing = split(&["--reveal", "0.5"]);
    assert!(
        nothing.err.contains("holds nothing out of sight any more"),
        "{}",
        nothing.err
    );
    let facts = fs::read_to_string(folder.path().join("corpus.toml")).unwrap();
    let held = facts.replace("unseen_projects = []", "unseen_projects = [\"p\"]");
    fs::write(folder.path().join("corpus.toml"), held).unwrap();
    let ran = split(&["--reveal", "0.5", "--seed", "5"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("1 projects and 0 mutations became seen, drawn with seed 5"),
        "{}",
        ran.out
    );
    let kept = fs::read_to_string(folder.path().join("corpus.toml")).unwrap();
    assert!(
        kept.contains("seed = 5") && kept.contains("projects = [\"p\"]"),
        "{kept}"
    );
}
