//! Signatures of Debian recipes: what dpkg's and debhelper's programs say of `debian/control`, `debian/changelog`,
//! `debian/rules` and of files that only the recipe names. They are tried before the rows of make and of the shell, which
//! know nothing of packages.

use super::{Row, Subject::Fixed, Weight::Package, row};
use crate::{
    Class, Kind,
    cure::Cure::{EditRecipe, MakeExecutable},
};

pub(super) static ROWS: &[Row] = &[
    // The rules.
    row("deb-rules-syntax", Kind::Recipe, Package, r"^(?:make\S*: )?(debian/rules):\d+: \*\*\* [^\n]*Stop\.$").remedies(&[EditRecipe("mend {}: it is a Makefile, whose commands start with a tab")]),
    row("deb-rules-broken", Kind::Recipe, Package, r"(?:^|: )(?:\./)?(debian/rules): (?:(?:/\S+: )?bad interpreter|not found|No such file or directory|cannot execute|(?:line )?\d+: )|No rule to make target '(debian/rules)'|Can't exec \x22(debian/rules)\x22").unless("Permission denied").remedies(&[EditRecipe("write {} as a Makefile that starts with `#!/usr/bin/make -f`")]),
    row("deb-rules-target", Kind::Recipe, Package, r"^dpkg-buildpackage: error: (?:cannot execute|unable to execute|fail\w* to execute) (debian/rules)").remedies(&[MakeExecutable]),
    // A file that the recipe has and nothing makes.
    row("deb-own-file", Kind::MissingFile, Package, r"(?:cannot (?:stat|open|access|read)|can't (?:read|open)|failed to access) '?((?:\./)?debian/[^':\s]+)'?: No such file|^(?:\S*/)?(?:cat|sed|sh|bash|perl|python3?|install|cp|mv|patch|msgfmt|po2debconf|tar|gzip)(?:: \S+)?: (debian/[^':\s]+): No such file").unless(r"debian/(?:tmp|patches|\.debhelper)/|debian/files|[*?]").class(Class::Packaging).remedies(&[EditRecipe("put {} into the recipe, or do without it")]),
    // The change log.
    row("deb-changelog", Kind::Recipe, Package, r"\(?(debian/changelog)\(l\d+\): (?:badly formatted heading line|found (?:blank line|change data|trailer|end of file) where expected first heading|unrecognized line)").remedies(&[EditRecipe("mend {}: `name (version) suite; urgency=medium`")]),
    row("deb-version", Kind::Recipe, Package, r"^dpkg-\w+: warning: +\S*debian/changelog\(l\d+\): version '[^']*' is invalid|^(?:dpkg-\w+|dh\w*): error: (?:\S+ )?(?:version number|upstream version|epoch in version|version string|revision number)[^\n]*(?:does not start with digit|is not a valid|is empty|invalid|not a number|has embedded spaces|cannot be)|^dpkg-\w+: error: (?:non-native package version does not contain a revision|can't build with source format '[^']*': (?:non-native|native) package version|invalid (?:source )?version)").subject(Fixed("debian/changelog")).remedies(&[EditRecipe("write the version as the source format asks for it")]),
    row("deb-version-parse", Kind::Recipe, Package, r"^dpkg-\w+: error: (?:unable to determine|cannot parse) (?:(?:source |upstream )?version|\S+ field)|^dh\w*: error: (?:changelog parse failure|No changelog entries)").subject(Fixed("debian/changelog")).remedies(&[EditRecipe("mend {}")]),
    // The control file.
    row("deb-control-parse", Kind::Recipe, Package, r"^(?:dpkg-\w+|dh\w*): error: [^\n]*?(?:syntax error in|parsing (?:file|package)|fatal error occurred while parsing|in|[Pp]arse error in|cannot read|cannot parse) '?(?:\S*/)?(debian/(?:control|changelog|copyright|source/format|tests/control|\S*substvars|\S+\.symbols|\S+\.shlibs))\b").remedies(&[EditRecipe("mend {}")]),
    row("deb-field-missing", Kind::Recipe, Package, r"^(?:dpkg-\w+|dh\w*): error: (?:missing (?:information for )?(?:critical |mandatory )?(?:source |output )?(?:control )?field |missing mandatory ')'?([\w-]+)|^dh\w*: error: [^\n]*is missing mandatory \W?([\w-]+)\W*-field").remedies(&[EditRecipe("give debian/control the field {}")]),
    row("deb-control", Kind::Recipe, Package, r"^(?:dpkg-\w+|dh\w*): error: (?:no (?:binary )?package stanza|package \S+ not in control info|no binary packages specified|must specify package since|Continuation line seen|Binary paragraph|Multiple definitions of|Requested unknown package|\S+-field appears twice|duplicate (?:value|field)|the \S+ field contains|field \S+ contains|error parsing (?:dependency|field)|cannot parse \S+ field|invalid (?:field|package) name|parsing package '[^']*')|^dpkg-\w+: (?:error|warning): (?:can't parse dependency|invalid dependency|error occurred while parsing \S+|the \S+ field has)").subject(Fixed("debian/control")).remedies(&[EditRecipe("mend {}")]),
    row("deb-archive-control", Kind::Recipe, Package, r"^dpkg-deb: error: (?:parsing file|(?:conffile|maintainer script|control (?:directory|file))|failed to (?:open|read) [^\n]*?control|package (?:name|architecture)|'?(?:Package|Version|Architecture|Maintainer)'? |\S*/DEBIAN/)").subject(Fixed("debian/control")).remedies(&[EditRecipe("mend {}")]),
    // The level of compatibility.
    row("deb-compat-twice", Kind::Recipe, Package, r"Please specify the debhelper compat level exactly once|debhelper compat level specified both in debian/compat|Duplicate debhelper-compat build-dependency").subject(Fixed("debian/compat")).remedies(&[EditRecipe("remove debian/compat or the build-dependency on debhelper-compat")]),
    row("deb-compat-level", Kind::Recipe, Package, r"^dh\w*: error: (?:Compatibility levels before \d+ are no longer supported|(?:Invalid|Could not parse desired debhelper) compat level|Hook target \S+ is only supported in compat|This feature was removed in compat|In compat \d+|The \S+-sequence is no longer provided in compat|\S+ (?:is|are) (?:only|not) (?:supported|allowed) in compat)").subject(Fixed("debian/compat")).remedies(&[EditRecipe("build-depend on debhelper-compat (= 13)")]),
    // Source formats and sources.
    row("deb-source-format", Kind::Recipe, Package, r"^dpkg-source: error: (?:source package format '[^']*' is (?:not supported|invalid)|unsupported (?:format|version)|unrecognized file for a|source package uses)").subject(Fixed("debian/source/format")).remedies(&[EditRecipe("mend {}")]),
    row("deb-sequence", Kind::Recipe, Package, r"^dh: error: (Unknown sequence \S+|specify a sequence to run)").subject(Fixed("debian/rules")).remedies(&[EditRecipe("call `dh $@` in {}")]),
    row("deb-own-program", Kind::FileList, Package, r#"^dh_\w+: error: (?:cannot (?:open|read|stat|find)|could not (?:open|read|find)|can't (?:open|read)|Cannot (?:open|read|find)) ['"(]?((?:debian|usr|etc)/[^'":\s)]+)"#).remedies(&[EditRecipe("put {} where the recipe says it is, or take it out")]),
    row("deb-alternatives", Kind::Recipe, Package, r#"^dh_\w+: error: (?:Missing mandatory "\w+" field[^\n]*in|Error parsing [^\n]* in|Empty "\w+" field [^\n]* in) ([^\s.]+\.?\w*)"#).remedies(&[EditRecipe("mend {}")]),
    // What patches say when a source package is put together.
    row("deb-patch", Kind::PatchFailed, Package, r"^(?:dpkg-source: info: applying|Applying patch) (\S+)\n(?:(?:(?:patching|checking) file |Hunk #|\s|\()[^\n]*\n|\n){0,8}?(?:Hunk #\d+ FAILED|\d+ out of \d+ hunks? |can't find file to patch|patch: \*\*\*\* |Reversed \(or previously applied\)|The next patch would |dpkg-source: info: the patch has fuzz)[^\n]*").marks(&["info: applying ", "Applying patch "]).with_next(9).remedies(super::packaging::PATCH),
];

/// The file of the recipe that a message names.
pub(super) fn named_file(groups: &[String]) -> Vec<(Kind, String)> {
    let words = groups.first().map_or("", String::as_str);
    let file = words
        .split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '(' | ')' | ',' | ':'))
        .map(|word| word.trim_end_matches('.'))
        .find_map(|word| word.find("debian/").and_then(|at| word.get(at..)))
        .unwrap_or_else(|| {
            // What the programs call by the name of a field stands in `debian/control`.
            if ["-field", " field ", "binary package", "package name", "architecture"]
                .iter()
                .any(|word| words.contains(word))
            {
                "debian/control"
            } else {
                ""
            }
        });
    vec![(Kind::Recipe, file.to_owned())]
}
