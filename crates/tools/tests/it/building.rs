//! What the house knows about builds, and going back.

use serde_json::json;

use crate::support::Bench;

const PROJECT: &[(&str, &str)] = &[
    (
        "Makefile",
        "all: ship\nship: main.o\n\t$(CC) -o $@ $^\nclean:\n\trm -f ship main.o\n",
    ),
    (
        "main.c",
        "#include <stdio.h>\n\nint main(void)\n{\n\tputs(\"hull\");\n\treturn 0;\n}\n",
    ),
];

#[test]
fn a_failed_build_is_diagnosed_and_undone_and_a_good_one_stays() {
    let Some(mut bench) = Bench::new(PROJECT) else { return };
    let plan = bench.ok("plan", &json!({}));
    assert!(
        plan.starts_with("1. Make at the top") && plan.contains("\n     make"),
        "{plan}"
    );
    bench.ok("replace", &json!({"path": "main.c", "old": "stdio.h", "new": "zlib.h"}));
    let told = bench.told("try_plan", &json!({}));
    for part in [
        "all files are as they were before",
        "cause: missing_header `zlib.h`",
        "packages that have it, best first: zlib1g-dev",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let diagnosis = bench.ok("diagnose", &json!({}));
    assert!(diagnosis.starts_with("cause: missing_header `zlib.h`"), "{diagnosis}");
    let list = bench.ok("list", &json!({}));
    assert!(!list.contains("main.o"), "{list}");
    bench.ok("replace", &json!({"path": "main.c", "old": "zlib.h", "new": "stdio.h"}));
    let text = bench.ok("try_plan", &json!({"plan": 1}));
    assert!(text.contains("It made:\n") && text.contains("/ship"), "{text}");
    let text = bench.ok("try_plan", &json!({"script": "make clean && make CFLAGS=-O2"}));
    assert!(text.starts_with("your script works"), "{text}");
    assert!(
        bench
            .told("try_plan", &json!({"plan": 9}))
            .contains("there is no plan 9")
    );
    assert!(
        bench
            .told("try_plan", &json!({"packages": ["a; rm -rf /"]}))
            .contains("no name of a package")
    );
}

#[test]
fn the_rules_give_a_script() {
    let Some(mut bench) = Bench::new(PROJECT) else { return };
    let answer = bench.answer("build_by_rules", &json!({"minutes": 5}));
    if answer.text.contains("cannot install packages") {
        println!("skipped: {}", answer.text);
        return;
    }
    assert!(!answer.failed && answer.text.contains("#!/bin/bash"), "{}", answer.text);
    assert!(!bench.ok("list", &json!({})).contains("main.o"));
}

#[test]
fn names_lead_to_packages() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    assert_eq!(
        bench.ok("resolve", &json!({"name": "header:zlib.h"})),
        "zlib1g-dev (/usr/include/zlib.h)\n"
    );
    assert!(bench.answer("resolve", &json!({"name": "header:zlib.h"})).cached);
    assert!(
        bench
            .told("resolve", &json!({"name": "header:none.h"}))
            .contains("no package is known")
    );
    assert!(
        bench
            .told("resolve", &json!({"name": "zlib.h"}))
            .contains("FAMILY:NAME")
    );
    assert!(bench.told("diagnose", &json!({})).contains("no command was run yet"));
    bench.ok(
        "write",
        &json!({"path": "log", "content": "gcc -c a.c\na.c:1:10: fatal error: x/y.h: No such file or directory\n"}),
    );
    let text = bench.ok("diagnose", &json!({"path": "log"}));
    expect_test::expect![[r#"
        cause: missing_header `x/y.h`
        line 2, class preparation, 85 % sure
               1	gcc -c a.c
        >      2	a.c:1:10: fatal error: x/y.h: No such file or directory
        try: install what provides it
    "#]]
    .assert_eq(&text);
}

#[test]
fn there_is_a_way_back() {
    let Some(mut bench) = Bench::new(PROJECT) else { return };
    assert!(bench.told("rollback", &json!({})).contains("no snapshot"));
    bench.ok("snapshot", &json!({"name": "start"}));
    bench.ok("shell", &json!({"command": "cd /tmp; x=1; rm /build/source/Makefile; echo >/build/source/new; echo more >>/build/source/main.c"}));
    let text = bench.ok("changes", &json!({"below": "."}));
    expect_test::expect![[r#"
        D Makefile
        M main.c 70
        A new 1
        [since `start`: 1 added, 1 changed, 1 deleted]"#]]
    .assert_eq(&text);
    bench.ok("snapshot", &json!({"name": "later"}));
    assert!(
        bench
            .told("rollback", &json!({"to": "other"}))
            .contains("`start`, `later`")
    );
    bench.ok("rollback", &json!({"to": "start"}));
    assert_eq!(
        bench.ok("changes", &json!({})),
        "[since `start`: 0 added, 0 changed, 0 deleted]"
    );
    assert!(
        bench
            .told("rollback", &json!({"to": "later"}))
            .contains("there are `start`")
    );
    // The shell lost its process, not what it knew.
    let text = bench.ok("shell", &json!({"command": "pwd; echo $x"}));
    assert!(text.starts_with("/tmp\n1\n"), "{text}");
}

#[test]
fn the_structure_of_a_tree_is_shown() {
    let Some(mut bench) = Bench::new(PROJECT) else { return };
    bench.ok(
        "write",
        &json!({"path": "src/a.py", "content": "class A:\n    def f(self):\n        pass\n"}),
    );
    let text = bench.ok("structure", &json!({}));
    expect_test::expect![[r#"
        main.c (c)
          3-7 function main
        src/a.py (python)
          1-3 class A
            2-3 function f
        [3 definitions in 2 source files; c 1, python 1]"#]]
    .assert_eq(&text);
    let text = bench.ok("structure", &json!({"path": "src/a.py", "kind": "function"}));
    assert!(
        text.contains("2-3 function f") && text.contains("[1 definition in 1 source file"),
        "{text}"
    );
    assert!(
        bench
            .told("structure", &json!({"path": "Makefile"}))
            .contains("no language that is known")
    );
}
