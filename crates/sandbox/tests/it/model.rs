//! A box beside a model of it in plain memory: after any row of writes, removals, snapshots, rollbacks and forks, both say
//! the same.

use std::{collections::BTreeMap, fmt::Write as _};

use seatrial_sandbox::{ChangeKind, Sandbox, Snapshot};

use crate::support::{quiet_box, script};

/// What is at a path below the one folder that is played with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    File(String, u32),
    Link(String),
    Folder(u32),
}

type Tree = BTreeMap<String, Node>;

/// A small generator of numbers that are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A box, its model, and the model at each snapshot.
struct Player {
    sandbox: Box<dyn Sandbox>,
    tree: Tree,
    kept: Vec<(Snapshot, Tree)>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "long name", "ü"];

/// One change, as a line for Bash, made to the model too.
fn change(tree: &mut Tree, chance: &mut Chance, count: usize) -> String {
    let mut path = String::new();
    for _ in 0..=chance.below(3) {
        path = format!("{path}/{}", NAMES[chance.below(NAMES.len())]);
    }
    let inside = format!("{path}/");
    // Whatever is in the way of the folders above goes.
    let mut line = String::new();
    let mut above = String::new();
    for part in path.split('/').skip(1) {
        let is_last = format!("{above}/{part}") == path;
        above = format!("{above}/{part}");
        if !is_last && !matches!(tree.get(&above), Some(Node::Folder(_))) {
            let _ = write!(line, "rm -f '.{above}'; mkdir -m 755 '.{above}'; ");
            tree.insert(above.clone(), Node::Folder(0o755));
        }
    }
    let remove = |tree: &mut Tree| tree.retain(|known, _| *known != path && !known.starts_with(&inside));
    let mode = [0o644, 0o600, 0o755][chance.below(3)];
    match chance.below(6) {
        0 | 1 => {
            remove(tree);
            tree.insert(path.clone(), Node::File(count.to_string(), mode));
            line + &format!("rm -rf '.{path}'; printf %s {count} > '.{path}'; chmod {mode:o} '.{path}'")
        }
        2 => {
            remove(tree);
            tree.insert(path.clone(), Node::Link(count.to_string()));
            line + &format!("rm -rf '.{path}'; ln -s {count} '.{path}'")
        }
        3 => {
            remove(tree);
            tree.insert(path.clone(), Node::Folder(0o700));
            line + &format!("rm -rf '.{path}'; mkdir -m 700 '.{path}'")
        }
        4 => {
            remove(tree);
            line + &format!("rm -rf '.{path}'")
        }
        _ => match tree.get_mut(&path) {
            Some(Node::File(_, known) | Node::Folder(known)) => {
                *known = mode;
                line + &format!("chmod {mode:o} '.{path}'")
            }
            _ => line + ":",
        },
    }
}

impl Player {
    /// Whether the box has what its model has.
    fn check(&mut self) {
        let text = "cd /play && find . -mindepth 1 -printf '%P\\t%y\\t%m\\t%l\\n' | LC_ALL=C sort; grep -r '' . | LC_ALL=C sort";
        let told = script(&mut *self.sandbox, text);
        let mut names: Vec<String> = Vec::new();
        let mut contents = Vec::new();
        for (path, node) in &self.tree {
            let path = path.trim_start_matches('/');
            match node {
                Node::File(content, mode) => {
                    names.push(format!("{path}\tf\t{mode:o}\t\n"));
                    contents.push(format!("./{path}:{content}\n"));
                }
                Node::Link(target) => names.push(format!("{path}\tl\t777\t{target}\n")),
                Node::Folder(mode) => names.push(format!("{path}\td\t{mode:o}\t\n")),
            }
        }
        names.sort();
        contents.sort();
        assert_eq!(told, names.concat() + &contents.concat());
    }

    /// Whether the changes since a snapshot lead from the model then to the model now.
    fn check_changes(&mut self, chance: &mut Chance) {
        let index = chance.below(self.kept.len());
        let (snapshot, then) = &self.kept[index];
        let mut then = then.clone();
        for change in self.sandbox.changes(snapshot).unwrap() {
            let Some(path) = change.path.strip_prefix("/play").filter(|path| !path.is_empty()) else {
                continue;
            };
            let node = match change.kind {
                ChangeKind::File { mode, head, .. } => Node::File(String::from_utf8(head).unwrap(), mode),
                ChangeKind::Link { target } => Node::Link(target),
                ChangeKind::Folder { mode } => Node::Folder(mode),
                ChangeKind::Special => panic!("{path} is special"),
                ChangeKind::Deleted => {
                    then.retain(|known, _| known != path && !known.starts_with(&format!("{path}/")));
                    continue;
                }
            };
            if !matches!(node, Node::Folder(_)) {
                then.retain(|known, _| !known.starts_with(&format!("{path}/")));
            }
            then.insert(path.to_owned(), node);
        }
        assert_eq!(then, self.tree);
    }
}

#[test]
fn a_box_is_what_its_model_says_after_any_row_of_changes() {
    let Some(mut sandbox) = quiet_box() else { return };
    script(&mut *sandbox, "mkdir /play");
    let first = sandbox.snapshot().unwrap();
    let mut chance = Chance(0x5ea7_71a1);
    let mut players = vec![Player {
        sandbox,
        tree: Tree::new(),
        kept: vec![(first, Tree::new())],
    }];
    // At first one box alone, until layers of its many snapshots are merged.
    for step in 0..200 {
        let index = chance.below(players.len());
        let forked = {
            let player = &mut players[index];
            let lines: Vec<_> = (0..3)
                .map(|part| change(&mut player.tree, &mut chance, step * 10 + part))
                .collect();
            script(&mut *player.sandbox, &format!("cd /play; {}", lines.join("\n")));
            match chance.below(12) {
                0..=6 | 8 if step < 100 || step % 2 == 0 => {
                    let snapshot = player.sandbox.snapshot().unwrap();
                    player.kept.push((snapshot, player.tree.clone()));
                    None
                }
                7 => {
                    let back = player.kept.len() - 1 - chance.below(player.kept.len().min(10));
                    player.kept.truncate(back + 1);
                    let (snapshot, tree) = &player.kept[back];
                    player.sandbox.rollback(snapshot).unwrap();
                    player.tree = tree.clone();
                    player.check();
                    None
                }
                8 => {
                    let (snapshot, tree) = &player.kept[chance.below(player.kept.len())];
                    let mut sandbox = player.sandbox.fork(snapshot).unwrap();
                    let first = sandbox.snapshot().unwrap();
                    Some(Player {
                        sandbox,
                        tree: tree.clone(),
                        kept: vec![(first, tree.clone())],
                    })
                }
                9 => {
                    player.check_changes(&mut chance);
                    None
                }
                _ => {
                    player.check();
                    None
                }
            }
        };
        players.extend(forked);
        if players.len() > 5 {
            players.remove(chance.below(players.len()));
        }
    }
    for player in &mut players {
        player.check();
        player.check_changes(&mut chance);
    }
}
