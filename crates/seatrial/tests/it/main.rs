//! What a person at the terminal sees, with real boxes and the real package index.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agents;
mod bad_input;
mod bench;
mod build;
mod cache;
mod diagnose;
mod disk;
mod external;
mod failing_logs;
mod help;
mod import;
mod killed;
mod mcp;
mod mcp_repair;
mod repair;
mod repair_rpm;
mod retrieval;
mod service;
#[path = "../../../suites/tests/it/small_package.rs"]
mod small_package;
mod support;
mod trajectory;
