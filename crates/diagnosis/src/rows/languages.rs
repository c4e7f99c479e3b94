//! Signatures of languages beside Python, Java, Node, Go and Rust: GHC, OCaml, Perl, Ruby, R, Lua, Tcl, Erlang, TeX, PHP,
//! Vala and GObject introspection.

use super::{
    Row,
    Subject::{By, Many},
    Weight::{Build, Configure, Stop},
    row,
};
use crate::{
    Class, Kind,
    cure::Cure::{DropFlag, EditRecipe, Provide, ProvideOther, Version},
};

pub(super) static ROWS: &[Row] = &[
    // Haskell.
    row("ghc-flag", Kind::UnknownFlag, Configure, r"^\S*ghc[\w.-]*: unrecognised (?:flag|option)s?: '?(-\S+?)'?$|^<?(?:command line|interactive)>?: (?:error: )?(?:\[GHC-\d+\] )?unrecognised (?:flag|option)s?: (-\S+)").class(Class::Preparation).confidence(97).remedies(&[DropFlag("{}"), Version("ghc", "one that knows {}")]),
    row("ghc-module", Kind::MissingHaskell, Build, r"Could not (?:find|load) module '([\w.]+)'(?:\n\s*It is (?:a member of the hidden package|not a module in the current program)[^\n]*)?").marks(&["Could not find module", "Could not load module"]).with_next(1),
    row("ghc-package", Kind::MissingHaskell, Configure, r"cannot satisfy -package(?:-id)? ([\w.-]+)|unknown package: ([\w-]+)"),
    row("cabal-missing", Kind::MissingHaskell, Configure, r"[Mm]issing (?:or private )?dependenc(?:y|ies)(?:[^\n:]*): *\n?((?:[ \t]*[\w-]+ ?[^\n]*,?\n?)+)").marks(&["ncountered missing"]).with_next(3).subject(By(cabal_dependencies)),
    row("cabal-conflict", Kind::DependencyConflict, Configure, r"rejecting: ([\w-]+)[-/]|Could not resolve dependencies:|cabal: Could not resolve dependencies").last().remedies(&[EditRecipe("allow newer versions: --allow-newer"), Version("ghc", "")]),
    row("ghc-error", Kind::CompileError, Build, r"^(\S+\.l?hs):\d+:\d+: error:[^\n]*(?:\n[^\n]*)?").marks(&["hs:"]).with_next(1).unless(r"Could not (?:find|load) module").remedies(&[]),
    // OCaml.
    row("ocaml-dune-library", Kind::MissingOcaml, Configure, r#"Error: Library "([^"]+)" not found"#),
    row("ocaml-findlib", Kind::MissingOcaml, Build, r"ocamlfind: Package '([^']+)' not found"),
    row("ocaml-module", Kind::MissingOcaml, Build, r"Error: Unbound module '?(\w+)"),
    row("ocaml-dune-version", Kind::ToolVersion, Configure, r"Error: Version (\S+) of the (?:dune language|\S+ extension) is not supported").subject(super::Subject::Fixed("dune")).remedies(&[Version("dune", ">= {1}")]),
    row("ocaml-error", Kind::CompileError, Build, r#"^File "([^"]+\.mli?)", lines? \d+(?:-\d+)?, characters[^\n]*(?:\n[^\n]*){1,4}?\nError: "#).marks(&[", characters "]).with_next(5).unless(r"Error: (?:Unbound module|Library |Version )"),
    // Perl.
    row("perl-sequence", Kind::MissingPlugin, Configure, r"error: unable to load addon ([\w-]+): Can't locate|error: unable to load build system class '([\w-]+)'").remedies(&[ProvideOther("package", "dh-sequence-{}"), EditRecipe("build-depend on dh-sequence-{}")]),
    row("perl-module", Kind::MissingPerl, Build, r"Can't locate (\S+)\.pm in @INC").unless(r"Debian/Debhelper/").subject(By(perl_module)),
    row("perl-base-class", Kind::MissingPerl, Build, r#"Base class package "([\w:]+)" is empty"#),
    row("perl-version", Kind::LibraryVersion, Build, r"^(?:\S+: )?([\w:]+) version (\S+) required--this is only version").remedies(&[Version("{}", ">= {2}")]),
    row("perl-prerequisite", Kind::MissingPerl, Stop, r"^(?:Warning: prerequisite|\*? ?ERROR: Missing|\s*! ) ?([\w:]+) (?:\S+ )?(?:not found|is not installed)"),
    // Ruby.
    row("ruby-library", Kind::MissingRuby, Build, r"(?:cannot load such file|no such file to load) -- (\S+)(?: \(LoadError\))?"),
    row("ruby-gem", Kind::MissingRuby, Build, r"Could not find (?:gem )?'?([\w-]+)(?: \([^)]*\))?'?(?:-[\d.]+)? ?(?:\([^)]*\) )?(?:in (?:any of the sources|locally installed gems|rubygems|source)|among \d+ total gem|- did find)|Could not find gem '([\w-]+)"),
    row("ruby-headers", Kind::MissingCommand, Build, r"mkmf\.rb can't find header files for ruby").subject(super::Subject::Fixed("ruby-dev")).remedies(&[ProvideOther("header", "ruby.h"), ProvideOther("package", "ruby-dev")]),
    row("ruby-have-header", Kind::MissingHeader, Build, r"^([\w/.-]+\.h) is (?:missing|required)\b"),
    // R.
    row("r-package", Kind::MissingR, Build, r"there is no package called '?\s*([\w.]+)'?"),
    row("r-dependencies", Kind::MissingR, Build, r"ERROR: dependenc(?:y|ies) (.+?) (?:is|are) not available for package").subject(Many),
    row("r-version", Kind::LibraryVersion, Build, r"namespace '([\w.]+)' (\S+) is (?:already loaded|being loaded), but (?:>=|>|==) (\S+) is required").remedies(&[Version("{}", ">= {3}")]),
    // Lua, Tcl, Erlang, Octave, PHP.
    row("lua-module", Kind::MissingModule, Build, r"module '([\w.-]+)' not found:"),
    row("tcl-package", Kind::MissingModule, Build, r"can't find package (\S+)"),
    row("erlang-include", Kind::MissingModule, Build, r#"can't find include (?:lib|file) "([^"/]+)"#),
    row("erlang-application", Kind::MissingModule, Build, r"(?:no such file or directory|undefined) \{?'?(\w+)\.app'?"),
    row("octave-package", Kind::MissingModule, Build, r"error: (?:load_packages: )?(?:package '?([\w-]+)'? (?:is not installed|must be installed)|the following dependencies are unsatisfied:\s*([\w-]+))"),
    row("php-extension", Kind::MissingModule, Build, r"(?:requires|require) (?:PHP extension )?ext-(\w+) .*(?:missing|not (?:available|installed))|it is missing from your system\. Install or enable PHP's (\w+) extension|the requested PHP extension (\w+) is missing|Call to undefined function (mb|curl|xml|gd|intl|gmp|bc|ctype|iconv|simplexml|zip|sqlite|pg|mysqli)_?\w*\("),
    row("php-class", Kind::MissingModule, Build, r#"(?:Class|Interface|Trait) ["'](\S+?)["'] not found"#),
    row("dotnet-package", Kind::MissingPackage, Configure, r"error NU110[123]: Unable to find package ([\w.-]*[\w-])"),
    row("dotnet-sdk", Kind::MissingPlugin, Configure, r"error (NETSDK1045|NETSDK1147|MSB4236|NETSDK1004)").remedies(&[Version("the .NET SDK", "")]),
    // TeX.
    row("tex-file", Kind::MissingTex, Build, r"! (?:LaTeX|Package \S+) Error: (?:File|Font) '?([^\s']+\.\w+)'? not found|^! I can't find file '?([^\s']+)'?"),
    row("tex-font", Kind::MissingTex, Build, r"! Font \S+?=(\S+) .*not loadable: [Mm]etric|! Package fontspec Error: The font \W?([^\x22']+?)\W? cannot be"),
    row("tex-undefined", Kind::CompileError, Build, r"^! (Undefined control sequence)").remedies(&[]),
    row("fontconfig", Kind::MissingFont, Build, r"(Fontconfig) error: Cannot load default config").remedies(&[ProvideOther("path", "/etc/fonts/fonts.conf"), ProvideOther("package", "fontconfig-config")]),
    // GObject introspection and Vala.
    row("typelib", Kind::MissingTypelib, Build, r"Namespace ([\w.-]+) not available|Typelib file for namespace '([^']+)'|Requiring (\w+), version (?:\S+): Typelib file").remedies(&[Provide]),
    row("vala-package", Kind::MissingTypelib, Build, r"Package '([^']+)' not found in specified Vala API"),
    row("gir-file", Kind::MissingTypelib, Build, r"Couldn't find include '([\w.-]+)\.gir'"),
];

/// `A::B` for `A/B`.
fn perl_module(groups: &[String]) -> Vec<(Kind, String)> {
    let path = groups.first().map_or("", String::as_str);
    vec![(Kind::MissingPerl, path.replace('/', "::"))]
}

/// The names in `base >=4, nope >=2`, or one on each line; those that ask for an older one than the compiler's own are no
/// missing packages but conflicts, and stay last.
fn cabal_dependencies(groups: &[String]) -> Vec<(Kind, String)> {
    let list = groups.first().map_or("", String::as_str);
    let mut found: Vec<(Kind, String)> = list
        .split([',', '\n'])
        .map(str::trim)
        .take_while(|part| part.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .filter_map(|part| part.split([' ', '<', '>', '=', '^']).next())
        .filter(|name| !name.is_empty())
        .map(|name| (Kind::MissingHaskell, name.to_owned()))
        .collect();
    found.sort_by_key(|(_, name)| matches!(name.as_str(), "base" | "ghc" | "ghc-prim" | "template-haskell"));
    found
}
