//! Refuses, before anything starts, what the disk has no room for.

use std::fmt::Write as _;

use seatrial_report::visible;
use seatrial_store::governor::{Policy, free_bytes};
use seatrial_trial::{Estimate, Room};

use crate::{
    amounts::{bytes, bytes_word},
    app::App,
    commands::cache,
    failure::Failure,
};

/// Room for trials as estimated, or a refusal that says what is missing and what helps.
pub(crate) fn room(app: &App, estimate: &Estimate) -> Result<Room, Failure> {
    let free = free_bytes(app.home.root())?;
    let needed = estimate.total();
    // Measuring everything takes a moment, so it is done only where its answer matters.
    if app.max_size.is_none() && free >= needed {
        return Ok(Room::new(&app.home, estimate, None, 0)?);
    }
    let plan = cache::plan(app, &Policy::default())?;
    let room = Room::new(&app.home, estimate, app.max_size, plan.takes())?;
    let available = room.available()?;
    if available >= needed {
        return Ok(room);
    }
    let mut text = format!(
        "there is no room for this: it needs about {}, and {} has {}\n  needed: {}",
        bytes(needed),
        visible(&app.home.root().display().to_string()),
        if available < free {
            format!(
                "{} left below its limit of {}",
                bytes(available),
                bytes(app.max_size.unwrap_or(0))
            )
        } else {
            format!("{} free", bytes(available))
        },
        parts(estimate),
    );
    let (now, most) = (plan.frees(), plan.could_free());
    let missing = needed - available;
    let more = |needed: u64| bytes_word(plan.takes().saturating_sub(needed));
    let _ = match () {
        () if now >= missing => write!(text, "\n  `seatrial cache gc` would free {}", bytes(now)),
        () if most >= missing => write!(
            text,
            "\n  `seatrial cache gc --max-size {}` would free what is missing; at most it can free {}",
            more(missing + (1 << 20)),
            bytes(most)
        ),
        () => write!(
            text,
            "\n  `seatrial cache gc --max-size 0` would free {}, which is not enough: free some space, or choose a data folder \
             on another disk with `--home DIR`",
            bytes(most)
        ),
    };
    if estimate.jobs > 1 {
        let one = Estimate {
            jobs: 1,
            ..estimate.clone()
        };
        let _ = write!(text, "\n  one trial at a time (`-n 1`) needs {}", bytes(one.total()));
    }
    let _ = write!(text, "\n  `--no-disk-check` begins all the same");
    Err(Failure::invalid(text))
}

fn parts(estimate: &Estimate) -> String {
    let basis = match estimate.measured {
        0 => "a guess, as none like them was measured yet".to_owned(),
        1 => "as one earlier trial took".to_owned(),
        many => format!("as {many} earlier trials took"),
    };
    let trials = match estimate.jobs {
        1 => format!("one trial with {}", bytes(estimate.per_trial)),
        many => format!("{many} trials at one time with {} each", bytes(estimate.per_trial)),
    };
    let mut parts = vec![format!("{trials} ({basis})")];
    for (count, what) in [
        (estimate.sources, "for sources that are not here yet"),
        (estimate.image, "for the image"),
        (estimate.reserve, "that stay free for the machine"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", bytes(count)));
        }
    }
    parts.join(", ")
}
