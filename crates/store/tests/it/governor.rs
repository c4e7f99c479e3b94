//! What stays, what goes, and why.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::Path,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use expect_test::{Expect, expect};
use seatrial_core::Digest;
use seatrial_store::{
    Hold, Home, Lease,
    governor::{Needs, Outcome, Plan, Policy, Remover, RunNeeds, Survey},
    unix_millis,
};

const DAY: Duration = Duration::from_hours(24);

/// A data folder with something in each room.
struct House {
    folder: tempfile::TempDir,
    home: Home,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("home")).unwrap();
        Self { folder, home }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.root().join(name)
    }

    /// Lays a file of some KiB that was last used some days ago.
    fn lay(&self, name: &str, kib: usize, days: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'.'; kib << 10]).unwrap();
        age(&path, days);
    }

    fn tree(&self, key: &str, kib: usize, days: u32) {
        self.lay(&format!("cache/trees/{key}/tree/file"), kib, days);
        self.lay(&format!("cache/trees/{key}/digest"), 0, days);
        age(&self.path(&format!("cache/trees/{key}")), days);
    }

    fn image(&self, name: &str, days: u32) -> Digest {
        let digest = Digest::of(name.as_bytes());
        self.lay(&format!("images/{}/rootfs/bin/sh", digest.hex()), 64, days);
        self.lay(&format!("images/{}/image.json", digest.hex()), 0, days);
        age(&self.path(&format!("images/{}", digest.hex())), days);
        digest
    }

    fn blob(&self, text: &str, days: u32) -> Digest {
        let digest = self.home.blobs().put(text.as_bytes()).unwrap();
        age(&self.home.blobs().path(&digest), days);
        digest
    }

    /// A run whose journal names blobs.
    fn run(&self, name: &str, blobs: &[Digest], days: u32) {
        let text: String = blobs.iter().fold(String::new(), |mut text, blob| {
            let _ = writeln!(text, "{{\"log\":\"{blob}\"}}");
            text
        });
        let folder = self.path(&format!("runs/{name}/trials/a.1"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("journal.jsonl"), text).unwrap();
        fs::write(self.path(&format!("runs/{name}/lock.json")), "{}").unwrap();
        for part in ["lock.json", "trials", ""] {
            age(&self.path(&format!("runs/{name}/{part}")), days);
        }
    }

    fn plan(&self, needs: &Needs, policy: &Policy) -> Plan {
        let busy = self.home.alone().is_none();
        Plan::of(&Survey::of(&self.home).unwrap(), needs, policy, busy, unix_millis())
    }

    fn check(&self, needs: &Needs, policy: &Policy, expected: &Expect) {
        let plan = self.plan(needs, policy);
        expected.assert_eq(&Self::words(&plan));
    }

    /// Names are shortened: digests are long, and those of blobs say nothing.
    fn words(plan: &Plan) -> String {
        let mut text = String::new();
        for decision in &plan.decisions {
            let name = Self::readable(&decision.item.name);
            let what = if decision.remove { "goes" } else { "stays" };
            let _ = writeln!(text, "{what:<5} {} {name}: {}", decision.item.room, decision.reason);
        }
        text
    }

    fn readable(name: &str) -> String {
        for text in ["one", "two", "three", "image-a", "image-b", "image-c", "layer"] {
            let hex = Digest::of(text.as_bytes()).hex();
            if name.ends_with(&hex) || name.ends_with(&format!("{}/{}", &hex[..2], &hex[2..])) {
                return format!("<{text}>");
            }
        }
        name.to_owned()
    }

    fn carry_out(&self, plan: &Plan, remover: &Fake) -> String {
        let mut text = String::new();
        plan.carry_out(&self.home, remover, &mut |removal| {
            let name = Self::readable(&removal.decision.item.name);
            let _ = match &removal.outcome {
                Outcome::Removed => writeln!(text, "gone {name}"),
                Outcome::Kept(why) => writeln!(text, "kept {name}: {why}"),
                Outcome::Failed(why) => writeln!(text, "failed {name}: {why}"),
            };
        });
        text
    }
}

/// One clock for all, so that things of the same age are so to the millisecond.
fn age(path: &Path, days: u32) {
    static NOW: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);
    let time = *NOW - DAY * days;
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

/// Removes as root in a box would.
#[derive(Default)]
struct Fake {
    images: RefCell<Vec<Digest>>,
    home: Option<std::path::PathBuf>,
}

impl Remover for Fake {
    fn image(&self, id: &Digest) -> Result<(), String> {
        self.images.borrow_mut().push(*id);
        Ok(())
    }

    fn leftovers(&self) -> Result<(), String> {
        let home = self.home.as_ref().ok_or("not here")?;
        fs::remove_dir_all(home.join("boxes/dead")).map_err(|error| error.to_string())
    }

    fn tree(&self, _: &Path) -> Result<(), String> {
        Err("not here".to_owned())
    }
}

fn unfinished(images: &[Digest], sources: &[&str], indexes: &[&str]) -> RunNeeds {
    RunNeeds {
        unfinished: true,
        images: images.to_vec(),
        indexes: indexes.iter().map(|name| (*name).to_owned()).collect(),
        sources: sources.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[test]
fn without_words_only_garbage_goes_and_everything_else_says_why_it_stays() {
    let house = House::new();
    let (one, two) = (house.blob("one", 9), house.blob("two", 9));
    house.blob("three", 9);
    house.run("half", &[one], 3);
    house.run("whole", &[one, two], 5);
    let (a, b) = (house.image("image-a", 8), house.image("image-b", 8));
    house.image("image-c", 8);
    house.tree("needed", 8, 7);
    house.tree("spare", 8, 7);
    house.lay("cache/packages/old.idx", 8, 7);
    house.lay("cache/packages/needed.idx", 8, 7);
    house.lay("cache/downloads/archive", 8, 7);
    house.lay("cache/downloads/.landing-x/file", 8, 1);
    house.lay("cache/scratch/git-x/config", 0, 1);
    house.lay("cache/authority/key", 0, 99);
    house.lay("images/.making-1-1/rootfs/x", 0, 1);
    house.lay("boxes/dead/lease", 0, 1);
    let lease = Lease::take(house.path("boxes/live")).unwrap();
    fs::write(house.path("boxes/live/image"), b.hex()).unwrap();
    let needs = BTreeMap::from([
        ("half".to_owned(), unfinished(&[a], &["needed"], &["needed.idx"])),
        ("whole".to_owned(), RunNeeds::default()),
    ]);
    house.check(
        &needs,
        &Policy::default(),
        &expect![[r#"
            goes  blobs <three>: nothing names it any more
            goes  dead-boxes boxes/dead: its harness is dead
            goes  unfinished cache/downloads/.landing-x: left unfinished
            goes  unfinished cache/scratch/git-x: left unfinished
            goes  unfinished images/.making-1-1: left unfinished
            stays images <image-c>: can be made again; nothing says that it has to go
            stays sources cache/downloads/archive: can be made again; nothing says that it has to go
            stays package-indexes cache/packages/old.idx: can be made again; nothing says that it has to go
            stays sources cache/trees/spare: can be made again; nothing says that it has to go
            stays blobs <one>: the run half names it
            stays blobs <two>: the run whole names it
            stays live-boxes boxes/live: in use
            stays other cache/authority/key: no cache that may be emptied
            stays package-indexes cache/packages/needed.idx: the unfinished run half needs it
            stays sources cache/trees/needed: the unfinished run half needs it
            stays images <image-a>: the unfinished run half needs it
            stays images <image-b>: the live boxes/live is made from it
            stays runs runs/half: a run that is not finished
            stays runs runs/whole: results; `--runs` lets finished runs go
        "#]],
    );
    drop(lease);
}

#[test]
fn what_was_not_used_for_longest_goes_first_and_only_until_it_fits() {
    let house = House::new();
    for (key, days) in [("a", 40), ("b", 30), ("c", 20), ("d", 10)] {
        house.tree(key, 1024, days);
    }
    let takes = house.plan(&Needs::new(), &Policy::default()).takes();
    let fit = |mib: u64| Policy {
        max_size: Some(takes - (mib << 20)),
        ..Policy::default()
    };
    house.check(
        &Needs::new(),
        &fit(0),
        &expect![[r#"
        stays sources cache/trees/a: can be made again; nothing says that it has to go
        stays sources cache/trees/b: can be made again; nothing says that it has to go
        stays sources cache/trees/c: can be made again; nothing says that it has to go
        stays sources cache/trees/d: can be made again; nothing says that it has to go
    "#]],
    );
    house.check(
        &Needs::new(),
        &fit(2),
        &expect![[r#"
        goes  sources cache/trees/a: not used for longest, and the data folder is over its limit
        goes  sources cache/trees/b: not used for longest, and the data folder is over its limit
        stays sources cache/trees/c: can be made again; nothing says that it has to go
        stays sources cache/trees/d: can be made again; nothing says that it has to go
    "#]],
    );
    let old = Policy {
        older_than: Some(DAY * 15),
        keep: vec!["cache/trees/b".to_owned()],
        ..Policy::default()
    };
    house.check(
        &Needs::new(),
        &old,
        &expect![[r#"
        goes  sources cache/trees/a: not used for longer than asked for
        goes  sources cache/trees/c: not used for longer than asked for
        stays sources cache/trees/d: can be made again; nothing says that it has to go
        stays sources cache/trees/b: kept on request
    "#]],
    );
    // One that is in use is passed over for the next, and one that is used again meanwhile stays too.
    let plan = house.plan(&Needs::new(), &fit(2));
    let hold = Hold::shared(&house.path("cache/trees/a")).unwrap();
    seatrial_store::touch(&house.path("cache/trees/b/digest")).unwrap();
    let done = house.carry_out(&plan, &Fake::default());
    expect![[r#"
        kept cache/trees/a: somebody has begun to use it
        kept cache/trees/b: somebody has begun to use it
        gone cache/trees/c
        gone cache/trees/d
    "#]]
    .assert_eq(&done);
    drop(hold);
    let left: Vec<_> = ["a", "b", "c", "d"]
        .into_iter()
        .filter(|key| house.path(&format!("cache/trees/{key}")).exists())
        .collect();
    assert_eq!(left, ["a", "b"]);
}

#[test]
fn a_finished_run_goes_on_demand_with_the_logs_that_only_it_names() {
    let house = House::new();
    let (one, two) = (house.blob("one", 9), house.blob("two", 9));
    house.run("early", &[one, two], 8);
    house.run("late", &[two], 1);
    let image = house.image("image-a", 8);
    let needs = BTreeMap::from([(
        "late".to_owned(),
        RunNeeds {
            images: vec![image],
            ..RunNeeds::default()
        },
    )]);
    house.check(
        &needs,
        &Policy::default(),
        &expect![[r#"
        stays blobs <one>: the run early names it
        stays blobs <two>: the run early names it
        stays images <image-a>: the run late names it
        stays runs runs/early: results; `--runs` lets finished runs go
        stays runs runs/late: results; `--runs` lets finished runs go
    "#]],
    );
    let policy = Policy {
        older_than: Some(DAY * 3),
        runs: true,
        ..Policy::default()
    };
    house.check(
        &needs,
        &policy,
        &expect![[r#"
            goes  images <image-a>: not used for longer than asked for
            goes  runs runs/early: not used for longer than asked for
            goes  blobs <one>: goes with the run that names it
            stays runs runs/late: can be made again; nothing says that it has to go
            stays blobs <two>: the run early names it
        "#]],
    );
    let fake = Fake::default();
    let done = house.carry_out(&house.plan(&needs, &policy), &fake);
    expect![[r#"
        gone <image-a>
        gone runs/early
        gone <one>
    "#]]
    .assert_eq(&done);
    assert_eq!(*fake.images.borrow(), [image]);
    assert!(house.home.blobs().has(&two) && !house.home.blobs().has(&one));
}

#[test]
fn beside_another_process_what_is_new_stays() {
    let house = House::new();
    house.blob("one", 0);
    house.blob("two", 3);
    house.lay("cache/downloads/.landing-new/file", 1, 0);
    house.lay("cache/downloads/.landing-old/file", 1, 3);
    age(&house.path("cache/downloads/.landing-old"), 3);
    house.lay("cache/downloads/new", 1, 0);
    house.lay("cache/downloads/old", 1, 3);
    let everything = Policy {
        max_size: Some(0),
        ..Policy::default()
    };
    let other = Home::open(house.home.root()).unwrap();
    house.check(
        &Needs::new(),
        &everything,
        &expect![[r#"
        goes  blobs <two>: nothing names it any more
        goes  unfinished cache/downloads/.landing-old: left unfinished
        goes  sources cache/downloads/old: not used for longest, and the data folder is over its limit
        stays blobs <one>: new, and another process is at work
        stays unfinished cache/downloads/.landing-new: new, and another process is at work
        stays sources cache/downloads/new: new, and another process is at work
    "#]],
    );
    // Somebody comes after the plan was made.
    drop(other);
    let plan = house.plan(&Needs::new(), &everything);
    let other = Home::open(house.home.root()).unwrap();
    house.home.blobs().put(b"two").unwrap();
    let done = house.carry_out(&plan, &Fake::default());
    expect![[r#"
        kept <one>: somebody has begun to use it
        kept <two>: somebody has begun to use it
        kept cache/downloads/.landing-new: somebody has begun to use it
        gone cache/downloads/.landing-old
        gone cache/downloads/old
        kept cache/downloads/new: somebody has begun to use it
    "#]]
    .assert_eq(&done);
    drop(other);
    let done = house.carry_out(&house.plan(&Needs::new(), &everything), &Fake::default());
    expect![[r#"
        gone <one>
        gone <two>
        gone cache/downloads/.landing-new
        gone cache/downloads/new
    "#]]
    .assert_eq(&done);
    assert_eq!(fs::read_dir(house.path("cache/downloads")).unwrap().count(), 0);
}

#[test]
fn what_a_killed_collector_left_goes_the_next_time_and_failures_are_named() {
    let house = House::new();
    house.lay("cache/trees/.gone-1-1-0/tree/file", 1, 0);
    house.lay("runs/.gone-1-1-1/lock.json", 1, 0);
    house.lay("blobs/.writing-x", 1, 0);
    house.lay("boxes/dead/lease", 0, 0);
    let closed = house.path("cache/trees/.gone-1-1-0/tree");
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
    let plan = house.plan(&Needs::new(), &Policy::default());
    expect![[r#"
        gone blobs/.writing-x
        failed boxes/dead: not here
        gone cache/trees/.gone-1-1-0
        gone runs/.gone-1-1-1
    "#]]
    .assert_eq(&house.carry_out(&plan, &Fake::default()));
    let able = Fake {
        home: Some(house.home.root().to_owned()),
        ..Fake::default()
    };
    let plan = house.plan(&Needs::new(), &Policy::default());
    expect![[r#"
        gone boxes/dead
    "#]]
    .assert_eq(&house.carry_out(&plan, &able));
    assert!(house.plan(&Needs::new(), &Policy::default()).decisions.is_empty());
}

#[test]
fn a_blob_that_a_cache_names_can_go_but_is_no_garbage() {
    let house = House::new();
    let layer = house.blob("layer", 5);
    house.lay("cache/layers/map.json", 0, 5);
    fs::write(house.path("cache/layers/map.json"), layer.hex()).unwrap();
    house.blob("one", 5);
    house.check(
        &Needs::new(),
        &Policy::default(),
        &expect![[r#"
        goes  blobs <one>: nothing names it any more
        stays blobs <layer>: can be made again; nothing says that it has to go
        stays other cache/layers/map.json: no cache that may be emptied
    "#]],
    );
    drop(house.folder);
}
