//! Applies unified diffs to files in memory: as people, programs and models write them. Nothing here writes a file.

mod apply;
mod parse;
mod site;

pub use self::apply::{PatchChange, PatchError, PatchFiles, PatchedFile, patch_files};

/// What a diff of one file makes of its content; none when it does not fit. A file that goes is empty.
pub(crate) fn patched(patch: &str, old: Option<&[u8]>, fitting: Fitting) -> Option<Vec<u8>> {
    struct One<'a>(Option<&'a [u8]>);
    impl PatchFiles for One<'_> {
        type Error = std::convert::Infallible;

        fn content(&mut self, _: &str) -> Result<Option<Vec<u8>>, Self::Error> {
            Ok(self.0.map(<[u8]>::to_vec))
        }
    }
    let mut files = patch_files(patch, &mut One(old), fitting).ok()?.into_iter();
    match (files.next(), files.next()) {
        (Some(file), None) => Some(match file.change {
            PatchChange::Modify(content) | PatchChange::Create(content) | PatchChange::Rename(_, content) => content,
            PatchChange::Delete => Vec::new(),
        }),
        _ => None,
    }
}

/// How exactly a diff must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fitting {
    /// What models get wrong is overlooked and reported.
    Lenient,
    /// Nothing is overlooked but line numbers, and a hunk that fits in several places is refused.
    Strict,
    /// As `patch -p1 -F0` does it for the patches of a package: of several places the nearest is taken, and the first part of
    /// each path is dropped.
    LikePatch,
}

/// The path of a `diff --git` line, when both of its paths are one.
pub(crate) fn git_paths(line: &str) -> Option<String> {
    let (old, new) = parse::git_paths(line.strip_prefix("diff --git ")?);
    let (old, new) = (old?.strip_prefix("a/")?.to_owned(), new?.strip_prefix("b/")?.to_owned());
    (old == new).then_some(new)
}
