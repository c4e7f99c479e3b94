//! Signatures of recipes for rpm: what rpmbuild says of a spec file before it builds anything, and of what its lists name.

use super::{
    Row,
    Subject::{BaseName, Fixed},
    Weight::{Configure, Package, Stop, Weak},
    row,
};
use crate::{Class, Kind, cure::Cure::EditRecipe};

pub(super) static ROWS: &[Row] = &[
    row("rpm-spec-twice", Kind::Recipe, Package, r"^error: (?:line \d+: )?(?:[Ss]econd (%\w+)|Duplicate (\w+) entries in package|((?:source|patch) \d+) defined multiple times|Package already exists: (\S+))").remedies(&[EditRecipe("leave one {}")]),
    row("rpm-spec-absent", Kind::Recipe, Package, r"^error: (?:Package has no (%\w+)|No ((?:patch|source) number \d+)|(%patch) without corresponding|line \d+: (%\w+ \S+)\n[^\n]*package \S+ does not exist)").marks(&["Package has no ", "error: No ", " without corresponding", "error: line "]).with_next(1).remedies(&[EditRecipe("add {} to the recipe")]),
    row("rpm-spec-number", Kind::Recipe, Package, r"^error: line \d+: (\w+) field must be an? ").remedies(&[EditRecipe("mend the field {}")]),
    row("rpm-spec-condition", Kind::Recipe, Package, r"^error: \S*\.spec:? ?(?:line )?\d+: (?:bad (%\w+) condition|(%\w+) (?:with no|after|without) %if|(%\w+): )|^error: (?:bare words are no longer supported|syntax error (?:in|while parsing) (?:expression|==))").marks(&["error: "]).remedies(&[EditRecipe("mend the condition {}")]),
    row("rpm-spec-macro", Kind::Recipe, Package, r"^error: (?:\S*\.spec: )?(?:line \d+: )?(?:Macro (%\S*) (?:has|is|needs|failed)|(?:Unterminated|Unknown option[^\n]*in|Too (?:few|many) levels of recursion in|Illegal) [^\n]*|failed to load macro file (\S+)|(lua) script failed|Failed to (?:load|parse) macros?)").remedies(&[EditRecipe("mend {}")]),
    row("rpm-spec-include", Kind::MissingFile, Package, r"^error: Unable to open (\S+): No such file").subject(BaseName).class(Class::Packaging).remedies(&[EditRecipe("put {} beside the recipe, or do without it")]),
    row("rpm-spec-arch", Kind::ExcludedArchitecture, Package, r"^error: No compatible architectures found for build").subject(Fixed("")).remedies(&[EditRecipe("build for an architecture that the recipe names")]),
    row("rpm-files-syntax", Kind::Recipe, Package, r#"^error: (?:Bad (?:syntax|file|mode spec|dirmode spec|package specification|arg)[^:\n]*: (%?[^\s(]+)|Mixed [^\n]*|Two files on one line: (\S+)|File needs leading "/" in|Invalid [^\n]*token)"#).unless(r"No such file").remedies(&[EditRecipe("mend {}")]),
    row("rpm-files-path", Kind::FileList, Package, r#"^error: File must begin with "/": (\S+)|^error: Explicit file attributes required in spec for: (\S+)|^error: Not a directory: (\S+)"#).remedies(&[EditRecipe("write {} as a whole path")]),
    row("rpm-files-link", Kind::PackagePolicy, Package, r"^error: Symlink points to BuildRoot: (\S+)").remedies(&[EditRecipe("make {} a link to where its target is installed")]),
    row("rpm-files-language", Kind::FileList, Package, r"^No translations found for (\S+) in \S").remedies(&[EditRecipe("leave out %find_lang {}, or install its translations")]),
    row("rpm-changelog", Kind::Recipe, Weak, r"^error: (?:(%changelog) entries must start with|bad date in (%changelog)|(%changelog) not in descending|missing (?:date|name|entry) in (%changelog)|incomplete (%changelog)|no description in (%changelog))").remedies(&[EditRecipe("mend {}")]),
    row("rpm-dist-macro", Kind::MissingPackage, Stop, r"^error: (?:invalid|unknown) (?:rpm )?macro '?%(\w+)").remedies(&[EditRecipe("build-require what defines %{}")]),
    row("rpm-dependencies-tag", Kind::Recipe, Package, r"^error: (?:line \d+: )?(?:Invalid version \(|Only package names are allowed in (\w+)|Versioned file name not permitted|Illegal char(?:acter)?s? )").remedies(&[EditRecipe("mend {}")]),
    row("rpm-source-download", Kind::Download, Configure, r"^(?:error: )?(?:Couldn't download|[Cc]ould not (?:download|fetch)|spectool: failed to download|Download failed for) (\S+)").last().remedies(&[EditRecipe("name an address that works in place of {}")]),
    row("rpm-source-digest", Kind::Checksum, Configure, r"^(?:error: )?(?:Checksum|sha\d+sum|MD5|SHA\d+)[^\n]* (?:mismatch|failed|does not match)[^\n]* (?:for|of|in) (?:file )?'?([^\s']+)").unless(r"[Gg]o\.sum|go: |verifying").last(),
];
