//! Signatures of Go and of Rust.

use super::{
    Row,
    Subject::{By, Fixed, Many},
    Weight::{Build, Configure, Stop},
    row,
};
use crate::{
    Kind, Remedy,
    cure::Cure::{self, EditSource, Provide, ProvideOther, Retry, RunFirst, Set, Use, Version},
};

pub(super) static ROWS: &[Row] = &[
    // Go: modules.
    row("go-no-module", Kind::NotConfigured, Configure, r"go\.mod file not found in current directory|cannot find main module|directory prefix \. does not contain main module|outside main module or its selected dependencies").subject(Fixed("go.mod")).remedies(&[RunFirst("go mod init"), Set("GO111MODULE", "off")]),
    row("go-sum-entry", Kind::LockMismatch, Configure, r"missing go\.sum entry (?:for module providing package (\S+)|needed)|go: ([^\s@]+)@\S+: missing go\.sum entry").remedies(&[RunFirst("go mod tidy"), Set("GOFLAGS", "-mod=mod")]),
    row("go-mod-updates", Kind::LockMismatch, Configure, r"updates to (go\.(?:mod|sum)) needed|(go\.mod) needs to be updated").remedies(&[RunFirst("go mod tidy"), Set("GOFLAGS", "-mod=mod")]),
    row("go-vendoring", Kind::LockMismatch, Configure, r"inconsistent vendoring in ").subject(Fixed("vendor")).remedies(&[RunFirst("go mod vendor"), Set("GOFLAGS", "-mod=mod")]),
    row("go-checksum", Kind::Checksum, Configure, r"verifying ([^\s@]+)@\S+: checksum mismatch").remedies(&[EditSource("look at why {} is not what go.sum says"), Set("GONOSUMDB", "{}")]),
    row("go-package", Kind::MissingGo, Configure, r"no required module provides package (\S+?)[;:]|cannot find (?:package|module providing package) '?\x22?([^\s;:\x22']+)|package ([\w.-]+\.[\w.-]+/\S+) is not in (?:std|GOROOT)").remedies(&[RunFirst("go mod tidy"), Provide]),
    row("go-own-package", Kind::MissingGo, Configure, r"package (\S+) is not in (?:std|GOROOT)").remedies(&[EditSource("make {} part of the module"), Provide]),
    row("go-toolchain", Kind::RuntimeVersion, Configure, r"(?:module requires Go|go\.mod requires go >=|requires go >=|note: module requires Go) (\S+?)(?:\)|$| )").subject(Fixed("go")).remedies(&[Version("go", ">= {1}")]),
    row("go-directive", Kind::RuntimeVersion, Configure, r"invalid go version '([^']+)'|unknown directive: (toolchain|godebug|tool)").subject(Fixed("go")).remedies(&[Version("go", "a newer one"), EditSource("mend the go line of go.mod")]),
    row("go-mod-file", Kind::BuildFile, Configure, r"errors parsing (go\.mod):").remedies(&[EditSource("mend {}")]),
    row("go-network", Kind::Network, Configure, r"dial tcp: lookup ([\w.-]+)[^\n]*(?:no such host|unreachable|server misbehaving|i/o timeout|refused|temporary failure)").remedies(&[Set("GOFLAGS", "-mod=vendor"), Set("GOPROXY", "a mirror"), Retry]),
    row("go-no-version", Kind::NoSuchVersion, Configure, r"([\w.-]+\.\w+/[^\s@]+)@\S+: (?:reading \S+: (?:403|404|410)|invalid version|unknown revision)|(?:module|go:) ([\w.-]+\.\w+/[^\s@:]+)(?:@\S+)?: (?:no matching versions for query|reading \S+: (?:404|410))"),
    // Go: compiling.
    row("go-c-compiler", Kind::MissingCommand, Build, r#"cgo: (?:C compiler "([^"]+)" not found|exec (\S+): exec: "[^"]+": executable file not found)"#).remedies(&[Provide, Set("CGO_ENABLED", "0")]),
    row("go-constraints", Kind::UnsupportedArchitecture, Build, r"(?:package (\S+): )?build constraints exclude all Go files").remedies(&[Set("CGO_ENABLED", "1"), Set("GOOS", "the system of {}")]),
    row("go-race", Kind::UnknownOption, Configure, r"(-race|-msan|-asan) (?:requires cgo|(?:is )?not supported|is only supported)").remedies(&[Cure::DropFlag("{}"), Set("CGO_ENABLED", "1")]),
    row("go-linkname", Kind::RemovedApi, Build, r"//go:linkname must refer to declared function|relocation target (\S+) not defined|link: .*invalid reference to (\S+)").remedies(&[RunFirst("go get golang.org/x/sys@latest"), Version("go", "an older one"), Set("GOFLAGS", "-ldflags=-checklinkname=0")]),
    row("go-undefined", Kind::CompileError, Build, r"^(?:\./)?[\w./-]+\.go:\d+:\d+: undefined: (\S+)").remedies(&[]),
    row("go-error", Kind::CompileError, Build, r"^(?:vet: )?((?:\./)?[\w./-]+\.go):\d+:\d+: (?:cannot |declared and not used|.* redeclared|.*imported and not used|.*not enough arguments|.*too many arguments|syntax error|missing return|invalid |.*does not implement|.*has no field or method|assignment mismatch|import cycle)").remedies(&[]),
    row("go-build-failed", Kind::CompileError, Stop, r"^FAIL\s+(\S+) \[(?:build|setup) failed\]").remedies(&[]),
    // Cargo: toolchain, lock file, registry.
    row("cargo-toolchain", Kind::RuntimeVersion, Configure, r"requires rustc (\S+?)(?: or newer)?(?:,|$)|package '\S+(?: v\S+)?' cannot be built because it requires rustc (\S+)").subject(Fixed("rustc")).remedies(&[Version("rustc", ">= {1}"), RunFirst("cargo update to a version that suits")]),
    row("cargo-toolchain-list", Kind::RuntimeVersion, Stop, r"rustc \S+ is not supported by the following package").subject(Fixed("rustc")).remedies(&[Version("rustc", "a newer one")]),
    row("cargo-edition", Kind::RuntimeVersion, Configure, r"this version of Cargo is older than the '(\d+)' edition|feature 'edition(\d+)' is required").subject(Fixed("cargo")).remedies(&[Version("cargo", "one that knows the edition {1}")]),
    row("cargo-lock-version", Kind::RuntimeVersion, Configure, r"lock file version '?\d+'? (?:was found, but|requires)").subject(Fixed("cargo")).remedies(&[Version("cargo", "a newer one"), RunFirst("cargo generate-lockfile")]),
    row("cargo-lock", Kind::LockMismatch, Configure, r"lock file \S+ needs to be updated but --locked|cannot (?:update|create) the lock file \S+ because --(?:locked|frozen) was passed").subject(Fixed("Cargo.lock")).remedies(&[Cure::DropFlag("--locked"), RunFirst("cargo generate-lockfile")]),
    row("cargo-crate", Kind::MissingCrate, Configure, r"no matching package (?:named '([^']+)' )?found").remedies(&[RunFirst("cargo vendor"), Cure::DropFlag("--offline"), Provide]),
    row("cargo-offline", Kind::MissingCrate, Configure, r"attempting to make an HTTP request, but --offline was specified|unable to update registry .*offline").subject(Fixed("")).remedies(&[RunFirst("cargo vendor"), Cure::DropFlag("--offline")]),
    row("cargo-no-version", Kind::NoSuchVersion, Configure, r"failed to select a version for (?:the requirement )?'([\w-]+)").remedies(&[RunFirst("cargo update"), Version("{}", "")]),
    row("cargo-network", Kind::Network, Configure, r"Could not resolve hostname \(Could not resolve host: ?([\w.-]+)|failed to resolve address for ([\w.-]+):").unless(r"^warning: ").remedies(&[RunFirst("cargo vendor"), Retry]),
    row("cargo-path", Kind::MissingCrate, Configure, r"^error: failed to (?:get '([^']+)' as a dependency of|load source for dependency '([^']+)')[^\n]*\n(?:[^\n]*\n){1,10}?[^\n]*(?:failed to read '|[Uu]nable to update /|No such file)[^\n]*").marks(&["failed to get ", "failed to load source for"]).with_next(11).remedies(&[Cure::LaySubmodules, RunFirst("lay the folder of {}")]),
    row("cargo-manifest", Kind::BuildFile, Configure, r"could not find '(Cargo\.toml)' in|failed to read '(?:\S*/)?([^/']+/Cargo\.toml)'").last().remedies(&[Cure::LaySubmodules, RunFirst("cd to the folder of Cargo.toml")]),
    row("cargo-manifest-parse", Kind::BuildFile, Stop, r"failed to parse manifest at '(?:\S*/)?([^/']+/Cargo\.toml)'").remedies(&[EditSource("mend {}")]),
    row("cargo-feature", Kind::UnknownOption, Configure, r"does not (?:contain this|have (?:the|these|this)) features?:? '?([\w-]+)").remedies(&[Cure::DropFlag("--features {}")]),
    row("cargo-nightly-option", Kind::RuntimeVersion, Configure, r"(?:the option '?(-?Z)|the '-Z' flag is only accepted on the nightly|can only be used on the nightly channel|requires a nightly version of Cargo)").subject(Fixed("cargo")).remedies(&[Version("rustc", "a nightly one"), Set("RUSTC_BOOTSTRAP", "1")]),
    // Rust: compiling.
    row("rust-feature", Kind::RuntimeVersion, Build, r"error\[E0554\]|may not be used on the stable release channel").subject(Fixed("rustc")).remedies(&[Set("RUSTC_BOOTSTRAP", "1"), Version("rustc", "a nightly one")]),
    row("rust-library-feature", Kind::RuntimeVersion, Build, r"error\[E0658\]: (?:use of unstable library feature '?([\w-]+)|(.+) is (?:unstable|experimental))").subject(Fixed("rustc")).remedies(&[Version("rustc", "a newer one")]),
    row("rust-target", Kind::MissingPlugin, Configure, r"the '([\w-]+)' target may not be installed").remedies(&[RunFirst("rustup target add {}"), Provide]),
    row("rust-linker", Kind::MissingCommand, Build, r"error: linker '([^']+)' not found").subject(super::Subject::BaseName),
    row("rust-library", Kind::MissingLibrary, Build, r"rust-lld: error: unable to find library -l(\S+)"),
    row("rust-denied", Kind::WarningAsError, Build, r"= note: '#\[deny\((\w+)\)\]' (?:implied by|on by default)|note: '-D (warnings)' implied|requested on the command line with '-D (\w+)'").remedies(&[Set("RUSTFLAGS", "--cap-lints warn")]),
    row("rust-build-script-library", Kind::MissingPkgConfig, Build, r"(?:The system library '([^']+)' required by crate '[^']+' was not found|pkg-config(?:' command)? (?:exited|did not exit)[^\n]*(?:--cflags|--exists) '?\x22?([\w.+-]+))").remedies_by(system_library),
    row("rust-pkg-config", Kind::MissingPkgConfig, Build, r"The file '([^']+)\.pc' needs to be installed"),
    row("rust-openssl", Kind::MissingPkgConfig, Build, r"Could not find (?:directory of )?(OpenSSL) installation").subject(Fixed("openssl")).remedies(&[Provide, Set("OPENSSL_DIR", "/usr")]),
    row("rust-protoc", Kind::MissingCommand, Build, r"Could not find 'protoc'|is 'protoc' installed").subject(Fixed("protoc")),
    row("rust-cmake", Kind::MissingCommand, Build, r"failed to execute command: No such file[^\n]*\n\s*is '([\w.+-]+)' not installed").marks(&["ailed to execute command"]).with_next(1),
    row("rust-time", Kind::LibraryVersion, Build, r"error\[E0282\]: type annotations needed for '?Box<_>").subject(Fixed("time")).remedies(&[RunFirst("cargo update -p time")]),
    row("rust-build-script", Kind::Other, Stop, r"failed to run custom build command for '([\w-]+)").remedies_by(sys_crate),
    row("rust-import", Kind::MissingCrate, Build, r"error\[E0(?:432|433|463)\]: (?:unresolved import '([\w-]+)|failed to resolve: use of unresolved module or unlinked crate '([\w-]+)'|failed to resolve: use of undeclared (?:crate or module|type) '([\w-]+)'|can't find crate for '([\w-]+)')").unless(r"'(?:std|core|crate|self|super)\b"),
    row("rust-module-file", Kind::MissingFile, Build, r"error\[E0583\]: file not found for module '(\w+)'").remedies(&[Cure::LaySubmodules]),
    row("rust-error", Kind::CompileError, Build, r"^error\[(E\d{4})\]: ").remedies(&[Version("rustc", "one of the time of the source")]),
    row("rust-could-not-compile", Kind::CompileError, Stop, r"^error: could not compile '([\w-]+)'").subject(Many).remedies(&[]),
    row("rust-link", Kind::LinkError, Stop, r"^error: linking with '([^']+)' failed").remedies(&[Use("another linker")]),
    row("bindgen-libclang", Kind::MissingLibrary, Build, r"Unable to find libclang|couldn't find any valid shared libraries matching: \[.?libclang").subject(By(libclang)).remedies(&[ProvideOther("header", "clang-c/Index.h"), Set("LIBCLANG_PATH", "the folder of libclang.so")]),
];

fn libclang(_: &[String]) -> Vec<(Kind, String)> {
    vec![(Kind::MissingLibrary, "clang".to_owned())]
}

/// Native libraries that crates ending in `-sys` look for, by pkg-config's names.
const SYS: &[(&str, &str)] = &[
    ("openssl-sys", "openssl"),
    ("libz-sys", "zlib"),
    ("libgit2-sys", "libgit2"),
    ("libssh2-sys", "libssh2"),
    ("curl-sys", "libcurl"),
    ("alsa-sys", "alsa"),
    ("libudev-sys", "libudev"),
    ("hidapi", "libudev"),
    ("libdbus-sys", "dbus-1"),
    ("glib-sys", "glib-2.0"),
    ("gobject-sys", "gobject-2.0"),
    ("gio-sys", "gio-2.0"),
    ("cairo-sys-rs", "cairo"),
    ("pango-sys", "pango"),
    ("gdk-sys", "gdk-3.0"),
    ("gdk-pixbuf-sys", "gdk-pixbuf-2.0"),
    ("gtk-sys", "gtk+-3.0"),
    ("gtk4-sys", "gtk4"),
    ("webkit2gtk-sys", "webkit2gtk-4.1"),
    ("libsqlite3-sys", "sqlite3"),
    ("pq-sys", "libpq"),
    ("mysqlclient-sys", "mysqlclient"),
    ("bzip2-sys", "bzip2"),
    ("lzma-sys", "liblzma"),
    ("zstd-sys", "libzstd"),
    ("freetype-sys", "freetype2"),
    ("servo-fontconfig-sys", "fontconfig"),
    ("yeslogic-fontconfig-sys", "fontconfig"),
    ("expat-sys", "expat"),
    ("x11", "x11"),
    ("xcb", "xcb"),
    ("wayland-sys", "wayland-client"),
    ("libusb1-sys", "libusb-1.0"),
    ("libpulse-sys", "libpulse"),
    ("jack-sys", "jack"),
    ("portaudio-sys", "portaudio-2.0"),
    ("sdl2-sys", "sdl2"),
    ("ffmpeg-sys-next", "libavcodec"),
    ("gstreamer-sys", "gstreamer-1.0"),
    ("libsodium-sys", "libsodium"),
    ("onig_sys", "oniguruma"),
    ("pcre2-sys", "libpcre2-8"),
    ("libseccomp-sys", "libseccomp"),
    ("libsystemd-sys", "libsystemd"),
    ("libxml", "libxml-2.0"),
    ("nettle-sys", "nettle"),
    ("gpgme-sys", "gpgme"),
    ("rdkafka-sys", "rdkafka"),
    ("zmq-sys", "libzmq"),
];

/// What a crate whose build script failed may have looked for.
fn sys_crate(_: Kind, crate_name: &str, _: &[String]) -> Vec<Remedy> {
    match SYS.iter().find(|(name, _)| *name == crate_name) {
        Some((_, module)) => vec![ProvideOther("pkg_config", module).remedy(crate_name, &[])],
        None => Vec::new(),
    }
}

fn system_library(_: Kind, name: &str, _: &[String]) -> Vec<Remedy> {
    let mut remedies = vec![Remedy::Provide];
    remedies.extend(sys_crate(Kind::MissingPkgConfig, name, &[]));
    remedies
}
