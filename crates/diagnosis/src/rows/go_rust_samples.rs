//! Samples of the rows of `go_rust`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "go-no-module",
        r"go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
        "go.mod",
    ),
    sample(
        "go-no-module",
        r"pattern ./...: directory prefix . does not contain main module or its selected dependencies",
        "go.mod",
    ),
    sample(
        "go-sum-entry",
        r"m.go:2:8: missing go.sum entry for module providing package github.com/pkg/errors (imported by b); to add:
	go get b",
        "github.com/pkg/errors",
    ),
    sample(
        "go-mod-updates",
        r"go: updates to go.mod needed; to update it:
	go mod tidy",
        "go.mod",
    ),
    sample(
        "go-vendoring",
        r"go: inconsistent vendoring in /build/d:
	github.com/pkg/errors@v0.9.1: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt

	To ignore the vendor directory, use -mod=readonly or -mod=mod.",
        "vendor",
    ),
    sample(
        "go-checksum",
        r"go: downloading github.com/pkg/errors v0.9.1
verifying github.com/pkg/errors@v0.9.1: checksum mismatch
	downloaded: h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=
	go.sum:     h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

SECURITY ERROR",
        "github.com/pkg/errors",
    )
    .line(2),
    sample(
        "go-package",
        r"m.go:2:8: no required module provides package github.com/pkg/errors; to add it:
	go get github.com/pkg/errors
m.go:3:8: no required module provides package rsc.io/quote; to add it:",
        "github.com/pkg/errors",
    ),
    sample(
        "go-own-package",
        r"m.go:3:8: package j/sub is not in std (/usr/local/go/src/j/sub)",
        "j/sub",
    ),
    sample(
        "go-toolchain",
        r"go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)",
        "go",
    ),
    sample(
        "go-directive",
        r"go.mod:2: invalid go version '1.x': must match format 1.23.0",
        "go",
    ),
    sample(
        "go-mod-file",
        r#"go: errors parsing go.mod:
go.mod:3: require github.com/pkg/errors: version "v99.9.1" invalid: should be v0 or v1, not v99"#,
        "go.mod",
    ),
    sample(
        "go-network",
        r#"go: downloading github.com/pkg/errors v0.9.1
m.go:2:8: github.com/pkg/errors@v0.9.1: Get "https://registry.example.org/github.com/pkg/errors/@v/v0.9.1.zip": dial tcp: lookup registry.example.org on 10.255.255.53:53: dial udp 10.255.255.53:53: connect: network is unreachable"#,
        "registry.example.org",
    )
    .line(2),
    sample(
        "go-no-version",
        r"go: downloading github.com/seatrial-nope/errors v1.0.0
m.go:2:8: github.com/seatrial-nope/errors@v1.0.0: reading https://registry.example.org/github.com/seatrial-nope/errors/@v/v1.0.0.zip: 403 Forbidden
	server response: This module version is not available.",
        "github.com/seatrial-nope/errors",
    )
    .line(2),
    sample(
        "go-c-compiler",
        r#"# runtime/cgo
cgo: C compiler "nope-gcc" not found: exec: "nope-gcc": executable file not found in $PATH"#,
        "nope-gcc",
    )
    .line(2),
    sample(
        "go-constraints",
        r"package f: build constraints exclude all Go files in /build/f",
        "f",
    ),
    sample(
        "go-race",
        r"go: -race requires cgo; enable cgo by setting CGO_ENABLED=1",
        "-race",
    ),
    sample(
        "go-linkname",
        r"# m
main.main: relocation target runtime.foo not defined",
        "runtime.foo",
    )
    .line(2),
    sample(
        "go-undefined",
        r"./m.go:3:49: undefined: undefinedThing",
        "undefinedThing",
    ),
    sample(
        "go-undefined",
        r"# i [i.test]
./i_test.go:3:27: undefined: undefinedThing
FAIL	i [build failed]
FAIL",
        "undefinedThing",
    )
    .line(2),
    sample(
        "go-error",
        r#"# h
./m.go:3:18: declared and not used: x
./m.go:3:26: cannot use "a" (untyped string constant) as int value in variable declaration"#,
        "./m.go",
    )
    .line(2),
    sample(
        "go-build-failed",
        r"FAIL	i [build failed]
FAIL",
        "i",
    ),
    sample(
        "cargo-toolchain",
        r"error: rustc 1.95.0 is not supported by the following package:
  a@0.1.0 requires rustc 1.99",
        "rustc",
    )
    .line(2),
    sample(
        "cargo-toolchain-list",
        r"error: rustc 1.95.0 is not supported by the following package:",
        "rustc",
    ),
    sample(
        "cargo-edition",
        r"  failed to parse the `edition` key

Caused by:
  this version of Cargo is older than the `2039` edition, and only supports `2015`, `2018`, `2021`, and `2024` editions.",
        "cargo",
    )
    .line(4),
    sample(
        "cargo-lock-version",
        r"error: failed to parse lock file at: /build/b2/Cargo.lock

Caused by:
  lock file version `9` was found, but this version of Cargo does not understand this lock file, perhaps Cargo needs to be updated?",
        "cargo",
    )
    .line(4),
    sample(
        "cargo-lock",
        r"    Updating registry.example.org index
error: cannot update the lock file /build/b/Cargo.lock because --locked was passed to prevent this
help: to generate the lock file without accessing the network, remove the --locked flag and use --offline instead.",
        "Cargo.lock",
    )
    .line(2),
    sample(
        "cargo-lock",
        r"error: cannot create the lock file /build/b2/Cargo.lock because --frozen was passed to prevent this
help: to generate the lock file without accessing the network, remove the --frozen flag and use --offline instead.",
        "Cargo.lock",
    ),
    sample(
        "cargo-crate",
        r"    Updating registry.example.org index
error: no matching package named `seatrial-nope-crate` found
location searched: registry.example.org index
required by package `j v0.1.0 (/build/j)`",
        "seatrial-nope-crate",
    )
    .line(2),
    sample(
        "cargo-crate",
        r"error: no matching package named `itoa` found
location searched: registry.example.org index
required by package `b2 v0.1.0 (/build/b2)`
As a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures, if this error is too confusing you may wish to retry without `--offline`.",
        "itoa",
    ),
    sample(
        "cargo-offline",
        r"  attempting to make an HTTP request, but --offline was specified",
        "",
    )
    .documented(),
    sample(
        "cargo-no-version",
        r#"    Updating registry.example.org index
error: failed to select a version for the requirement `itoa = "^99"`
candidate versions found which didn't match: 1.0.19, 1.0.18, 1.0.17, ...
location searched: registry.example.org index
required by package `k v0.1.0 (/build/k)`"#,
        "itoa",
    )
    .line(2),
    sample(
        "cargo-network",
        r"Caused by:
  [6] Could not resolve hostname (Could not resolve host: registry.example.org)",
        "registry.example.org",
    )
    .line(2),
    sample(
        "cargo-manifest",
        r"error: could not find `Cargo.toml` in `/build/none` or any parent directory",
        "Cargo.toml",
    ),
    sample(
        "cargo-manifest",
        r"  unable to update /build/nope

Caused by:
  failed to read `/build/nope/Cargo.toml`

Caused by:
  No such file or directory (os error 2)",
        "nope/Cargo.toml",
    )
    .line(4),
    sample(
        "cargo-manifest-parse",
        r"error: failed to parse manifest at `/build/d/Cargo.toml`",
        "d/Cargo.toml",
    ),
    sample(
        "cargo-feature",
        r"error: the package 'u' does not contain this feature: nope",
        "nope",
    ),
    sample(
        "cargo-nightly-option",
        r"error: the `-Z` flag is only accepted on the nightly channel of Cargo, but this is the `stable` channel",
        "cargo",
    )
    .documented(),
    sample(
        "rust-feature",
        r"   Compiling e v0.1.0 (/build/e)
error[E0554]: `#![feature]` may not be used on the stable release channel
 --> src/main.rs:1:1
  |
1 | #![feature(box_patterns)]
  | ^^^^^^^^^^^^^^^^^^^^^^^^^",
        "rustc",
    )
    .line(2),
    sample(
        "rust-library-feature",
        r"error[E0658]: use of unstable library feature `once_cell_try`",
        "rustc",
    )
    .documented(),
    sample(
        "rust-target",
        r"  = note: the `aarch64-unknown-linux-musl` target may not be installed
  = help: consider downloading the target with `rustup target add aarch64-unknown-linux-musl`",
        "aarch64-unknown-linux-musl",
    ),
    sample(
        "rust-linker",
        r"   Compiling h v0.1.0 (/build/h)
error: linker `nope-ld` not found
  |
  = note: No such file or directory (os error 2)",
        "nope-ld",
    )
    .line(2),
    sample(
        "rust-library",
        r"  = note: some arguments are omitted. use `--verbose` to show all linker arguments
  = note: rust-lld: error: unable to find library -lnopelib
          collect2: error: ld returned 1 exit status",
        "nopelib",
    )
    .line(2),
    sample(
        "rust-denied",
        r"  |
1 | #![deny(warnings)]
  |         ^^^^^^^^
  = note: `#[deny(unused_variables)]` implied by `#[deny(warnings)]`",
        "unused_variables",
    )
    .line(4),
    sample(
        "rust-build-script-library",
        r"  The system library `nopelib` required by crate `q` was not found.
  The file `nopelib.pc` needs to be installed and the PKG_CONFIG_PATH environment variable must contain its parent directory.
  The PKG_CONFIG_PATH environment variable is not set.",
        "nopelib",
    ),
    sample(
        "rust-pkg-config",
        r"  The file `nopelib.pc` needs to be installed and the PKG_CONFIG_PATH environment variable must contain its parent directory.
  The PKG_CONFIG_PATH environment variable is not set.",
        "nopelib",
    ),
    sample(
        "rust-openssl",
        r"  Could not find openssl via pkg-config:
  Could not find directory of OpenSSL installation, and this `-sys` crate cannot",
        "openssl",
    )
    .documented(),
    sample(
        "rust-protoc",
        r"  Could not find `protoc`. If `protoc` is installed, try setting the `PROTOC` environment variable to the path of the `protoc` binary.",
        "protoc",
    )
    .documented(),
    sample(
        "rust-cmake",
        r"  failed to execute command: No such file or directory (os error 2)
  is `cmake` not installed?",
        "cmake",
    )
    .documented(),
    sample(
        "rust-time",
        r"error[E0282]: type annotations needed for `Box<_>`
  --> /home/user/.cargo/registry/src/time-0.3.17/src/format_description/parse/mod.rs:83:9",
        "time",
    )
    .documented(),
    sample(
        "rust-build-script",
        r"   Compiling i v0.1.0 (/build/i)
error: failed to run custom build command for `i v0.1.0 (/build/i)`
note: To improve backtraces for build dependencies, set the CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG=true environment variable to enable debug information generation.

Caused by:
  process didn't exit successfully: `/build/tgt/debug/build/i-5058872518d46089/build-script-build` (exit status: 101)",
        "i",
    )
    .line(2),
    sample(
        "rust-import",
        r"error[E0432]: unresolved import `serde`
 --> src/main.rs:1:26
  |
1 | use std::path::Path; use serde::Serialize; mod nope; fn main(){ foo!(); }",
        "serde",
    ),
    sample(
        "rust-module-file",
        r"   Compiling n v0.1.0 (/build/n)
error[E0583]: file not found for module `nope`
 --> src/main.rs:1:44
  |
1 | use std::path::Path; use serde::Serialize; mod nope; fn main(){ foo!(); }",
        "nope",
    )
    .line(2),
    sample(
        "rust-error",
        r#"   Compiling f v0.1.0 (/build/f)
error[E0308]: mismatched types
 --> src/main.rs:1:25
  |
1 | fn main(){ let x: u32 = "a"; }"#,
        "E0308",
    )
    .line(2),
    sample(
        "rust-could-not-compile",
        r#"error: could not compile `f` (bin "f") due to 1 previous error"#,
        "f",
    ),
    sample(
        "rust-link",
        r"   Compiling s v0.1.0 (/build/s)
error: linking with `cc` failed: exit status: 1",
        "cc",
    )
    .line(2),
    sample(
        "bindgen-libclang",
        r#"  thread 'main' panicked at 'Unable to find libclang: "couldn't find any valid shared libraries matching: ['libclang.so', 'libclang-*.so']"'"#,
        "clang",
    )
    .documented(),
    sample(
        "cargo-path",
        "error: failed to get 'knot' as a dependency of package 'mooring v0.2.0 (/build)'\n\nCaused by:\n  failed to load source for dependency 'knot'\n\nCaused by:\n  Unable to update /knot\n\nCaused by:\n  failed to read '/knot/Cargo.toml'\n\nCaused by:\n  No such file or directory (os error 2)\n",
        "knot",
    ),
];
