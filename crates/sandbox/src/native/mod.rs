//! The native back end: Linux namespaces and overlayfs, no daemon.
//!
//! The harness never forks or unshares itself, because it has threads. It starts a helper, the same program under
//! another first argument, which becomes the box's supervisor: in a user namespace of its own, so that root in a box
//! is nobody outside. Each command gets a fresh pid namespace, whose end the kernel enforces for every process in it.
//!
//! | module | runs in | what |
//! |---|---|---|
//! | [`factory`], [`machine`] | harness | makes boxes, speaks to supervisors |
//! | [`running`] | harness | passes a command's output on and enforces its limits |
//! | [`pipes`], [`meter`] | harness | passes bytes of files on, watches the stop switch and counts |
//! | [`spares`] | harness | keeps helpers ready that are no boxes yet |
//! | [`session`] | harness | shells that stay, and the scripts in them |
//! | [`fork`] | harness | which layers of other boxes a box stands on, and for how long they stay |
//! | [`idmap`] | harness | who root in a box is outside |
//! | [`trash`] | harness | deletes what dead boxes left |
//! | [`cgroups`], [`enforcement`] | harness | bounds a box's memory, processor time and processes, and tells how |
//! | [`wire`] | both | messages and descriptors over one socket |
//! | [`supervisor`], [`layers`], [`network`] | helper | the loop, the overlay's layers, the door's sockets |
//! | [`stack`], [`merge`] | helper's children | layers read without mounting them; one layer made of several |
//! | [`session_init`] | helper's children | the first process of a session |
//! | [`walls`], [`masks`], [`seccomp`] | helper and its children | what is given up before foreign code runs |
//! | [`binfmt`], [`tool`] | helper | programs of other architectures; a program of the host that makes images |
//! | [`command`], [`files`], [`archive`], [`whiteouts`], [`export`], [`walk`] | helper's children | one command, one file operation, one comparison |

mod archive;
mod binfmt;
mod cgroups;
mod command;
mod enforcement;
mod export;
mod factory;
mod files;
mod fork;
mod idmap;
mod layers;
mod machine;
mod masks;
mod merge;
mod meter;
mod network;
mod pipes;
mod removal;
mod running;
mod seccomp;
mod session;
mod session_init;
mod spares;
mod stack;
mod supervisor;
mod tool;
mod trash;
mod walk;
mod walls;
mod whiteouts;
mod wire;

pub(crate) use cgroups::version_of_machine;
pub(crate) use command::{Streams, become_command};
pub(crate) use enforcement::of_this_process as enforcement;
pub use factory::NativeFactory;
pub(crate) use factory::{IMAGE_OF_BOX, door_sockets, give, io_error, names, open_to_boxes, read_in};
pub(crate) use files::work as work_on_files;
pub(crate) use idmap::IdMap;
pub(crate) use network::set_up as set_up_network;
pub(crate) use seccomp::is_known as has_filter;
pub use seccomp::{DeniedCall, denied_calls};
pub use supervisor::{helper_main, is_helper_invocation};
pub(crate) use trash::{Helper, open_folder, remove_tree, send_pack, send_unpack};
pub(crate) use walk::Reader;
pub(crate) use walls::{KEPT_CAPABILITIES, filter as filter_calls, prepare_filter};
pub(crate) use wire::{Channel, ExecRequest, FileRequest, Reply, Request, ToolRequest, UnpackRequest};

/// The time of everything in an image that was made while the image was made, in seconds since the Unix epoch: what is
/// made again is the same.
pub(crate) const IMAGE_TIME: u64 = 1_700_000_000;
