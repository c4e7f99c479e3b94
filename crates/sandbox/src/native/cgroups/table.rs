//! The kernel's tables of hierarchies and groups.

use std::path::{Component, Path, PathBuf};

/// A hierarchy of groups that is mounted somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hierarchy {
    /// Whether it is the one hierarchy of version 2.
    pub(super) unified: bool,
    /// Where it is mounted.
    pub(super) mount: PathBuf,
    /// The group that is seen there.
    pub(super) root: PathBuf,
    /// The options that name it when it is mounted once more; of version 1 these are its controllers.
    pub(super) options: Vec<String>,
}

/// The hierarchies that a text like `/proc/self/mountinfo` tells of.
pub(super) fn hierarchies(mountinfo: &str) -> Vec<Hierarchy> {
    mountinfo.lines().filter_map(hierarchy).collect()
}

fn hierarchy(line: &str) -> Option<Hierarchy> {
    let (mount, kind) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(3);
    let (root, point) = (mount.next()?, mount.next()?);
    let mut kind = kind.split(' ');
    let unified = match kind.next()? {
        "cgroup2" => true,
        "cgroup" => false,
        _ => return None,
    };
    let options = kind.nth(1).unwrap_or_default();
    // What else is written there says how the hierarchy behaves, not which one it is.
    let known = [
        "rw",
        "ro",
        "xattr",
        "noprefix",
        "clone_children",
        "cpuset_v2_mode",
        "favordynmods",
    ];
    let options = options
        .split(',')
        .filter(|option| !known.contains(option) && !option.starts_with("release_agent="))
        .map(str::to_owned)
        .collect();
    Some(Hierarchy {
        unified,
        mount: unescape(point).into(),
        root: unescape(root).into(),
        options: if unified { Vec::new() } else { options },
    })
}

/// Spaces and the like are written as a backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let code = (*first == b'\\')
            .then(|| others.get(..3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        if let Some(code) = code {
            bytes.push(code);
            rest = others.get(3..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The folder of the group that a process is in, by a text like `/proc/self/cgroup`; `None` when the mount does not
/// show it.
pub(super) fn own_folder(hierarchy: &Hierarchy, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let is_it = if hierarchy.unified {
            controllers.is_empty()
        } else {
            let mut controllers = controllers.split(',');
            controllers.any(|controller| hierarchy.options.iter().any(|option| option == controller))
        };
        is_it.then_some(path)
    })?;
    let path = Path::new(path);
    // A group outside of this process's namespace of groups is written with `..`.
    let climbs = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    if climbs(path) || climbs(&hierarchy.root) {
        return None;
    }
    let below = path.strip_prefix(&hierarchy.root).ok()?;
    // Joined with nothing, a path would end in a slash.
    Some(if below.as_os_str().is_empty() {
        hierarchy.mount.clone()
    } else {
        hierarchy.mount.join(below)
    })
}

/// The words of a list such as `cgroup.controllers`.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|known| known == word)
}

/// The number after a key in a file of lines `key number`.
pub(super) fn number_of(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (name, number) = line.split_once(' ')?;
        (name == key).then(|| number.trim().parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(mountinfo: &str, groups: &str, wanted: &Expect) {
        let mut seen = String::new();
        for hierarchy in hierarchies(mountinfo) {
            let version = if hierarchy.unified { 2 } else { 1 };
            let folder = own_folder(&hierarchy, groups);
            let folder = folder.map_or_else(|| "hidden".to_owned(), |folder| folder.display().to_string());
            writeln!(seen, "{version} {} {folder}", hierarchy.options.join(",")).unwrap();
        }
        wanted.assert_eq(&seen);
    }

    #[test]
    fn machines_of_every_kind_are_read() {
        // Version 1 with the empty second version beside it.
        check(
            "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
             32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
             35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
             40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,release_agent=/lib/agent,name=systemd\n\
             41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n",
            "9:name=systemd:/user\n4:memory:/jobs/17\n2:cpu,cpuacct:/\n0::/user\n",
            &expect![[r#"
                1 cpu,cpuacct /sys/fs/cgroup/cpu,cpuacct
                1 memory /sys/fs/cgroup/memory/jobs/17
                1 name=systemd /sys/fs/cgroup/systemd/user
                2  /sys/fs/cgroup/unified/user
            "#]],
        );
        // Version 2 only, as desktops have it.
        check(
            "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n",
            &expect![[r#"
                2  /sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope
            "#]],
        );
        // A container: of the host's hierarchy only the container's group is shown, with and without a namespace.
        check(
            "700 600 0:32 /docker/abc /sys/fs/cgroup/memory ro,nosuid - cgroup cgroup rw,memory\n\
             701 600 0:33 /.. /sys/fs/cgroup/pids ro,nosuid - cgroup cgroup rw,pids\n\
             702 600 0:34 / /odd\\040place\\134x ro,nosuid - cgroup2 cgroup rw\n",
            "4:memory:/docker/abc/deeper\n3:pids:/\n0::/\n",
            &expect![[r#"
                1 memory /sys/fs/cgroup/memory/deeper
                1 pids hidden
                2  /odd place\x
            "#]],
        );
        // A process outside of its namespace of groups; a text that is no table.
        check(
            "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\nnonsense\n1 2 3 - cgroup\n",
            "0::/../other\n",
            &expect![[r#"
                2  hidden
            "#]],
        );
    }

    #[test]
    fn counts_are_found_by_their_whole_name() {
        let events = "low 0\noom 2\noom_kill 7\noom_kill_disable 1\n";
        assert_eq!(number_of(events, "oom_kill"), Some(7));
        assert_eq!(number_of(events, "kill"), None);
        assert!(has_word("cpuset cpu io memory\n", "cpu"));
        assert!(!has_word("cpuset io memory\n", "cpu"));
    }
}
