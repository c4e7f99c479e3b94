//! The page about tools says what the tools say.

use std::fmt::Write as _;

use expect_test::expect_file;
use seatrial_tools::Toolbox;

#[test]
fn the_table_of_tools_is_the_tools_own() {
    let mut table = String::from(
        "# Tools\n\nWhat an agent with a model works with, over one box. `seatrial mcp` serves them to any agent (see\n\
         [mcp.md](mcp.md)). This page is written by a test from what the tools say of themselves.\n\n\
         Every path is one of the box: relative ones start at the source folder, and none can lead out. What a model gets wrong \
         (a tool that is none, broken JSON, a wrong type, a missing file) is an answer that says what helps. Answers are bounded; \
         what is left out is counted, and read with the path `output:N`. Results of tools that only look are remembered until a \
         tool may have changed a file. The same call is not made more than three times in a row.\n\n\
         | tool | takes | what for | limits | effect |\n|---|---|---|---|---|\n",
    );
    for spec in Toolbox::all().specs() {
        let cell = |text: &str| text.replace('|', "\\|");
        writeln!(
            table,
            "| `{}` | {} | {} | {} | {} |",
            spec.name,
            cell(&spec.signature()),
            cell(&spec.purpose),
            cell(&spec.limits),
            spec.effect.words()
        )
        .unwrap();
    }
    expect_file!["../../../../docs/tools.md"].assert_eq(&table);
}
