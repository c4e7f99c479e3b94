//! Attacks on what is beside a box: the host's services, other boxes, what a grader knows.

use std::os::unix::net::UnixListener;

use expect_test::expect;
use seatrial_sandbox::Command;

use super::{python, refused};
use crate::support::{home, quiet_box, run, script};

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
fn services_on_the_hosts_loopback_are_out_of_reach() {
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
fn a_control_socket_of_the_host_is_out_of_reach() {
    // As a Docker daemon has one: whoever can write to it is root outside.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docker.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    let Some(mut sandbox) = quiet_box() else { return };
    let program = format!(
        "
import socket
for way in ['', '/proc/1/root', '/proc/self/root']:
    for path in ['{}', '/run/docker.sock', '/var/run/docker.sock', '/run/containerd/containerd.sock']:
        try:
            socket.socket(socket.AF_UNIX).connect(way + path)
            print('reached', way + path)
        except OSError: pass
",
        path.display()
    );
    assert_eq!(python(&mut *sandbox, &program), "");
}

#[test]
fn a_socket_of_the_host_without_a_path_is_out_of_reach() {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("seatrial-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let Some(mut sandbox) = quiet_box() else { return };
    let program = format!(
        "import socket\ntry: print(socket.socket(socket.AF_UNIX).connect('\\0{name}'))\nexcept OSError as e: print(e.strerror)"
    );
    assert_eq!(python(&mut *sandbox, &program), "Connection refused\n");
}

#[test]
fn addresses_of_clouds_and_of_the_neighbourhood_are_out_of_reach() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = "
import errno, socket
for family, host in [(2, '169.254.169.254'), (2, '100.100.100.200'), (10, 'fd00:ec2::254'), (2, '10.0.0.1'), (2, '192.168.0.1'),
        (2, '172.17.0.1'), (2, '8.8.8.8'), (10, '2001:4860:4860::8888'), (10, 'fe80::1')]:
    for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM]:
        try:
            s = socket.socket(family, kind); s.settimeout(5); s.connect((host, 80)); s.send(b'x')
            print(host, 'reached')
        except OSError as error:
            if error.errno not in (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EINVAL): print(host, error)
for family, kind, protocol in [(40, 1, 0), (17, 3, 0), (2, 3, 1), (38, 5, 0), (16, 3, 12), (16, 3, 0)]:
    try:
        s = socket.socket(family, kind, protocol)
        if family == 40: s.connect((2, 22))
        print(family, kind, 'opened')
    except OSError as error: print(family, kind, errno.errorcode[error.errno])
";
    expect![[r#"
        40 1 EAFNOSUPPORT
        17 3 EAFNOSUPPORT
        2 3 EPERM
        38 5 EAFNOSUPPORT
        16 3 EPROTONOSUPPORT
        16 3 opened
    "#]]
    .assert_eq(&python(&mut *sandbox, program));
}

#[test]
fn another_box_shares_neither_network_nor_memory_nor_messages() {
    let (Some(mut one), Some(mut two)) = (quiet_box(), quiet_box()) else {
        return;
    };
    // What lives on between the commands of a box is tried while it is there.
    python(
        &mut *one,
        "import ctypes; libc = ctypes.CDLL(None); print(libc.shmget(77, 4096, 0o1666), libc.msgget(77, 0o1666)); open('/dev/shm/x', 'w').write('x')",
    );
    let seen = python(
        &mut *two,
        "import ctypes, os; libc = ctypes.CDLL(None); print(libc.shmget(77, 0, 0), libc.msgget(77, 0), os.listdir('/dev/shm'))",
    );
    assert_eq!(seen, "-1 -1 []\n");
    std::thread::scope(|scope| {
        let (told, heard) = std::sync::mpsc::channel();
        scope.spawn(move || {
            struct Tell(std::sync::mpsc::Sender<()>);
            impl seatrial_sandbox::OutputSink for Tell {
                fn bytes(&mut self, _: seatrial_sandbox::Stream, _: &[u8]) {
                    let _ = self.0.send(());
                }
            }
            let serve = "exec python3 -c \"import socket; s = socket.create_server(('127.0.0.1', 7777)); u = socket.socket(socket.AF_UNIX); \
                u.bind('\\0seatrial'); u.listen(); print('up', flush=True); s.settimeout(3); s.accept()\"";
            drop(one.exec(&Command::bash(serve), &mut Tell(told)));
        });
        heard.recv().unwrap();
        refused(&mut *two, "exec 3<> /dev/tcp/127.0.0.1/7777");
        refused(
            &mut *two,
            "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0seatrial')\"",
        );
    });
}

#[test]
fn what_a_grader_knows_and_the_data_folder_are_out_of_reach() {
    let Some(mut sandbox) = quiet_box() else { return };
    let home = home();
    // As a truth would lie there.
    let mark = format!("truth-{}", std::process::id());
    let mut truth = tempfile::Builder::new().prefix(&mark).tempfile_in(home.root()).unwrap();
    std::io::Write::write_all(&mut truth, mark.as_bytes()).unwrap();
    let root = home.root().display();
    for way in [
        "",
        "/proc/1/root",
        "/proc/self/root",
        "/proc/1/cwd",
        "/proc/self/cwd/../../../..",
    ] {
        refused(&mut *sandbox, &format!("ls {way}{root}"));
        refused(&mut *sandbox, &format!("cat {way}{}", truth.path().display()));
    }
    let told = script(
        &mut *sandbox,
        "cat /proc/self/mountinfo /proc/self/mounts /proc/self/cgroup /proc/self/environ; env",
    );
    assert!(!told.contains(&*home.root().to_string_lossy()), "{told}");
    let (_, found) = run(
        &mut *sandbox,
        &Command::bash(format!("find / -name '{mark}*' -not -path '/proc/*'")),
    );
    assert_eq!(found.out(), "");
}
