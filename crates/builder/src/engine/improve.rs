//! After a build: whether more would be built with what the project would like to have. Kept only if it is more.

use std::time::Duration;

use seatrial_core::{Purpose, Relaxation, RelaxationClass, RelaxationScope, Step};

use super::attempt::{Shop, Trial, packages_for, wishes};
use crate::{
    ArtifactKind, BuildSystem, BuilderError, Plan, artifacts,
    declared::declared,
    plan::Settings,
    repair::Missing,
    tree::{Tree, is_side_folder, join},
};

/// Packages beyond which a wish list is no list of libraries any more.
const PACKAGES: usize = 40;
/// Other roots that are built in addition.
const NEIGHBOURS: usize = 6;

/// Tries, one after the other: shared libraries, the optional libraries, the neighbouring projects.
pub(super) fn improve(
    shop: &mut Shop<'_, '_>,
    plan: &Plan,
    plans: &[Plan],
    best: &mut Trial,
) -> Result<(), BuilderError> {
    if shop.bars.allow(RelaxationClass::Options, "shared")
        && artifacts::has(&best.artifacts, ArtifactKind::Archive)
        && !artifacts::has(&best.artifacts, ArtifactKind::SharedObject)
        && let Some(argument) = shared_argument(shop.tree, plan)
    {
        let mut settings = best.settings.clone();
        settings.arguments.push(argument.to_owned());
        settings.relaxations.push(Relaxation {
            class: RelaxationClass::Options,
            rule: "shared".to_owned(),
            what: "build shared libraries".to_owned(),
            scope: RelaxationScope::Project,
            why: "only archives were made".to_owned(),
        });
        let packages = best.packages.clone();
        attempt(
            shop,
            plan,
            best,
            &settings,
            packages,
            "build shared libraries",
            "only archives were made",
        )?;
    }
    let declared = declared(shop.tree, plan);
    let missing = Missing::default();
    let mut packages = best.packages.clone();
    let new: Vec<String> = packages_for(&wishes(&declared), &missing, shop.resolver)
        .into_iter()
        .filter(|package| !packages.contains(package))
        .take(PACKAGES)
        .collect();
    if !new.is_empty() {
        let what = format!("build again with {}", new.join(" "));
        packages.extend(new);
        let settings = best.settings.clone();
        attempt(
            shop,
            plan,
            best,
            &settings,
            packages,
            &what,
            "the project declares them as optional, and may build more with them",
        )?;
    }
    neighbours(shop, plan, plans, best)
}

/// What asks for shared libraries where a project does not make them by itself.
fn shared_argument(tree: &Tree, plan: &Plan) -> Option<&'static str> {
    match plan.system {
        BuildSystem::CMake => Some("-DBUILD_SHARED_LIBS=ON"),
        BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap => {
            let knows = |name: &str| {
                let text = tree.text(&join(&plan.root.folder, name)).unwrap_or_default();
                text.contains("enable_shared")
                    || text.contains("enable-shared")
                    || text.contains("ARG_ENABLE(shared")
                    || text.contains("ARG_ENABLE([shared")
            };
            ["configure.ac", "configure.in", "configure"]
                .into_iter()
                .any(knows)
                .then_some("--enable-shared")
        }
        _ => None,
    }
}

fn attempt(
    shop: &mut Shop<'_, '_>,
    plan: &Plan,
    best: &mut Trial,
    settings: &Settings,
    mut packages: Vec<String>,
    what: &str,
    why: &str,
) -> Result<(), BuilderError> {
    // A second build costs about what the first one did, and packages besides.
    if shop.is_late(best.wall * 2 + Duration::from_secs(90)) {
        return Ok(());
    }
    shop.watcher.decision(what, why);
    let steps = plan.steps_with(settings);
    let trial = shop.run(&steps, settings, &mut packages, &mut Missing::default())?;
    let more = trial.worth >= best.worth + 0.5;
    let lost = artifacts::linked(&best.artifacts)
        .difference(&artifacts::linked(&trial.artifacts))
        .count();
    if (trial.clean || !best.clean) && more && lost == 0 {
        shop.watcher.decision("keep it", "more programs or libraries were made");
        *best = trial;
    } else {
        shop.watcher.decision("go back", "it made no more, or not everything");
    }
    Ok(())
}

/// Roots beside the one that was built: a tree without a build file at its top may hold several projects that belong
/// together.
fn neighbours(shop: &mut Shop<'_, '_>, plan: &Plan, plans: &[Plan], best: &mut Trial) -> Result<(), BuilderError> {
    let own = plan.root.folder.as_str();
    if own.is_empty() {
        return Ok(());
    }
    let depth = own.matches('/').count();
    let mut taken: Vec<&str> = vec![own];
    let mut steps = best.steps.clone();
    let mut packages = best.packages.clone();
    for other in plans {
        let folder = other.root.folder.as_str();
        let related = taken.iter().any(|known| {
            *known == folder || known.starts_with(&format!("{folder}/")) || folder.starts_with(&format!("{known}/"))
        });
        if folder.is_empty() || related || is_side_folder(folder) || folder.matches('/').count() > depth + 1 {
            continue;
        }
        if taken.len() > NEIGHBOURS {
            break;
        }
        taken.push(folder);
        let needs = declared(shop.tree, other);
        for package in packages_for(&needs.required, &Missing::default(), shop.resolver) {
            if !packages.contains(&package) {
                packages.push(package);
            }
        }
        let place = format!("$OUT/build-{}", taken.len());
        for step in other.steps_with(&other.settings) {
            steps.push(moved(step, &place));
        }
    }
    if taken.len() == 1 || shop.is_late(best.wall * 3 + Duration::from_mins(1)) {
        return Ok(());
    }
    shop.watcher.decision(
        &format!(
            "build what lies beside it too: {}",
            taken.get(1..).unwrap_or_default().join(", ")
        ),
        "there is no build file at the top that would do it",
    );
    let settings = best.settings.clone();
    let trial = shop.run(&steps, &settings, &mut packages, &mut Missing::default())?;
    if trial.clean && trial.worth >= best.worth + 0.5 {
        shop.watcher.decision("keep it", "more programs or libraries were made");
        *best = trial;
    } else {
        shop.watcher.decision("go back", "it made no more");
    }
    Ok(())
}

/// A neighbour's step: in a build folder of its own, and without ending the recipe when it fails.
fn moved(step: Step, place: &str) -> Step {
    Step {
        folder: step.folder.replace("$OUT/build", place),
        command: step.command.replace("$OUT/build", place),
        keep_going: true,
        purpose: if step.purpose == Purpose::Install {
            Purpose::Install
        } else {
            step.purpose
        },
        why: step.why,
    }
}
