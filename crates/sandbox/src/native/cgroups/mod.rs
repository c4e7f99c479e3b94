//! Control groups: what bounds the memory, the processor time and the processes of a box as a whole.
//!
//! The harness makes one group a box in each hierarchy that has a limit to keep, below its own group where that is
//! possible, and puts the supervisor in before it forks. Kernels mount the controllers in one hierarchy (version 2), in
//! one each (version 1), in a mixture, or not at all; a limit that nothing can keep never fails a box, it is told by
//! [`Places::lacking`].
//!
//! | module | what |
//! |---|---|
//! | [`table`] | reads the kernel's tables |
//! | [`places`] | finds where this process may make groups |
//! | [`group`] | the groups of one box, and their removal |

mod group;
mod places;
mod table;

pub(crate) use group::{GroupView, Groups, remove, remove_listed};
pub(crate) use places::{Places, Version, started, version_of_machine};

/// A part of the kernel that bounds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Controller {
    Memory,
    Cpu,
    Pids,
}

impl Controller {
    pub(crate) const ALL: [Self; 3] = [Self::Memory, Self::Cpu, Self::Pids];

    /// The kernel's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Cpu => "cpu",
            Self::Pids => "pids",
        }
    }

    /// A file that each of its groups has, save the first of a hierarchy.
    fn file(self, version: Version) -> &'static str {
        match (self, version) {
            (Self::Memory, Version::One) => "memory.limit_in_bytes",
            (Self::Memory, Version::Two) => "memory.max",
            (Self::Cpu, Version::One) => "cpu.cfs_quota_us",
            (Self::Cpu, Version::Two) => "cpu.max",
            (Self::Pids, _) => "pids.max",
        }
    }
}
