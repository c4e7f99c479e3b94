//! Freezing, going back and what changed, as far as only layers can do it.

use std::fmt::Write as _;

use expect_test::expect;
use seatrial_sandbox::{Before, Change, ChangeKind};

use crate::support::{quiet_box, script};

/// Changes as short lines.
fn lines(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        let what = match &change.kind {
            ChangeKind::File { size, mode, .. } => format!("file {size} {mode:o}"),
            ChangeKind::Link { target } => format!("link {target}"),
            ChangeKind::Folder { mode } => format!("folder {mode:o}"),
            ChangeKind::Special => "special".to_owned(),
            ChangeKind::Deleted => "deleted".to_owned(),
        };
        let _ = writeln!(text, "{}: {what}", change.path);
    }
    text
}

/// A change with what was there before.
fn told(change: &Change) -> String {
    let before = match &change.before {
        Before::Nothing => "nothing".to_owned(),
        Before::File {
            size,
            mode,
            same_content,
        } => format!("file {size} {mode:o}{}", if *same_content { " same" } else { "" }),
        Before::Link { target } => format!("link {target}"),
        Before::Folder { mode } => format!("folder {mode:o}"),
        Before::Special => "special".to_owned(),
        Before::Unknown => "unknown".to_owned(),
    };
    let twin = change
        .same_file_as
        .as_ref()
        .map_or(String::new(), |twin| format!(", same as {twin}"));
    format!(
        "{} from {before}{twin}\n",
        lines(std::slice::from_ref(change)).trim_end()
    )
}

#[test]
fn changes_tell_what_was_there_before() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    let setup = "mkdir -p /w/d/e/f /w/gone/in; cd /w; echo one > mode; echo one > touched; echo one > same-size; echo 1 > linked; ln -s a link; mkfifo pipe; echo > d/e/f/deep; echo > gone/in/x; echo > wasfile; mkdir wasfolder; touch wasfolder/x";
    script(sandbox, setup);
    let before = sandbox.snapshot().unwrap();
    let text = "cd /w; chmod 700 mode; touch touched; echo two > same-size; ln linked twin; ln twin third; ln -sfn b link; rm pipe; echo now a file > pipe; rm -r d; mkdir -p d/e; echo > d/e/new; rm -r gone; rm wasfile; mkdir wasfile; rm -r wasfolder; echo > wasfolder; : > $'raw\\xff'";
    script(sandbox, text);
    let changes = sandbox.changes(&before).unwrap();
    let told: String = changes.iter().map(told).collect();
    expect![[r#"
        /w/d/e/f: deleted from folder 755
        /w/d/e/new: file 1 644 from nothing
        /w/gone: deleted from folder 755
        /w/link: link b from link a
        /w/linked: file 2 644 from file 2 644 same
        /w/mode: file 4 700 from file 4 644 same
        /w/pipe: file 11 644 from special
        /w/raw�: file 0 644 from nothing
        /w/same-size: file 4 644 from file 4 644
        /w/third: file 2 644 from nothing, same as /w/linked
        /w/touched: file 4 644 from file 4 644 same
        /w/twin: file 2 644 from nothing, same as /w/linked
        /w/wasfile: folder 755 from file 1 644
        /w/wasfolder: file 1 644 from folder 755
    "#]]
    .assert_eq(&told);
    let raw: Vec<_> = changes.iter().filter_map(|change| change.raw_path.as_deref()).collect();
    assert_eq!(raw, [b"/w/raw\xff".as_slice()]);
    assert_eq!(changes[0].path_bytes(), changes[0].path.as_bytes());
}

#[test]
fn thousands_of_snapshots_with_changes_between_are_each_a_place_to_go_back_to() {
    let Some(mut sandbox) = quiet_box() else { return };
    let sandbox = &mut *sandbox;
    script(sandbox, "mkdir -p /n/deep /m; echo > /m/0; ln -s x /n/deep/link");
    let first = sandbox.snapshot().unwrap();
    let mut kept = Vec::new();
    let many = 1200_u32;
    for number in 0..many {
        sandbox
            .write_file(&format!("/n/{}", number % 100), number.to_string().as_bytes(), 0o644)
            .unwrap();
        if number % 50 == 7 {
            script(
                sandbox,
                &format!("rm -r /m; mkdir -m 7{}0 /m; echo {number} > /m/{number}", number % 8),
            );
        }
        kept.push(sandbox.snapshot().unwrap());
    }
    assert_eq!(script(sandbox, "cat /n/{0..99} | md5sum; ls /m; cat /n/99"), {
        let text: String = (many - 100..many).map(|number| number.to_string()).collect();
        let sum = script(sandbox, &format!("printf %s {text} | md5sum"));
        format!("{sum}{}\n{}", many - 43, many - 1)
    });
    let changes = sandbox.changes(&first).unwrap();
    assert_eq!(
        changes.len(),
        103,
        "a hundred files; a folder that is another one, its old file and its new one"
    );
    let changes = lines(&sandbox.changes(&kept[1190]).unwrap());
    assert_eq!(changes.lines().count(), 9, "{changes}");
    for back in [1111_u32, 800, 300, 299, 17, 16, 15] {
        sandbox.rollback(&kept[back as usize]).unwrap();
        assert_eq!(
            script(sandbox, &format!("cat /n/{}; ls /n/deep", back % 100)),
            format!("{back}link\n")
        );
        let number = (back + 43) / 50 * 50 - 43;
        assert_eq!(
            script(sandbox, "ls /m; stat -c %a /m"),
            format!("{number}\n7{}0\n", number % 8)
        );
        // And on from there.
        for more in 0..20 {
            sandbox.write_file(&format!("/n/more-{more}"), b"x", 0o644).unwrap();
            sandbox.snapshot().unwrap();
        }
        assert_eq!(script(sandbox, "ls /n | grep -c more"), "20\n");
    }
    sandbox.rollback(&first).unwrap();
    assert_eq!(script(sandbox, "ls /n /m"), "/m:\n0\n\n/n:\ndeep\n");
}

#[test]
fn paths_longer_than_the_kernel_takes_are_told_of() {
    let Some(mut sandbox) = quiet_box() else { return };
    let before = sandbox.snapshot().unwrap();
    let deep = "import os\nos.mkdir('/deep'); os.chdir('/deep')\nfor n in range(3000):\n  os.mkdir('d'); os.chdir('d')\nopen('end', 'w')";
    script(&mut *sandbox, &format!("python3 -c \"{deep}\""));
    let changes = sandbox.changes(&before).unwrap();
    assert_eq!(changes.len(), 3002);
    let longest = changes.iter().map(|change| change.path.len()).max();
    assert_eq!(longest, Some("/deep".len() + 3000 * 2 + "/end".len()));
}
