//! The local builder of a package, whatever its kind.

use seatrial_core::Arch;
use seatrial_packages::Resolver;

use crate::{
    Kind, Listener, LocalDebian, LocalRpm, LocalWorld, Outcome, RebuildError, RebuildRequest, Rebuilder, SourcePackage,
};

/// Rebuilds source packages of both kinds in boxes of this machine.
pub struct Local<'a> {
    debian: LocalDebian<'a>,
    rpm: LocalRpm<'a>,
}

impl<'a> Local<'a> {
    /// A builder in a world of boxes. The resolver says which package has what an RPM package asks for.
    pub fn new(world: &'a LocalWorld<'a>, resolver: Option<&'a dyn Resolver>) -> Self {
        Self {
            debian: LocalDebian::new(world),
            rpm: LocalRpm::new(world, resolver),
        }
    }
}

impl Rebuilder for Local<'_> {
    fn name(&self) -> &'static str {
        "local"
    }

    fn rebuild(
        &self,
        package: &SourcePackage,
        target: Arch,
        request: &RebuildRequest,
        listener: &mut dyn Listener,
    ) -> Result<Outcome, RebuildError> {
        match package.kind() {
            Kind::Debian => self.debian.rebuild(package, target, request, listener),
            Kind::Rpm => self.rpm.rebuild(package, target, request, listener),
        }
    }
}
