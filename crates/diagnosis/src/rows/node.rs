//! Signatures of Node: npm, Yarn, pnpm, node-gyp, bundlers and the TypeScript compiler.

use super::{
    Row,
    Subject::Fixed,
    Weight::{Build, Configure, Machine, Stop},
    row,
};
use crate::{
    Kind,
    cure::Cure::{EditSource, More, Provide, ProvideOther, Retry, RunFirst, Set, Use, Version},
};

pub(super) static ROWS: &[Row] = &[
    row("node-heap", Kind::Resources, Machine, r"JavaScript heap out of memory").subject(Fixed("memory")).remedies(&[Set("NODE_OPTIONS", "--max-old-space-size=4096"), More("memory")]),
    row("node-openssl", Kind::RuntimeVersion, Build, r"error:0308010C|ERR_OSSL_EVP_UNSUPPORTED").subject(Fixed("node")).remedies(&[Set("NODE_OPTIONS", "--openssl-legacy-provider"), Version("node", "16")]),
    row("node-primordials", Kind::RuntimeVersion, Build, r"primordials is not defined").subject(Fixed("node")).remedies(&[Version("node", "< 12"), Version("graceful-fs", ">= 4.2")]),
    row("node-sass", Kind::RuntimeVersion, Build, r"Node Sass does not yet support your current environment").subject(Fixed("node")).remedies(&[Version("node", "an older one"), Use("sass")]),
    row("typescript-module", Kind::MissingNode, Build, r"error TS(?:2307|7016|2688): [^']*'((?:@[\w.-]+/)?[\w][\w.-]*)").remedies(&[RunFirst("npm install"), ProvideOther("node", "@types/{}"), Provide]),
    row("node-file", Kind::MissingGenerated, Build, r"(?:Cannot find module|Can't resolve|Cannot find package|Could not resolve) ['\x22](\.{1,2}/[^'\x22]+)['\x22]").remedies(&[RunFirst("the step that makes {}")]),
    row("node-module", Kind::MissingNode, Build, r"(?:Cannot find module|Can't resolve|Cannot find package|Could not resolve) ['\x22]((?:@[\w.-]+/)?[\w.-]+)[^'\x22]*['\x22]").unless(r"^npm ").remedies(&[RunFirst("npm install"), Provide]),
    row("typescript-error", Kind::CompileError, Build, r"^(?:\S+\(\d+,\d+\): |\S+:\d+:\d+ - )?error (TS\d+): ").remedies(&[Version("typescript", ""), Set("skipLibCheck", "true")]),
    // npm.
    row("npm-conflict", Kind::DependencyConflict, Configure, r"Could not resolve dependency:\nnpm (?:ERR!|error) *(?:dev |peer |optional )*((?:@[\w.-]+/)?[\w.-]+)@").marks(&["Could not resolve dependency:"]).with_next(1).last().remedies(&[Set("npm_config_legacy_peer_deps", "true")]),
    row("npm-conflict-code", Kind::DependencyConflict, Stop, r"code (ERESOLVE)\b").subject(Fixed("")).remedies(&[Set("npm_config_legacy_peer_deps", "true")]),
    row("npm-not-found", Kind::NoSuchVersion, Configure, r"^npm (?:ERR!|error) 404\s+(?:The requested resource )?'((?:@[\w.-]+/)?[\w.-]+)@").remedies(&[Version("{}", "")]),
    row("npm-no-version", Kind::NoSuchVersion, Configure, r"^npm (?:ERR!|error) notarget No matching version found for ((?:@[\w.-]+/)?[\w.-]+)@").remedies(&[Version("{}", ""), RunFirst("npm install --before the date of the source")]),
    row("npm-engine", Kind::RuntimeVersion, Configure, r"^npm (?:ERR!|error) (?:notsup|engine) Required: +(\{.*\})|^npm (?:ERR!|error) code (EBADENGINE)").subject(Fixed("node")).last().remedies(&[Version("node", "{1}"), Set("npm_config_engine_strict", "false")]),
    row("npm-platform", Kind::UnsupportedArchitecture, Configure, r"^npm (?:ERR!|error) notsup (?:Unsupported platform for|Not compatible with your operating system or architecture:) ([^\s:]+)|code (EBADPLATFORM)").last(),
    row("npm-lock", Kind::LockMismatch, Configure, r"'?npm ci'? can only install packages when your package\.json and|The 'npm ci' command can only install with an existing package-lock").subject(Fixed("package-lock.json")).remedies(&[RunFirst("npm install")]),
    row("npm-checksum", Kind::Checksum, Configure, r"^npm (?:ERR!|error) code (EINTEGRITY)").subject(Fixed("")).remedies(&[RunFirst("npm cache clean --force"), Retry]),
    row("npm-network", Kind::Network, Configure, r"^npm (?:ERR!|error) .*(?:getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|connect (?:ECONNREFUSED|ETIMEDOUT)|network timeout at:) (?:https?://)?([\w.-]+)"),
    row("node-certificate", Kind::Certificate, Configure, r"SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE").subject(Fixed("")).remedies(&[Set("NODE_EXTRA_CA_CERTS", "the machine's certificates"), ProvideOther("package", "ca-certificates")]),
    row("npm-permission", Kind::Privileges, Configure, r"^npm (?:ERR!|error) code (EACCES|EPERM)").subject(Fixed("")).remedies(&[Set("HOME", "a folder that can be written to")]),
    row("npm-script", Kind::UnknownOption, Configure, r#"(?:Missing script:|missing script:|Command) ["']?([\w:.-]+)["']?(?: not found\.)?$"#).unless(r"^make|ninja").marks(&["issing script", "error Command"]).remedies(&[RunFirst("npm run")]),
    row("npm-no-manifest", Kind::BuildFile, Configure, r"^npm (?:ERR!|error) (?:enoent|path|Could not read) .*(package\.json)|Couldn't find a (package\.json) file").subject(Fixed("package.json")).last().remedies(&[RunFirst("cd to the folder of package.json")]),
    row("node-package-manager", Kind::ToolVersion, Configure, r#"package\.json defines "packageManager": "(\w+)@([^"]+)"|This project is configured to use (\w+)"#).remedies(&[RunFirst("corepack enable"), Version("{}", "{2}")]),
    // pnpm and Yarn.
    row("pnpm-lock", Kind::LockMismatch, Configure, r"ERR_PNPM_(?:OUTDATED_LOCKFILE|NO_LOCKFILE|LOCKFILE_\w+)").subject(Fixed("pnpm-lock.yaml")).remedies(&[Set("npm_config_frozen_lockfile", "false")]),
    row("pnpm-engine", Kind::RuntimeVersion, Configure, r"ERR_PNPM_UNSUPPORTED_ENGINE").subject(Fixed("node")).remedies(&[Version("node", ""), Set("npm_config_engine_strict", "false")]),
    row("pnpm-not-found", Kind::NoSuchVersion, Configure, r"ERR_PNPM_(?:FETCH_404|NO_MATCHING_VERSION)\W+(?:GET \S*/|No matching version found for )((?:@[\w.-]+/)?[\w.-]+)"),
    row("yarn-lock", Kind::LockMismatch, Configure, r"Your lockfile needs to be updated, but yarn was run with|YN0028: .*The lockfile would have been modified").subject(Fixed("yarn.lock")).remedies(&[RunFirst("yarn install")]),
    row("yarn-engine", Kind::RuntimeVersion, Configure, r#"The engine "(node|npm|yarn)" is incompatible with this module\. Expected version "([^"]+)""#).remedies(&[Version("{}", "{2}"), Set("YARN_IGNORE_ENGINES", "true")]),
    row("yarn-not-found", Kind::NoSuchVersion, Configure, r#"Couldn't find (?:package|any versions for) "((?:@[\w.-]+/)?[\w.-]+)(?:@[^"]*)?""#),
    // node-gyp, scripts of packages, downloads.
    row("gyp-python", Kind::MissingCommand, Configure, r"gyp (?:ERR!|error) find Python(?: Could not| You need|$)|Could not find any Python installation to use|Can't find Python executable").subject(Fixed("python3")).remedies(&[Provide, ProvideOther("python", "setuptools")]),
    row("gyp-failed", Kind::Other, Stop, r"gyp ERR! (build error|configure error)").last(),
    row("node-download", Kind::Download, Configure, r"(?:Failed to (?:download|set up)|ERROR: Failed to download|Error: Download failed).*?(Chrom\w*|Electron|electron|Cypress|geckodriver|phantomjs|firefox)").remedies(&[Set("PUPPETEER_SKIP_DOWNLOAD", "true"), Set("ELECTRON_SKIP_BINARY_DOWNLOAD", "1"), Set("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")]),
    row("node-husky", Kind::GitState, Configure, r"husky.*(?:\.git can't be found|not a git repository)|\.git can't be found").subject(Fixed("husky")).remedies(&[Set("HUSKY", "0"), RunFirst("git init")]),
    row("node-esm", Kind::RuntimeVersion, Build, r"ERR_REQUIRE_ESM|Cannot use import statement outside a module").subject(Fixed("node")).remedies(&[Version("node", ">= 22"), EditSource("load the module by import()")]),
    row("node-syntax", Kind::RuntimeVersion, Build, r"^SyntaxError: Unexpected token '?(\?\?=|\?|\.|\|\|=|&&=|#)'?").subject(Fixed("node")).confidence(60).remedies(&[Version("node", "a newer one")]),
    row("node-syntax-other", Kind::CompileError, Build, r"^SyntaxError: (Unexpected (?:token|end|identifier).*|Invalid or unexpected token|missing .*)").remedies(&[]),
    row("eslint", Kind::PackagePolicy, Stop, r"\d+ problems? \([1-9]\d* errors?,").subject(Fixed("eslint")).class(crate::Class::Test).remedies(&[]),
];
