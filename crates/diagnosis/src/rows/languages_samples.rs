//! Samples of the rows of `languages`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "ghc-flag",
        r"ghc: unrecognised flag: -fobject-nope
did you mean one of:
  -fobject-code

Usage: For basic information, try the `--help' option.",
        "-fobject-nope",
    ),
    sample(
        "ghc-flag",
        r"Configuring hc-1.0...
ghc: unrecognised flag: -fnope-flag

Usage: For basic information, try the `--help' option.
Run the 'configure' command first.",
        "-fnope-flag",
    )
    .line(2),
    sample(
        "ghc-flag",
        r"Configuring thing-0.1...
ghc-9.8.2: unrecognised flag: -fnew-thing

Usage: For basic information, try the `--help' option.
error: Bad exit status from /var/tmp/rpm-tmp.x (%build)",
        "-fnew-thing",
    )
    .documented(),
    sample(
        "ghc-module",
        r"a.hs:1:1: error:
    Could not find module ‘Data.Nope.Thing’
    Use -v (or `:set -v` in ghci) to see a list of the files searched for.
  |
1 | import Data.Nope.Thing",
        "Data.Nope.Thing",
    )
    .line(2),
    sample(
        "ghc-module",
        r"c.hs:1:1: error:
    Could not load module ‘Data.Map’
    It is a member of the hidden package ‘containers-0.6.4.1’.
    You can run ‘:set -package containers’ to expose it.
    (Note: this unloads all the modules in the current scope.)",
        "Data.Map",
    )
    .line(2),
    sample(
        "ghc-package",
        r"<command line>: cannot satisfy -package nopepkg
    (use -v for more information)",
        "nopepkg",
    ),
    sample(
        "cabal-missing",
        r"Configuring hc-1.0...
Setup: Encountered missing or private dependencies:
base <3, nopepkg >=2",
        "nopepkg",
    )
    .line(3),
    sample(
        "cabal-conflict",
        r"Error: cabal: Could not resolve dependencies:
[__0] trying: hc-1.0 (user goal)
[__1] next goal: base (dependency of hc)
[__1] rejecting: base-4.15.1.0/installed-4.15.1.0 (conflict: hc => base<3)",
        "base",
    )
    .documented(),
    sample(
        "ghc-error",
        r#"b.hs:2:8: error:
    • Couldn't match type ‘[Char]’ with ‘Int’
      Expected: Int
        Actual: String
    • In the expression: "a""#,
        "b.hs",
    ),
    sample(
        "ocaml-dune-library",
        r#"File "dune", line 1, characters 32-39:
1 | (executable (name a) (libraries nopelib))
                                    ^^^^^^^
Error: Library "nopelib" not found.
Hint: try:
  dune external-lib-deps --missing @@default"#,
        "nopelib",
    )
    .line(4),
    sample(
        "ocaml-findlib",
        r"ocamlfind: Package `nopelib' not found",
        "nopelib",
    ),
    sample(
        "ocaml-module",
        r#"File "a.ml", line 1, characters 5-16:
1 | open Nope_module
         ^^^^^^^^^^^
Error: Unbound module Nope_module"#,
        "Nope_module",
    )
    .line(4),
    sample(
        "ocaml-dune-version",
        r#"File "dune-project", line 1, characters 11-14:
1 | (lang dune 9.0)
               ^^^
Error: Version 9.0 of the dune language is not supported.
Supported versions of this extension in version 9.0 of the dune language:
- 1.0 to 1.12"#,
        "dune",
    )
    .line(4),
    sample(
        "ocaml-error",
        r#"File "a.ml", line 1, characters 14-17:
1 | let x : int = "a"
                  ^^^
Error: This expression has type string but an expression was expected of type
         int"#,
        "a.ml",
    ),
    sample(
        "perl-sequence",
        r"dh clean --with nopeaddon
dh: error: unable to load addon nopeaddon: Can't locate Debian/Debhelper/Sequence/nopeaddon.pm in @INC (you may need to install the Debian::Debhelper::Sequence::nopeaddon module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/x86_64-linux-gnu/perl/5.36 /usr/share/perl/5.36 /usr/local/lib/site_perl) at (eval 13) line 1.
BEGIN failed--compilation aborted at (eval 13) line 1.

make: *** [debian/rules:3: clean] Error 25",
        "nopeaddon",
    )
    .line(2),
    sample(
        "perl-sequence",
        r"   dh_auto_clean -O--buildsystem=nopebs
dh_auto_clean: error: unable to load build system class 'nopebs': Can't locate Debian/Debhelper/Buildsystem/nopebs.pm in @INC (you may need to install the Debian::Debhelper::Buildsystem::nopebs module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/x86_64-linux-gnu/perl/5.36 /usr/share/perl/5.36 /usr/local/lib/site_perl) at (eval 3) line 1.
BEGIN failed--compilation aborted at (eval 3) line 1.

make: *** [debian/rules:3: clean] Error 25",
        "nopebs",
    )
    .line(2),
    sample(
        "perl-module",
        r"Can't locate Foo/Bar/Baz.pm in @INC (you may need to install the Foo::Bar::Baz module) (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/x86_64-linux-gnu/perl/5.36 /usr/share/perl/5.36 /usr/local/lib/site_perl) at -e line 1.
BEGIN failed--compilation aborted at -e line 1.",
        "Foo::Bar::Baz",
    ),
    sample(
        "perl-base-class",
        r#"Base class package "Foo::Nope" is empty.
    (Perhaps you need to 'use' the module which defines that package first,"#,
        "Foo::Nope",
    ),
    sample(
        "perl-version",
        r"JSON::PP version 99 required--this is only version 4.07 at -e line 1.
BEGIN failed--compilation aborted at -e line 1.",
        "JSON::PP",
    ),
    sample(
        "perl-prerequisite",
        r"Warning: prerequisite Foo::Nope 1 not found.
Warning: prerequisite JSON::PP 99 not found. We have 4.07.",
        "Foo::Nope",
    ),
    sample(
        "ruby-library",
        r"<internal:/usr/lib/ruby/vendor_ruby/rubygems/core_ext/kernel_require.rb>:85:in `require': cannot load such file -- nope_lib (LoadError)
	from <internal:/usr/lib/ruby/vendor_ruby/rubygems/core_ext/kernel_require.rb>:85:in `require'
	from -e:1:in `<main>'",
        "nope_lib",
    ),
    sample(
        "ruby-gem",
        r"/usr/lib/ruby/vendor_ruby/rubygems/dependency.rb:313:in `to_specs': Could not find 'rake' (= 99) - did find: [rake-13.0.6] (Gem::MissingSpecVersionError)",
        "rake",
    ),
    sample(
        "ruby-gem",
        r"Could not find gem 'nope' in any of the gem sources listed in your Gemfile.",
        "nope",
    )
    .documented(),
    sample(
        "ruby-headers",
        r"mkmf.rb can't find header files for ruby at /usr/lib/ruby/include/ruby.h",
        "ruby-dev",
    )
    .documented(),
    sample(
        "ruby-have-header",
        r"checking for yaml.h... no
yaml.h is missing. Please install the development files",
        "yaml.h",
    )
    .documented(),
    sample(
        "r-package",
        r"Error in library(nopepkg) : there is no package called ‘nopepkg’
Execution halted",
        "nopepkg",
    ),
    sample(
        "r-dependencies",
        r"* installing to library ‘/usr/local/lib/R/site-library’
ERROR: dependencies ‘nopepkg’, ‘other’ are not available for package ‘rp’
* removing ‘/usr/local/lib/R/site-library/rp’",
        "nopepkg",
    )
    .line(2),
    sample(
        "r-version",
        r"Error in loadNamespace(j) :
  namespace 'rlang' 1.0.6 is already loaded, but >= 1.1.0 is required",
        "rlang",
    )
    .documented(),
    sample(
        "lua-module",
        r"lua5.4: (command line):1: module 'nope.mod' not found:
	no field package.preload['nope.mod']
	no file '/usr/local/share/lua/5.4/nope/mod.lua'
	no file '/usr/local/share/lua/5.4/nope/mod/init.lua'",
        "nope.mod",
    ),
    sample(
        "tcl-package",
        r"can't find package nopetcl",
        "nopetcl",
    ),
    sample(
        "erlang-include",
        r#"a.erl:2:14: can't find include lib "nope/include/x.hrl"
%    2| -include_lib("nope/include/x.hrl").
%     |              ^"#,
        "nope",
    ),
    sample(
        "erlang-application",
        r"ERROR: undefined jiffy.app",
        "jiffy",
    )
    .documented(),
    sample(
        "octave-package",
        r"error: load_packages: package struct must be installed to load it",
        "struct",
    )
    .documented(),
    sample(
        "php-extension",
        r"  - thing/thing 1.0 requires ext-intl * -> it is missing from your system. Install or enable PHP's intl extension.",
        "intl",
    )
    .documented(),
    sample(
        "php-extension",
        r"PHP Fatal error:  Uncaught Error: Call to undefined function mb_nope() in Command line code:1
Stack trace:",
        "mb",
    ),
    sample(
        "php-class",
        r#"PHP Fatal error:  Uncaught Error: Class "NopeClass" not found in Command line code:1
Stack trace:"#,
        "NopeClass",
    ),
    sample(
        "dotnet-package",
        r"/build/a.csproj : error NU1101: Unable to find package Nope.Thing. No packages exist with this id in source(s): local",
        "Nope.Thing",
    )
    .documented(),
    sample(
        "dotnet-sdk",
        r"/usr/lib/dotnet/sdk/Microsoft.NET.TargetFrameworkInference.targets(141,5): error NETSDK1045: The current .NET SDK does not support targeting .NET 9.0.",
        "NETSDK1045",
    )
    .documented(),
    sample(
        "tex-file",
        r"! LaTeX Error: File `nopestyle.sty' not found.

Type X to quit or <RETURN> to proceed,
or enter new name. (Default extension: sty)",
        "nopestyle.sty",
    ),
    sample(
        "tex-file",
        r"! LaTeX Error: File `nopeclass.cls' not found.

Type X to quit or <RETURN> to proceed,
or enter new name. (Default extension: cls)",
        "nopeclass.cls",
    ),
    sample(
        "tex-font",
        r"! Font \a=nopefont not loadable: Metric (TFM) file not found.
<to be read again>
                   \a",
        "nopefont",
    ),
    sample(
        "tex-undefined",
        r"! Undefined control sequence.
l.1 ...tfont x}\font\a=nopefont \a x \undefinedcmd
                                                  \end{document}
[1{/var/lib/texmf/fonts/map/pdftex/updmap/pdftex.map}] (./c.aux)",
        "Undefined control sequence",
    ),
    sample(
        "fontconfig",
        r"Fontconfig error: Cannot load default config file: No such file: (null)",
        "Fontconfig",
    )
    .documented(),
    sample(
        "typelib",
        r#"  File "/usr/lib/python3/dist-packages/gi/__init__.py", line 126, in require_version
    raise ValueError('Namespace %s not available' % namespace)
ValueError: Namespace Gtkzz not available"#,
        "Gtkzz",
    )
    .line(3),
    sample(
        "vala-package",
        r"error: Package `nope-1.0' not found in specified Vala API directories or GObject-Introspection GIR directories
Compilation failed: 1 error(s), 0 warning(s)",
        "nope-1.0",
    ),
    sample(
        "gir-file",
        r"Couldn't find include 'Gst-1.0.gir' (search path: '['/usr/share/gir-1.0']')",
        "Gst-1.0",
    )
    .documented(),
];
