//! Signatures of packages: solvers of distributions, and the tools that put packages together (rpm, debhelper, dpkg, OBS).

use super::{
    Row,
    Subject::{self, By, Fixed},
    Weight::{Configure, Package, Stop, Weak},
    row,
};
use crate::{
    Class, Kind,
    cure::Cure::{self, EditRecipe, More, Provide, ProvideOther, Retry, Set, Version},
};

pub(super) static ROWS: &[Row] = &[
    // Solvers of distributions.
    row("deb-unmet", Kind::MissingPackage, Configure, r"Unmet build dependencies: (.+)|unsat-dependency: (\S+)").subject(By(deb_relations)).last().remedies(&[Provide]),
    row("deb-unmet-list", Kind::MissingPackage, Configure, r"^The following packages have unmet dependencies:\n(?:[^\n]*\n)*?\s*(?:\S+ : )?(?:Pre-)?Depends: ([^\s,]+) (?:\([^)]*\) )?but [^\n]*(?:\n\s+(?:Pre-)?Depends: ([^\s,]+) (?:\([^)]*\) )?but [^\n]*)?").marks(&["following packages have unmet"]).with_next(6).subject(By(packages)).last().remedies(&[Provide]),
    row("deb-no-candidate", Kind::MissingPackage, Configure, r"E: (?:Unable to locate package (\S+)|Package '?([^'\s]+)'? has no installation candidate|Couldn't find any package by (?:glob|regex) '([^']+)'|Version '[^']*' for '([^']+)' was not found)").remedies(&[EditRecipe("name a package that the archive has in place of {}"), Provide]),
    row("deb-build-dep", Kind::MissingPackage, Configure, r"E: Build-Depends dependency for \S+ cannot be satisfied because (?:the package|candidate version of package) (\S+) ").remedies(&[Provide]),
    row("deb-held", Kind::MissingPackage, Stop, r"E: Unable to correct problems, you have held broken packages").subject(Fixed("")).remedies(&[]),
    row("deb-build-conflict", Kind::DependencyConflict, Configure, r"(?:error|Error): Build conflicts: (\S+)").remedies(&[EditRecipe("build where {} is not installed")]),
    row("deb-archive", Kind::Download, Configure, r"(?:Release file for (\S+) is (?:not valid yet|expired))|E: Failed to fetch (\S+)\s.*(?:Hash Sum mismatch|404)").last().remedies(&[Retry, Set("Acquire::Check-Valid-Until", "false")]),
    row("deb-half-installed", Kind::BrokenMachine, Configure, r"dpkg: error processing (?:package|archive) (\S+?)(?::\w+)? \(").remedies(&[Cure::RunFirst("dpkg --configure -a"), Set("DEBIAN_FRONTEND", "noninteractive")]),
    row("deb-dpkg-failed", Kind::BrokenMachine, Stop, r"Sub-process \S*dpkg returned an error code|Could not get lock /var/lib/(?:dpkg|apt)|dpkg was interrupted, you must manually run").subject(Fixed("dpkg")).remedies(&[Cure::RunFirst("dpkg --configure -a"), Retry]),
    row("rpm-build-dependencies", Kind::MissingPackage, Configure, r"(?:Failed build dependencies|BuildRequires.*not installed):\s*\n((?:\s+\S[^\n]* is needed by [^\n]*\n?)+)").marks(&["Failed build dependencies"]).with_next(8).subject(By(rpm_needed)).last().remedies(&[Provide]),
    row("rpm-nothing-provides", Kind::MissingPackage, Configure, r"nothing provides (?:requested )?(.+?)(?: needed by .*| \(got version.*|$)").subject(By(capability)).last().remedies(&[Provide, EditRecipe("ask for something that is there in place of {}")]),
    row("rpm-no-match", Kind::MissingPackage, Configure, r"No match(?:ing package to install)?(?: for argument)?: '?([^\s'].*?)'?$|No package (\S+) available|Package '([^']+)' not found\.$").marks(&["No match", "No package ", " not found."]).subject(By(capability)).last().remedies(&[Provide]),
    row("obs-choice", Kind::MissingPackage, Configure, r"have choice for (\S+?)(?: needed by \S+)?: (.+)").last().remedies(&[EditRecipe("prefer one of {2} for {}")]),
    row("obs-conflict", Kind::DependencyConflict, Configure, r"(?:^|: )(?:conflict for providers of|conflicts with) (\S+)|problem with installed package (\S+)").unless(r"File .* conflicts|attempted installs").last(),
    row("apk-missing", Kind::MissingPackage, Configure, r"^\s+(\S+) \(no such package\):").last(),
    row("pacman-missing", Kind::MissingPackage, Configure, r"error: (?:target not found|could not satisfy dependencies): (\S+)|==> ERROR: Could not resolve all dependencies").last(),
    // Lists of files.
    row("rpm-unpackaged", Kind::FileList, Package, r"error: Installed \(but unpackaged\) file\(s\) found:\n\s+(\S+)").marks(&["but unpackaged"]).with_next(1).confidence(95).remedies(&[EditRecipe("list {} in %files, or remove it in %install")]),
    row("rpm-file-not-found", Kind::FileList, Package, r"error: (?:File not found(?: by glob)?|Directory not found|File is not a directory): (\S+)").subject(By(in_build_root)).confidence(95).remedies(&[EditRecipe("mend the path {} in %files, or install it in %install")]),
    row("rpm-file-twice", Kind::FileList, Weak, r"error: File listed twice: (\S+)").remedies(&[EditRecipe("list {} once")]),
    row("rpm-file-list", Kind::FileList, Package, r"error: (?:Empty %files file|Could not open %files file) (\S+?):?(?: No such.*)?$").subject(Subject::BaseName).remedies(&[EditRecipe("make the list {} in %install, such as by %find_lang, or drop -f"), Set("%debug_package", "%{nil}")]),
    row("rpm-conflict", Kind::FileList, Package, r"file (\S+) (?:from install of \S+ )?conflicts (?:between attempted installs of|with file from package)").remedies(&[EditRecipe("let one package own {}")]),
    row("deb-not-installed", Kind::FileList, Package, r"^(?:dh_missing: )?(?:error: |warning: )(\S+) exists in debian/\S+ but is not installed").remedies(&[EditRecipe("name {} in a *.install file or in debian/not-installed")]),
    row("deb-install-missing", Kind::FileList, Package, r#"^dh_\w+: (?:error|warning): Cannot find \(any matches for\) "([^"]+)""#).remedies(&[EditRecipe("mend the path {} in the package's list of files")]),
    row("deb-install-aborts", Kind::FileList, Weak, r"^dh_install: error: (missing files), aborting").subject(Fixed("")),
    row("deb-unit", Kind::FileList, Package, r"^dh_installsystemd\w*: error: Package '[^']+' does not install unit '([^']+)'").remedies(&[EditRecipe("install the unit {}")]),
    row("deb-usr-local", Kind::FileList, Package, r"^dh_usrlocal: error: (\S+) is not a directory").remedies(&[Set("prefix", "/usr"), EditRecipe("install below /usr")]),
    // What packages must be like.
    row("rpm-noarch", Kind::PackagePolicy, Package, r"Arch dependent binaries in noarch package").subject(Fixed("noarch")).remedies(&[EditRecipe("leave out BuildArch: noarch")]),
    row("rpm-rpath", Kind::PackagePolicy, Package, r"ERROR\s+\d{4}: file '([^']+)' contains an? (?:\w+ )?r(?:un)?path").remedies(&[Set("CMAKE_SKIP_RPATH", "ON"), EditRecipe("remove the run path of {}: chrpath -d")]),
    row("rpm-build-root", Kind::PackagePolicy, Package, r"Found '?(\S+?)'? in installed files; aborting").subject(Fixed("buildroot")).remedies(&[EditRecipe("take the build root's path out of the installed files")]),
    row("rpm-shebang", Kind::PackagePolicy, Package, r"ERROR: (?:ambiguous python shebang in (\S+?):|.*env-script-interpreter (\S+))").remedies(&[EditRecipe("name the interpreter of {}")]),
    row("rpm-badness", Kind::PackagePolicy, Package, r"[Bb]adness (\d+) exceeds threshold").subject(Fixed("rpmlint")).remedies(&[EditRecipe("mend what rpmlint calls errors, or filter it")]),
    row("rpmlint-error", Kind::PackagePolicy, Weak, r"^\S+: E: ([\w-]+) \(Badness: \d{3,}\)").remedies(&[EditRecipe("mend {}")]),
    row("deb-shlibs", Kind::PackagePolicy, Package, r"dpkg-shlibdeps: error: (?:cannot find library|no dependency information found for) (\S+)").subject(Subject::BaseName).remedies(&[EditRecipe("tell dh_shlibdeps where {} is: -l, or leave it out: -x"), ProvideOther("library", "{}")]),
    row("deb-symbols", Kind::PackagePolicy, Package, r"dpkg-gensymbols: error: some symbols or patterns disappeared").subject(Fixed("symbols")).remedies(&[EditRecipe("update the .symbols file"), Set("DPKG_GENSYMBOLS_CHECK_LEVEL", "0")]),
    row("deb-dwz", Kind::PackagePolicy, Package, r"dwz: (?:Too few files for multifile|\S+: DWARF version \d+ unhandled|\S+: Unknown debugging section)").subject(Fixed("dwz")).remedies(&[EditRecipe("override dh_dwz")]),
    row("deb-strip", Kind::PackagePolicy, Package, r"strip: Unable to recognise the format of the input file '?([^'\s]+)").remedies(&[EditRecipe("strip with the tool of the package's architecture")]),
    // Recipes.
    row("rpm-undefined-macro", Kind::Recipe, Package, r"rpm-tmp\.\w+: (?:line )?\d+: %(\w+): (?:command )?not found").remedies(&[EditRecipe("build-require what defines %{}")]),
    row("rpm-job-control", Kind::Recipe, Package, r"rpm-tmp\.\w+: (?:line )?\d+: fg: no job control").subject(Fixed("macro")).remedies(&[EditRecipe("build-require what defines the macro that was left as text")]),
    row("rpm-spec", Kind::Recipe, Package, r"^error: (?:\S+\.spec: )?line (?P<n>\d+): (?P<s>Unknown tag|Unclosed %if|[Uu]nclosed macro|Empty tag|Tag takes single token only|Illegal char|Dependency tokens must begin|Version required|Bad \w+|%\w+: [^:]+|Second %\w+|Duplicate \w+ entries|invalid|Package does not exist)").subject(By(recipe_line)).remedies(&[EditRecipe("mend the recipe: {}")]),
    row("rpm-spec-other", Kind::Recipe, Package, r"^error: (?:(?:Failed to (?:read|parse) spec file|query of specfile|parse of expression|.*: )?(parse error in expression|No such file or directory: \S+\.spec)|(Name|Version|Release|Summary|License|Group) field must be present|Macro %(\w+) (?:has empty body|failed to expand)|(No %changelog entries))").remedies(&[EditRecipe("mend {}")]),
    row("rpm-no-source", Kind::Recipe, Package, r"^Cannot read (/\S+)$").subject(Subject::BaseName).remedies(&[EditRecipe("put {} beside the recipe, or mend its name")]),
    row("rpm-folder", Kind::Recipe, Package, r"rpm-tmp\.\w+: (?:line )?\d+: cd: (?:can't cd to )?([^\s:]+)(?:$|: No such file)").remedies(&[EditRecipe("name the folder that the source unpacks to: %setup -n")]),
    row("rpm-architecture", Kind::ExcludedArchitecture, Package, r"error: (?:Architecture is (?:not included|excluded)|No compatible architectures found for build): ?(\S*)").remedies(&[EditRecipe("build for {} where the source allows it")]),
    row("deb-architecture", Kind::ExcludedArchitecture, Package, r"current host architecture '([^']+)' does not appear in package's list|arch-not-in-list: (\S+)").remedies(&[EditRecipe("add {} to Architecture")]),
    row("deb-no-artifacts", Kind::ExcludedArchitecture, Package, r"binary build with no binary artifacts found").subject(Fixed("")).remedies(&[EditRecipe("let a package's Architecture take this one in")]),
    row("deb-compat", Kind::ToolVersion, Package, r"Sorry, but \d+ is the highest compatibility level supported by this debhelper").subject(Fixed("debhelper")).class(Class::Packaging).remedies(&[Version("debhelper", "")]),
    row("deb-compat-missing", Kind::Recipe, Package, r"Please specify the compatibility level in debian/compat").subject(Fixed("compat")).remedies(&[EditRecipe("build-depend on debhelper-compat (= 13)")]),
    row("deb-changes", Kind::Recipe, Package, r"dpkg-source: error: (?:(aborting due to unexpected upstream changes)|cannot represent change to (\S+?):|(unrepresentable changes))").remedies(&[EditRecipe("let the clean target leave the source as it was"), EditRecipe("record the changes: dpkg-source --commit")]),
    row("deb-no-tarball", Kind::Recipe, Package, r"no upstream tarball found at (\S+?)\.\{").subject(Subject::BaseName).remedies(&[EditRecipe("put the upstream tarball beside the tree, or use a native format")]),
    // Patches.
    row("patch-missing", Kind::PatchFailed, Package, r"dpkg-source: error: cannot read \S*?(debian/patches/\S+?):").subject(Subject::BaseName).remedies(&[EditRecipe("drop the patch {}")]),
    row("patch-quilt", Kind::PatchFailed, Package, r"^Patch (?:debian/patches/)?(\S+) (?:does not apply|can be reverse-applied)|LOCAL_PATCH|Refusing to apply (\S+)|dpkg-source: error: LC_ALL=C patch .* < \S*?/patches/(\S+) subprocess").remedies(PATCH),
    row("patch-rpm", Kind::PatchFailed, Package, r"^Patch #\d+ \(([^)]+)\):\n(?:[^\n]*\n){0,5}?[^\n]*(?:FAILED|[Cc]an't find file to patch|previously applied|unexpectedly ends)[^\n]*").marks(&["Patch #"]).with_next(6).remedies(PATCH),
    row("patch-hunk", Kind::PatchFailed, Package, r"\d+ out of \d+ hunks? (?:FAILED|ignored) -- (?:saving rejects|rejects in) (?:to )?(?:file )?(\S+?)(?:\.rej)?$|error: patch failed: (\S+?):\d+").confidence(80).remedies(PATCH),
    row("patch-other", Kind::PatchFailed, Stop, r"Hunk #\d+ FAILED at|Reversed \(or previously applied\) patch detected|patch: \*\*\*\* (?:Only garbage was found|malformed patch)|can't find file to patch at input line").subject(Fixed("")).remedies(PATCH),
    // Installing outside of the package.
    row("install-outside", Kind::Privileges, Package, r"(?:mkdir|install|cp|ln|cannot (?:create|remove|open)).*: (?:cannot (?:create|remove|stat|open|touch) [^/]*|)'?(/usr/\S+?|/etc/\S+?|/opt/\S+?)'?: (?:Permission denied|Read-only file system)").remedies(&[Set("DESTDIR", "the package's image"), EditRecipe("install below the build root")]),
    // What a build service says when it ends a job.
    row("obs-killed", Kind::Resources, Configure, r"Job seems to be stuck here, killed|Build(?: was)? killed.*(?:inactivity|timeout)|build timed out after").subject(Fixed("time")).remedies(&[Retry, More("time")]),
    row("obs-worker-lost", Kind::BrokenMachine, Stop, r"worker (?:\S+ )?(?:lost|died|vanished)|build host (?:lost|went away)|VM (?:died|crashed)").subject(Fixed("worker")).remedies(&[Retry]),
    // Whatever else the programs of dpkg and debhelper stop at.
    row("deb-tool", Kind::Recipe, Stop, r"^(?:dpkg-(?:source|gencontrol|genchanges|genbuildinfo|gensymbols|shlibdeps|deb|buildpackage|parsechangelog|distaddfile)|dh|dh_\w+): error: (.+)").subject(By(super::recipes::named_file)).unless(r"subprocess returned exit|returned exit code|died with signal|aborting$|Aborting due to|unable to load|fork|ENOMEM|No space left|Permission denied").remedies(&[EditRecipe("mend the recipe: {1}")]),
];

/// What cures a patch that does not apply.
pub(super) const PATCH: &[Cure] = &[
    EditRecipe("drop the patch {} where the source has the change already"),
    EditRecipe("make the patch {} anew for this source"),
];

/// The names in `libfoo-dev, bar (>= 2) | baz`.
fn deb_relations(groups: &[String]) -> Vec<(Kind, String)> {
    let list = groups.first().map_or("", String::as_str);
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut name = String::new();
    let mut is_alternative = false;
    for c in list.chars().chain([' ']) {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '|' => is_alternative = true,
            c if c.is_whitespace() || c == ',' => {
                if !name.is_empty() {
                    let bare = name.split(':').next().unwrap_or_default().to_owned();
                    name.clear();
                    if !std::mem::take(&mut is_alternative) {
                        found.push((Kind::MissingPackage, bare));
                    }
                }
            }
            c => name.push(c),
        }
    }
    found
}

/// Every captured group is a package.
fn packages(groups: &[String]) -> Vec<(Kind, String)> {
    groups
        .iter()
        .map(|name| (Kind::MissingPackage, name.split(':').next().unwrap_or(name).to_owned()))
        .collect()
}

/// The capabilities in lines such as `nope-devel >= 3 is needed by hello-1.0-1.x86_64`.
fn rpm_needed(groups: &[String]) -> Vec<(Kind, String)> {
    let list = groups.first().map_or("", String::as_str);
    list.lines()
        .filter_map(|line| line.trim().split_once(" is needed by "))
        .flat_map(|(wanted, _)| capability(&[wanted.to_owned()]))
        .collect()
}

/// A capability as the kind of name that it is: `pkgconfig(zlib)` is a module of pkg-config.
fn capability(groups: &[String]) -> Vec<(Kind, String)> {
    let text = groups.first().map_or("", String::as_str).trim();
    let text = text.trim_matches(['\'', '"']);
    // `((foo and bar))` of a rich dependency stays as it is.
    let name = text.split([' ', '<', '>', '=']).next().unwrap_or(text);
    if name.is_empty() {
        return Vec::new();
    }
    let inner = |prefix: &str| Some(name.strip_prefix(prefix)?.trim_end_matches(')').to_owned());
    let known: [(&str, Kind); 9] = [
        ("pkgconfig(", Kind::MissingPkgConfig),
        ("cmake(", Kind::MissingCMake),
        ("perl(", Kind::MissingPerl),
        ("python3dist(", Kind::MissingPython),
        ("rubygem(", Kind::MissingRuby),
        ("mvn(", Kind::MissingJava),
        ("npm(", Kind::MissingNode),
        ("tex(", Kind::MissingTex),
        ("typelib(", Kind::MissingTypelib),
    ];
    for (prefix, kind) in known {
        if let Some(inner) = inner(prefix) {
            return vec![(kind, inner)];
        }
    }
    if name.starts_with('/') {
        return vec![(Kind::MissingFile, name.to_owned())];
    }
    vec![(Kind::MissingPackage, name.to_owned())]
}

/// A path without the build root before it.
fn in_build_root(groups: &[String]) -> Vec<(Kind, String)> {
    let path = groups.first().map_or("", String::as_str);
    let inside = [
        "/usr/", "/etc/", "/var/", "/opt/", "/lib/", "/lib64/", "/bin/", "/sbin/", "/srv/", "/run/",
    ]
    .iter()
    .filter_map(|root| {
        // The root itself may lie below one of these: so the build root's name comes first.
        let after = path.find("BUILDROOT").unwrap_or(0);
        Some(after + path.get(after..)?.find(root)?)
    })
    .min();
    let path = inside.and_then(|at| path.get(at..)).unwrap_or(path);
    vec![(Kind::FileList, path.to_owned())]
}

/// What is wrong in which line of a recipe.
fn recipe_line(groups: &[String]) -> Vec<(Kind, String)> {
    let [line, said, ..] = groups else { return Vec::new() };
    vec![(Kind::Recipe, format!("line {line}: {said}"))]
}
