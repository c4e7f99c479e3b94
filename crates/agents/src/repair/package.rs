//! The package of a task: as it came, as it is in the box, and rebuilt.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use seatrial_core::{Arch, BOX_SOURCE};
use seatrial_packaging::Package;
use seatrial_rebuild::{EMULATED_FACTOR, Heard, Mode, RebuildError, RebuildRequest, Rebuilder, State};
use seatrial_tools::{PackageRebuilds, RebuildOrder, RebuildsError, Rebuilt, TakeError, take_package};

use crate::{AgentError, SolveContext};

/// The package of a task.
pub(crate) struct BoxPackage<'a> {
    pristine: Package,
    target: Arch,
    rebuilder: Option<&'a dyn Rebuilder>,
    stop: Arc<AtomicBool>,
}

impl<'a> BoxPackage<'a> {
    /// The package of a task that asks for a repair; none for another task.
    pub(crate) fn of(context: &SolveContext<'a>) -> Result<Option<Self>, AgentError> {
        let Some(goal) = context.task.goal.repair() else {
            return Ok(None);
        };
        Ok(Some(Self {
            pristine: open(context)?,
            target: goal.target,
            rebuilder: context.rebuilder,
            stop: context.sandbox.stopper(),
        }))
    }
}

impl PackageRebuilds for BoxPackage<'_> {
    fn pristine(&self) -> &Package {
        &self.pristine
    }

    fn target(&self) -> Arch {
        self.target
    }

    fn rebuild(
        &self,
        package: &Package,
        order: &RebuildOrder,
        output: &mut dyn FnMut(&[u8]),
    ) -> Result<Rebuilt, RebuildsError> {
        let rebuilder = self
            .rebuilder
            .ok_or_else(|| RebuildsError::Broken("nothing was given that rebuilds packages".to_owned()))?;
        rebuild_package(rebuilder, package, self.target, order, &self.stop, output)
    }
}

/// Rebuilds a package from clean as a tool asks for it.
pub fn rebuild_package(
    rebuilder: &dyn Rebuilder,
    package: &Package,
    target: Arch,
    order: &RebuildOrder,
    stop: &Arc<AtomicBool>,
    output: &mut dyn FnMut(&[u8]),
) -> Result<Rebuilt, RebuildsError> {
    let broken = |error: RebuildError| match error {
        _ if stop.load(Ordering::SeqCst) => RebuildsError::Interrupted,
        RebuildError::Packaging(error) => RebuildsError::Package(format!("the package cannot be packed: {error}")),
        error => RebuildsError::Broken(error.to_string()),
    };
    let foreign = target != Arch::host();
    let cross = order.cross && foreign;
    let mut request = RebuildRequest {
        mode: if cross { Mode::Cross } else { Mode::Native },
        stop: Some(Arc::clone(stop)),
        ..RebuildRequest::default()
    };
    // A rebuilder gives an emulated build so many times the time.
    let factor = if foreign && !cross { EMULATED_FACTOR } else { 1 };
    request.time.build = request.time.build.min(order.time / factor);
    request.time.idle = request.time.idle.min(request.time.build);
    let outcome = rebuilder
        .rebuild_opened(package, target, &request, &mut Heard(output))
        .map_err(broken)?;
    if stop.load(Ordering::SeqCst) {
        return Err(RebuildsError::Interrupted);
    }
    let mut details = outcome.details;
    if let State::Invalid(reason) = &outcome.state {
        details = format!("{reason}\n{details}");
    }
    if !outcome.missing.is_empty() {
        details = format!("{details}\nmissing: {}", outcome.missing.join(", "));
    }
    Ok(Rebuilt {
        state: outcome.state,
        details: details.trim().to_owned(),
        log: outcome.log,
        source: outcome.source,
        proof: outcome.proof,
        emulated: outcome.emulated,
        wall_ms: outcome.duration.as_millis() as u64,
    })
}

fn open(context: &SolveContext<'_>) -> Result<Package, AgentError> {
    Ok(Package::open(context.tree)?)
}

/// What is handed in of a package in the box: its difference to the package as it came, and a word about it. None when
/// nothing differs, or when what is there cannot be handed in.
pub(crate) fn hand_in(
    context: &mut SolveContext<'_>,
    pristine: Option<&Package>,
) -> Result<(Option<String>, String), AgentError> {
    let opened;
    let pristine = if let Some(pristine) = pristine {
        pristine
    } else {
        opened = open(context)?;
        &opened
    };
    let taken = match take_package(context.sandbox, BOX_SOURCE, pristine) {
        Ok(taken) => taken,
        Err(TakeError::Sandbox(error)) => return Err(error.into()),
        Err(error) => return Ok((None, format!("nothing can be handed in: {error}"))),
    };
    let (patch, mut how) = difference(&taken.package, pristine);
    if !taken.left_out.is_empty() {
        how = format!(
            "{how}; left out, because a build made it: {}",
            taken.left_out.join(", ")
        );
    }
    Ok((patch, how))
}

/// The difference of a package to the package as it came, and a word about it.
pub(crate) fn difference(package: &Package, pristine: &Package) -> (Option<String>, String) {
    match package.diff_from(pristine) {
        Ok(diff) if diff.trim().is_empty() => (None, "no file was changed".to_owned()),
        Ok(diff) => {
            let files = diff.lines().filter(|line| line.starts_with("diff --git ")).count();
            (Some(diff), format!("{files} files changed"))
        }
        Err(error) => (None, format!("the difference cannot be told: {error}")),
    }
}
