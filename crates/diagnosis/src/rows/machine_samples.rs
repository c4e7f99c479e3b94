//! Samples of the rows of `machine`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "machine-disk",
        r"/usr/bin/ld: final link failed: No space left on device
collect2: error: ld returned 1 exit status",
        "disk",
    ),
    sample(
        "machine-disk",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
OSError: [Errno 28] No space left on device"#,
        "disk",
    )
    .line(3),
    sample(
        "machine-disk",
        r"tar: Removing leading `/' from member names
tar: full/x.tar: Cannot write: No space left on device
tar: Error is not recoverable: exiting now",
        "disk",
    )
    .line(2),
    sample(
        "machine-disk",
        r"cp: error writing 'x': Disk quota exceeded",
        "disk",
    )
    .documented(),
    sample(
        "machine-memory",
        r"g++: fatal error: Killed signal terminated program cc1plus",
        "memory",
    )
    .documented(),
    sample(
        "machine-memory",
        r"c++: internal compiler error: Killed (program cc1plus)",
        "memory",
    )
    .documented(),
    sample(
        "machine-memory",
        r"cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes",
        "memory",
    )
    .documented(),
    sample(
        "machine-memory",
        r"virtual memory exhausted: Cannot allocate memory",
        "memory",
    )
    .documented(),
    sample(
        "machine-memory",
        r"terminate called after throwing an instance of 'std::bad_alloc'
  what():  std::bad_alloc
Aborted",
        "memory",
    ),
    sample(
        "machine-memory",
        r#"Traceback (most recent call last):
  File "<string>", line 1, in <module>
MemoryError"#,
        "memory",
    )
    .line(3),
    sample(
        "machine-memory",
        r#"sh -c "kill -9 \$$"
Killed
make: *** [Makefile.k:2: all] Error 137"#,
        "memory",
    )
    .line(2),
    sample(
        "machine-processes",
        r"bash: fork: retry: Resource temporarily unavailable",
        "processes",
    ),
    sample(
        "machine-processes",
        r"make: fork: Resource temporarily unavailable",
        "processes",
    )
    .documented(),
    sample(
        "machine-files",
        r#"  File "<string>", line 1, in <module>
  File "<string>", line 1, in <listcomp>
OSError: [Errno 24] Too many open files: '/dev/null'"#,
        "files",
    )
    .line(3),
    sample(
        "machine-file-size",
        r"File size limit exceeded (core dumped)",
        "disk",
    )
    .documented(),
    sample(
        "machine-watches",
        r"Error: ENOSPC: System limit for number of file watchers reached, watch '/build/src'",
        "files",
    )
    .documented(),
    sample(
        "machine-too-long",
        r"sh: 1: /bin/true: Argument list too long",
        "path",
    ),
    sample(
        "machine-too-long",
        r"mkdir: cannot create directory 'aaaa': File name too long",
        "path",
    )
    .documented(),
    sample(
        "machine-time",
        r"timeout: sending signal TERM to command 'make'",
        "time",
    )
    .documented(),
    sample(
        "machine-read-only",
        r"touch: cannot touch 'x': Read-only file system",
        "x",
    ),
    sample(
        "machine-input-output",
        r"cp: error reading 'x': Input/output error",
        "disk",
    )
    .documented(),
    sample(
        "machine-race",
        r"/bin/sh: 1: ./tool: Text file busy",
        "processes",
    )
    .documented(),
    sample(
        "machine-clock",
        r"configure: error: newly created file is older than distributed files!
Check your system clock",
        "clock",
    )
    .documented(),
    sample(
        "machine-clock-skew",
        r"make: warning:  Clock skew detected.  Your build may be incomplete.
make: *** [Makefile:3: all] Error 1",
        "clock",
    )
    .documented(),
    sample(
        "machine-zone",
        r#"  File "/usr/lib/python3.11/zoneinfo/_common.py", line 24, in load_tzdata
    raise ZoneInfoNotFoundError(f"No time zone found with key {key}")
zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key Europe/Berlin'"#,
        "Europe/Berlin",
    )
    .line(3),
    sample(
        "machine-zone",
        r"panic: unknown time zone America/New_York",
        "America/New_York",
    )
    .documented(),
    sample(
        "machine-locale",
        r"    return _setlocale(category, locale)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
locale.Error: unsupported locale setting",
        "locale",
    )
    .line(3),
    sample(
        "machine-locale",
        r"    return codecs.ascii_decode(input, self.errors)[0]
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position 0: ordinal not in range(128)",
        "locale",
    )
    .line(3),
    sample(
        "machine-locale",
        r"-e:1:in `<main>': invalid byte sequence in US-ASCII (ArgumentError)",
        "locale",
    ),
    sample(
        "machine-locale",
        r"terminate called after throwing an instance of 'std::runtime_error'
  what():  locale::facet::_S_create_c_locale name not valid",
        "locale",
    )
    .line(2),
    sample(
        "machine-locale-warning",
        r"error: bash: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)",
        "locale",
    )
    .documented(),
    sample(
        "machine-display",
        r"    self.tk = _tkinter.create(screenName, baseName, className, interactive, wantobjects, useTk, sync, use)
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
_tkinter.TclError: no display name and no $DISPLAY environment variable",
        "display",
    )
    .line(3),
    sample(
        "machine-display",
        r#"Exception in thread "main" java.awt.HeadlessException:
No X11 DISPLAY variable was set,
but this program performed an operation which requires it."#,
        "display",
    ),
    sample(
        "machine-bus",
        r"dbus[123]: Failed to connect to socket /run/dbus/system_bus_socket: No such file or directory",
        "dbus",
    )
    .documented(),
    sample(
        "machine-terminal",
        r"stty: 'standard input': Inappropriate ioctl for device",
        "terminal",
    )
    .documented(),
    sample(
        "machine-question",
        r"Do you want to continue? [Y/n] Abort.",
        "terminal",
    )
    .documented(),
    sample(
        "machine-home",
        r"mkdir: cannot create directory ‘/nonexistent’: Permission denied",
        "home",
    ),
    sample(
        "machine-root",
        r"configure: error: you should not run configure as root (set FORCE_UNSAFE_CONFIGURE=1 in environment to bypass this check)",
        "root",
    ),
    sample(
        "machine-root",
        r"initdb: error: cannot be run as root",
        "root",
    )
    .documented(),
    sample(
        "machine-root",
        r"==> ERROR: Running makepkg as root is not allowed as it can cause permanent,",
        "root",
    )
    .documented(),
    sample(
        "machine-sudo",
        r"sudo: a terminal is required to read the password; either use the -S option to read from standard input",
        "sudo",
    )
    .documented(),
    sample(
        "machine-namespace",
        r"mount: /mnt: must be superuser to use mount.
       dmesg(1) may have more information after failed mount system call.",
        "mount",
    ),
    sample(
        "machine-namespace",
        r"unshare: unshare failed: Operation not permitted",
        "unshare",
    ),
    sample(
        "machine-docker",
        r"Cannot connect to the Docker daemon at unix:///nonexistent. Is the docker daemon running?",
        "docker",
    ),
    sample(
        "machine-user",
        r"KeyError: 'getpwuid(): uid not found: 1234'",
        "user",
    )
    .documented(),
    sample(
        "machine-slots",
        r"There are not enough slots available in the system to satisfy the 4",
        "processes",
    )
    .documented(),
    sample(
        "machine-cuda",
        r"OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
        "nvcc",
    )
    .documented(),
    sample(
        "machine-old-kernel",
        r"FATAL: kernel too old",
        "kernel",
    )
    .documented(),
    sample(
        "machine-launcher",
        r"sccache: error: Server startup failed: cache storage failed to read",
        "sccache",
    )
    .documented(),
    sample(
        "network-certificate",
        r"curl: (60) SSL certificate problem: self-signed certificate
More details here: https://curl.se/docs/sslcerts.html",
        "",
    ),
    sample(
        "network-certificate",
        r#"  File "/usr/lib/python3.11/ssl.py", line 1383, in do_handshake
    self._sslobj.do_handshake()
ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)"#,
        "",
    )
    .line(3),
    sample(
        "network-certificate",
        r"Cloning into 'x'...
fatal: unable to access 'https://localhost:18443/x.git/': server certificate verification failed. CAfile: /etc/ssl/certs/ca-certificates.crt CRLfile: none",
        "",
    )
    .line(2),
    sample(
        "network-certificate",
        r"Connecting to localhost (localhost)|127.0.0.1|:18443... connected.
ERROR: The certificate of ‘localhost’ is not trusted.
ERROR: The certificate of ‘localhost’ doesn't have a known issuer.",
        "",
    )
    .line(2),
    sample(
        "network-certificate",
        r#"go: github.com/pkg/errors@v0.9.1: Get "https://localhost:18443/github.com/pkg/errors/@v/v0.9.1.mod": tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead"#,
        "",
    ),
    sample(
        "network-certificate",
        r"fatal: unable to access 'https://example.org/x.git/': SSL certificate problem: unable to get local issuer certificate",
        "",
    )
    .documented(),
    sample(
        "network-refused",
        r"Connecting to 127.0.0.1:9... failed: Connection refused.",
        "127.0.0.1",
    ),
    sample(
        "network-proxy",
        r"curl: (56) Received HTTP code 407 from proxy after CONNECT",
        "",
    )
    .documented(),
];
