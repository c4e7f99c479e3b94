//! `seatrial image`.

use std::fmt::Write as _;

use seatrial_core::ExitCode;
use seatrial_sandbox::{Image, ImageRequest};

use super::{answer, answer_json, platform};
use crate::{app::App, args::ImageVerb, failure::Failure};

pub(super) fn run(app: &App, verb: ImageVerb) -> Result<ExitCode, Failure> {
    let images = app.images()?;
    match verb {
        ImageVerb::Build {
            platform: name,
            with,
            mirror,
            force,
        } => {
            let platform = platform(&name)?;
            let mut request = ImageRequest::default_for(&platform);
            let plain = with.is_empty() && mirror.is_none();
            request.packages.extend(with);
            request.mirror = mirror;
            let found = if plain && !force { images.find(&platform)? } else { None };
            let image = match found {
                Some(image) => image,
                None => images.build(&request, &mut |line: &str| app.show.progress("image", line))?,
            };
            app.show.clear();
            if app.json {
                answer_json(&image)?;
            } else {
                answer(&line(&image))?;
            }
        }
        ImageVerb::List => {
            let list = images.list()?;
            if app.json {
                answer_json(&list)?;
            } else if list.is_empty() {
                answer("no images; `seatrial image build` makes one")?;
            } else {
                let mut text = String::new();
                for image in &list {
                    let _ = writeln!(text, "{}", line(image));
                }
                answer(&text)?;
            }
        }
        ImageVerb::Rm { image } => {
            let wanted = image.strip_prefix("b3:").unwrap_or(&image).to_owned();
            let list = images.list()?;
            let mut found = list.iter().filter(|image| image.id.hex().starts_with(&wanted));
            let (Some(image), None) = (found.next(), found.next()) else {
                return Err(Failure::usage(format!(
                    "`{image}` names no image, or several; see `seatrial image list`"
                )));
            };
            images.remove(&image.id)?;
            if app.json {
                answer_json(&image.id)?;
            } else {
                answer(&format!("removed {}", image.id.short()))?;
            }
        }
    }
    Ok(ExitCode::Passed)
}

fn line(image: &Image) -> String {
    format!(
        "{}  {}  {} packages",
        image.id.short(),
        image.platform,
        image.installed.len()
    )
}
