//! The loop: plan by plan, run, diagnose, repair, compare, keep the best.

mod attempt;
mod beside;
mod ground;
mod improve;
mod minimise;
mod named;
mod needs;
mod runner;
mod state;
mod symbols;
mod trial;
mod watch;

use std::time::{Duration, Instant};

use attempt::Shop;
use ground::Ground;
use seatrial_core::{Recipe, Relaxation, RelaxationClass, RelaxationScope};
use seatrial_packages::Resolver;
use seatrial_sandbox::Sandbox;
use seatrial_store::Blobs;
use trial::Trial;

use crate::{
    ArtifactKind, AttemptSummary, BuildReport, BuildRequest, BuilderError, Plan, Watcher, artifacts, explain,
    repair::Bars,
    tree::{Tree, base, is_side_folder},
};

/// Plans that are tried at all.
const PLANS: usize = 8;
/// Further plans that are tried once something was built, though not without failures.
const PLANS_AFTER_PART: usize = 2;

/// Builds what lies in the box at the source folder, and says how to do it again.
///
/// The box is left in an unspecified state. A build that fails is a report without a recipe and with an explanation.
pub fn build(
    request: &BuildRequest<'_>,
    sandbox: &mut dyn Sandbox,
    resolver: &dyn Resolver,
    blobs: &Blobs,
    watcher: &mut dyn Watcher,
) -> Result<BuildReport, BuilderError> {
    watcher.phase("detect");
    // A folder that cannot be read at all is our caller's mistake, not an empty project.
    drop(fs_err::read_dir(request.tree)?);
    let tree = Tree::scan(request.tree);
    let roots = crate::detect::roots(&tree);
    let mut plans = crate::plan::plans_for(&tree, &roots);
    if plans.is_empty() {
        return Ok(BuildReport {
            recipe: None,
            artifacts: Vec::new(),
            explanation: explain::nothing_to_build(&tree),
            problem: None,
            attempts: Vec::new(),
        });
    }
    let names: Vec<String> = plans.iter().take(5).map(Plan::title).collect();
    watcher.decision(
        &format!(
            "found {} way{} to build: {}",
            plans.len(),
            if plans.len() == 1 { "" } else { "s" },
            names.join("; ")
        ),
        &plans_why(&plans),
    );
    let ground = Ground::new(sandbox)?;
    let bars = Bars {
        classes: request.policy.forbid.clone(),
        rules: request.policy.without.clone(),
    };
    if !bars.allow(RelaxationClass::Warnings, WRAPPERS) {
        for plan in &mut plans {
            plan.settings.keeps_errors = true;
        }
    }
    let mut shop = Shop {
        request,
        sandbox,
        resolver,
        blobs,
        watcher,
        tree: &tree,
        ground,
        bars: &bars,
        watches: false,
    };
    let mut attempts: Vec<AttemptSummary> = Vec::new();
    let mut best: Option<(usize, Trial)> = None;
    let mut after_part = 0;
    // Where only archives were made, what is still tried: other systems in the same folder.
    let mut beside: Option<&Plan> = None;
    for (number, plan) in plans.iter().enumerate().take(PLANS) {
        if beside.is_some_and(|known| !is_beside(known, plan)) {
            continue;
        }
        if best.is_some() {
            after_part += 1;
            if after_part > PLANS_AFTER_PART || is_side_folder(&plan.root.folder) {
                break;
            }
        }
        if shop.is_late(Duration::from_secs(5)) {
            break;
        }
        shop.watcher.phase(&format!("plan {}: {}", number + 1, plan.title()));
        shop.watcher
            .decision(&format!("try {}", plan.title()), &plan.root.evidence.join(", "));
        let (trial, summary) = attempt::attempt(&mut shop, plan)?;
        attempts.push(summary);
        let Some(mut trial) = trial else { continue };
        let good = trial.clean && trial.is_product();
        if good {
            improve::improve(&mut shop, plan, &plans, &mut trial)?;
        }
        let linked = [ArtifactKind::Executable, ArtifactKind::SharedObject]
            .into_iter()
            .any(|kind| artifacts::has(&trial.artifacts, kind));
        if trial.worth > 0.0 && best.as_ref().is_none_or(|(_, known)| trial.score() > known.score()) {
            best = Some((number, trial));
        }
        if good && !linked && plans.iter().skip(number + 1).any(|other| is_beside(plan, other)) {
            beside = Some(plan);
        } else if good {
            break;
        }
    }
    // A build that got through in part may give more too, once no plan gets through whole.
    if let Some((number, trial)) = &mut best
        && !trial.clean
        && trial.is_product()
        && let Some(plan) = plans.get(*number)
    {
        improve::improve(&mut shop, plan, &plans, trial)?;
    }
    let Some((number, trial)) = best else {
        let problem = attempts.iter().find_map(|attempt| attempt.problem.clone());
        return Ok(BuildReport {
            recipe: None,
            artifacts: Vec::new(),
            explanation: explain::failure(&tree, &attempts),
            problem,
            attempts,
        });
    };
    let mut trial = trial;
    let mut shrunk = None;
    if let Some(budget) = request.policy.minimise
        && let Some(plan) = plans.get(number)
    {
        shrunk = Some(minimise::minimise(&mut shop, plan, &mut trial, budget)?);
    }
    let plan = plans.get(number).map(Plan::title).unwrap_or_default();
    let mut explanation = explain::success(
        &tree,
        &plan,
        trial.stopped_by.as_deref(),
        trial.clean,
        &artifacts::linked(&trial.artifacts),
        &attempts,
    );
    explain::beside(&trial.beside, &mut explanation);
    if let Some(shrunk) = shrunk {
        explain::shrunk(
            shrunk.runs,
            &shrunk.packages,
            &shrunk.relaxations,
            shrunk.steps,
            &mut explanation,
        );
    }
    let recipe = recipe(request, &trial, &tree);
    Ok(BuildReport {
        recipe: Some(recipe),
        artifacts: trial.artifacts,
        explanation,
        problem: trial.problem,
        attempts,
    })
}

/// Whether a plan starts from the same folder with another system: one of the two may be for a part only.
fn is_beside(plan: &Plan, other: &Plan) -> bool {
    other.root.folder == plan.root.folder && other.system != plan.system
}

fn plans_why(plans: &[Plan]) -> String {
    plans
        .first()
        .map(|plan| format!("the first one because: {}", plan.root.evidence.join(", ")))
        .unwrap_or_default()
}

/// The name of the rule by which the wrappers of compilers leave `-Werror` out.
const WRAPPERS: &str = "wrappers";

fn recipe(request: &BuildRequest<'_>, trial: &Trial, tree: &Tree) -> Recipe {
    let mut steps = Vec::new();
    if !trial.packages.is_empty() {
        steps.push(ground::dependencies(&trial.packages));
    }
    steps.extend(trial.steps.iter().cloned());
    let mut relaxations = trial.settings.relaxations.clone();
    if crate::plan::drops_errors(&steps) && makes_errors(tree) {
        relaxations.push(Relaxation {
            class: RelaxationClass::Warnings,
            rule: WRAPPERS.to_owned(),
            what: "leave out -Werror".to_owned(),
            scope: RelaxationScope::Project,
            why: "a newer compiler warns of more than the project was written for".to_owned(),
        });
    }
    Recipe {
        title: request.title.clone(),
        platform: request.platform.clone(),
        base_packages: request.base_packages.clone(),
        steps,
        relaxations,
    }
}

/// Whether the project's build files make warnings errors.
fn makes_errors(tree: &Tree) -> bool {
    const FILES: usize = 400;
    let is_build_file = |path: &&str| {
        let name = base(path).to_ascii_lowercase();
        [
            "makefile",
            "gnumakefile",
            "configure",
            "sconstruct",
            "sconscript",
            "wscript",
        ]
        .iter()
        .any(|start| name.starts_with(start))
            || [".mk", ".mak", ".make", ".pro", ".pri", ".sh", ".gn", ".ninja", ".m4"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    tree.files()
        .filter(is_build_file)
        .take(FILES)
        .any(|path| tree.text(path).is_some_and(|text| text.contains("-Werror")))
}

/// Whether the deadline is nearer than this.
fn is_late(deadline: Option<Instant>, need: Duration) -> bool {
    deadline.is_some_and(|deadline| deadline.saturating_duration_since(Instant::now()) < need)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::lay;

    #[test]
    fn build_files_that_make_warnings_errors_are_seen() {
        for (file, text, found) in [
            ("src/Makefile", "CFLAGS = -O2 -Werror\n", true),
            ("rules.mk", "W := -Werror=vla\n", true),
            ("Makefile", "CFLAGS = -Wall\n", false),
            ("notes.txt", "no -Werror here\n", false),
        ] {
            let folder = lay(&[(file, text)]);
            assert_eq!(makes_errors(&Tree::scan(folder.path())), found, "{file}");
        }
    }
}
