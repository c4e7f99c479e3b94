//! What a box cannot see or touch.

use seatrial_sandbox::Command;

use crate::bench::{Bench, run, script};

pub(crate) fn files_of_the_host_are_out_of_reach(bench: &Bench) {
    let mut sandbox = bench.quiet();
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

pub(crate) fn a_box_cannot_change_the_image_or_another_box(bench: &Bench) {
    let (mut one, mut two) = (bench.quiet(), bench.quiet());
    script(
        &mut *one,
        "echo changed >> /etc/passwd; rm -rf /usr/share; echo x > /only-here",
    );
    assert_eq!(
        script(
            &mut *two,
            "grep -c changed /etc/passwd || true; ls -d /usr/share; ls /only-here 2>/dev/null || true"
        ),
        "0\n/usr/share\n"
    );
    let mut three = bench.quiet();
    assert_eq!(script(&mut *three, "grep -c changed /etc/passwd || true"), "0\n");
}

pub(crate) fn usual_devices_work_and_nothing_else_is_there(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let text = "echo x > /dev/null; head -c 4 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c; echo y > /dev/shm/y; cat /dev/shm/y;
        echo z | cat /dev/stdin; cat <(echo fd); echo > /dev/full || echo full; python3 -c 'import os; os.openpty()' && echo pty";
    assert_eq!(script(&mut *sandbox, text), "4\n4\ny\nz\nfd\nfull\npty\n");
    let seen = script(&mut *sandbox, "ls /dev");
    let usual = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero";
    // Daemons add an empty folder and a link; neither reaches anything.
    let seen: Vec<_> = seen
        .lines()
        .filter(|name| !(bench.is_container() && ["core", "mqueue"].contains(name)))
        .collect();
    assert_eq!(seen.join(" "), usual);
}

pub(crate) fn without_a_network_there_is_only_the_boxs_own_loopback(bench: &Bench) {
    let mut sandbox = bench.quiet();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!(
        "(echo > /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"
    );
    assert_eq!(script(&mut *sandbox, &text), "lo\n");
    let own = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('own')";
    assert_eq!(script(&mut *sandbox, &format!("python3 -c \"{own}\"")), "own\n");
}

pub(crate) fn the_kernel_is_out_of_reach(bench: &Bench) {
    let mut sandbox = bench.quiet();
    for refused in [
        "mount -t tmpfs none /mnt",
        "mount --bind /usr /mnt",
        "umount /proc",
        "unshare --mount true",
        "unshare --user --map-root-user true",
        "hostname other",
        "date -s '2001-01-01'",
        "echo 1 > /proc/sys/kernel/panic",
        "echo b > /proc/sysrq-trigger",
        "head -c 1 /proc/kcore",
        "nice -n -5 true && [ $(nice -n -5 nice) -lt 0 ]",
        "mknod /disk b 8 0 && head -c 1 /disk",
        "mknod /kernel c 1 1 && head -c 1 /kernel",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)'",
        "grep -q '^NoNewPrivs:.*0' /proc/self/status",
    ] {
        let (execution, output) = run(&mut *sandbox, &Command::bash(format!("{{ {refused}; }} > /dev/null")));
        assert!(!execution.succeeded(), "`{refused}` worked: {}", output.err());
    }
}
