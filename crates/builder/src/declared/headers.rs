//! Headers and libraries that are there anyway, or never: the C library's, the compiler's, other systems'.

/// Folders of headers that no package is installed for.
const FOLDERS: [&str; 36] = [
    "sys",
    "netinet",
    "arpa",
    "net",
    "linux",
    "asm",
    "asm-generic",
    "machine",
    "mach",
    "mach-o",
    "bits",
    "rpc",
    "scsi",
    "mtd",
    "sound",
    "rdma",
    "video",
    "xen",
    "misc",
    "netipx",
    "netax25",
    "netpacket",
    "netrom",
    "netrose",
    "nfs",
    "gnu",
    "protocols",
    "CoreFoundation",
    "CoreServices",
    "IOKit",
    "libkern",
    "OpenGL",
    "Cocoa",
    "ext",
    "experimental",
    "tr1",
];

/// Headers of the C library and of the compiler beside those that start with `std`.
const OWN: &str = " a.out.h aio.h aliases.h alloca.h ar.h argp.h argz.h arm_neon.h assert.h avxintrin.h byteswap.h complex.h cpio.h cpuid.h \
    crypt.h ctype.h dirent.h dlfcn.h elf.h emmintrin.h endian.h envz.h err.h errno.h error.h execinfo.h fcntl.h features.h fenv.h float.h \
    fmtmsg.h fnmatch.h fpu_control.h fstab.h fts.h ftw.h gconv.h getopt.h glob.h grp.h gshadow.h iconv.h ieee754.h ifaddrs.h immintrin.h \
    inttypes.h iso646.h langinfo.h lastlog.h libgen.h libintl.h limits.h link.h locale.h malloc.h math.h mcheck.h memory.h mmintrin.h mntent.h \
    monetary.h mqueue.h netdb.h nl_types.h nlist.h nmmintrin.h nss.h obstack.h omp.h paths.h pmmintrin.h poll.h printf.h proc_service.h \
    pthread.h pty.h pwd.h quadmath.h re_comp.h regex.h regexp.h resolv.h sched.h search.h semaphore.h setjmp.h sgtty.h shadow.h signal.h \
    smmintrin.h spawn.h stab.h strings.h string.h stropts.h syscall.h sysexits.h syslog.h tar.h termio.h termios.h tgmath.h thread_db.h \
    threads.h time.h tmmintrin.h ttyent.h uchar.h ucontext.h ulimit.h unistd.h unwind.h ustat.h utime.h utmp.h utmpx.h values.h varargs.h wait.h \
    wchar.h wctype.h wmmintrin.h wordexp.h x86intrin.h xmmintrin.h cxxabi.h dlg.h ";

/// Headers of other systems, some of which a package for cross compilers has.
const ABROAD: &str = " alloc.h atlbase.h bios.h commctrl.h commdlg.h conio.h crtdbg.h d3d11.h d3d9.h dbghelp.h ddraw.h dinput.h dir.h direct.h dos.h \
    dsound.h fcntl.hpp graphics.h intrin.h io.h iphlpapi.h mem.h mmsystem.h ndir.h objbase.h process.h psapi.h share.h shellapi.h shlobj.h \
    shlwapi.h tchar.h tlhelp32.h unixio.h vfw.h winbase.h windef.h windows.h windowsx.h wininet.h winioctl.h winsock.h winsock2.h winuser.h \
    ws2tcpip.h Availability.h AvailabilityMacros.h TargetConditionals.h Arduino.h OS.h ";

/// Whether a header is the C library's, the compiler's or another system's.
pub(super) fn is_given(name: &str) -> bool {
    let top = name.split('/').next().unwrap_or(name);
    let listed = |list: &str| list.split_whitespace().any(|known| known.eq_ignore_ascii_case(name));
    name.contains('/') && FOLDERS.contains(&top)
        || name.starts_with("std")
        // Headers of the standard C++ library, and of Qt, whose modules the build files name.
        || !name.contains(['.', '/'])
        || listed(OWN)
        || listed(ABROAD)
}

/// Libraries of the C library, of the compiler, and of other systems.
pub(super) fn is_c_library(name: &str) -> bool {
    const NAMES: &str = " m c dl rt pthread pthreads util resolv nsl socket crypt stdc++ stdc++fs atomic gcc gcc_s gcov gomp asan ubsan tsan ws2_32 wsock32 \
        winmm gdi32 kernel32 user32 comctl32 comdlg32 ole32 oleaut32 uuid32 opengl32 glu32 imm32 version setupapi dinput8 dxguid iphlpapi mingw32 \
        mingwex msvcrt crypt32 bcrypt dbghelp shell32 secur32 iconv intl network bsd_ elf_ ucb xnet posix anl mvec quadmath xpg4 inet posix4 \
        shlwapi psapi advapi32 objc log nsl_s nsl_i sun gen dir sockdns seq inet6 PW android supc++ c++ c++abi kvm_ root be ";
    NAMES.split_whitespace().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_headers_are_told_from_those_of_packages() {
        for given in [
            "stdio.h",
            "sys/socket.h",
            "vector",
            "windows.h",
            "QString",
            "linux/fs.h",
            "Windows.h",
        ] {
            assert!(is_given(given), "{given}");
        }
        for other in ["zlib.h", "GL/gl.h", "openssl/ssl.h", "curses.h", "Eigen/Dense", "png.h"] {
            assert!(!is_given(other), "{other}");
        }
    }
}
