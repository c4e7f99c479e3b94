//! Samples of the rows of `node`.

#![expect(clippy::needless_raw_strings, reason = "one form for all samples")]

use super::samples::{Sample, sample};

pub(super) static SAMPLES: &[Sample] = &[
    sample(
        "node-heap",
        r"FATAL ERROR: CALL_AND_RETRY_LAST Allocation failed - JavaScript heap out of memory
----- Native stack trace -----",
        "memory",
    ),
    sample(
        "node-openssl",
        r"  this[kHandle] = new _Hash(algorithm, xofLen, algorithmId, getHashCache());
                  ^

Error: error:0308010C:digital envelope routines::unsupported
    at new Hash (node:internal/crypto/hash:101:19)
    at Object.createHash (node:crypto:139:10)",
        "node",
    )
    .line(4),
    sample(
        "node-primordials",
        r"fs.js:44
} = primordials;
    ^

ReferenceError: primordials is not defined",
        "node",
    )
    .documented(),
    sample(
        "node-sass",
        r"Error: Node Sass does not yet support your current environment: Linux 64-bit with Unsupported runtime (115)",
        "node",
    )
    .documented(),
    sample(
        "node-file",
        r"  ^

Error: Cannot find module './dist/gen.js'
Require stack:
- /build/a/j.js",
        "./dist/gen.js",
    )
    .line(3),
    sample(
        "node-module",
        r"  ^

Error: Cannot find module 'left-pad-nope'
Require stack:
- /build/a/i.js",
        "left-pad-nope",
    )
    .line(3),
    sample(
        "node-module",
        r"        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nope-pkg' imported from /build/a/k.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at moduleResolve (node:internal/modules/esm/resolve:946:18)",
        "nope-pkg",
    )
    .line(3),
    sample(
        "node-module",
        r"ERROR in ./i.js 1:0-25
Module not found: Error: Can't resolve 'nope-dep' in '/build/wp'
resolve 'nope-dep' in '/build/wp'
  Parsed request is a module",
        "nope-dep",
    )
    .line(2),
    sample(
        "typescript-module",
        r"a.ts(1,38): error TS2307: Cannot find module 'zzz-nope' or its corresponding type declarations.",
        "zzz-nope",
    ),
    sample(
        "typescript-error",
        r"a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
        "TS2322",
    ),
    sample(
        "npm-conflict",
        r#"npm error   react@"18.2.0" from the root project
npm error
npm error Could not resolve dependency:
npm error peer react@"17.0.2" from react-dom@17.0.2
npm error node_modules/react-dom
npm error   react-dom@"17.0.2" from the root project"#,
        "react",
    )
    .line(4),
    sample(
        "npm-conflict-code",
        r"npm error code ERESOLVE
npm error ERESOLVE unable to resolve dependency tree",
        "",
    ),
    sample(
        "npm-not-found",
        r"npm error code E404
npm error 404 Not Found - GET https://registry.example.org/seatrial-nope-pkg
npm error 404
npm error 404  The requested resource 'seatrial-nope-pkg@1' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a",
        "seatrial-nope-pkg",
    )
    .line(4),
    sample(
        "npm-no-version",
        r"npm error code ETARGET
npm error notarget No matching version found for left-pad@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.",
        "left-pad",
    )
    .line(2),
    sample(
        "npm-engine",
        r#"npm error code EBADENGINE
npm error engine Unsupported engine
npm error engine Not compatible with your version of node/npm: c@1.0.0
npm error notsup Not compatible with your version of node/npm: c@1.0.0
npm error notsup Required: {"node":">=99"}
npm error notsup Actual:   {"node":"v20.20.2","npm":"11.19.1"}"#,
        "node",
    )
    .line(5),
    sample(
        "npm-platform",
        r#"npm error code EBADPLATFORM
npm error notsup Unsupported platform for fsevents@2.3.3: wanted {"os":"darwin"} (current: {"os":"linux"})"#,
        "fsevents@2.3.3",
    )
    .documented(),
    sample(
        "npm-lock",
        r"npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.
npm error
npm error Invalid: lock file's left-pad@1.3.0 does not satisfy left-pad@1.1.0",
        "package-lock.json",
    )
    .line(3),
    sample(
        "npm-lock",
        r"npm error code EUSAGE
npm error
npm error The `npm ci` command can only install with an existing package-lock.json or
npm error npm-shrinkwrap.json with lockfileVersion >= 1. Run an install with npm@5 or
npm error later to generate a package-lock.json file, then try again.",
        "package-lock.json",
    )
    .line(3),
    sample(
        "npm-checksum",
        r"npm error code EINTEGRITY
npm error Integrity checksum failed when using sha512: wanted sha512-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA== but got sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy/aVx2HrNcqQGsdot8ghrjyrvMCoEA==.",
        "",
    ),
    sample(
        "npm-network",
        r"npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
npm error request to https://registry.example.org/left-pad failed, reason: getaddrinfo EAI_AGAIN registry.example.org
npm error A complete log of this run can be found in: /build/nc/_logs/2026-11-30T12_54_06_933Z-debug-0.log",
        "registry.example.org",
    )
    .line(4),
    sample(
        "node-certificate",
        r"npm error code DEPTH_ZERO_SELF_SIGNED_CERT
npm error errno DEPTH_ZERO_SELF_SIGNED_CERT
npm error request to https://localhost:18443/left-pad failed, reason: self-signed certificate",
        "",
    ),
    sample(
        "npm-permission",
        r"npm error code EACCES
npm error syscall mkdir
npm error path /usr/lib/node_modules/x",
        "",
    )
    .documented(),
    sample(
        "npm-script",
        r#"npm error Missing script: "build"
npm error
npm error To see a list of scripts, run:"#,
        "build",
    ),
    sample(
        "npm-no-manifest",
        r"npm error code ENOENT
npm error syscall open
npm error path /build/package.json",
        "package.json",
    )
    .documented(),
    sample(
        "node-package-manager",
        r#"error This project's package.json defines "packageManager": "yarn@4.1.0". However the current global version of Yarn is 1.22.22.

Presence of the "packageManager" field indicates that the project is meant to be used with Corepack, a tool included by default with all official Node.js distributions starting from 16.9 and 14.19."#,
        "yarn",
    ),
    sample(
        "pnpm-lock",
        r#" ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with <ROOT>/package.json

Note that in CI environments this setting is true by default. If you still need to run install in such cases, use "pnpm install --no-frozen-lockfile""#,
        "pnpm-lock.yaml",
    ),
    sample(
        "pnpm-lock",
        r#" ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is absent

Note that in CI environments this setting is true by default. If you still need to run install in such cases, use "pnpm install --no-frozen-lockfile""#,
        "pnpm-lock.yaml",
    ),
    sample(
        "pnpm-engine",
        r#" ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)

Your Node version is incompatible with "/build/pn".

Expected version: >=99
Got: v20.20.2"#,
        "node",
    ),
    sample(
        "pnpm-not-found",
        r" ERR_PNPM_FETCH_404  GET https://registry.example.org/nope-pkg: Not Found - 404",
        "nope-pkg",
    )
    .documented(),
    sample(
        "yarn-lock",
        r"[1/4] Resolving packages...
error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command.",
        "yarn.lock",
    )
    .line(2),
    sample(
        "yarn-engine",
        r#"warning ya@1.0.0: No license field
error ya@1.0.0: The engine "node" is incompatible with this module. Expected version ">=99". Got "20.20.2"
error Found incompatible module."#,
        "node",
    )
    .line(2),
    sample(
        "yarn-not-found",
        r#"[1/4] Resolving packages...
error Couldn't find package "seatrial-nope-pkg" on the "npm" registry.
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command."#,
        "seatrial-nope-pkg",
    )
    .line(2),
    sample(
        "yarn-not-found",
        r#"[1/4] Resolving packages...
error Couldn't find any versions for "once" that matches "99.4.0"
info Visit https://yarnpkg.com/en/docs/cli/install for documentation about this command."#,
        "once",
    )
    .line(2),
    sample(
        "gyp-python",
        r"gyp ERR! find Python 
gyp ERR! find Python Python is not set from command line or npm configuration
gyp ERR! find Python You need to install the latest version of Python.",
        "python3",
    )
    .documented(),
    sample(
        "gyp-failed",
        r"gyp ERR! build error
gyp ERR! stack Error: `make` failed with exit code: 2",
        "build error",
    ),
    sample(
        "node-download",
        r#"ERROR: Failed to set up Chrome r1108766! Set "PUPPETEER_SKIP_DOWNLOAD" env variable to skip download."#,
        "Chrome",
    )
    .documented(),
    sample(
        "node-husky",
        r"husky - .git can't be found (see https://typicode.github.io/husky/#/?id=custom-directory)",
        "husky",
    )
    .documented(),
    sample(
        "node-esm",
        r"Error [ERR_REQUIRE_ESM]: require() of ES Module /build/node_modules/m/i.js from /build/r.js not supported.",
        "node",
    )
    .documented(),
    sample(
        "node-syntax",
        r"const a = b ?? c;
           ^

SyntaxError: Unexpected token '?'",
        "node",
    )
    .documented(),
    sample(
        "node-syntax-other",
        r"let x = ;
        ^

SyntaxError: Unexpected token ';'
    at makeContextifyScript (node:internal/vm:185:14)
    at node:internal/process/execution:107:22",
        "Unexpected token ';'",
    )
    .line(4),
    sample(
        "eslint",
        r"/build/es/a.js
  1:5  error  'x' is assigned a value but never used  no-unused-vars

✖ 1 problem (1 error, 0 warnings)",
        "eslint",
    )
    .line(4),
];
