//! Tools that look at files and change them.

use std::fmt::Write as _;

use serde_json::json;

use crate::support::{Bench, ROOT};

const TREE: &[(&str, &str)] = &[
    ("README.md", "# Hull\n\nBuild with make.\n"),
    (
        "src/main.c",
        "#include <stdio.h>\n\nint main(void) {\n\tputs(\"hull\");\n\treturn 0;\n}\n",
    ),
    ("src/deep/er/hull.h", "int hull(void);\n"),
    (".git/config", "[core]\n"),
];

#[test]
fn a_tree_is_listed_read_and_searched() {
    let Some(mut bench) = Bench::new(TREE) else { return };
    let prepare = "chmod +x README.md; ln -s src/main.c link; ln -s /nowhere broken; mkfifo pipe; ln -s src folder-link; mkdir empty; \
                   printf 'caf\\351\\n' >latin; printf 'a\\0b' >binary; : >nothing; touch $'new\\nline'; ln -s loop loop; \
                   seq -f 'line %g' 1 1000 >long; head -c 3000 /dev/zero | tr '\\0' x >wide; printf 'a\\r\\nhull b\\r\\n' >dos";
    bench.ok("shell", &json!({"command": prepare, "fresh": true}));
    let mut text = String::new();
    for (name, arguments) in [
        ("list", json!({})),
        ("list", json!({"depth": 1, "path": "src/"})),
        ("list", json!({"path": "folder-link"})),
        ("list", json!({"path": "empty"})),
        ("list", json!({"path": "nope"})),
        ("list", json!({"path": "README.md"})),
        ("read", json!({"path": "src/main.c", "from": 3, "lines": 2})),
        ("read", json!({"path": "../../build/source/src/../README.md"})),
        ("read", json!({"path": "link", "from": -1})),
        ("read", json!({"path": "latin"})),
        ("read", json!({"path": "binary"})),
        ("read", json!({"path": "nothing"})),
        ("read", json!({"path": "broken"})),
        ("read", json!({"path": "loop"})),
        ("read", json!({"path": "pipe"})),
        ("read", json!({"path": "src"})),
        ("read", json!({"path": "/dev/zero"})),
        ("read", json!({"path": "readme"})),
        ("read", json!({"path": "no/such"})),
        ("read", json!({"path": "long", "from": -2})),
        ("read", json!({"path": "long", "from": 2000})),
        ("search", json!({"pattern": "hull"})),
        ("search", json!({"pattern": "HULL", "ignore_case": true, "glob": "*.h"})),
        ("search", json!({"pattern": "hull(", "path": "src"})),
        ("search", json!({"pattern": "hull(", "path": "src", "literal": true})),
        (
            "search",
            json!({"pattern": "puts", "path": "folder-link", "context": 1}),
        ),
        ("search", json!({"pattern": "^line 99", "path": "long", "most": 3})),
        ("search", json!({"pattern": "nothing at all"})),
        ("search", json!({"pattern": "x", "path": "nope"})),
    ] {
        let answer = bench.answer(name, &arguments);
        let mark = if answer.failed { " failed" } else { "" };
        writeln!(text, "{name} {arguments}{mark}\n{}\n", answer.text.trim_end()).unwrap();
    }
    expect_test::expect![[r#"
        list {}
        ./
          .git/
          README.md* 25
          binary 3
          broken -> /nowhere
          dos 11
          empty/
          folder-link -> src
          latin 5
          link -> src/main.c
          long 8893
          loop -> loop
          new\nline 0
          nothing 0
          pipe (device, pipe or socket)
          src/
            deep/
            main.c 65
          wide 3000

        list {"depth":1,"path":"src/"}
        src/
          deep/
          main.c 65

        list {"path":"folder-link"}
        folder-link/
          deep/
            er/
          main.c 65

        list {"path":"empty"}
        empty/
          (empty)

        list {"path":"nope"} failed
        there is no `nope` in the box; `list` the folder above it

        list {"path":"README.md"} failed
        `README.md` is no folder; `read` shows a file

        read {"from":3,"lines":2,"path":"src/main.c"}
        src/main.c: lines 3 to 4 of 6; go on with `from` 5
             3	int main(void) {
             4		puts("hull");

        read {"path":"../../build/source/src/../README.md"}
        README.md: lines 1 to 3 of 3
             1	# Hull
             2	
             3	Build with make.

        read {"from":-1,"path":"link"}
        link: lines 6 to 6 of 6
             6	}

        read {"path":"latin"}
        latin: lines 1 to 1 of 1; it is no UTF-8, so some bytes are shown as �
             1	caf�

        read {"path":"binary"} failed
        `binary` is a binary file of 3 bytes and is not shown; `shell` has programs such as file, strings, od

        read {"path":"nothing"}
        nothing is empty

        read {"path":"broken"} failed
        `broken` is a link to `/nowhere`, which is no file

        read {"path":"loop"} failed
        `loop` is a link to `loop`, which is no file

        read {"path":"pipe"} failed
        `pipe` is a device, pipe or socket, which cannot be read

        read {"path":"src"} failed
        `src` is a folder; `list` shows what is in it

        read {"path":"/dev/zero"} failed
        `/dev/zero` is a device, pipe or socket, which cannot be read

        read {"path":"readme"} failed
        there is no `readme` in the box; near it are `README.md`

        read {"path":"no/such"} failed
        there is no `no/such` in the box, nor its folder

        read {"from":-2,"path":"long"}
        long: lines 999 to 1000 of 1000
           999	line 999
          1000	line 1000

        read {"from":2000,"path":"long"} failed
        `long` has 1000 lines; there is no line 2000

        search {"pattern":"hull"}
        dos:2:hull b
        src/deep/er/hull.h:1:int hull(void);
        src/main.c:4:	puts("hull");
        [3 lines in 3 files; left out: 1 binary file]

        search {"glob":"*.h","ignore_case":true,"pattern":"HULL"}
        src/deep/er/hull.h:1:int hull(void);
        [1 line in 1 file]

        search {"path":"src","pattern":"hull("} failed
        the pattern cannot be used: regex parse error:
            hull(
                ^
        error: unclosed group
        set `literal` to search for it as it is written

        search {"literal":true,"path":"src","pattern":"hull("}
        src/deep/er/hull.h:1:int hull(void);
        [1 line in 1 file]

        search {"context":1,"path":"folder-link","pattern":"puts"}
        folder-link/main.c-3-int main(void) {
        folder-link/main.c:4:	puts("hull");
        folder-link/main.c-5-	return 0;
        [1 line in 1 file]

        search {"most":3,"path":"long","pattern":"^line 99"}
        long:99:line 99
        long:990:line 990
        long:991:line 991
        [3 lines in 1 file; there are more: narrow it by `path` or `glob`, or set `most`]

        search {"pattern":"nothing at all"}
        [nothing fits in 9 files; left out: 1 binary file]

        search {"path":"nope","pattern":"x"} failed
        there is no `nope` in the box; `list` shows what is there

    "#]]
    .assert_eq(&text);
    let wide = bench.ok("read", &json!({"path": "wide"}));
    assert!(wide.ends_with("[... 1000 bytes of this line left out]\n"), "{wide}");
}

#[test]
fn files_are_written_and_texts_in_them_replaced() {
    let Some(mut bench) = Bench::new(TREE) else { return };
    bench.ok(
        "shell",
        &json!({"command": "chmod 755 README.md; ln -s README.md link; printf 'a\\r\\nb\\r\\n' >dos", "fresh": true}),
    );
    let mut text = String::new();
    for (name, arguments) in [
        ("write", json!({"path": "new/deep/file.txt", "content": "a\nb\n"})),
        (
            "write",
            json!({"path": "new/run.sh", "content": "true\n", "executable": true}),
        ),
        ("write", json!({"path": "README.md", "content": "short\n"})),
        ("write", json!({"path": "link", "content": "other\n"})),
        ("write", json!({"path": "src", "content": "x"})),
        ("write", json!({"path": "README.md/x", "content": "x"})),
        ("write", json!({"path": "/dev/null", "content": "x"})),
        (
            "replace",
            json!({"path": "src/main.c", "old": "puts(\"hull\");", "new": "puts(\"keel\");"}),
        ),
        (
            "replace",
            json!({"path": "src/main.c", "old": "puts(\"hull\");", "new": "x"}),
        ),
        ("replace", json!({"path": "src/main.c", "old": "n", "new": "m"})),
        ("replace", json!({"path": "dos", "old": "a\nb", "new": "c\nd"})),
        ("replace", json!({"path": "none.c", "old": "a", "new": "b"})),
        ("replace", json!({"path": "README.md", "old": "a", "new": "a"})),
    ] {
        let answer = bench.answer(name, &arguments);
        let mark = if answer.failed { " failed" } else { "" };
        writeln!(text, "{name} {arguments}{mark}\n  {}", answer.text.trim_end()).unwrap();
    }
    expect_test::expect![[r#"
        write {"content":"a\nb\n","path":"new/deep/file.txt"}
          wrote new/deep/file.txt: 2 lines, 4 bytes; it is new
        write {"content":"true\n","executable":true,"path":"new/run.sh"}
          wrote new/run.sh: 1 line, 5 bytes; it is new
        write {"content":"short\n","path":"README.md"}
          wrote README.md: 1 line, 6 bytes; it had 25 bytes
        write {"content":"other\n","path":"link"}
          wrote 1 line through the link link -> README.md
        write {"content":"x","path":"src"} failed
          `src` is a folder; give the path of a file
        write {"content":"x","path":"README.md/x"} failed
          writing files: work on files: /build/source/README.md: File exists (os error 17)
        write {"content":"x","path":"/dev/null"} failed
          `/dev/null` is a device, pipe or socket and stays as it is
        replace {"new":"puts(\"keel\");","old":"puts(\"hull\");","path":"src/main.c"}
          replaced in src/main.c at line 4
        replace {"new":"x","old":"puts(\"hull\");","path":"src/main.c"} failed
          nothing was changed in `src/main.c`: the old text is not there, nor its first line; `read` or `search` the file first
        replace {"new":"m","old":"n","path":"src/main.c"} failed
          nothing was changed in `src/main.c`: the old text stands there 4 times (at line 1, 3, 3, 5); give more of what is around it, or set `all`
        replace {"new":"c\nd","old":"a\nb","path":"dos"}
          replaced in dos at line 1; its line ends (CRLF) were kept
        replace {"new":"b","old":"a","path":"none.c"} failed
          there is no `none.c` in the box; `list` shows what is there
        replace {"new":"a","old":"a","path":"README.md"} failed
          `old` and `new` are the same; nothing was changed
    "#]].assert_eq(&text);
    assert_eq!(bench.file("dos"), "c\r\nd\r\n");
    let modes = bench.ok("shell", &json!({"command": format!("cd {ROOT}; stat -c '%a %n' README.md new/run.sh new/deep/file.txt"), "fresh": true}));
    assert!(
        modes.starts_with("755 README.md\n755 new/run.sh\n644 new/deep/file.txt\n"),
        "{modes}"
    );
}

#[test]
fn a_large_tree_is_listed_in_part_and_says_so() {
    let Some(mut bench) = Bench::new(&[]) else { return };
    bench.ok(
        "shell",
        &json!({"command": "mkdir d; cd d; seq 1 1500 | xargs touch", "fresh": true}),
    );
    let text = bench.ok("list", &json!({}));
    assert!(text.contains("[501 more entries are not shown"), "{text}");
}
