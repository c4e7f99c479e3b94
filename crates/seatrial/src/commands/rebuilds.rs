//! Images that a suite brings its own recipe for.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use seatrial_core::{Arch, Digest, Platform};
use seatrial_sandbox::{Credentials, Image, ImageRecipe, ImageStore, RecipeBuild};
use seatrial_suites::Corpus;

use super::platform;
use crate::{app::App, failure::Failure};

/// The images that a corpus's repairs are rebuilt in, by architecture; none for a corpus that asks for none.
pub(super) fn images(app: &App, corpus: &Corpus) -> Result<BTreeMap<Arch, Digest>, Failure> {
    let wanted: BTreeSet<Arch> = corpus
        .tasks()
        .filter_map(|task| task.goal.repair())
        .flat_map(|goal| [Some(goal.target), goal.works_on])
        .flatten()
        .collect();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    images_for(app, &platform(&corpus.facts().platform)?, &wanted)
}

/// The image that a suite's own recipe asks for, held; made now when there is none.
pub(super) fn of_recipe(app: &App, recipe: &ImageRecipe) -> Result<Image, Failure> {
    let images = app.images()?;
    let image = if let Some(image) = images.of_recipe(recipe)? {
        image
    } else {
        app.show.note(&format!(
            "making the image {}; this happens once and takes some minutes",
            recipe.name
        ));
        made(app, &images, recipe)?
    };
    app.hold_image(&image.id)?;
    Ok(image)
}

/// Makes an image from a recipe of ours.
fn made(app: &App, images: &ImageStore, recipe: &ImageRecipe) -> Result<Image, Failure> {
    let factory = app.image_factory()?;
    let build = RecipeBuild {
        factory: &factory,
        network: app.open_network()?,
        folder: PathBuf::new(),
        credentials: Credentials::default(),
        mirror: None,
    };
    let image = images.build_recipe(recipe, &build, &mut |line: &str| app.show.progress("image", line))?;
    app.show.clear();
    Ok(image)
}

/// The images of some architectures, held; those that are not there are made now.
pub(super) fn images_for(
    app: &App,
    platform: &Platform,
    wanted: &BTreeSet<Arch>,
) -> Result<BTreeMap<Arch, Digest>, Failure> {
    let images = app.images()?;
    let mut found = seatrial_rebuild::images_of(&images, &platform.distribution, &platform.release)?;
    for arch in wanted {
        if !found.contains_key(arch) {
            app.show.note(&format!(
                "making the image that packages are rebuilt in on {arch}; this happens once and takes some minutes"
            ));
            found.insert(*arch, made(app, &images, &seatrial_rebuild::recipe(*arch)?)?.id);
        }
    }
    found.retain(|arch, _| wanted.contains(arch));
    for id in found.values() {
        app.hold_image(id)?;
    }
    Ok(found)
}
