//! Samples of the rows of `wanted`.

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample("right-root", r#"This script must be run as root"#, "root").line(1).documented(),
    sample("right-root", r#"mast-setup: you must be root to do that"#, "root").line(1).documented(),
    sample("right-root", r#"error: installation requires root privileges"#, "root").line(1).documented(),
    sample("right-change", r#"chown: changing ownership of '/usr/share/mast': Operation not permitted
make: *** [Makefile:31: install] Error 1"#, "chown").line(1).documented(),
    sample("right-change", r#"chmod: changing permissions of 'bin/mast': Operation not permitted"#, "chmod").line(1).documented(),
    sample("right-change", r#"install: cannot change ownership of '/build/out/bin/mast': Operation not permitted"#, "install").line(1).documented(),
    sample("right-change", r#"date: cannot set date: Operation not permitted"#, "date").line(1).documented(),
    sample("right-path", r#"touch: cannot touch '/var/lib/mast/state': Permission denied"#, "/var/lib/mast/state").line(1).documented(),
    sample("right-path", r#"sh: 1: cannot create /var/log/mast.log: Permission denied"#, "/var/log/mast.log").line(1).documented(),
    sample("right-path", r#"rm: cannot remove '/var/cache/mast/index': Permission denied"#, "/var/cache/mast/index").line(1).documented(),
    sample("right-path", r#"error: could not create '/var/lib/mast/plugins': Permission denied"#, "/var/lib/mast/plugins").line(1).documented(),
    sample("right-python", r#"Traceback (most recent call last):
  File "/build/setup.py", line 9, in <module>
    os.makedirs("/var/lib/mast")
PermissionError: [Errno 13] Permission denied: '/var/lib/mast'"#, "/var/lib/mast").line(4).documented(),
    sample("right-gem", r#"ERROR:  While executing gem ... (Gem::FilePermissionError)
    You don't have write permissions for the /var/lib/gems/3.1.0 directory."#, "/var/lib/gems/3.1.0").line(2).documented(),
    sample("right-lock", r#"E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)"#, "/var/lib/dpkg/lock-frontend").line(1).documented(),
    sample("right-socket", r#"PermissionError: [Errno 13] Permission denied"#, "").line(1).documented(),
    sample("user-unknown", r#"chown: invalid user: 'mast:mast'"#, "mast:mast").line(1).documented(),
    sample("user-unknown", r#"install: invalid group 'sailors'"#, "sailors").line(1).documented(),
    sample("user-unknown", r#"id: 'mast': no such user"#, "mast").line(1).documented(),
    sample("terminal-unknown", r#"tput: No value for $TERM and no -T specified"#, "terminal").line(1).documented(),
    sample("terminal-unknown", r#"Error opening terminal: unknown."#, "terminal").line(1).documented(),
    sample("apt-sources", r#"Reading package lists...
E: You must put some 'deb-src' URIs in your sources.list"#, "deb-src").line(2).documented(),
    sample("machine-killed", r#"build.sh: line 12:  4711 Killed                  ./make-tables"#, "memory").line(1).documented(),
    sample("machine-killed", r#"make: *** [Makefile:12: tables] Killed"#, "memory").line(1).documented(),
    sample("machine-out-of-time", r#"timeout 60 ./tide --forecast
make: *** [Makefile:9: forecast] Error 124"#, "time").line(2).documented(),
    sample("machine-out-of-time", r#"make: *** [Makefile:9: forecast] Terminated"#, "time").line(1).documented(),
    sample("network-library", r#"Caused by:
  failed to connect to forge.example: Connection refused; class=Os (2)"#, "forge.example").line(2).documented(),
    sample("network-library", r#"go: forge.example/rope@v1.2.0: Get "https://forge.example/rope": dial tcp 192.0.2.7:443: connect: connection refused"#, "192.0.2.7").line(1).documented(),
    sample("network-library", r#"requests.exceptions.ConnectionError: HTTPSConnectionPool(host='forge.example', port=443): Max retries exceeded with url: /rope.tar.gz"#, "forge.example").line(1).documented(),
    sample("network-library", r#"Errno::ECONNREFUSED: Failed to open TCP connection to forge.example:443 (Connection refused - connect(2))"#, "forge.example").line(1).documented(),
    sample("network-urlopen", r#"urllib.error.URLError: <urlopen error [Errno 111] Connection refused>"#, "").line(1).documented(),
    sample("npm-not-cached", r#"npm ERR! code ENOTCACHED
npm ERR! request to https://registry.example/harbour-glob failed: cache mode is 'only-if-cached' but no cached response is available."#, "harbour-glob").line(2).documented(),
    sample("npm-not-cached-code", r#"npm ERR! code ENOTCACHED"#, "").line(1).documented(),
    sample("gem-not-found", r#"ERROR:  Could not find a valid gem 'rope-walk' (>= 0) in any repository"#, "rope-walk").line(1).documented(),
    sample("git-remote-absent", r#"fatal: repository 'https://forge.example/rope.git/' not found"#, "https://forge.example/rope.git/").line(1).documented(),
    sample("git-remote-absent", r#"fatal: '/srv/git/rope.git' does not appear to be a git repository"#, "/srv/git/rope.git").line(1).documented(),
    sample("git-revision", r#"error: pathspec 'v2.1' did not match any file(s) known to git"#, "v2.1").line(1).documented(),
    sample("git-revision", r#"fatal: Remote branch v3 not found in upstream origin"#, "v3").line(1).documented(),
    sample("git-revision", r#"fatal: reference is not a tree: 4b825dc642cb6eb9a060e54bf8d69288fbee4904"#, "4b825dc642cb6eb9a060e54bf8d69288fbee4904").line(1).documented(),
    sample("git-no-tag", r#"fatal: no tag exactly matches '1f2e3d4c5b6a'"#, "tag").line(1).documented(),
    sample("git-part", r#"git: 'lfs' is not a git command. See 'git --help'."#, "git-lfs").line(1).documented(),
    sample("version-manager", r#"pyenv: python2.7: command not found"#, "python2.7").line(1).documented(),
    sample("version-manager", r#"rbenv: rake: command not found"#, "rake").line(1).documented(),
    sample("runtime-said", r#"configure: error: mast needs Python 3.12"#, "python").line(1).documented(),
    sample("runtime-said", r#"ERROR: This project requires Ruby version >= 3.4"#, "ruby").line(1).documented(),
    sample("runtime-said-after", r#"configure: error: Perl 5.40 or newer was expected"#, "perl").line(1).documented(),
    sample("runtime-said-after", r#"Error: node.js 22 or later is what this wants"#, "node.js").line(1).documented(),
    sample("runtime-said-cmake", r#"CMake Error at CMakeLists.txt:9 (message):
  Python 3.13 or later is what builds this.
"#, "python").line(1).documented(),
    sample("archive-cmake", r#"CMake Error: Problem with archive_read_open_file(): Unrecognized archive format
CMake Error: Problem extracting tar: rope.tgz
"#, "").line(1).documented(),
    sample("archive-python", r#"tarfile.ReadError: not a gzip file"#, "").line(1).documented(),
    sample("archive-python", r#"EOFError: Compressed file ended before the end-of-stream marker was reached"#, "").line(1).documented(),
    sample("archive-member", r#"tar: rope-1.0/README: Not found in archive
tar: Exiting with failure status due to previous errors"#, "rope-1.0/README").line(1).documented(),
    sample("archive-absent", r#"tar (child): rope-1.0.tar.gz: Cannot open: No such file or directory
tar (child): Error is not recoverable: exiting now"#, "rope-1.0.tar.gz").line(1).documented(),
    sample("archive-absent", r#"unzip:  cannot find or open rope.zip, rope.zip.zip or rope.zip.ZIP."#, "rope.zip").line(1).documented(),
    sample("archive-absent", r#"gzip: rope-1.0.tar.gz: No such file or directory"#, "rope-1.0.tar.gz").line(1).documented(),
    sample("archive-checksum", r#"rope-1.0.tar.gz: FAILED
sha256sum: WARNING: 1 computed checksum did NOT match"#, "rope-1.0.tar.gz").line(1).documented(),
    sample("archive-checksum", r#"rope-1.0.tar.gz: FAILED open or read
md5sum: WARNING: 1 listed file could not be read"#, "rope-1.0.tar.gz").line(1).documented(),
    sample("script-perl", r#"Can't open perl script "tools/tables.pl": No such file or directory"#, "tools/tables.pl").line(1).documented(),
    sample("script-python", r#"python3: can't open file '/build/tools/tables.py': [Errno 2] No such file or directory"#, "tables.py").line(1).documented(),
    sample("script-other", r#"ruby: No such file or directory -- tools/tables.rb (LoadError)"#, "tools/tables.rb").line(1).documented(),
    sample("script-other", r#"Could not open input file: artisan"#, "artisan").line(1).documented(),
    sample("script-shell", r#"sh: 0: cannot open tables.sh: No such file"#, "tables.sh").line(1).documented(),
    sample("script-shell", r#"bash: tools/tables.sh: No such file or directory
make: *** [Makefile:4: tables] Error 127"#, "tools/tables.sh").line(1).documented(),
    sample("script-shell", r#"/bin/sh: 1: ./tools/tables: not found
make: *** [Makefile:4: tables] Error 127"#, "./tools/tables").line(1).documented(),
    sample("script-within", r#"./configure: line 2113: ./build-aux/site.sh: No such file or directory"#, "./build-aux/site.sh").line(1).documented(),
    sample("script-within", r#"./autogen.sh: 4: .: cannot open ./common.sh: No such file"#, "./common.sh").line(1).documented(),
    sample("script-make", r#"make: ./tools/tables: No such file or directory
make: *** [Makefile:4: tables] Error 127"#, "./tools/tables").line(1).documented(),
    sample("folder-make", r#"make[1]: *** lib: No such file or directory.  Stop."#, "lib").line(1).documented(),
    sample("folder-shell", r#"/bin/sh: 1: cd: can't cd to third_party/rope
make: *** [Makefile:4: all] Error 2"#, "third_party/rope").line(1).documented(),
    sample("folder-shell", r#"build.sh: line 3: cd: out: No such file or directory"#, "out").line(1).documented(),
    sample("driver-specs", r#"gcc: fatal error: cannot read spec file 'nano.specs': No such file or directory
compilation terminated."#, "nano.specs").line(1).documented(),
    sample("driver-language", r#"gcc: error: language objc4 not recognized"#, "objc4").line(1).documented(),
    sample("assembler-flag", r#"as: unrecognized option '--frob'
make: *** [Makefile:2: all] Error 1"#, "--frob").line(1).documented(),
    sample("link-foreign-input", r#"/usr/bin/ld: i386 architecture of input file `libknot.a(knot.o)' is incompatible with i386:x86-64 output
collect2: error: ld returned 1 exit status"#, "libknot.a").line(1).documented(),
    sample("distutils-compiler", r#"running build_ext
building 'mast._fast' extension
error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory"#, "x86_64-linux-gnu-gcc").line(3).documented(),
    sample("distutils-compiler", r#"unable to execute 'gcc': No such file or directory
error: command 'gcc' failed with exit status 1"#, "gcc").line(1).documented(),
    sample("automake-no-input", r#"automake: error: no 'Makefile.am' found for any configure output
autoreconf: error: automake failed with exit status: 1"#, "Makefile.am").line(1).documented(),
    sample("distribution-data", r#"cat: docs/header.txt: No such file or directory
make: *** [Makefile:2: all] Error 1"#, "docs/header.txt").line(1).documented(),
    sample("distribution-data", r#"grep: include/version.h: No such file or directory"#, "include/version.h").line(1).documented(),
    sample("distribution-data", r#"msgfmt: error while opening "po/de.po" for reading: No such file or directory"#, "po/de.po").line(1).documented(),
    sample("distribution-data", r#"bison: grammar.y: cannot open: No such file or directory"#, "grammar.y").line(1).documented(),
    sample("distribution-data", r#"diff: tests/expected.txt: No such file or directory"#, "tests/expected.txt").line(1).documented(),
    sample("said-needed", r#"fftw3 is needed and was not found
make: *** [Makefile:7: parse] Error 1"#, "fftw3").line(1).documented(),
    sample("automake-no-input", r#"configure.ac:2: installing './install-sh'
configure.ac:2: installing './missing'
automake: error: no 'Makefile.am' found for any configure output
autoreconf: error: automake failed with exit status: 1
dh_autoreconf: error: autoreconf -f -i returned exit code 1
make: *** [debian/rules:3: build] Error 25
dpkg-buildpackage: error: debian/rules build subprocess returned exit status 2"#, "Makefile.am").line(3),
    sample("archive-cmake", r#"CMake Error: Problem with archive_read_open_file(): Unrecognized archive format
CMake Error at CMakeLists.txt:4 (file):
  file failed to extract: a.tgz

"#, "").line(1),
    sample("archive-member", r#"tar: none/file: Not found in archive
tar: Exiting with failure status due to previous errors"#, "none/file").line(1),
    sample("archive-absent", r#"tar: none.tar.gz: Cannot open: No such file or directory
tar: Error is not recoverable: exiting now"#, "none.tar.gz").line(1),
    sample("archive-absent", r#"unzip:  cannot find or open none.zip, none.zip.zip or none.zip.ZIP."#, "none.zip").line(1),
    sample("archive-python", r#"  File "/usr/lib/python3.11/tarfile.py", line 1811, in open
    raise ReadError(f"file could not be opened successfully:\n{error_msgs_summary}")
tarfile.ReadError: file could not be opened successfully:
- method gz: ReadError('not a gzip file')
- method bz2: ReadError('not a bzip2 file')
- method xz: ReadError('not an lzma file')
- method tar: ReadError('truncated header')"#, "").line(3),
    sample("archive-checksum", r#"a: FAILED
sha256sum: WARNING: 1 computed checksum did NOT match"#, "a").line(1),
    sample("git-revision", r#"error: pathspec 'v2.0' did not match any file(s) known to git"#, "v2.0").line(1),
    sample("git-remote-absent", r#"fatal: repository '/none/x.git' does not exist"#, "/none/x.git").line(1),
    sample("git-part", r#"git: 'lfs' is not a git command. See 'git --help'.

The most similar command is
	log"#, "git-lfs").line(1),
    sample("git-revision", r#"error: pathspec 'x' did not match any file(s) known to git"#, "x").line(1),
    sample("apt-sources", r#"Reading package lists...
E: You must put some 'deb-src' URIs in your sources.list"#, "deb-src").line(2),
    sample("network-library", r#"
Caused by:
  failed to connect to 127.0.0.1: Connection refused; class=Os (2)"#, "127.0.0.1").line(3),
    sample("gem-not-found", r#"ERROR:  Could not find a valid gem 'rake-x' (>= 0), here is why:
          Unable to download data from http://127.0.0.1:9/ - Errno::ECONNREFUSED: Failed to open TCP connection to 127.0.0.1:9 (Connection refused - connect(2) for 127.0.0.1:9) (http://127.0.0.1:9/specs.4.8.gz)"#, "rake-x").line(1),
    sample("network-urlopen", r#"  File "/usr/lib/python3.11/socket.py", line 836, in create_connection
    sock.connect(sa)
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):"#, "").line(3),
    sample("right-lock", r#"E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)
E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?"#, "/var/lib/dpkg/lock-frontend").line(1),
    sample("right-change", r#"chmod: changing permissions of 'a': Operation not permitted"#, "chmod").line(1),
    sample("right-change", r#"chown: changing ownership of 'a': Operation not permitted"#, "chown").line(1),
    sample("right-change", r#"date: cannot set date: Operation not permitted
Wed Jan  1 00:00:00 UTC 2020"#, "date").line(1),
    sample("right-root", r#"dpkg: error: requested operation requires superuser privilege"#, "root").line(1),
    sample("right-path", r#"/sbin/ldconfig: Can't create temporary cache file /etc/ld.so.cache~: Permission denied"#, "/etc/ld.so.cache~").line(1),
    sample("right-path", r#"ln -s Makefile /usr/lib/hello
ln: failed to create symbolic link '/usr/lib/hello': Permission denied
make: *** [Makefile:2: install] Error 1"#, "/usr/lib/hello").line(2),
    sample("right-python", r#"    os.makedirs(*args, **kwargs)
  File "<frozen os>", line 225, in makedirs
PermissionError: [Errno 13] Permission denied: '/usr/share/x'

ERROR: Unhandled python OSError. This is probably not a Meson bug, but an issue with your build environment."#, "/usr/share/x").line(3),
    sample("right-python", r#"    os.makedirs(ndir1)
  File "<frozen os>", line 225, in makedirs
PermissionError: [Errno 13] Permission denied: '/build/o'

ERROR: Unhandled python OSError. This is probably not a Meson bug, but an issue with your build environment."#, "/build/o").line(3),
    sample("right-change", r#"nice: cannot set niceness: Permission denied"#, "nice").line(1),
    sample("right-path", r#"mkdir /usr/share/x: Permission denied at -e line 1."#, "/usr/share/x").line(1),
    sample("script-python", r#"/usr/bin/python3: can't open file '/build/setup.py': [Errno 2] No such file or directory"#, "setup.py").line(1),
    sample("right-socket", r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
PermissionError: [Errno 13] Permission denied"#, "").line(3),
    sample("right-python", r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
PermissionError: [Errno 13] Permission denied: '/etc/x'"#, "/etc/x").line(3),
    sample("right-path", r#"sh: 1: cannot create /etc/hello.conf: Permission denied"#, "/etc/hello.conf").line(1),
    sample("machine-killed", r#"gen.sh: line 2: 11844 Killed                  python3 -c 'while True: pass'"#, "memory").line(1),
    sample("terminal-unknown", r#"tput: unknown terminal "frob""#, "terminal").line(1),
    sample("user-unknown", r#"id: ‘nosuchuser’: no such user
chown: invalid user: ‘nosuchuser’
install: invalid user ‘nosuchuser’"#, "nosuchuser").line(1),
    sample("runtime-said-cmake", r#"-- Detecting C compile features
-- Detecting C compile features - done
CMake Error at CMakeLists.txt:3 (message):
  You need Python 3.99 or later


-- Configuring incomplete, errors occurred!"#, "python").line(3),
    sample("script-make", r#"./tools/frob x
make: ./tools/frob: No such file or directory
make: *** [Makefile:2: all] Error 127"#, "./tools/frob").line(2),
    sample("script-shell", r#"bash gen.sh
bash: gen.sh: No such file or directory
make: *** [Makefile:2: all] Error 127"#, "gen.sh").line(2),
    sample("distribution-data", r#"cat a.conf > b
cat: a.conf: No such file or directory
make: *** [Makefile:2: all] Error 1"#, "a.conf").line(2),
    sample("folder-shell", r#"cd sub && make
/bin/sh: 1: cd: can't cd to sub
make: *** [Makefile:2: all] Error 2"#, "sub").line(2),
    sample("script-shell", r#"./tools/frob x && true
/bin/sh: 1: ./tools/frob: not found
make: *** [Makefile:2: all] Error 127"#, "./tools/frob").line(2),
    sample("assembler-flag", r#"gcc -Wa,--frob -c a.c
as: unrecognized option '--frob'
make: *** [Makefile:2: all] Error 1"#, "--frob").line(2),
    sample("script-perl", r#"perl gen.pl
Can't open perl script "gen.pl": No such file or directory
make: *** [Makefile:2: all] Error 2"#, "gen.pl").line(2),
    sample("version-manager", r#"python2 gen.py
pyenv: python2: command not found

The `python2' command exists in these Python versions:
  2.7.18
"#, "python2").line(2),
    sample("script-python", r#"python3 gen.py
/usr/bin/python3: can't open file '/build/gen.py': [Errno 2] No such file or directory
make: *** [Makefile:2: all] Error 2"#, "gen.py").line(2),
    sample("script-shell", r#"tr a b < a.in > b
/bin/sh: 1: cannot open a.in: No such file
make: *** [Makefile:2: all] Error 2"#, "a.in").line(2),
    sample("driver-specs", r#"gcc -specs=none.specs -o a a.c
gcc: fatal error: cannot read spec file ‘none.specs’: No such file or directory
compilation terminated.
make: *** [Makefile:2: all] Error 1"#, "none.specs").line(2),
    sample("link-foreign-input", r#"gcc -o a m.c libx.a
/usr/bin/ld: i386 architecture of input file `libx.a(f.o)' is incompatible with i386:x86-64 output
collect2: error: ld returned 1 exit status
make: *** [Makefile:2: all] Error 1"#, "libx.a").line(2),
    sample("folder-make", r#"make -C sub
make[1]: *** sub: No such file or directory.  Stop.
make: *** [Makefile:2: all] Error 2"#, "sub").line(2),
    sample("driver-language", r#"gcc -x frob -o a a.c
gcc: error: language frob not recognized
gcc: error: language frob not recognized
make: *** [Makefile:2: all] Error 1"#, "frob").line(2),
    sample("script-shell", r#"./gen.sh > m.c
/bin/sh: 1: ./gen.sh: not found
make: *** [Makefile:13: m.c] Error 127"#, "./gen.sh").line(2),
    sample("script-make", r#"gcc -o m m.o 
./none
make: ./none: No such file or directory
make: *** [Makefile:8: check] Error 127"#, "./none").line(3),
    sample("script-shell", r#"./gen.pl > m.c
/bin/sh: 1: ./gen.pl: not found
make: *** [Makefile:13: m.c] Error 127"#, "./gen.pl").line(2),
    sample("script-perl", r#"Can't open perl script "Makefile.PL": No such file or directory"#, "Makefile.PL").line(1),
    sample("script-make", r#"./run-tests
make: ./run-tests: No such file or directory
make: *** [Makefile:2: check] Error 127"#, "./run-tests").line(2),
    sample("machine-out-of-time", r#"timeout 1 sleep 5
make: *** [Makefile:2: check] Error 124"#, "time").line(2),
];
