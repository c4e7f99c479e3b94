//! After a build: whether more would be built with what the project would like to have. Kept only if it is more.

use std::time::Duration;

use seatrial_core::{Purpose, Recipe, Relaxation, RelaxationClass, RelaxationScope, Step};
use seatrial_diagnosis::diagnose;
use seatrial_packages::Key;
use seatrial_sandbox::Command;

use super::{
    attempt::Shop,
    named,
    needs::{missing_keys, packages_for, wishes},
    trial::Trial,
};
use crate::{
    ArtifactKind, BuildSystem, BuilderError, Plan, artifacts,
    declared::declared,
    plan::{Method, Settings},
    repair::{Missing, switched_on},
    tree::{Tree, is_side_folder, join},
};

/// Packages beyond which a wish list is no list of libraries any more.
const PACKAGES: usize = 40;
/// Options that are tried one by one.
const ONE_BY_ONE: usize = 4;
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
        relax(
            &mut settings,
            &best.settings,
            "shared",
            "build shared libraries",
            "only archives were made",
        );
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
    optional_packages(shop, plan, best)?;
    switch_on(shop, plan, best)?;
    further_targets(shop, plan, best)?;
    neighbours(shop, plan, plans, best)
}

/// Installs what the configuration says that it did not find, and then what the project declares as optional.
fn optional_packages(shop: &mut Shop<'_, '_>, plan: &Plan, best: &mut Trial) -> Result<(), BuilderError> {
    let missing = Missing::default();
    let own: Vec<String> = best
        .artifacts
        .iter()
        .map(|artifact| artifact.name.to_ascii_lowercase())
        .collect();
    let title = shop.request.title.to_ascii_lowercase();
    let named: Vec<Key> = named::names(&best.configured)
        .into_iter()
        // What a project looks for under its own name is itself, which must be built and not installed.
        .filter(|keys| {
            !keys.iter().any(|key| {
                let name = key.name().to_ascii_lowercase();
                title.contains(&name) || own.iter().any(|file| file.contains(&name))
            })
        })
        .filter_map(|keys| keys.into_iter().find(|key| missing.best(key, shop.resolver).is_some()))
        .collect();
    let wished = wishes(&declared(shop.tree, plan));
    let kinds = [
        (named, "the configuration looked for it and went on without"),
        (
            wished,
            "the project declares them as optional, and may build more with them",
        ),
    ];
    let mut tried: Vec<String> = Vec::new();
    for (keys, why) in kinds {
        let mut packages = best.packages.clone();
        let new: Vec<String> = packages_for(&keys, &missing, shop.resolver)
            .into_iter()
            .filter(|package| !packages.contains(package))
            .take(PACKAGES)
            .collect();
        if new.iter().all(|package| tried.contains(package)) {
            continue;
        }
        let what = format!("build again with {}", new.join(" "));
        packages.extend(new.iter().cloned());
        tried.extend(new);
        let settings = best.settings.clone();
        attempt(shop, plan, best, &settings, packages, &what, why)?;
    }
    Ok(())
}

/// Switches on what the project leaves off and that may make more: all at once, and where that does not work, one by one.
fn switch_on(shop: &mut Shop<'_, '_>, plan: &Plan, best: &mut Trial) -> Result<(), BuilderError> {
    if !shop.bars.allow(RelaxationClass::Options, "switched-on")
        || shop.is_late(best.wall * 2 + Duration::from_secs(30))
    {
        return Ok(());
    }
    let help = if matches!(plan.system, BuildSystem::Autotools | BuildSystem::AutotoolsBootstrap) {
        configure_help(shop, &plan.folder())?
    } else {
        String::new()
    };
    let mut arguments = switched_on(shop.tree, plan.system, &plan.root.folder, &help);
    arguments.retain(|argument| !best.settings.arguments.contains(argument));
    if arguments.is_empty() || with_arguments(shop, plan, best, &arguments)? || arguments.len() == 1 {
        return Ok(());
    }
    for argument in arguments.iter().take(ONE_BY_ONE) {
        if best.wall > Duration::from_mins(1) {
            break;
        }
        with_arguments(shop, plan, best, std::slice::from_ref(argument))?;
    }
    Ok(())
}

fn with_arguments(
    shop: &mut Shop<'_, '_>,
    plan: &Plan,
    best: &mut Trial,
    arguments: &[String],
) -> Result<bool, BuilderError> {
    let mut settings = best.settings.clone();
    settings.arguments.extend(arguments.iter().cloned());
    let what = format!("switch on {}", arguments.join(" "));
    let why = "the project leaves it off, and may build more with it";
    relax(&mut settings, &best.settings, "switched-on", &what, why);
    let packages = best.packages.clone();
    attempt(shop, plan, best, &settings, packages, &what, why)
}

/// What the project's own script says of its options, in whatever state the last build left it.
fn configure_help(shop: &mut Shop<'_, '_>, folder: &str) -> Result<String, BuilderError> {
    let script = format!(
        "{}cd \"{folder}\" 2>/dev/null && if [ -f configure ]; then sh ./configure --help; fi",
        Recipe::preamble()
    );
    let mut output = Vec::new();
    let command = Command::bash(script).with_timeout(Duration::from_secs(20));
    let _execution = shop.sandbox.exec(&command, &mut output)?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}

/// Builds targets of a makefile that its usual one leaves out.
fn further_targets(shop: &mut Shop<'_, '_>, plan: &Plan, best: &mut Trial) -> Result<(), BuilderError> {
    let Method::Make(facts) = &plan.method else {
        return Ok(());
    };
    let mut targets: Vec<String> = Vec::new();
    for target in &facts.further {
        if !targets.contains(target) && !best.settings.build_arguments.contains(target) {
            targets.push(target.clone());
        }
    }
    if targets.is_empty() || !shop.bars.allow(RelaxationClass::Options, "targets") {
        return Ok(());
    }
    let mut settings = best.settings.clone();
    let what = format!("build the targets {} too", targets.join(" "));
    let why = "the makefile has them, and the usual target may not need them";
    settings.targets = targets;
    relax(&mut settings, &best.settings, "targets", &what, why);
    let packages = best.packages.clone();
    attempt(shop, plan, best, &settings, packages, &what, why)?;
    Ok(())
}

/// Notes an option that was switched on.
fn relax(settings: &mut Settings, earlier: &Settings, rule: &str, what: &str, why: &str) {
    let relaxation = Relaxation {
        class: RelaxationClass::Options,
        rule: rule.to_owned(),
        what: what.to_owned(),
        scope: RelaxationScope::Project,
        why: why.to_owned(),
    };
    settings.note(earlier, relaxation);
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
) -> Result<bool, BuilderError> {
    // A second build costs about what the first one did, and packages besides.
    if shop.is_late(best.wall * 2 + Duration::from_secs(90)) {
        return Ok(false);
    }
    shop.watcher.decision(what, why);
    let steps = plan.steps_with(settings);
    let mut missing = Missing::default();
    let mut trial = shop.run(&steps, settings, &mut packages, &mut missing)?;
    // What was switched on may need something: one chance.
    if !trial.clean && best.clean {
        let before = packages.len();
        for keys in missing_keys(&diagnose(&trial.log), shop.tree) {
            if let Some((package, reason)) = missing.next(&keys, shop.resolver, &packages) {
                shop.watcher.decision(&format!("install {package}"), &reason);
                packages.push(package);
            }
        }
        if packages.len() > before && !shop.is_late(best.wall * 2 + Duration::from_mins(1)) {
            trial = shop.run(&steps, settings, &mut packages, &mut missing)?;
        }
    }
    let more = trial.worth >= best.worth + 0.5;
    let lost = artifacts::linked(&best.artifacts)
        .difference(&artifacts::linked(&trial.artifacts))
        .count();
    if (trial.clean || !best.clean) && more && lost == 0 {
        shop.watcher.decision("keep it", "more programs or libraries were made");
        *best = trial;
        return Ok(true);
    }
    shop.watcher.decision("go back", "it made no more, or not everything");
    Ok(false)
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
        let required = packages_for(&needs.required, &Missing::default(), shop.resolver);
        for package in required.into_iter().chain(needs.packages) {
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
    let mut trial = shop.run(&steps, &settings, &mut packages, &mut Missing::default())?;
    let failed: Vec<String> = trial
        .tolerated
        .iter()
        .filter(|step| !best.tolerated.contains(step))
        .cloned()
        .chain(trial.stopped_by.clone())
        .collect();
    for step in &failed {
        shop.watcher.decision("a part beside it is not built", step);
    }
    if trial.clean && trial.worth >= best.worth + 0.5 {
        shop.watcher.decision("keep it", "more programs or libraries were made");
        trial.beside = failed;
        *best = trial;
    } else {
        shop.watcher.decision("go back", "it made no more");
        best.beside = failed;
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
