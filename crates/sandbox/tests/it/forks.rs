//! Boxes that begin where another one was.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use seatrial_sandbox::{BoxSpec, Door, DoorSockets, Limits, NativeFactory, Network, OpenDoor, SandboxFactory};

use crate::support::{helper, home, image, quiet_box, script, start};

#[test]
fn a_fork_begins_with_the_snapshot_and_shares_nothing_after_it() {
    let Some(mut parent) = quiet_box() else { return };
    script(
        &mut *parent,
        "mkdir /w; echo one > /w/file; chmod 750 /w; rm /etc/issue",
    );
    let first = parent.snapshot().unwrap();
    script(&mut *parent, "echo two > /w/file; echo > /w/more");
    let mut fork = parent.fork(&first).unwrap();
    assert_eq!(
        script(
            &mut *fork,
            "cat /w/file; ls /w; stat -c %a /w; ls /etc/issue 2>&1 | wc -l"
        ),
        "one\nfile\n750\n1\n"
    );
    assert!(script(&mut *fork, "ls /etc/issue 2>/dev/null || echo gone").ends_with("gone\n"));
    script(&mut *fork, "echo fork > /w/file; mkdir /f");
    script(&mut *parent, "echo parent > /w/file");
    assert_eq!(script(&mut *fork, "cat /w/file; ls -d /f"), "fork\n/f\n");
    assert_eq!(
        script(&mut *parent, "cat /w/file; ls -d /f 2>/dev/null || true"),
        "parent\n"
    );
    // It has snapshots of its own.
    let its = fork.snapshot().unwrap();
    script(&mut *fork, "rm -r /w");
    let changes: Vec<_> = fork
        .changes(&its)
        .unwrap()
        .into_iter()
        .map(|change| change.path)
        .collect();
    assert_eq!(changes, ["/w"]);
    fork.rollback(&its).unwrap();
    assert_eq!(script(&mut *fork, "cat /w/file"), "fork\n");
    assert_eq!(fork.image(), parent.image());
}

#[test]
fn a_fork_outlives_its_parent_and_the_parents_rollbacks() {
    let Some(mut parent) = quiet_box() else { return };
    let start = parent.snapshot().unwrap();
    script(&mut *parent, "mkdir /w; seq 1000 > /w/one");
    let one = parent.snapshot().unwrap();
    script(&mut *parent, "seq 2000 > /w/two");
    let two = parent.snapshot().unwrap();
    let mut fork = parent.fork(&two).unwrap();
    let its = fork.snapshot().unwrap();
    // Of a fork, and of a fork whose parent is gone.
    let mut child = fork.fork(&its).unwrap();
    parent.rollback(&start).unwrap();
    script(&mut *parent, "ls /w 2>/dev/null && exit 1; echo > /x");
    parent.rollback(&start).unwrap();
    for sandbox in [&mut fork, &mut child] {
        assert_eq!(script(&mut **sandbox, "wc -l < /w/one; tail -1 /w/two"), "1000\n2000\n");
    }
    parent.fork(&one).map(drop).unwrap_err();
    drop(fork);
    drop(parent);
    assert_eq!(
        script(&mut *child, "wc -l < /w/one; tail -1 /w/two; echo > /w/three"),
        "1000\n2000\n"
    );
    let last = child.snapshot().unwrap();
    let mut grandchild = child.fork(&last).unwrap();
    drop(child);
    assert_eq!(script(&mut *grandchild, "ls /w | xargs"), "one three two\n");
}

/// Folders of boxes in which a file was written to the topmost folder.
fn folders_with(name: &str) -> usize {
    let boxes = std::fs::read_dir(home().boxes()).unwrap().flatten();
    boxes
        .filter(|entry| entry.path().join("layers/0").join(name).exists())
        .count()
}

#[test]
fn what_forks_stand_on_goes_when_the_last_of_them_is_gone() {
    let Some(image) = image() else { return };
    let factory = NativeFactory::new(&home(), helper()).unwrap();
    let spec = BoxSpec {
        image,
        limits: Limits::default(),
        network: Network::Off,
    };
    let mut parent = factory.start(&spec).unwrap();
    let mark = format!("mark-{}-forked", std::process::id());
    parent.write_file(&format!("/{mark}"), b"", 0o644).unwrap();
    let snapshot = parent.snapshot().unwrap();
    let mut fork = parent.fork(&snapshot).unwrap();
    let its = fork.snapshot().unwrap();
    let child = fork.fork(&its).unwrap();
    assert_eq!(folders_with(&mark), 1);
    drop(parent);
    factory.settle();
    assert_eq!(folders_with(&mark), 1);
    drop(fork);
    factory.settle();
    assert_eq!(folders_with(&mark), 1);
    drop(child);
    factory.settle();
    assert_eq!(folders_with(&mark), 0);
}

/// Keeps the sockets that it is given.
#[derive(Debug, Default)]
struct Keeper {
    opened: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

struct Kept {
    _sockets: DoorSockets,
    closed: Arc<AtomicUsize>,
}

impl OpenDoor for Kept {}

impl Drop for Kept {
    fn drop(&mut self) {
        self.closed.fetch_add(1, Ordering::SeqCst);
    }
}

impl Door for Keeper {
    fn ports(&self) -> Vec<u16> {
        vec![80]
    }

    fn environment(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("DOOR".to_owned(), "here".to_owned())])
    }

    fn files(&self, _: &dyn Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        BTreeMap::from([("/etc/greeting".to_owned(), b"hello\n".to_vec())])
    }

    fn open(&self, sockets: DoorSockets) -> io::Result<Box<dyn OpenDoor>> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Kept {
            _sockets: sockets,
            closed: Arc::clone(&self.closed),
        }))
    }
}

#[test]
fn forks_have_the_same_limits_and_a_door_of_their_own() {
    let limits = Limits {
        open_files: 99,
        ..Limits::default()
    };
    let door = Arc::new(Keeper::default());
    let Some(mut parent) = start(Network::Door(Arc::clone(&door) as Arc<dyn Door>), limits) else {
        return;
    };
    let snapshot = parent.snapshot().unwrap();
    let mut fork = parent.fork(&snapshot).unwrap();
    assert_eq!(door.opened.load(Ordering::SeqCst), 2);
    let text = "ulimit -n; echo $DOOR; cat /etc/greeting; exec 3<>/dev/tcp/198.18.0.1/80 && echo connected";
    for sandbox in [&mut fork, &mut parent] {
        assert_eq!(script(&mut **sandbox, text), "99\nhere\nhello\nconnected\n");
    }
    // What came through the door stays, and the door does not.
    let mut closed = parent.fork_with(&snapshot, &Network::Off).unwrap();
    let shut = "ulimit -n; echo ${DOOR-none}; ls /etc/greeting 2>/dev/null || true; (exec 3<>/dev/tcp/198.18.0.1/80) 2>/dev/null || echo closed";
    assert_eq!(script(&mut *closed, shut), "99\nnone\nclosed\n");
    drop(closed);
    drop(parent);
    assert_eq!(door.closed.load(Ordering::SeqCst), 1);
    assert_eq!(script(&mut *fork, text), "99\nhere\nhello\nconnected\n");
}

#[test]
fn forks_can_be_made_of_forks_many_times() {
    let Some(mut sandbox) = quiet_box() else { return };
    for number in 0..60 {
        sandbox.write_file(&format!("/n/{number}"), b"x", 0o644).unwrap();
        let snapshot = sandbox.snapshot().unwrap();
        sandbox = sandbox.fork(&snapshot).unwrap();
    }
    assert_eq!(script(&mut *sandbox, "ls /n | wc -l"), "60\n");
}
