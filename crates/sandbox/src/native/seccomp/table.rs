//! What boxes may not ask of the kernel, and why.

use std::fmt;

/// Some calls that are denied for one reason.
pub(super) struct Group {
    pub(super) calls: &'static [Call],
    pub(super) when: When,
    pub(super) answer: Answer,
    pub(super) why: &'static str,
}

/// A call and its numbers: on x86-64, on the architectures with the kernel's generic table (aarch64, riscv64), on 32-bit
/// x86 and on 32-bit ARM. A negative one says that the call is not there.
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) numbers: [i64; 4],
}

const fn call(name: &'static str, numbers: [i64; 4]) -> Call {
    Call { name, numbers }
}

/// A call that is younger than the common numbering.
const fn young(name: &'static str, number: i64) -> Call {
    call(name, [number; 4])
}

/// When a call is denied. Only the lower half of an argument is looked at: that is where the kernel looks, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// One of these bits is set in an argument.
    AnyOf {
        argument: u32,
        bits: u32,
    },
    /// Bits besides these are set in an argument, and it is no mere question.
    AnyBut {
        argument: u32,
        bits: u32,
        question: u32,
    },
    /// An argument has this value.
    Is {
        argument: u32,
        value: u32,
    },
    /// An argument has none of these values.
    NoneOf {
        argument: u32,
        values: &'static [u32],
    },
    /// An argument has a value and another one is not zero, in either half.
    Both {
        argument: u32,
        value: u32,
        other: u32,
    },
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::AnyOf { argument, bits } => write!(f, "argument {argument} has a bit of {bits:#x}"),
            Self::AnyBut { argument, bits, .. } => write!(f, "argument {argument} has a bit outside of {bits:#x}"),
            Self::Is { argument, value } => write!(f, "argument {argument} is {value:#x}"),
            Self::NoneOf { argument, values } => write!(f, "argument {argument} is none of {values:?}"),
            Self::Both { argument, value, other } => {
                write!(f, "argument {argument} is {value} and argument {other} is not 0")
            }
        }
    }
}

/// What the caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is not permitted.
    Refused,
    /// There is no such call: libraries then take an older one.
    Unknown,
    /// There is no such family of addresses: libraries then do without.
    NoFamily,
    /// There is no such protocol in the family.
    NoProtocol,
    /// It is done, though it is not: whoever cares for nothing else goes on.
    Pretended,
}

impl Answer {
    pub(super) fn errno(self) -> i32 {
        match self {
            Self::Refused => libc::EPERM,
            Self::Unknown => libc::ENOSYS,
            Self::NoFamily => libc::EAFNOSUPPORT,
            Self::NoProtocol => libc::EPROTONOSUPPORT,
            Self::Pretended => 0,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Refused => "EPERM",
            Self::Unknown => "ENOSYS",
            Self::NoFamily => "EAFNOSUPPORT",
            Self::NoProtocol => "EPROTONOSUPPORT",
            Self::Pretended => "success",
        }
    }
}

/// Flags of new namespaces: mount, cgroup, uts, ipc, user, pid and net.
const NAMESPACES: u32 = 0x7e02_0000;
/// The time namespace's flag; `clone` has something else in its place.
const TIME_NAMESPACE: u32 = 0x80;

/// Families of sockets that programs use: unix, inet, inet6 and netlink.
const FAMILIES: &[u32] = &[1, 2, 10, 16];

/// Harmless personalities: 32-bit names, an older kernel's name, and two layouts of memory that debuggers and old
/// compilers ask for.
const PERSONALITIES: u32 = 0x8 | 0x2_0000 | 0x4_0000 | 0x20_0000;

const ALWAYS: When = When::Always;

pub(super) const DENIED: &[Group] = &[
    Group {
        calls: &[
            call("mount", [165, 40, 21, 21]),
            call("umount", [-1, -1, 22, -1]),
            call("umount2", [166, 39, 52, 52]),
            call("pivot_root", [155, 41, 217, 218]),
            young("open_tree", 428),
            young("move_mount", 429),
            young("fsopen", 430),
            young("fsconfig", 431),
            young("fsmount", 432),
            young("fspick", 433),
            young("mount_setattr", 442),
            young("open_tree_attr", 467),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "a box's tree is what it was given; parsers of file systems are much to attack",
    },
    Group {
        calls: &[call("setns", [308, 268, 346, 375])],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "a box stays in its namespaces",
    },
    Group {
        calls: &[call("unshare", [272, 97, 310, 337])],
        when: When::AnyOf {
            argument: 0,
            bits: NAMESPACES | TIME_NAMESPACE,
        },
        answer: Answer::Refused,
        why: "a user namespace gives all capabilities back, and with them most of the kernel to attack",
    },
    Group {
        calls: &[call("clone", [56, 220, 120, 120])],
        when: When::AnyOf {
            argument: 0,
            bits: NAMESPACES,
        },
        answer: Answer::Refused,
        why: "as with `unshare`",
    },
    Group {
        calls: &[young("clone3", 435)],
        when: ALWAYS,
        answer: Answer::Unknown,
        why: "its flags are in memory, where no filter can look; libraries fall back to `clone`",
    },
    Group {
        calls: &[
            young("io_uring_setup", 425),
            young("io_uring_enter", 426),
            young("io_uring_register", 427),
        ],
        when: ALWAYS,
        answer: Answer::Unknown,
        why: "it does other calls where no filter sees them; libraries fall back to plain calls",
    },
    Group {
        calls: &[
            call("bpf", [321, 280, 357, 386]),
            call("perf_event_open", [298, 241, 336, 364]),
            call("userfaultfd", [323, 282, 374, 388]),
            call("fanotify_init", [300, 262, 338, 367]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "large parts of the kernel that builds do without",
    },
    Group {
        calls: &[
            call("add_key", [248, 217, 286, 309]),
            call("request_key", [249, 218, 287, 310]),
            call("keyctl", [250, 219, 288, 311]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "keyrings are not divided by namespaces in every respect",
    },
    Group {
        calls: &[
            call("kexec_load", [246, 104, 283, 347]),
            call("kexec_file_load", [320, 294, -1, 401]),
            call("create_module", [174, -1, 127, -1]),
            call("init_module", [175, 105, 128, 128]),
            call("finit_module", [313, 273, 350, 379]),
            call("delete_module", [176, 106, 129, 129]),
            call("get_kernel_syms", [177, -1, 130, -1]),
            call("query_module", [178, -1, 167, -1]),
            call("reboot", [169, 142, 88, 88]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "which kernel runs is the host's affair",
    },
    Group {
        calls: &[
            call("settimeofday", [164, 170, 79, 79]),
            call("stime", [-1, -1, 25, -1]),
            call("clock_settime", [227, 112, 264, 262]),
            call("clock_settime64", [-1, 404, 404, 404]),
            call("clock_adjtime", [305, 266, 343, 372]),
            call("clock_adjtime64", [-1, 405, 405, 405]),
            call("adjtimex", [159, 171, 124, 124]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "the clock is the host's, and no namespace divides it",
    },
    Group {
        calls: &[
            call("open_by_handle_at", [304, 265, 342, 371]),
            call("quotactl", [179, 60, 131, 131]),
            young("quotactl_fd", 443),
            call("swapon", [167, 224, 87, 87]),
            call("swapoff", [168, 225, 115, 115]),
            call("acct", [163, 89, 51, 51]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "they reach the host's disks past the box's tree",
    },
    Group {
        calls: &[
            call("syslog", [103, 116, 103, 103]),
            call("iopl", [172, -1, 110, -1]),
            call("ioperm", [173, -1, 101, -1]),
            call("vhangup", [153, 58, 111, 111]),
            call("lookup_dcookie", [212, 18, 253, 249]),
            call("nfsservctl", [180, 42, 169, 169]),
            call("uselib", [134, -1, 86, 86]),
            call("_sysctl", [156, -1, 149, 149]),
            call("vm86", [-1, -1, 166, -1]),
            call("vm86old", [-1, -1, 113, -1]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "the kernel's log, its ports and its past",
    },
    Group {
        calls: &[
            call("pidfd_getfd", [438; 4]),
            call("move_pages", [279, 239, 317, 344]),
            call("migrate_pages", [256, 238, 294, 400]),
        ],
        when: ALWAYS,
        answer: Answer::Refused,
        why: "they reach into other processes, and debuggers do without",
    },
    Group {
        calls: &[call("personality", [135, 92, 136, 136])],
        when: When::AnyBut {
            argument: 0,
            bits: PERSONALITIES,
            question: u32::MAX,
        },
        answer: Answer::Refused,
        why: "old personalities switch off protections of memory",
    },
    Group {
        calls: &[
            call("socket", [41, 198, 359, 281]),
            call("socketpair", [53, 199, 360, 288]),
        ],
        when: When::NoneOf {
            argument: 0,
            values: FAMILIES,
        },
        answer: Answer::NoFamily,
        why: "families past unix, inet, inet6 and netlink are seldom used and often broken; one leads to the hypervisor",
    },
    Group {
        calls: &[call("socket", [41, 198, 359, 281])],
        when: When::Both {
            argument: 0,
            value: 16,
            other: 2,
        },
        answer: Answer::NoProtocol,
        why: "of netlink only routes are asked for by libraries; the rest configures firewalls and the like",
    },
    Group {
        calls: &[call("ioctl", [16, 29, 54, 54])],
        when: When::Is {
            argument: 1,
            value: 0x5412,
        },
        answer: Answer::Refused,
        why: "TIOCSTI types into a terminal",
    },
    Group {
        calls: &[call("ioctl", [16, 29, 54, 54])],
        when: When::Is {
            argument: 1,
            value: 0x541c,
        },
        answer: Answer::Refused,
        why: "TIOCLINUX pastes into a console",
    },
    Group {
        calls: &[call("setrlimit", [160, 164, 75, 75])],
        when: When::Is { argument: 0, value: 4 },
        answer: Answer::Pretended,
        why: "a limit of core files of 0 would hand the box's memory to the host's crash handler again, which the limit of 1 \
              that boxes have does not",
    },
    Group {
        calls: &[call("prlimit64", [302, 261, 340, 369])],
        when: When::Both {
            argument: 1,
            value: 4,
            other: 2,
        },
        answer: Answer::Pretended,
        why: "as with `setrlimit`",
    },
];

/// One call number for all of sockets, with the arguments in memory: denied where the image is not a 32-bit one, whose
/// library knows no other way.
pub(super) const SOCKETCALL: Group = Group {
    calls: &[call("socketcall", [-1, -1, 102, -1])],
    when: ALWAYS,
    answer: Answer::Unknown,
    why: "its arguments are in memory, where no filter can look; allowed in 32-bit images, whose library has no other way",
};
