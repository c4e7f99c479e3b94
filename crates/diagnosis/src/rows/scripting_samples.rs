//! Samples of the rows of `scripting`.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "prove-dubious",
        r"x at t/mast.t line 1.
t/mast.t .. 
Dubious, test returned 255 (wstat 65280, 0xff00)
Failed 2/2 subtests 

Test Summary Report
-------------------
t/mast.t (Wstat: 65280 (exited 255) Tests: 0 Failed: 0)
Result: FAIL",
        "t/mast.t",
    )
    .line(2),
    sample("perl-prerequisites", r#"MakeMaker FATAL: prerequisites not found.
    Rope::Walk not installed
"#, "Rope::Walk").line(2).documented(),
    sample("perl-too-old", r#"Perl v5.40.0 required--this is only v5.36.0, stopped at Makefile.PL line 1."#, "perl").line(1).documented(),
    sample("perl-not-exported", r#""hitch" is not exported by the Rope::Knot module
Can't continue after import errors at t/knot.t line 3."#, "Rope::Knot").line(1).documented(),
    sample("perl-loadable", r#"Can't locate loadable object for module Rope::XS in @INC (@INC contains: blib/lib blib/arch) at t/xs.t line 2."#, "Rope::XS").line(1).documented(),
    sample("perl-method", r#"Can't locate object method "splice" via package "Rope" (perhaps you forgot to load "Rope"?) at tools/x line 1."#, "Rope").kind(Kind::MissingPerl).line(1).documented(),
    sample("perl-method", r#"Can't locate object method "splice" via package "Rope" at tools/x line 1."#, "Rope::splice").line(1).documented(),
    sample("perl-subroutine", r#"Undefined subroutine &Rope::splice called at tools/x line 1."#, "Rope::splice").line(1).documented(),
    sample("perl-source", r#"syntax error at Makefile.PL line 9, near "= ;""#, "Makefile.PL").kind(Kind::BuildFile).line(1).documented(),
    sample("perl-source", r#"Global symbol "$y" requires explicit package name (did you forget to declare "my $y"?) at lib/Rope.pm line 3."#, "").line(1).documented(),
    sample("perl-source", r#"Missing right curly or square bracket at lib/Rope.pm line 31, at end of line"#, "").line(1).documented(),
    sample("perl-open", r#"Could not open 'lib/Rope.pm': No such file or directory at /usr/share/perl/5.36/ExtUtils/MM_Unix.pm line 2977."#, "lib/Rope.pm").line(1).documented(),
    sample("perl-own-file", r#"Cannot open tables/knots.txt: No such file or directory at tools/make-tables.pl line 7."#, "tables/knots.txt").line(1).documented(),
    sample("perl-typemap", r#"Could not find a typemap for C type 'knot_t'."#, "knot_t").line(1).documented(),
    sample("prove-crash", r#"t/knot.t (Wstat: 11 (Signal: SEGV) Tests: 0 Failed: 0)
Result: FAIL"#, "t/knot.t").line(1).documented(),
    sample("prove-nothing", r#"Files=0, Tests=0,  0 wallclock secs
Result: NOTESTS"#, "").line(2).documented(),
    sample("ruby-extension", r#"extconf.rb:2:in `<main>': libyaml not found (RuntimeError)"#, "yaml").line(1).documented(),
    sample("ruby-extension-failed", r#"*** extconf.rb failed ***
Could not create Makefile due to some reason, probably lack of necessary"#, "").line(1).documented(),
    sample("ruby-constant", r#"lib/rope.rb:4:in `<main>': uninitialized constant Fixnum (NameError)"#, "Fixnum").line(1).documented(),
    sample("ruby-method", r#"lib/rope.rb:4:in `load': undefined method `exists?' for File:Class (NoMethodError)"#, "exists?").line(1).documented(),
    sample("ruby-source", r#"rope.gemspec:3: syntax error, unexpected end-of-input"#, "rope.gemspec").kind(Kind::BuildFile).line(1).documented(),
    sample("ruby-source", r#"lib/rope.rb:31: syntax error, unexpected end-of-input, expecting `end'"#, "").line(1).documented(),
    sample("ruby-relative", r#"Rakefile:2:in `require_relative': cannot load such file -- /build/lib/rope/version (LoadError)"#, "/build/lib/rope/version").line(1).documented(),
    sample("gemspec-invalid", r#"Invalid gemspec in [rope.gemspec]: rope.gemspec:1: unexpected end-of-input"#, "rope.gemspec").line(1).documented(),
    sample("gemspec-absent", r#"ERROR:  Couldn't find a gemspec file matching 'rope.gemspec' in /build"#, "rope.gemspec").line(1).documented(),
    sample("gemspec-files", r#"ERROR:  While executing gem ... (Gem::InvalidSpecificationException)
    ["lib/knot.rb"] are not files"#, "lib/knot.rb").line(2).documented(),
    sample("gemspec-attribute", r#"ERROR:  While executing gem ... (Gem::InvalidSpecificationException)
    missing value for attribute summary"#, "summary").line(2).documented(),
    sample("rake-no-file", r#"rake aborted!
No Rakefile found (looking for: rakefile, Rakefile, rakefile.rb, Rakefile.rb)"#, "Rakefile").line(2).documented(),
    sample("rake-target", r#"rake aborted!
Don't know how to build task 'docs' (See the list of available tasks with `rake --tasks`)"#, "docs").line(2).documented(),
    sample("bundler-no-file", r#"Could not locate Gemfile"#, "Gemfile").line(1).documented(),
    sample("bundler-ruby", r#"Your Ruby version is 3.1.2, but your Gemfile specified 3.4.1"#, "ruby").line(1).documented(),
    sample("bundler-ruby", r#"ERROR:  Error installing rope:
	rope-2.0 requires Ruby version >= 3.3. The current ruby version is 3.1.2.20."#, "ruby").line(2).documented(),
    sample("bundler-conflict", r#"Bundler could not find compatible versions for gem "rope":
  In Gemfile:
    rope (~> 2.0)"#, "rope").line(1).documented(),
    sample("bundler-conflict", r#"ERROR:  Unable to resolve dependency: user requested 'knot (= 2.0)'"#, "knot").line(1).documented(),
    sample("bundler-lock", r#"Your bundle only supports platforms ["arm64-darwin-23"] but your local platform is x86_64-linux."#, "Gemfile.lock").line(1).documented(),
    sample("bundler-version", r#"You must use Bundler 2 or greater with this lockfile."#, "bundler").line(1).documented(),
    sample("gem-executable", r#"`find_spec_for_exe': can't find gem rake (>= 0.a) with executable rake (Gem::GemNotFoundException)"#, "rake").line(1).documented(),
    sample("bundler-network", r#"Could not reach host gems.example. Check your network connection and try again."#, "gems.example").line(1).documented(),
    sample("bundler-git", r#"The git source https://forge.example/rope.git is not yet checked out. Please run `bundle install` before trying to start your application"#, "https://forge.example/rope.git").line(1).documented(),
    sample("perl-loadable", r#"Can't locate loadable object for module Frob in @INC (@INC contains: /etc/perl /usr/local/lib/x86_64-linux-gnu/perl/5.36.0 /usr/local/share/perl/5.36.0 /usr/lib/x86_64-linux-gnu/perl5/5.36 /usr/share/perl5 /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/x86_64-li"#, "Frob").line(1),
    sample("perl-not-exported", r#""frobnicate" is not exported by the List::Util module
Can't continue after import errors at -e line 1.
BEGIN failed--compilation aborted at -e line 1."#, "List::Util").line(1),
    sample("perl-method", r#"Can't locate object method "bar" via package "Foo" (perhaps you forgot to load "Foo"?) at -e line 1."#, "Foo").kind(Kind::MissingPerl).line(1),
    sample("perl-open", r#"Could not open 'lib/Mast.pm': No such file or directory at /usr/share/perl/5.36/ExtUtils/MM_Unix.pm line 2977."#, "lib/Mast.pm").line(1),
    sample("perl-prerequisites", r#"MakeMaker FATAL: prerequisites not found.
    Not::Here not installed

Please install these modules first and rerun 'perl Makefile.PL'."#, "Not::Here").line(2),
    sample("prove-nothing", r#"Cannot detect source of 't'! at /usr/share/perl/5.36/TAP/Parser/IteratorFactory.pm line 256.
	TAP::Parser::IteratorFactory::detect_source(TAP::Parser::IteratorFactory=HASH(0x55de05121428), TAP::Parser::Source=HASH(0x55de04fe2f50)) called at /usr/share/perl/5.36/TAP/Parser/IteratorFactory.pm line 211
	TAP::Parser::IteratorFactory::make_iterator(TAP::Parser::IteratorFactory=HASH(0x55de05121428), TAP::Parser::Source=HASH(0x55de04fe2f50)) called at /usr/share/perl/5.36/TAP/Parser.pm line 472
	TAP::Parser::_initialize(TAP::Parser=HASH(0x55de04ff6e48), HASH(0x55de04e0a5c0)) called at /usr/share/perl/5.36/TAP/Object.pm line 55
	TAP::Object::new("TAP::Parser", HASH(0x55de04e0a5c0)) called at /usr/share/perl/5.36/TAP/Object.pm line 130"#, "t").line(1),
    sample("prove-crash", r#"Test Summary Report
-------------------
t/mast.t (Wstat: 11 (Signal: SEGV) Tests: 0 Failed: 0)
  Non-zero wait status: 11
  Parse errors: Bad plan.  You planned 2 tests but ran 0.
Files=1, Tests=0,  0 wallclock secs ( 0.02 usr  0.00 sys +  0.02 cusr  0.00 csys =  0.04 CPU)
Result: FAIL"#, "t/mast.t").line(3),
    sample("perl-source", r#"cp lib/Mast.pm blib/lib/Mast.pm
PERL_DL_NONLAZY=1 "/usr/bin/perl" "-MExtUtils::Command::MM" "-MTest::Harness" "-e" "undef *Test::Harness::Switches; test_harness(0, 'blib/lib', 'blib/arch')" t/*.t
Global symbol "$y" requires explicit package name (did you forget to declare "my $y"?) at /build/blib/lib/Mast.pm line 1.
Compilation failed in require at t/mast.t line 1.
BEGIN failed--compilation aborted at t/mast.t line 1.
# Looks like your test exited with 255 before it could output anything.
t/mast.t .. "#, "").line(3),
    sample("perl-subroutine", r#"Undefined subroutine &main::frob called at -e line 1."#, "main::frob").line(1),
    sample("perl-too-old", r#"Perl v9.9.0 required--this is only v5.36.0, stopped at Makefile.PL line 1.
BEGIN failed--compilation aborted at Makefile.PL line 1."#, "perl").line(1),
    sample("perl-typemap", r#""/usr/bin/perl" -MExtUtils::Command::MM -e 'cp_nonempty' -- Mast.bs blib/arch/auto/Mast/Mast.bs 644
"/usr/bin/perl" "/usr/share/perl/5.36/ExtUtils/xsubpp"  -typemap '/usr/share/perl/5.36/ExtUtils/typemap'  Mast.xs > Mast.xsc
Could not find a typemap for C type 'frob_t'.
The following C types are mapped by the current typemap:
'AV *', 'Boolean', 'CV *', 'FILE *', 'FileHandle', 'HV *', 'I16', 'I32', 'I8', 'IV', 'InOutStream', 'InputStream', 'NV', 'OutputStream', 'PerlIO *', 'Result', 'STRLEN', 'SV *', 'SVREF', 'SysRet', 'SysRetLong', 'Time_t *', 'U16', 'U32', 'U8', 'UV', 'bool', 'boo
 in Mast.xs, line 10
Please specify prototyping behavior for Mast.xs (see perlxs manual)"#, "frob_t").line(3),
    sample("ruby-extension", r#"	--with-froblib
	--without-froblib
extconf.rb:2:in `<main>': libfrob not found (RuntimeError)"#, "frob").line(3),
    sample("ruby-extension-failed", r#"no frob
*** extconf.rb failed ***
Could not create Makefile due to some reason, probably lack of necessary
libraries and/or headers.  Check the mkmf.log file for more details.  You may
need configuration options.
"#, "").line(2),
    sample("gemspec-absent", r#"ERROR:  Couldn't find a gemspec file matching 'none.gemspec' in /build"#, "none.gemspec").line(1),
    sample("gemspec-invalid", r#"Invalid gemspec in [x.gemspec]: x.gemspec:1: syntax error, unexpected end-of-input
Gem::Specification.new do |s|
                             ^
ERROR:  Error loading gemspec. Aborting."#, "x.gemspec").line(1),
    sample("ruby-constant", r#"-e:1:in `<main>': uninitialized constant Frob (NameError)

Frob.new
^^^^"#, "Frob").line(1),
    sample("ruby-method", r#"-e:1:in `<main>': undefined method `frob' for nil:NilClass (NoMethodError)

nil.frob
   ^^^^^"#, "frob").line(1),
    sample("rake-no-file", r#"rake aborted!
No Rakefile found (looking for: rakefile, Rakefile, rakefile.rb, Rakefile.rb)

(See full trace by running task with --trace)"#, "Rakefile").line(2),
    sample("rake-target", r#"rake aborted!
Don't know how to build task 'frob' (See the list of available tasks with `rake --tasks`)

(See full trace by running task with --trace)"#, "frob").line(2),
    sample("ruby-relative", r#"a.rb:1:in `require_relative': cannot load such file -- /build/lib/none (LoadError)
	from a.rb:1:in `<main>'"#, "/build/lib/none").line(1),
    sample("ruby-source", r#"a.rb:1: syntax error, unexpected end-of-input, expecting ')'
def x(
      ^"#, "").line(1),
];
