//! The reference solution: the distribution's own recipe, run from its own source package.
//!
//! Not an agent. It proves that a task can be done and that the answer key is what a real build makes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use seatrial_core::{Answer, BOX_SOURCE, CompileTruth, Evidence, PinnedSource, SourceKind, Submission, Task, Verdict};

/// The task's source together with the distribution's packaging: what the reference solution starts from.
///
/// `None` when the source is no source package of a distribution.
pub fn gold_source(task: &Task) -> Option<PinnedSource> {
    let SourceKind::Debian {
        package,
        version,
        directory,
        files,
        ..
    } = &task.source.origin
    else {
        return None;
    };
    Some(PinnedSource {
        name: task.source.name.clone(),
        origin: SourceKind::Debian {
            package: package.clone(),
            version: version.clone(),
            directory: directory.clone(),
            files: files.clone(),
            packaging: true,
        },
        // The pinned digest is that of the upstream tree alone.
        tree: None,
    })
}

/// The submission that runs the distribution's recipe. It is graded against the tree of [`gold_source`].
///
/// `None` when the source is no source package of a distribution.
pub fn gold_submission(task: &Task) -> Option<Submission> {
    gold_source(task)?;
    Some(Submission {
        script: Some(gold_script()),
        note: "the distribution's own recipe".to_owned(),
        ..Submission::default()
    })
}

/// The submission that runs the distribution's recipe on the tree as upstream released it: its patches are taken back
/// first. What it does not make, and [`gold_submission`] does, nobody can make from the pinned source. It ends well when
/// the recipe's build does: its packaging may stop over a file that bears another name without the patches.
///
/// `None` when the source is no source package of a distribution.
pub fn unpatched_submission(task: &Task) -> Option<Submission> {
    gold_source(task)?;
    Some(Submission {
        script: Some(format!("{TAKE_PATCHES_BACK}{}", unpatched_script())),
        note: "the distribution's own recipe without its patches".to_owned(),
        ..Submission::default()
    })
}

/// Where no patch changes a build file it gives up at once: what is made would have the same names.
const TAKE_PATCHES_BACK: &str = r#"cd /build/source || exit 1
build_files='([Mm]akefile[^/]*|[^/]*\.(mk|am|ac|cmake|pro|pri|gyp|sh)|CMakeLists.txt|configure[^/]*|meson[^/]*|SCons[^/]*|wscript|Jam[^/]*)'
grep -rqE "^\+\+\+ ([^ ]*/)?$build_files([[:space:]]|$)" debian/patches 2>/dev/null || {
    echo 'no patch changes a build file'
    exit 3
}
if [ -d .pc ]; then
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' debian/patches/series | tac | {
        while read -r name level; do
            patch -R -f -s "${level:--p1}" <"debian/patches/$name" || exit 1
        done
    } || exit 1
    rm -rf .pc
fi
: >debian/patches/series
"#;

/// Other names of expected artifacts: where the reference made the very same file under another name too, that one is as
/// good, because the packaging only renamed or copied it.
pub fn aliases(truth: &CompileTruth, reference: &Verdict) -> BTreeMap<String, Vec<String>> {
    let made = products(reference, "completion");
    let expected: BTreeSet<&str> = truth.artifacts.iter().map(String::as_str).collect();
    let mut aliases: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, digest) in products(reference, "strict") {
        let Some(name) = expected.get(name) else { continue };
        let others: BTreeSet<&str> = made
            .iter()
            .filter(|(other, same)| *same == digest && !expected.contains(other) && !is_by_product(other))
            // A name that several different files have (`main`, or one program built in several ways) stands for none.
            .filter(|(other, _)| made.iter().all(|(name, same)| name != other || *same == digest))
            .map(|(other, _)| *other)
            .collect();
        if !others.is_empty() {
            aliases.insert((*name).to_owned(), others.into_iter().map(str::to_owned).collect());
        }
    }
    aliases
}

/// Whether the reference made more programs and libraries than its verdict lists, so that [`aliases`] saw only some.
pub fn lists_only_some(reference: &Verdict) -> bool {
    let completion = reference.checks.iter().find(|check| check.name == "completion");
    let evidence = completion.map_or(&[][..], |check| &check.evidence);
    let is_cut = evidence
        .iter()
        .any(|evidence| matches!(evidence, Evidence::Note { text } if text.starts_with("and ")));
    // What is linked stands first, so it is complete where something else follows it.
    let last = evidence.iter().rev().find_map(|evidence| match evidence {
        Evidence::File { what, .. } => Some(what.as_str()),
        _ => None,
    });
    is_cut && last.is_some_and(|what| what.starts_with("ELF executable") || what.starts_with("ELF shared"))
}

/// The expected names that the reference did not make from the tree without the distribution's patches, although it
/// ended well and made something; none when it did not, because then its patches may be what makes the tree build at all.
pub fn made_by_patches(truth: &CompileTruth, unpatched: &Verdict) -> Vec<String> {
    if unpatched.answer("replay") != Some(Answer::Yes) {
        return Vec::new();
    }
    let made: BTreeSet<&str> = products(unpatched, "strict")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    // A recipe that finds nothing to build ends well too.
    if !products(unpatched, "completion")
        .iter()
        .any(|(name, _)| Path::new(name).extension().is_none_or(|ending| ending != "o"))
    {
        return Vec::new();
    }
    let is_made = |name: &str| truth.names(name).any(|other| made.contains(other));
    truth.artifacts.iter().filter(|name| !is_made(name)).cloned().collect()
}

/// Libtool links a library under its name with a `T` appended before it moves it.
fn is_by_product(name: &str) -> bool {
    name.ends_with('T') && name.contains(".so")
}

/// Base names and digests of the linked files that a check points to.
fn products<'a>(verdict: &'a Verdict, check: &str) -> Vec<(&'a str, &'a seatrial_core::Digest)> {
    verdict
        .checks
        .iter()
        .filter(|known| known.name == check)
        .flat_map(|known| &known.evidence)
        .filter_map(|evidence| match evidence {
            Evidence::File { path, digest, .. } => Some((path.rsplit('/').next().unwrap_or(path), digest)),
            _ => None,
        })
        .collect()
}

fn gold_script() -> String {
    format!("{}dpkg-buildpackage -b -uc -us -d\n", prepared())
}

fn unpatched_script() -> String {
    format!(
        "{}dpkg-buildpackage -b -uc -us -d -T build\n\
         dpkg-buildpackage -b -uc -us -d -nc || echo 'built, but not packed'\n",
        prepared()
    )
}

/// What stands before a build by the recipe. A recipe that moves a program to another name leaves no file under the old
/// one, so a `mv` of ours keeps that name: [`aliases`] finds the same file there.
fn prepared() -> String {
    // Documentation is built too: what a recipe installs may depend on it. Tests are not, as they prove nothing here.
    format!(
        "set -eu\n\
         export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive\n\
         export DEB_BUILD_OPTIONS=\"nocheck noopt nostrip parallel=$(nproc)\" DEB_BUILD_PROFILES=nocheck\n\
         cd {BOX_SOURCE}\n\
         chmod +x debian/rules\n\
         packages() {{\n\
         apt-get install -y --no-install-recommends fakeroot dpkg-dev &&\n\
         apt-get build-dep -y --no-install-recommends {BOX_SOURCE}\n\
         }}\n\
         packages || {{ apt-get update && packages; }}\n\
         {KEEP_MOVED}"
    )
}

/// Lays a `mv` before the system's own that keeps each program or library which is moved to another name.
const KEEP_MOVED: &str = r#"mkdir -p /build/moved/bin
cat >/build/moved/bin/mv <<'MV'
#!/bin/sh
for last in "$@"; do :; done
for file in "$@"; do
    [ "$file" != "$last" ] && [ -f "$file" ] && [ ! -L "$file" ] && [ ! -d "$last" ] || continue
    [ "$(head -c 4 "$file" | od -An -c | tr -d ' ')" = '177ELF' ] || continue
    kept=$(mktemp -d /build/moved/XXXXXX) && cp -p "$file" "$kept/" 2>/dev/null
done
exec /usr/bin/mv "$@"
MV
chmod -R a+rwX /build/moved
chmod 755 /build/moved/bin/mv
export PATH="/build/moved/bin:$PATH"
"#;

#[cfg(test)]
mod tests {
    use seatrial_core::{Check, Digest, Outcome, Profile};

    use super::*;

    #[test]
    fn the_reference_builds_with_debug_information_and_installs_what_the_recipe_declares() {
        let script = gold_script();
        for part in [
            "nostrip",
            "noopt",
            "nocheck",
            "apt-get build-dep",
            "dpkg-buildpackage -b",
        ] {
            assert!(script.contains(part), "{part}");
        }
    }

    #[test]
    fn without_patches_the_build_decides_and_not_what_packs_it() {
        let script = unpatched_script();
        assert!(script.contains("-T build\n"), "{script}");
        assert!(script.contains("-nc || echo"), "{script}");
    }

    #[test]
    fn a_program_that_a_recipe_moves_to_another_name_is_kept_under_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let shims = KEEP_MOVED.replace("/build/moved", &folder.path().join("moved").to_string_lossy());
        let program = std::env::current_exe().unwrap();
        std::fs::copy(&program, folder.path().join("hull")).unwrap();
        std::fs::write(folder.path().join("notes"), "text").unwrap();
        let run = format!("set -eu\n{shims}mv -f hull hull-bin\nmv notes read-me\nls . moved/*/\n");
        let run = std::process::Command::new("sh")
            .args(["-c", &run])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        let listed = String::from_utf8(run.stdout).unwrap();
        let is_listed = |name: &str| listed.lines().any(|line| line == name);
        assert!(
            is_listed("hull-bin") && is_listed("hull") && is_listed("read-me"),
            "{listed}"
        );
        assert!(!is_listed("notes"), "{listed}");
    }

    fn verdict(replayed: bool, strict: &[(&str, &str)], completion: &[(&str, &str)]) -> Verdict {
        let files = |files: &[(&str, &str)]| {
            files
                .iter()
                .map(|(path, content)| Evidence::File {
                    path: (*path).to_owned(),
                    digest: Digest::of(content.as_bytes()),
                    size: 1,
                    what: String::new(),
                })
                .collect()
        };
        let check = |name: &str, answer: bool, evidence: Vec<Evidence>| Check {
            name: name.to_owned(),
            answer: answer.into(),
            detail: String::new(),
            evidence,
        };
        Verdict {
            outcome: Outcome::Passed,
            profile: Profile::Strict,
            checks: vec![
                check("replay", replayed, Vec::new()),
                check("completion", true, files(completion)),
                check("strict", true, files(strict)),
            ],
            reason: String::new(),
            invalid: None,
            figures: BTreeMap::new(),
            flags: Vec::new(),
        }
    }

    #[test]
    fn what_packaging_renames_has_its_old_name_too() {
        let truth = CompileTruth::of(vec!["hull-bin".to_owned(), "libhull.so.2".to_owned()]);
        let reference = verdict(
            true,
            &[("/b/debian/usr/bin/hull-bin", "one"), ("/b/libhull.so.2", "two")],
            &[
                ("/b/debian/usr/bin/hull-bin", "one"),
                ("/b/src/hull", "one"),
                ("/b/.libs/libhull.so.2T", "two"),
                ("/b/libhull.so.2", "two"),
                ("/b/other", "three"),
                ("/b/with/main", "one"),
                ("/b/without/main", "four"),
            ],
        );
        assert_eq!(
            aliases(&truth, &reference),
            BTreeMap::from([("hull-bin".to_owned(), vec!["hull".to_owned()])])
        );
    }

    #[test]
    fn a_list_that_was_cut_among_what_is_linked_is_seen() {
        let listed = |what: &str, note: Option<&str>| {
            let mut verdict = verdict(true, &[], &[("/b/hull", "one")]);
            for check in &mut verdict.checks {
                for evidence in &mut check.evidence {
                    if let Evidence::File { what: old, .. } = evidence {
                        what.clone_into(old);
                    }
                }
                if check.name == "completion" {
                    check
                        .evidence
                        .extend(note.map(|text| Evidence::Note { text: text.to_owned() }));
                }
            }
            lists_only_some(&verdict)
        };
        assert!(listed("ELF executable, x86_64", Some("and 3 more")));
        assert!(listed("ELF shared object, x86_64", Some("and 3 more")));
        assert!(!listed("ELF object, x86_64", Some("and 3 more")));
        assert!(!listed("ELF executable, x86_64", None));
    }

    #[test]
    fn what_only_patches_make_is_found_where_the_tree_builds_without_them() {
        let mut truth = CompileTruth::of(vec!["hull-bin".to_owned(), "libhull.so.2".to_owned()]);
        truth.aliases.insert("hull-bin".to_owned(), vec!["hull".to_owned()]);
        let made = [("/b/src/hull", "one")];
        assert_eq!(
            made_by_patches(&truth, &verdict(true, &made, &made)),
            vec!["libhull.so.2".to_owned()]
        );
        assert!(made_by_patches(&truth, &verdict(false, &made, &made)).is_empty());
        for nothing in [&[][..], &[("/b/src/hull.o", "one")]] {
            assert!(made_by_patches(&truth, &verdict(true, &[], nothing)).is_empty());
        }
    }
}
