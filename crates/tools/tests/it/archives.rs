//! Archives in a box, against the programs that usually make them.

use serde_json::json;

use crate::support::Bench;

const PREPARE: &str = "mkdir -p hull-1.0/src && cd hull-1.0 && echo one >b && echo two >a && echo main >src/main.c && \
                       chmod 755 a && ln -s ../b src/link && ln a same && mkdir empty && touch -d @1500000000 b a src/main.c && cd ..";

#[test]
fn an_archive_is_the_same_after_it_was_taken_apart_and_put_together() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    let make = format!(
        "{PREPARE}; for kind in gz xz bz2; do tar -caf t-$kind.tar.$kind hull-1.0; done; rm -rf hull-1.0; ls; for f in t-*; do tar -tvf $f; done"
    );
    bench.ok("shell", &json!({"command": make, "fresh": true}));
    for kind in ["gz", "xz", "bz2"] {
        let archive = format!("t-{kind}.tar.{kind}");
        let list = json!({"command": format!("tar -tvf {archive} --full-time"), "fresh": true});
        let before = bench.ok("shell", &list);
        let text = bench.ok("extract", &json!({"path": archive}));
        assert!(text.contains(&format!("apart into t-{kind}/: 5 files")), "{text}");
        let text = bench.ok("pack", &json!({"folder": format!("t-{kind}")}));
        assert!(text.contains("0 new, 0 changed, 0 gone"), "{text}");
        let after = bench.ok("shell", &list);
        let lines = |text: &str| {
            text.lines()
                .filter(|line| !line.starts_with('['))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(lines(&before), lines(&after));
        assert!(
            bench
                .told("extract", &json!({"path": archive}))
                .contains("is there already")
        );
    }
    // What was changed is in it, in its old place.
    bench.ok("write", &json!({"path": "t-gz/hull-1.0/b", "content": "changed\n"}));
    bench.ok(
        "shell",
        &json!({"command": "rm t-gz/hull-1.0/src/main.c; echo new >t-gz/hull-1.0/new", "fresh": true}),
    );
    let text = bench.ok("pack", &json!({"folder": "t-gz"}));
    assert!(text.contains("1 new, 1 changed, 1 gone"), "{text}");
    let text = bench.ok(
        "shell",
        &json!({"command": "tar -xOf t-gz.tar.gz hull-1.0/b hull-1.0/new", "fresh": true}),
    );
    assert!(text.starts_with("changed\nnew\n"), "{text}");
}

#[test]
fn folders_become_archives_of_each_kind_and_come_back() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    bench.ok("shell", &json!({"command": PREPARE, "fresh": true}));
    for name in ["x.tar.zst", "x.zip", "x.obscpio"] {
        bench.ok("pack", &json!({"folder": "hull-1.0", "path": name}));
        bench.ok("extract", &json!({"path": name, "to": format!("{name}-out")}));
        let same = format!(
            "diff -r --no-dereference hull-1.0 {name}-out && stat -c %a {name}-out/a && readlink {name}-out/src/link"
        );
        let text = bench.ok("shell", &json!({"command": same, "fresh": true}));
        assert!(text.starts_with("755\n../b\n"), "{name}: {text}");
        bench.ok("pack", &json!({"folder": format!("{name}-out")}));
    }
    for (arguments, part) in [
        (json!({"folder": "none"}), "no folder `none`"),
        (json!({"folder": "hull-1.0"}), "say in `path`"),
        (
            json!({"folder": "hull-1.0", "path": "x.rar"}),
            "does not say its format",
        ),
    ] {
        assert!(bench.told("pack", &arguments).contains(part), "{arguments}");
    }
}

#[test]
fn hostile_archives_are_refused_and_leave_nothing() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    bench.ok("shell", &json!({"command": "mkdir d && ln -s /etc d/link && mkfifo f && echo >x && tar -cf link.tar d && tar -cf pipe.tar f && tar -cPf out.tar --transform 's,^,../,' x && head -c 300 /dev/zero >zero.tar && rm -r d f", "fresh": true}));
    for (name, part) in [
        ("link.tar", "its link `d/link` leads to `/etc`"),
        ("pipe.tar", "is a device or a pipe"),
        ("out.tar", "`../x` leads out"),
        ("zero.tar", "no archive that is known"),
        ("none.tar", "there is no file"),
    ] {
        let told = bench.told("extract", &json!({"path": name}));
        assert!(told.contains(part), "{name}: {told}");
    }
    let list = bench.ok("list", &json!({"depth": 1}));
    assert!(!list.contains('/') || list.matches('/').count() == 1, "{list}");
}
