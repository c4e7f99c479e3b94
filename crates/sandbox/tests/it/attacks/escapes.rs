//! Attacks that want out: to the host's files, its kernel, its other users.

use expect_test::expect;
use seatrial_sandbox::{Command, Limits, Network, SandboxError};

use super::{python, refused};
use crate::support::{quiet_box, run, script, start};

#[test]
fn files_of_the_host_are_out_of_reach() {
    let Some(mut sandbox) = quiet_box() else { return };
    let folder = tempfile::Builder::new().prefix("seatrial-secret-").tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "of the host").unwrap();
    let secret = folder.path().join("secret");
    let secret = secret.display();
    for way in [
        "",
        "/proc/1/root",
        "/proc/self/root",
        "/proc/1/cwd",
        "/proc/1/cwd/../../../../..",
        "/dev/fd/0/../../../..",
    ] {
        let (_, output) = run(&mut *sandbox, &Command::bash(format!("cat {way}{secret}")));
        assert_eq!(output.out(), "", "through `{way}`");
    }
    let shadow = script(&mut *sandbox, "cat /etc/shadow");
    if let Ok(host) = std::fs::read_to_string("/etc/shadow") {
        assert_ne!(shadow, host);
    }
}

#[test]
fn the_first_process_shows_nothing_of_the_supervisor() {
    let Some(mut sandbox) = quiet_box() else { return };
    let text = "ls -l /proc/1/fd /proc/1/cwd/ /proc/1/root/ >/tmp/seen 2>&1; cat /proc/1/environ /proc/1/maps 2>/dev/null; \
        grep -r -l . /proc/1/fd/ 2>/dev/null; for f in /proc/1/fd/*; do readlink \"$f\"; done; grep -E 'layers|image|merged' /tmp/seen; true";
    assert_eq!(script(&mut *sandbox, text), "");
    assert_eq!(
        script(
            &mut *sandbox,
            "ls -d /layers /image /host /merged /old 2>/dev/null; true"
        ),
        ""
    );
    let mounts = script(&mut *sandbox, "cat /proc/self/mountinfo");
    for line in mounts.lines() {
        let point = line.split(' ').nth(4).unwrap_or_default();
        let ours = point == "/" || ["/proc", "/dev", "/sys"].iter().any(|top| point.starts_with(top));
        assert!(ours, "{line}");
    }
    // Every process that a box can see is one of its own.
    let seen = script(&mut *sandbox, "ls /proc | grep -c '^[0-9]'");
    assert!(seen.trim().parse::<u32>().unwrap() <= 6, "{seen}");
}

#[test]
fn links_in_a_box_cannot_lead_out_of_it() {
    let Some(mut sandbox) = quiet_box() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), "of the host").unwrap();
    let out = folder.path().display();
    script(
        &mut *sandbox,
        &format!("ln -s {out} /absolute; ln -s ../../../../../..{out} /relative; ln -s /proc/1/root{out} /magic"),
    );
    for name in ["absolute", "relative", "magic"] {
        let error = sandbox.read_file(&format!("/{name}/secret"), 100).unwrap_err();
        assert!(matches!(error, SandboxError::NoSuchFile(_)), "{name}: {error:?}");
        drop(sandbox.write_file(&format!("/{name}/written"), b"x", 0o644));
    }
    assert!(!folder.path().join("written").exists());
}

#[test]
fn root_in_a_box_is_nobody_outside() {
    let Some(mut sandbox) = quiet_box() else { return };
    let map = script(&mut *sandbox, "cat /proc/self/uid_map");
    let numbers: Vec<u32> = map.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.first(), Some(&0));
    assert_ne!(numbers.get(1), Some(&0), "{map}");
    refused(&mut *sandbox, "nice -n -5 true && [ $(nice -n -5 nice) -lt 0 ]");
    refused(&mut *sandbox, "echo -1000 > /proc/self/oom_score_adj");
    refused(&mut *sandbox, "hostname other");
}

#[test]
fn what_is_mounted_can_be_neither_added_to_nor_taken_away() {
    let Some(mut sandbox) = quiet_box() else { return };
    for way in [
        "mount -t tmpfs none /mnt",
        "mount --bind /usr /mnt",
        "mount -o remount,rw /proc/sys",
        "mount -t proc proc /mnt",
        "mount -t cgroup -o memory none /mnt",
        "umount /proc",
        "umount -l /proc/sys",
        "chroot / mount -t proc proc /mnt",
        "pivot_root / /mnt",
    ] {
        refused(&mut *sandbox, way);
    }
}

#[test]
fn no_namespace_can_be_made_or_entered() {
    let Some(mut sandbox) = quiet_box() else { return };
    for way in [
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "unshare --net true",
        "unshare --pid --fork true",
        "unshare --cgroup true",
        "unshare --time true",
        "nsenter --target 1 --mount true",
        "nsenter --target $$ --user true",
        "echo 10 > /proc/sys/user/max_user_namespaces",
    ] {
        refused(&mut *sandbox, way);
    }
}

#[test]
fn no_device_of_the_host_can_be_made_or_opened() {
    let Some(mut sandbox) = quiet_box() else { return };
    refused(&mut *sandbox, "mknod /disk b 8 0");
    refused(&mut *sandbox, "mknod /memory c 1 1");
    refused(&mut *sandbox, "mknod /dev/memory c 1 1");
    // Every file system of a box that somebody could write to a device on ignores devices.
    let program = "
import os
for line in open('/proc/self/mountinfo'):
    fields = line.split(' ')
    own = fields[4] == '/dev/pts' or fields[3] in ('/null', '/zero', '/full', '/random', '/urandom', '/tty')
    if 'nodev' not in fields[5] and not own: print(line)
kinds = {os.stat('/dev/' + name).st_rdev for name in os.listdir('/dev') if os.path.exists('/dev/' + name)}
print(sorted(os.major(kind) for kind in kinds if os.major(kind) not in (0, 1, 5, 136)))
";
    expect![[r#"
        []
    "#]]
    .assert_eq(&python(&mut *sandbox, program));
}

#[test]
fn a_set_uid_program_gives_nobody_its_owners_rights() {
    let Some(mut sandbox) = quiet_box() else { return };
    let text = "cp $(command -v python3) /raise; chown root /raise; chmod 6755 /raise; stat -c %A /raise
        setpriv --reuid 65534 --regid 65534 --clear-groups /raise -c 'import os; print(os.geteuid(), os.getegid())'
        setpriv --reuid 65534 --regid 65534 --clear-groups /raise -c 'import os; os.setuid(0)' 2>/dev/null || echo refused";
    assert_eq!(script(&mut *sandbox, text), "-rwsr-sr-x\n65534 65534\nrefused\n");
}

#[test]
fn no_setting_of_the_kernel_can_be_written() {
    let limits = Limits {
        memory_bytes: Some(512 << 20),
        cpu_millis: Some(2000),
        ..Limits::default()
    };
    let Some(mut sandbox) = start(Network::Off, limits) else {
        return;
    };
    // Among them the host's handler of crashes, its helper for modules, and the agent that control groups call.
    let program = "
import os
tried, opened = 0, []
for top in ['/proc/sys', '/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/proc/scsi']:
    for folder, _, names in os.walk(top):
        for name in names:
            tried += 1
            try:
                os.close(os.open(folder + '/' + name, os.O_WRONLY))
                opened.append(folder + '/' + name)
            except OSError: pass
print(tried > 300, opened)
";
    assert_eq!(python(&mut *sandbox, program), "True []\n");
    refused(&mut *sandbox, "sysctl -w kernel.core_pattern='|/bin/sh'");
    refused(&mut *sandbox, "sysctl -w net.ipv4.ip_forward=1");
}

#[test]
fn the_kernels_own_files_tell_nothing_and_take_no_orders() {
    let Some(mut sandbox) = quiet_box() else { return };
    let text = "cd /proc; cat kcore kmsg keys key-users kallsyms modules timer_list sched_debug iomem ioports interrupts \
        vmallocinfo slabinfo latency_stats 2>/dev/null | head -c 100 | wc -c
        for f in acpi asound bus driver fs irq scsi; do echo x > $f/x; mkdir $f/y; done 2>/dev/null
        ls -A acpi asound bus driver fs irq scsi 2>/dev/null | grep -v '^[a-z]*:$' | grep . | head -3
        for order in b c o; do echo $order > sysrq-trigger; done 2>/dev/null; echo still here; ls /sys /sys/devices/system";
    expect![[r#"
        0
        still here
        /sys:
        devices
        fs
        kernel

        /sys/devices/system:
        cpu
        node
    "#]]
    .assert_eq(&script(&mut *sandbox, text));
    refused(&mut *sandbox, "dmesg | grep .");
}

#[test]
fn the_clock_cannot_be_changed() {
    let Some(mut sandbox) = quiet_box() else { return };
    refused(&mut *sandbox, "date -s '2001-01-01'");
    refused(&mut *sandbox, "hwclock --systohc");
    for act in [
        "time.clock_settime(time.CLOCK_REALTIME, 0)",
        "import ctypes; ctypes.CDLL(None).settimeofday(bytes(16), None) == 0 or exit(1)",
        "import ctypes; b = (ctypes.c_int * 64)(1); ctypes.CDLL(None).adjtimex(b) >= 0 or exit(1)",
    ] {
        refused(&mut *sandbox, &format!("python3 -c 'import time; {act}'"));
    }
}

#[test]
fn no_keyring_of_the_host_can_be_reached() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = format!(
        "
import ctypes
libc = ctypes.CDLL(None)
for ring in range(-8, 0): print(libc.syscall({}, 0, ring, 1) >= 0, end=' ')
print(libc.syscall({}, b'user', b'x', b'y', 1, -3) >= 0, repr(open('/proc/keys').read()))
",
        libc::SYS_keyctl,
        libc::SYS_add_key
    );
    let wanted = format!("{}False ''\n", "False ".repeat(8));
    assert_eq!(python(&mut *sandbox, &program), wanted);
}

#[test]
fn there_is_no_terminal_to_type_into() {
    let Some(mut sandbox) = quiet_box() else { return };
    refused(&mut *sandbox, ": < /dev/tty");
    refused(&mut *sandbox, ": < /dev/console");
    let program = "
import fcntl, os
master, slave = os.openpty()
try: fcntl.ioctl(slave, 0x5412, b'x')
except OSError as error: print(error.strerror)
";
    assert_eq!(python(&mut *sandbox, program), "Operation not permitted\n");
}

#[test]
fn a_crash_goes_to_no_handler_of_the_host() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = "
import resource
before = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print(before, resource.getrlimit(resource.RLIMIT_CORE))
";
    // Neither 0, which a handler ignores, nor anything that a file could hold.
    assert_eq!(python(&mut *sandbox, program), "(1, 1) (1, 1)\n");
    script(
        &mut *sandbox,
        "cd /tmp; (kill -SEGV $BASHPID); ulimit -c 0; (kill -SEGV $BASHPID); [ -z \"$(ls)\" ]",
    );
}

#[test]
fn few_capabilities_are_kept_and_none_can_be_won_back() {
    let Some(mut sandbox) = quiet_box() else { return };
    expect![[r#"
        CapInh:	0000000000000000
        CapPrm:	00000000800405fb
        CapEff:	00000000800405fb
        CapBnd:	00000000800405fb
        CapAmb:	0000000000000000
        NoNewPrivs:	1
        Seccomp:	2
        Seccomp_filters:	1
        CapPrm:	0000000000000000
        CapEff:	0000000000000000
    "#]].assert_eq(&script(
        &mut *sandbox,
        "grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status; su -s /bin/sh -c 'grep -E ^Cap[PE] /proc/self/status' nobody",
    ));
}
