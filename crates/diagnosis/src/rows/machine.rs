//! Signatures of the machine and its surroundings: room, processes, the clock, locales, displays, users, certificates and
//! the network.

use super::{
    Row,
    Subject::{By, Fixed},
    Weight::{Build, Configure, Machine, Stop, Weak},
    row,
};
use crate::{
    Kind,
    cure::Cure::{Clean, Disable, LessParallel, More, ProvideOther, Retry, RunFirst, Set, Use},
};

pub(super) static ROWS: &[Row] = &[
    // Room.
    row("machine-disk", Kind::Resources, Machine, r"No space left on device|Disk quota exceeded|ENOSPC: no space|There is not enough space in the file system|OSError: \[Errno 28\]|database or disk is full").subject(Fixed("disk")).remedies(&[More("disk"), Clean]),
    row("machine-memory", Kind::Resources, Machine, r"Killed signal terminated program|internal compiler error: Killed|ld terminated with signal 9|signal: 9, SIGKILL|^Killed(?:: 9)?$|[Oo]ut of memory: Kill|virtual memory exhausted|[Cc]annot allocate memory|cc1\w*: out of memory|memory exhausted$|std::bad_alloc|fatal error: runtime: out of memory|^MemoryError\b|LLVM ERROR: out of memory|memory allocation of \d+ bytes failed|ghc: .*[Hh]eap exhausted|Heap exhausted|error code 137\b|exit(?:ed with)? code:? 137\b|fatal error: out of memory").subject(Fixed("memory")).remedies(&[LessParallel, More("memory"), crate::cure::Cure::AddFlags(crate::FlagsOf::COrCxx, &["-g0"])]),
    row("machine-processes", Kind::Resources, Machine, r"fork: (?:retry: )?(?:Resource temporarily unavailable|Cannot allocate)|Cannot fork\b|vfork: Resource temporarily|pthread_create[^\n]*: Resource temporarily unavailable|posix_spawn\w*: Resource temporarily|BlockingIOError: \[Errno 11\]|unable to create (?:native )?thread|can't start new thread").subject(Fixed("processes")).remedies(&[LessParallel, More("processes")]),
    row("machine-files", Kind::Resources, Machine, r"Too many open files|EMFILE: too many").subject(Fixed("files")).remedies(&[More("files"), LessParallel]),
    row("machine-file-size", Kind::Resources, Machine, r"File size limit exceeded|File too large").subject(Fixed("disk")).remedies(&[More("disk")]),
    row("machine-watches", Kind::Resources, Build, r"(?:ENOSPC: )?System limit for number of file watchers reached|inotify[^\n]*(?:No space|limit)").subject(Fixed("files")).remedies(&[More("files")]),
    row("machine-too-long", Kind::Setup, Build, r"File name too long|[Aa]rgument list too long|E2BIG").subject(Fixed("path")).remedies(&[Use("a folder with a shorter path")]),
    row("machine-time", Kind::Resources, Stop, r"^timeout: sending signal|Terminated due to (?:time|inactivity)|exceeded the maximum execution time|build (?:was )?timed out").subject(Fixed("time")).remedies(&[More("time"), Retry]),
    row("machine-read-only", Kind::Privileges, Build, r"'?([^\s:']+)'?: Read-only file system").remedies(&[Use("a folder that can be written to in place of {}")]),
    row("machine-input-output", Kind::BrokenMachine, Machine, r"Input/output error$|Structure needs cleaning|Bus error \(core dumped\)|Transport endpoint is not connected|Stale file handle").unless(r"lp|terminal|test").subject(Fixed("disk")).remedies(&[Retry]),
    // Parallel makes.
    row("machine-race", Kind::Resources, Build, r"[Tt]ext file busy|: error: unterminated #(?:ifndef|if)\b").subject(Fixed("processes")).confidence(60).remedies(&[Retry, LessParallel]),
    // The clock and time zones.
    row("machine-clock", Kind::Setup, Build, r"newly created file is older than distributed files|[Cc]heck your system clock|build environment is (?:not )?sane\.\.\. no").subject(Fixed("clock")).remedies(&[RunFirst("touch all files"), Retry]),
    row("machine-clock-skew", Kind::Setup, Weak, r"Clock skew detected|has modification time .* in the future").subject(Fixed("clock")).remedies(&[RunFirst("touch all files")]),
    row("machine-zone", Kind::Setup, Build, r"ZoneInfoNotFoundError: '?No time zone found with key ([\w/+-]+)|unknown time zone ([\w/+-]+)|(?:UnknownTimeZoneError): '([^']+)'").remedies(&[ProvideOther("path", "/usr/share/zoneinfo/UTC"), Set("TZ", "UTC")]),
    // Locales and encodings.
    row("machine-locale", Kind::Setup, Build, r"locale\.Error: unsupported locale setting|locale::facet::_S_create_c_locale name not valid|cannot set locale to|'ascii' codec can't (?:de|en)code|invalid byte sequence in US-ASCII|hGetContents: invalid argument|commitBuffer: invalid argument|Click will abort further execution because Python").subject(Fixed("locale")).remedies(&[Set("LC_ALL", "C.UTF-8"), ProvideOther("package", "locales")]),
    row("machine-locale-warning", Kind::Setup, Weak, r"^error: .*setlocale: .*cannot change locale").subject(Fixed("locale")).remedies(&[Set("LC_ALL", "C.UTF-8")]),
    // Displays, buses, terminals, questions.
    row("machine-display", Kind::Setup, Build, r"[Cc]annot open (?:X11? )?display|could not connect to display|no display name and no \$DISPLAY|Can't open display|Unable to open display|Failed to open display|No X11 DISPLAY variable was set|HeadlessException|could not load the Qt platform plugin|GLFW Error.*X11|Unable to init server").subject(Fixed("display")).remedies(&[Use("xvfb-run -a"), Set("QT_QPA_PLATFORM", "offscreen"), Set("SDL_VIDEODRIVER", "dummy"), Set("MPLBACKEND", "Agg")]),
    row("machine-bus", Kind::Setup, Build, r"Failed to connect to (?:socket|bus|session bus).*|Cannot autolaunch D-Bus without|Could not connect: .*dbus|Unable to autolaunch a dbus-daemon").marks(&["ailed to connect to", "autolaunch", "Could not connect: "]).unless(r"https?://|port \d+").subject(Fixed("dbus")).remedies(&[Use("dbus-run-session")]),
    row("machine-terminal", Kind::Setup, Build, r"(?:not a tty|Inappropriate ioctl for device|the input device is not a TTY|setupterm: could not find terminal|TERM environment variable (?:not set|needs set))").subject(Fixed("terminal")).remedies(&[Use("script -qc"), Set("TERM", "dumb")]),
    row("machine-question", Kind::Setup, Stop, r"^Geographic area: |Do you want to continue\? \[[Yy]/[Nn]\]\s*(?:Abort\.?)?$|Are you sure you want to continue connecting \(yes/no").subject(Fixed("terminal")).remedies(&[Set("DEBIAN_FRONTEND", "noninteractive")]),
    row("machine-home", Kind::Setup, Build, r"'?(/nonexistent|/root|/sbuild-nonexistent)\S*'?: (?:Permission denied|No such file)|(?:mkdir|[Cc]annot create|[Ff]ailed to create)[^\n]{0,24} '?(/nonexistent|/root)(?:/\S*)?'?(?:: |$)|HOME (?:is not|not) (?:set|defined)|XDG_RUNTIME_DIR (?:is not set|not set|is invalid)").subject(Fixed("home")).remedies(&[Set("HOME", "a folder that can be written to")]),
    // Users and privileges.
    row("machine-root", Kind::Privileges, Build, r"you should not run configure as root|set FORCE_UNSAFE_CONFIGURE=1|cannot be (?:run as|executed by) ['\x22]?root|Running as root without --no-sandbox|Running makepkg as root is not allowed|Running Homebrew as root|(?:refusing to|do not|don't|must not|should not be|cannot) (?:be )?run(?:ning)? (?:as|by|with) (?:root|the root|superuser)|attempted to run mpirun as root|mpirun has detected an attempt to run as root").subject(Fixed("root")).remedies(&[Set("FORCE_UNSAFE_CONFIGURE", "1"), Use("an ordinary user"), Set("OMPI_ALLOW_RUN_AS_ROOT", "1")]),
    row("machine-sudo", Kind::Privileges, Build, r"sudo: (?:a terminal is required|no tty present|a password is required|command not found|not found)|: sudo: (?:not found|No such file|Command not found)").subject(Fixed("sudo")).remedies(&[ProvideOther("command", "sudo")]),
    row("machine-namespace", Kind::Privileges, Build, r"(unshare|mount|ptrace|chroot|setns|bwrap|newuidmap|mknod|iptables|sysctl|modprobe|insmod)(?:\([^)]*\))?: .*(?:Operation not permitted|[Pp]ermission denied|must be superuser)|Failed to create (NETLINK)").remedies(&[Disable("the tests that need {}")]),
    row("machine-docker", Kind::Setup, Build, r"Cannot connect to the Docker daemon|docker: (?:command )?not found|Couldn't connect to Docker daemon").subject(Fixed("docker")).remedies(&[]),
    row("machine-user", Kind::Setup, Build, r"getpwuid\(\): uid not found|No user exists for uid|cannot find name for user ID|I have no name!").subject(Fixed("user")).remedies(&[RunFirst("add an entry for the user")]),
    row("machine-slots", Kind::Resources, Build, r"There are not enough slots available in the system").subject(Fixed("processes")).remedies(&[Set("OMPI_MCA_rmaps_base_oversubscribe", "1")]),
    row("machine-cuda", Kind::MissingCommand, Configure, r"CUDA_HOME environment variable is not set|No CUDA toolset found|Could not find (?:the )?'?nvcc|nvcc not found|Failed to find nvcc|CUDA_TOOLKIT_ROOT_DIR not found").subject(Fixed("nvcc")).remedies(&[Disable("CUDA")]),
    row("machine-old-kernel", Kind::BrokenMachine, Machine, r"FATAL: kernel too old").subject(Fixed("kernel")).remedies(&[Use("an older image")]),
    // Compiler launchers.
    row("machine-launcher", Kind::BrokenMachine, Build, r"^(ccache|sccache|distcc)(?:\[\d+\])?: (?:error|FATAL|fatal|ERROR|failed)").remedies(&[Set("{}", "off"), Disable("{}")]),
    // Certificates and the network. Retries of a resolver are warnings; what gave up is what counts.
    row("network-certificate", Kind::Certificate, Configure, r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|unable to get local issuer certificate|[Ss]elf[- ]signed certificate|curl: \(60\)|SSL certificate problem|x509: certificate|server certificate verification failed|cannot verify \S+'s certificate|The certificate (?:of|for) \S+ (?:is not trusted|doesn't)").subject(By(certificate_host)).remedies(&[ProvideOther("package", "ca-certificates"), Set("SSL_CERT_FILE", "the machine's certificates"), RunFirst("set the clock")]),
    row("network-refused", Kind::Network, Build, r"^Connecting to ([\w.-]+)[^\n]*failed: (?:Connection (?:refused|timed out|reset)|Network is unreachable|No route to host)").remedies(&[Retry]),
    row("network-proxy", Kind::Network, Configure, r"(?:Cannot connect to proxy|ProxyError|Proxy CONNECT aborted|Received HTTP code \d+ from proxy|407 Proxy Authentication|Could not resolve proxy: ([\w.-]+)|Unable to connect to proxy)").remedies(&[Set("https_proxy", ""), Retry]),
];

fn certificate_host(_: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::Certificate, String::new())]
}
