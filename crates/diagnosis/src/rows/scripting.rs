//! Signatures of Perl and Ruby: prerequisites, versions, names that are not there, source that does not compile, build files
//! that are programs, gems and bundles.

use super::{
    Row,
    Subject::{BaseName, By, Fixed},
    Weight::{Build, Configure, Stop, Weak},
    row,
};
use crate::{
    Kind,
    cure::Cure::{EditSource, LookAtTest, ProvideOther, Retry, RunFirst, Set, Version},
    prose,
};

/// Source that does not compile: where it is the build's own program, the build file is wrong.
fn source(groups: &[String]) -> Vec<(Kind, String)> {
    let path = groups.first().map_or("", String::as_str);
    let base = path.rsplit('/').next().unwrap_or(path);
    let ending = base.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_build = matches!(
        base,
        "Makefile.PL" | "Build.PL" | "Rakefile" | "rakefile" | "extconf.rb" | "Gemfile"
    ) || matches!(ending, "gemspec" | "rake");
    vec![if is_build {
        (Kind::BuildFile, base.to_owned())
    } else {
        (Kind::CompileError, String::new())
    }]
}

/// A method of a package: without the package itself, that is what is missing.
fn method(groups: &[String]) -> Vec<(Kind, String)> {
    match groups {
        [_, package, _] => vec![(Kind::MissingPerl, package.clone())],
        [name, package] => vec![(Kind::RemovedApi, format!("{package}::{name}"))],
        _ => Vec::new(),
    }
}

/// What a sentence of a configuration asks for.
fn sentence(groups: &[String]) -> Vec<(Kind, String)> {
    groups.first().and_then(|text| prose::guess(text)).into_iter().collect()
}

pub(super) static ROWS: &[Row] = &[
    // Perl.
    row("perl-prerequisites", Kind::MissingPerl, Configure, r"^MakeMaker FATAL: prerequisites not found\.\n\s+([\w:]+) ").marks(&["MakeMaker FATAL"]).with_next(1),
    row("perl-too-old", Kind::RuntimeVersion, Configure, r"Perl v?([\d.]+) required--this is only|requires perl version '?([\d.]+)'?").subject(Fixed("perl")).remedies(&[Version("perl", "{1}")]),
    row("perl-not-exported", Kind::LibraryVersion, Build, r#""[^"]+" is not exported by the ([\w:]+) module"#).remedies(&[Version("{}", "a newer one")]),
    row("perl-loadable", Kind::MissingPerl, Build, r"Can't locate loadable object for module ([\w:]+) in @INC").remedies(&[ProvideOther("perl", "{}"), RunFirst("make")]),
    row("perl-method", Kind::RemovedApi, Weak, r#"Can't locate object method "([^"]+)" via package "([\w:]+)"( \(perhaps you forgot to load)?"#).subject(By(method)),
    row("perl-subroutine", Kind::RemovedApi, Weak, r"Undefined subroutine &([\w:]+) called at").remedies(&[EditSource("replace {}")]),
    row("perl-source", Kind::CompileError, Build, r#"^(?:syntax error|Missing right curly[^\n]*|Can't find string terminator [^\n]*|Global symbol "[^"]+" requires explicit package name[^\n]*|Bareword "[^"]+" not allowed[^\n]*|Unmatched [^\n]*|Can't modify [^\n]*) at (\S+) line \d+"#).subject(By(source)),
    row("perl-open", Kind::MissingFile, Build, r"^Could not open '([^']+)': No such file or directory at "),
    row("perl-own-file", Kind::MissingFile, Weak, r"^(?:[Cc]an't (?:open|read|find)|[Cc](?:annot|ould not) (?:open|read|find)|Unable to open)?:? ?'?([\w./+-]+\.\w+)'?: No such file or directory at \S+ line \d+"),
    row("perl-typemap", Kind::CompileError, Build, r"Could not find a typemap for C type '([^']+)'").remedies(&[EditSource("give {} a typemap")]),
    row("prove-crash", Kind::TestCrashed, Stop, r"^(\S+\.t)\s+\(Wstat: \d+ \(Signal: (?:SEGV|ABRT|ILL|BUS|FPE)").remedies(&[LookAtTest]),
    row("prove-dubious", Kind::TestFailed, Stop, r"^(\S+\.t) \.{2,} ?\n(?:[^\n]*\n){0,4}?Dubious, test returned").marks(&[".t .."]).with_next(5).remedies(&[LookAtTest]),
    row("prove-nothing", Kind::TestSetup, Stop, r"^Result: NOTESTS|^Cannot detect source of '([^']+)'").remedies(&[LookAtTest]),
    // Ruby.
    row("ruby-extension", Kind::MissingLibrary, Build, r"^(?:\S*/)?extconf\.rb:\d+:in [^:\n]*: (.+?) \((?:RuntimeError|SystemExit)\)").subject(By(sentence)),
    row("ruby-extension-failed", Kind::Other, Weak, r"^\*\*\* extconf\.rb failed \*\*\*|Failed to build gem native extension").subject(Fixed("")),
    row("ruby-constant", Kind::RemovedApi, Weak, r"uninitialized constant ([\w:]+) \(NameError\)|^NameError: uninitialized constant ([\w:]+)").remedies(&[EditSource("replace {}")]),
    row("ruby-method", Kind::RemovedApi, Weak, r"undefined (?:method|local variable or method) '([^']+)' for [^\n]*\((?:NoMethodError|NameError)\)").remedies(&[EditSource("replace {}")]),
    row("ruby-source", Kind::CompileError, Build, r"^(?:\S+: )?(\S+\.(?:rb|gemspec|rake)|\S*Rakefile|\S*Gemfile):\d+: syntax errors?\b").subject(By(source)),
    row("ruby-relative", Kind::MissingFile, Build, r"cannot load such file -- (/\S+)").remedies(&[RunFirst("the step that makes {}")]),
    row("gemspec-invalid", Kind::BuildFile, Configure, r"Invalid gemspec in \[([^\]]+)\]|The gemspec at (\S+) is not valid|There was an error (?:while loading|parsing) '([^']+)'").subject(BaseName).remedies(&[EditSource("mend {}")]),
    row("gemspec-absent", Kind::MissingFile, Configure, r"Couldn't find a gemspec file matching '([^']+)'|There are no gemspecs at (\S+)"),
    row("gemspec-files", Kind::MissingFile, Configure, r#"InvalidSpecificationException\)?:?\s+\["([^"]+)"[^\]]*\] are not files"#).marks(&["InvalidSpecificationException"]).with_next(1),
    row("gemspec-attribute", Kind::BuildFile, Configure, r"InvalidSpecificationException\)?:?\s+(?:missing value for attribute (\w+)|(\w+) (?:value|may not|must)|[^\n]+)").marks(&["InvalidSpecificationException"]).with_next(1).remedies(&[EditSource("give the gemspec {}")]),
    row("rake-no-file", Kind::MissingFile, Configure, r"^No (Rakefile) found").remedies(&[RunFirst("cd to the folder of the Rakefile")]),
    row("rake-target", Kind::MissingTarget, Configure, r"Don't know how to build task '([^']+)'"),
    // Bundler.
    row("bundler-no-file", Kind::MissingFile, Configure, r"Could not locate (Gemfile)|(Gemfile) not found").remedies(&[RunFirst("cd to the folder of the Gemfile")]),
    row("bundler-ruby", Kind::RuntimeVersion, Configure, r"Your Ruby version is \S+, but your Gemfile specified (\S+)|requires (?:Ruby|ruby|rubygems|RubyGems) version ([^\n.]*\d)[^\n]*[Tt]he current").subject(Fixed("ruby")).remedies(&[Version("ruby", "{1}")]),
    row("bundler-conflict", Kind::DependencyConflict, Configure, r#"could not find compatible versions for gem "([^"]+)"|Unable to resolve dependency: user requested '([\w-]+)|Unable to activate ([\w-]+)-[\d.]+, because|Because every version of ([\w-]+) depends on"#).last(),
    row("bundler-lock", Kind::LockMismatch, Configure, r"The (?:gemspecs? for|dependencies in your gemfile changed)|You are trying to install in deployment mode after changing|(?:the|your) lockfile can't be updated because frozen mode|The bundle currently has \S+ locked at|Your bundle only supports platforms|The lockfile can't be updated").subject(Fixed("Gemfile.lock")).remedies(&[Set("BUNDLE_FROZEN", "false"), RunFirst("bundle install")]),
    row("bundler-version", Kind::ToolVersion, Configure, r"You must use Bundler \d|Bundler (?:\S+ )?is running, but your lockfile was generated with|can't find gem (bundler) \(").subject(Fixed("bundler")).remedies(&[Version("bundler", "a newer one")]),
    row("gem-executable", Kind::MissingRuby, Configure, r"can't find gem ([\w-]+) \([^)]*\) with executable|Could not find '([\w-]+)' \([^)]*\) among").remedies(&[ProvideOther("ruby", "{}")]),
    row("bundler-network", Kind::Network, Configure, r"Could not (?:reach|fetch specs from|resolve host) (?:host )?(?:https?://)?([\w.-]+\w)").remedies(&[Retry]),
    row("bundler-git", Kind::Download, Configure, r"The git source '?([^\s']+)'? is not yet checked out").remedies(&[RunFirst("bundle install")]),
];
