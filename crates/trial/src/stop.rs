//! Stopping everything at once, from a signal handler's thread.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicBool, Ordering},
};

use seatrial_core::Arch;
use seatrial_sandbox::{BoxSpec, Enforcement, Sandbox, SandboxError, SandboxFactory};

/// A switch that ends every running command in every box and keeps new ones from starting. Clones are one switch.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    thrown: AtomicBool,
    boxes: Mutex<Vec<Weak<AtomicBool>>>,
}

impl Stop {
    /// Throws the switch.
    pub fn throw(&self) {
        self.inner.thrown.store(true, Ordering::SeqCst);
        for flag in self.boxes().iter().filter_map(Weak::upgrade) {
            flag.store(true, Ordering::SeqCst);
        }
    }

    /// Whether it was thrown.
    pub fn is_thrown(&self) -> bool {
        self.inner.thrown.load(Ordering::SeqCst)
    }

    /// A flag that is set when the switch is thrown, for what knows no switch.
    pub fn flag(&self) -> Arc<AtomicBool> {
        let flag = Arc::default();
        self.watch(&flag);
        flag
    }

    fn watch(&self, flag: &Arc<AtomicBool>) {
        let mut boxes = self.boxes();
        boxes.retain(|weak| weak.strong_count() > 0);
        boxes.push(Arc::downgrade(flag));
        // The switch may have been thrown while the box was being made.
        if self.is_thrown() {
            flag.store(true, Ordering::SeqCst);
        }
    }

    fn boxes(&self) -> std::sync::MutexGuard<'_, Vec<Weak<AtomicBool>>> {
        self.inner.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A factory whose boxes obey a [`Stop`].
pub(crate) struct Stoppable<'a> {
    pub(crate) factory: &'a dyn SandboxFactory,
    pub(crate) stop: &'a Stop,
}

impl SandboxFactory for Stoppable<'_> {
    fn start(&self, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
        self.start_for(spec, &[])
    }

    fn start_for(&self, spec: &BoxSpec, also: &[Arch]) -> Result<Box<dyn Sandbox>, SandboxError> {
        if self.stop.is_thrown() {
            return Err(SandboxError::Interrupted);
        }
        let sandbox = self.factory.start_for(spec, also)?;
        self.stop.watch(&sandbox.stopper());
        Ok(sandbox)
    }

    fn settle(&self) {
        self.factory.settle();
    }

    fn enforcement(&self) -> Vec<Enforcement> {
        self.factory.enforcement()
    }
}

#[cfg(test)]
mod tests {
    use seatrial_core::Digest;
    use seatrial_sandbox::{Limits, Network};

    use super::*;

    /// Says which architectures a box was asked for.
    struct Asked;

    impl SandboxFactory for Asked {
        fn start(&self, spec: &BoxSpec) -> Result<Box<dyn Sandbox>, SandboxError> {
            self.start_for(spec, &[])
        }

        fn start_for(&self, _: &BoxSpec, also: &[Arch]) -> Result<Box<dyn Sandbox>, SandboxError> {
            Err(SandboxError::Died(format!("{also:?}")))
        }
    }

    #[test]
    fn what_is_asked_of_a_factory_reaches_it_until_the_switch_is_thrown() {
        let stop = Stop::default();
        let factory = Stoppable {
            factory: &Asked,
            stop: &stop,
        };
        let spec = BoxSpec {
            image: Digest::of(b"image"),
            limits: Limits::default(),
            network: Network::Off,
        };
        let said = |also: &[Arch]| factory.start_for(&spec, also).err().unwrap().to_string();
        assert!(said(&[Arch::Aarch64]).contains("Aarch64"));
        assert!(said(&[]).contains("[]"));
        stop.throw();
        assert!(matches!(factory.start(&spec), Err(SandboxError::Interrupted)));
        assert!(
            stop.flag().load(Ordering::SeqCst),
            "a flag that is asked for later is set too"
        );
    }
}
