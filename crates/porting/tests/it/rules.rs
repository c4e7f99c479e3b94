//! What holds for every answer.

use seatrial_packaging::Package;
use seatrial_porting::{State, lookup};

use crate::plant::{DEBIAN, Plant, RPM};

#[test]
fn a_log_that_says_nothing_has_no_candidates() {
    for plant in [DEBIAN, RPM] {
        let (_folder, package) = plant.open();
        assert_eq!(plant.candidates(&package, None), []);
        let plant = Plant {
            log: "make: *** [all] Error 2\n\u{fffd}\0\x1b[31m",
            state: State::Broken,
            ..plant
        };
        assert_eq!(plant.candidates(&package, None), []);
    }
}

#[test]
fn a_source_of_an_old_encoding_keeps_its_bytes() {
    let log = "hull.c:2:10: fatal error: emmintrin.h: No such file or directory\n";
    let (_folder, package) = Plant { log, ..DEBIAN }.open();
    let old = b"/* \xe9 */\n#include <emmintrin.h>\n__m128i x;\n";
    std::fs::write(package.root().join("hull.c"), old).unwrap();
    let plant = Plant { log, ..DEBIAN };
    let mut package: Package = package;
    let repair = plant
        .candidates(&package, None)
        .into_iter()
        .find(|repair| repair.name == "simde")
        .unwrap();
    repair.apply(&mut package).unwrap();
    let new = std::fs::read(package.root().join("hull.c")).unwrap();
    assert!(new.starts_with(b"/* \xe9 */\n#if "), "{new:?}");
}

#[test]
fn the_table_can_be_read() {
    let rows = lookup("simde");
    assert_eq!(rows.first().map(|row| row.name), Some("vector-instructions"));
    for row in lookup("") {
        assert!(
            !row.meaning.is_empty() && !row.sign.is_empty() && !row.repairs.is_empty(),
            "{}",
            row.name
        );
    }
}
