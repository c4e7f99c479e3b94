//! Programs whose names are links of the alternatives system: maintainers' scripts make them, so no file list has them.

/// The packages that bring a program through such a link, the customary one first.
pub(crate) fn alternatives(program: &str) -> impl Iterator<Item = &'static str> {
    PROGRAMS
        .iter()
        .find(|(names, _)| names.contains(&program))
        .map_or(&[][..], |(_, packages)| *packages)
        .iter()
        .copied()
}

/// Names that one link group brings together share a row.
static PROGRAMS: &[(&[&str], &[&str])] = &[
    (&["editor"], &["nano", "vim-tiny"]),
    (&["pager"], &["less"]),
    (&["view", "rview", "rvi"], &["vim-tiny", "vim"]),
    (&["vim", "vimdiff", "rvim"], &["vim", "vim-nox"]),
    (&["gvim", "gvimdiff", "evim"], &["vim-gtk3"]),
    (&["emacs"], &["emacs-nox", "emacs"]),
    (&["emacsclient", "ebrowse"], &["emacs-bin-common"]),
    (&["etags"], &["universal-ctags", "emacs-bin-common"]),
    (&["x-www-browser"], &["firefox-esr", "chromium"]),
    (&["www-browser"], &["w3m", "lynx"]),
    (&["x-terminal-emulator"], &["xterm"]),
    (&["x-window-manager"], &["twm", "openbox"]),
    (&["x-session-manager"], &["xfce4-session", "gnome-session"]),
    (&["pinentry"], &["pinentry-curses"]),
    (&["pinentry-x11"], &["pinentry-gtk2", "pinentry-qt"]),
    (&["rsh", "rlogin", "rcp"], &["openssh-client", "rsh-redone-client"]),
    (&["telnet"], &["inetutils-telnet", "telnet"]),
    (&["ftp", "pftp"], &["tnftp", "ftp"]),
    (&["open"], &["xdg-utils", "mailcap"]),
    (&["phar"], &["php-cli"]),
    (&["phpize", "php-config"], &["php-dev"]),
    (&["php-cgi"], &["php-cgi"]),
    (&["phpdbg"], &["php-phpdbg"]),
    (&["gnuplot"], &["gnuplot", "gnuplot-nox", "gnuplot-qt"]),
    (&["guild", "guile-tools"], &["guile-3.0", "guile-2.2"]),
    (&["guile-config", "guile-snarf"], &["guile-3.0-dev", "guile-2.2-dev"]),
    (&["js"], &["nodejs"]),
    (
        &[
            "keytool",
            "rmiregistry",
            "jpackage-runtime",
            "jexec",
            "jjs",
            "orbd",
            "servertool",
        ],
        &["default-jre-headless", "default-jdk-headless"],
    ),
    (
        &[
            "javap",
            "jarsigner",
            "jcmd",
            "jdb",
            "jdeprscan",
            "jdeps",
            "jfr",
            "jimage",
            "jinfo",
            "jlink",
            "jmap",
            "jmod",
            "jpackage",
            "jps",
            "jrunscript",
            "jshell",
            "jstack",
            "jstat",
            "jstatd",
            "rmic",
            "serialver",
            "native2ascii",
            "schemagen",
            "wsgen",
            "wsimport",
            "xjc",
        ],
        &["default-jdk-headless"],
    ),
    (&["jconsole", "appletviewer"], &["default-jdk"]),
    (&["mvnDebug"], &["maven"]),
    (
        &["mpifort", "mpif08", "mpiCC", "opal_wrapper", "ortecc"],
        &["mpi-default-dev", "libopenmpi-dev"],
    ),
    (&["h5pcc", "h5pfc"], &["libhdf5-openmpi-dev", "libhdf5-mpi-dev"]),
    (
        &["lzma", "unlzma", "lzcat", "lzmore", "lzless", "lzgrep"],
        &["xz-utils"],
    ),
    (&["rename"], &["rename", "perl"]),
    (
        &["iptables", "ip6tables", "iptables-save", "iptables-restore"],
        &["iptables"],
    ),
    (&["ebtables"], &["ebtables", "iptables"]),
    (&["arptables"], &["arptables", "iptables"]),
    (&["Magick-config", "MagickCore-config"], &["libmagickcore-dev"]),
    (&["MagickWand-config", "Wand-config"], &["libmagickwand-dev"]),
    (&["prolog"], &["swi-prolog-nox", "swi-prolog", "gprolog"]),
    (&["cli"], &["mono-runtime"]),
    (&["cli-csc", "c-sharp-compiler"], &["mono-mcs"]),
    (&["haskell-compiler"], &["ghc"]),
    (&["lua-interpreter"], &["lua5.3", "lua5.4"]),
    (&["lua-compiler"], &["lua5.3", "lua5.4"]),
    (&["tclsh-default"], &["tcl"]),
    (&["infobrowser"], &["info"]),
    (&["scheme-r5rs", "scheme-srfi-0", "scheme-srfi-55"], &["guile-3.0"]),
    (&["faked"], &["fakeroot"]),
    (&["csh"], &["csh", "tcsh"]),
    (&["ksh"], &["ksh93u+m", "ksh", "mksh"]),
    (
        &[
            "x86_64-w64-mingw32-g++",
            "x86_64-w64-mingw32-c++",
            "x86_64-w64-mingw32-g++-posix",
        ],
        &["g++-mingw-w64-x86-64"],
    ),
    (
        &["i686-w64-mingw32-g++", "i686-w64-mingw32-c++"],
        &["g++-mingw-w64-i686"],
    ),
    (
        &[
            "x86_64-w64-mingw32-cpp",
            "x86_64-w64-mingw32-gcc-ar",
            "x86_64-w64-mingw32-gcov",
        ],
        &["gcc-mingw-w64-x86-64"],
    ),
    (
        &[
            "i686-w64-mingw32-cpp",
            "i686-w64-mingw32-gcc-ar",
            "i686-w64-mingw32-gcov",
        ],
        &["gcc-mingw-w64-i686"],
    ),
    (&["x86_64-w64-mingw32-gfortran"], &["gfortran-mingw-w64-x86-64"]),
    (&["i686-w64-mingw32-gfortran"], &["gfortran-mingw-w64-i686"]),
    (&["x86_64-w64-mingw32-gnatmake"], &["gnat-mingw-w64-x86-64"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_in_one_row_only() {
        let mut names: Vec<_> = PROGRAMS.iter().flat_map(|(names, _)| names.iter()).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(alternatives("pager").next(), Some("less"));
        assert_eq!(alternatives("no-such-program").next(), None);
    }
}
