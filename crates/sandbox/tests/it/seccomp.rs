//! What boxes may not ask of the kernel, asked for in a box; and what must still work.

use std::fmt::Write as _;

use expect_test::{expect, expect_file};
use seatrial_sandbox::{Command, denied_calls};

use crate::support::{quiet_box, run, script};

/// Arguments with which a call that is denied only at times is denied.
fn hostile(name: &str, when: &str) -> &'static str {
    match (name, when) {
        ("unshare" | "clone", _) => "0x10000000",
        ("personality", _) => "0x100000",
        ("socket", "argument 0 is 16 and argument 2 is not 0") => "16, 3, 9",
        ("socket" | "socketpair", _) => "17, 3, 0",
        ("ioctl", "argument 1 is 0x5412") => "0, 0x5412",
        ("ioctl", _) => "0, 0x541c",
        ("setrlimit", _) => "4, ctypes.c_char_p(bytes(16))",
        ("prlimit64", _) => "0, 4, ctypes.c_char_p(bytes(16)), None",
        _ => "0, 0, 0, 0, 0, 0",
    }
}

#[test]
fn each_denied_call_is_answered_as_the_table_says() {
    let Some(mut sandbox) = quiet_box() else { return };
    let mut program = "import ctypes, errno, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
        def ask(name, number, *arguments):\n    ctypes.set_errno(0)\n    answer = libc.syscall(number, *arguments)\n    \
        print(name, errno.errorcode[ctypes.get_errno()] if answer < 0 else 'success', flush=True)\n"
        .to_owned();
    let mut wanted = String::new();
    for denied in denied_calls() {
        let Some(number) = denied.number else { continue };
        writeln!(
            program,
            "ask('{}', {number}, {})",
            denied.name,
            hostile(denied.name, &denied.when)
        )
        .unwrap();
        writeln!(wanted, "{} {}", denied.name, denied.answer).unwrap();
    }
    sandbox.write_file("/ask.py", program.as_bytes(), 0o644).unwrap();
    let (execution, output) = run(&mut *sandbox, &Command::bash("python3 /ask.py"));
    assert!(execution.succeeded(), "{:?} {}", execution.status, output.err());
    assert_eq!(output.out(), wanted);
    assert!(wanted.lines().count() > 50, "{wanted}");
}

/// The same table for whoever reads about boxes.
#[test]
fn the_documentation_shows_the_table() {
    let mut text = "# What a box may not ask of the kernel\n\n\
        A filter answers these calls before the kernel looks at them. The table is made by a test from the one in the code.\n\n\
        | call | when | answer | why |\n|---|---|---|---|\n"
        .to_owned();
    for denied in denied_calls() {
        writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            denied.name, denied.when, denied.answer, denied.why
        )
        .unwrap();
    }
    expect_file!["../../../../docs/denied-calls.md"].assert_eq(&text);
}

#[test]
fn what_programs_need_still_works() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = r"
import ctypes, mmap, multiprocessing, os, resource, select, signal, socket, subprocess, sys, tempfile, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def check(name, good): print(name, 'works' if good else 'FAILS')
# A debugger: trace a child, see it stop, read its memory, let it go.
known = ctypes.create_string_buffer(b'known'); copy = ctypes.create_string_buffer(5)
child = os.fork()
if child == 0:
    libc.ptrace(0, 0, 0, 0); os.kill(os.getpid(), signal.SIGSTOP); os._exit(7)
stopped = os.WIFSTOPPED(os.waitpid(child, 0)[1])
class Part(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
here, there = Part(ctypes.addressof(copy), 5), Part(ctypes.addressof(known), 5)
read = libc.process_vm_readv(child, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
libc.ptrace(7, child, 0, 0)
check('ptrace', stopped and read == 5 and copy.raw == b'known' and os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7)
check('no randomised addresses', libc.personality(0x40000) >= 0)
check('threads', [t.start() or t.join() for t in [threading.Thread(target=time.sleep, args=(0,))]] == [None])
check('processes', multiprocessing.get_context('spawn').Pool(2).map(abs, [-1, -2]) == [1, 2])
check('semaphores', multiprocessing.Semaphore(1).acquire())
check('shared memory', libc.shmget(0, 4096, 0o1600) >= 0)
check('memory files', os.memfd_create('x') >= 0)
check('random numbers', len(os.getrandom(8)) == 8)
check('file events', libc.inotify_add_watch(libc.inotify_init1(0), b'/tmp', 0x100) == 1)
check('event queues', select.epoll().poll(0) == [])
check('timers', libc.timerfd_create(1, 0) >= 0 and libc.eventfd(0, 0) >= 0)
check('local sockets', len(socket.socketpair()) == 2)
check('routes', socket.socket(16, socket.SOCK_RAW, 0).fileno() >= 0)
check('own namespaces kept', libc.unshare(0x400) == 0)
check('scheduling', len(os.sched_getaffinity(0)) > 0 and os.sched_yield() is None)
check('memory policy', libc.syscall(NUMBER_OF_GET_MEMPOLICY, None, None, 0, None, 0) == 0)
check('locked memory', libc.mlock(known, 5) == 0)
check('pipes between files', os.splice is not None and os.copy_file_range is not None)
check('a chroot', subprocess.run(['chroot', '/', 'true']).returncode == 0)
check('users', subprocess.run(['su', '-s', '/bin/sh', '-c', 'id -un', 'nobody'], capture_output=True).stdout == b'nobody\n')
check('extended attributes', os.setxattr('/ask.py', 'user.x', b'y') is None)
check('modes with set-user-id', os.chmod('/ask.py', 0o4755) is None and os.stat('/ask.py').st_mode & 0o4000)
check('named pipes', os.mkfifo('/tmp/pipe') is None)
check('terminals', len(os.openpty()) == 2)
check('addresses of the machine', len(socket.getaddrinfo('localhost', 1)) > 0 and socket.if_nameindex()[0][1] == 'lo')
check('core limits', resource.setrlimit(resource.RLIMIT_CORE, (0, 0)) is None)
check('a shorter stack of files', resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)) is None)
"
    .replace("NUMBER_OF_GET_MEMPOLICY", &libc::SYS_get_mempolicy.to_string());
    // Workers are started by running the file once more, so it must do nothing then.
    let program = format!(
        "if __name__ == '__main__':\n{}",
        program
            .trim()
            .replace('\n', "\n    ")
            .replace("import ctypes", "    import ctypes")
    );
    sandbox.write_file("/ask.py", program.as_bytes(), 0o644).unwrap();
    let (execution, output) = run(&mut *sandbox, &Command::bash("python3 /ask.py"));
    assert!(execution.succeeded(), "{}\n{}", output.out(), output.err());
    expect![[r#"
        ptrace works
        no randomised addresses works
        threads works
        processes works
        semaphores works
        shared memory works
        memory files works
        random numbers works
        file events works
        event queues works
        timers works
        local sockets works
        routes works
        own namespaces kept works
        scheduling works
        memory policy works
        locked memory works
        pipes between files works
        a chroot works
        users works
        extended attributes works
        modes with set-user-id works
        named pipes works
        terminals works
        addresses of the machine works
        core limits works
        a shorter stack of files works
    "#]]
    .assert_eq(&output.out());
}

#[test]
fn a_library_with_its_usual_build_is_configured_built_and_debugged() {
    let Some(mut sandbox) = quiet_box() else { return };
    let missing = "command -v cc && command -v make || echo none";
    if script(&mut *sandbox, missing).trim_end().ends_with("none") {
        println!("skipped: the image has no compiler");
        return;
    }
    let text = r#"
        mkdir /w && cd /w
        printf '#include <pthread.h>\n#include <stdio.h>\nstatic void *run(void *x) { return x; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); puts("ran"); return 0; }\n' > main.c
        printf 'all: main\nmain: main.o\n\t$(CC) -pthread -o $@ $<\ncheck: main\n\t./main\n' > Makefile
        make -j4 -s check
        setarch -R ./main
    "#;
    assert_eq!(script(&mut *sandbox, text), "ran\nran\n");
}

/// Programs of the older kind have another way into the kernel, also from a program of the newer kind.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_way_of_32_bit_programs_is_filtered_too() {
    let Some(mut sandbox) = quiet_box() else { return };
    let program = r#"
        #include <errno.h>
        #include <stdio.h>
        #include <string.h>
        static int ask(int number, int one, int two, int three) {
            int answer;
            __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(one), "c"(two), "d"(three) : "memory", "r8", "r9", "r10", "r11");
            return answer;
        }
        int main(void) {
            printf("getpid %s\n", ask(20, 0, 0, 0) > 0 ? "works" : "fails");
            printf("mount %s\n", strerrorname_np(-ask(21, 0, 0, 0)));
            printf("unshare %s\n", strerrorname_np(-ask(310, 0x10000000, 0, 0)));
            printf("socketcall %s\n", strerrorname_np(-ask(102, 1, 0, 0)));
            printf("socket of the hypervisor %s\n", strerrorname_np(-ask(359, 40, 1, 0)));
            printf("stime %s\n", strerrorname_np(-ask(25, 0, 0, 0)));
            return 0;
        }
    "#;
    sandbox.write_file("/ask.c", program.as_bytes(), 0o644).unwrap();
    let (built, output) = run(&mut *sandbox, &Command::bash("cc -D_GNU_SOURCE -o /ask /ask.c"));
    if !built.succeeded() {
        println!("skipped: the image has no compiler: {}", output.err());
        return;
    }
    let (execution, output) = run(&mut *sandbox, &Command::bash("/ask"));
    if !execution.succeeded() {
        println!("skipped: this kernel runs no 32-bit programs");
        return;
    }
    expect![[r#"
        getpid works
        mount EPERM
        unshare EPERM
        socketcall ENOSYS
        socket of the hypervisor EAFNOSUPPORT
        stime EPERM
    "#]]
    .assert_eq(&output.out());
}
