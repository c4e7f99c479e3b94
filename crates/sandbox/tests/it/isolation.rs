//! What a box cannot see or touch.

use seatrial_sandbox::{BoxSpec, Command, HostNetwork, Limits, NativeFactory, Network, SandboxFactory};

use crate::support::{helper, home, image, quiet_box, run, script, start};

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
fn root_in_a_box_is_nobody_outside() {
    let Some(mut sandbox) = quiet_box() else { return };
    let map = script(&mut *sandbox, "cat /proc/self/uid_map");
    let numbers: Vec<u32> = map.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.first(), Some(&0));
    assert_ne!(numbers.get(1), Some(&0), "{map}");
    for refused in [
        "mount -t tmpfs none /mnt",
        "mount --bind /usr /mnt",
        "umount /proc",
        "chroot / mount -t proc proc /mnt",
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "mknod /null c 1 3 && echo > /null",
        "hostname other",
        "date -s '2001-01-01'",
        "sysctl -w kernel.panic=1",
        "echo 1 > /proc/sys/kernel/panic",
        "echo b > /proc/sysrq-trigger",
        "echo -1000 > /proc/1/oom_score_adj",
        "dmesg",
        "cat /proc/kcore",
        "nice -n -5 true && [ $(nice -n -5 nice) -lt 0 ]",
    ] {
        let (execution, output) = run(&mut *sandbox, &Command::bash(format!("{{ {refused}; }} > /dev/null")));
        assert!(!execution.succeeded(), "`{refused}` worked: {}", output.err());
    }
}

#[test]
fn a_box_cannot_change_the_image_or_another_box() {
    let (Some(mut one), Some(mut two)) = (quiet_box(), quiet_box()) else {
        return;
    };
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
    let Some(mut three) = quiet_box() else { return };
    assert_eq!(script(&mut *three, "grep -c changed /etc/passwd || true"), "0\n");
}

#[test]
fn usual_devices_work_and_nothing_else_is_there() {
    let Some(mut sandbox) = quiet_box() else { return };
    let text = "echo x > /dev/null; head -c 4 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c; echo y > /dev/shm/y; cat /dev/shm/y;
        echo z | cat /dev/stdin; cat <(echo fd); echo > /dev/full || echo full; python3 -c 'import os; os.openpty()' && echo pty";
    assert_eq!(script(&mut *sandbox, text), "4\n4\ny\nz\nfd\nfull\npty\n");
    assert_eq!(
        script(&mut *sandbox, "ls /dev | tr '\\n' ' '"),
        "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero "
    );
}

#[test]
fn without_a_network_there_is_only_the_boxs_own_loopback() {
    let Some(mut sandbox) = quiet_box() else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!(
        "(echo > /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"
    );
    assert_eq!(script(&mut *sandbox, &text), "lo\n");
    let own = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('own')";
    assert_eq!(script(&mut *sandbox, &format!("python3 -c \"{own}\"")), "own\n");
}

#[test]
fn with_the_hosts_network_packages_can_be_installed() {
    let Some(mut sandbox) = start(Network::Host, Limits::default()) else {
        return;
    };
    let before = sandbox.snapshot().unwrap();
    let (execution, output) = run(&mut *sandbox, &Command::bash("apt-get install -y hello && hello"));
    if !execution.succeeded() {
        let text = output.out() + &output.err();
        if text.contains("Temporary failure resolving")
            || text.contains("Could not connect")
            || text.contains("Failed to fetch")
        {
            println!(
                "skipped: no mirror can be reached: {}",
                text.lines().last().unwrap_or_default()
            );
            return;
        }
        panic!("{text}");
    }
    assert!(output.out().contains("Hello, world!"), "{}", output.out());
    let changes = sandbox.changes(&before).unwrap();
    assert!(
        changes.iter().any(|change| change.path == "/usr/bin/hello"),
        "{changes:?}"
    );
    sandbox.rollback(&before).unwrap();
    assert_eq!(script(&mut *sandbox, "command -v hello || echo gone"), "gone\n");
}

#[test]
fn proxies_of_the_host_reach_only_boxes_with_a_network() {
    let Some(image) = image() else { return };
    let proxies = [("https_proxy".to_owned(), "http://proxy.test:3128".to_owned())].into();
    let host = HostNetwork {
        proxies,
        ..HostNetwork::default()
    };
    let factory = NativeFactory::new(&home(), helper(), host).unwrap();
    for (network, wanted) in [(Network::Host, "http://proxy.test:3128"), (Network::Off, "")] {
        let mut sandbox = factory
            .start(&BoxSpec {
                image,
                limits: Limits::default(),
                network,
            })
            .unwrap();
        assert_eq!(script(&mut *sandbox, "echo $https_proxy").trim(), wanted);
    }
}
