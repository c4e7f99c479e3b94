//! Proposes repairs for a failing package: `port PACKAGE LOG ARCH [NUMBER OUT]`. With a number the repair of that number is
//! applied to a copy, which is packed into a new folder.
#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{error::Error, path::Path};

use seatrial_diagnosis::diagnose;
use seatrial_packaging::Package;
use seatrial_porting::{Failure, State, candidates};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [package, log, arch, more @ ..] = words.as_slice() else {
        return Err("usage: port PACKAGE LOG ARCH [NUMBER OUT]".into());
    };
    let mut package = Package::open(Path::new(package))?;
    let log = std::fs::read(log)?;
    let diagnosis = diagnose(&log);
    let target = arch.parse()?;
    if let Some(cause) = &diagnosis.cause {
        println!("{} {}: {}", cause.kind.name(), cause.subject, cause.text);
    }
    let repairs = candidates(&Failure {
        package: &package,
        target,
        works_on: None,
        log: &log,
        diagnosis: &diagnosis,
        working_log: None,
        state: if package.architectures().allows(target) {
            &State::Failed
        } else {
            &State::Excluded
        },
        missing: &[],
        resolver: None,
    });
    if let [number, out] = more {
        let number: usize = number.parse()?;
        let repair = repairs.get(number).ok_or("there is no repair of that number")?;
        println!("{}", repair.diff());
        repair.apply(&mut package)?;
        println!("{}", package.pack(Path::new(out))?.recipe.display());
        return Ok(());
    }
    for (number, repair) in repairs.iter().enumerate() {
        println!("{number}: {} ({} %) {}", repair.name, repair.confidence, repair.title);
        println!("   {:?} {}", repair.marks, repair.why.replace('\n', "\n   "));
        for edit in &repair.edits {
            println!("   {}", edit.path);
        }
    }
    Ok(())
}
