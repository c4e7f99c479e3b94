//! Who the users of a box are outside.

use std::{
    io,
    process::{Command, Stdio},
};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::SandboxError;

/// How many ids a box has.
const COUNT: u32 = 65_536;
/// Where the ids of boxes begin when the harness is root and `/etc/subuid` says nothing: above what container
/// managers hand out, below the sign bit.
const FALLBACK_BASE: u32 = 0x7000_0000;

/// The map from ids in a box to ids outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IdMap {
    /// Outside user id of the box's root.
    pub(crate) root_uid: u32,
    /// Outside group id of the box's root.
    pub(crate) root_gid: u32,
    /// First of the subordinate ids that follow root.
    pub(crate) uid_base: u32,
    /// The same for groups.
    pub(crate) gid_base: u32,
    /// Whether the harness is root and writes the maps itself.
    pub(crate) privileged: bool,
}

impl IdMap {
    /// The map for the user who runs this program.
    pub(crate) fn of_this_user() -> Result<Self, SandboxError> {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        if uid == 0 {
            let base = |file| subordinate(file, &["root".to_owned(), "0".to_owned()]).unwrap_or(FALLBACK_BASE);
            let (uid_base, gid_base) = (base("/etc/subuid"), base("/etc/subgid"));
            return Ok(Self {
                root_uid: uid_base,
                root_gid: gid_base,
                uid_base,
                gid_base,
                privileged: true,
            });
        }
        let names = [user_name(uid), uid.to_string()];
        let find = |file: &str| {
            subordinate(file, &names).ok_or_else(|| SandboxError::Kernel {
                what: format!(
                    "{file} gives the user {} no 65536 subordinate ids",
                    names.first().map_or("", String::as_str)
                ),
                source: io::Error::from(io::ErrorKind::PermissionDenied),
                hint: format!(
                    "run `sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {}`",
                    names.first().map_or("", String::as_str)
                ),
            })
        };
        let (uid_base, gid_base) = (find("/etc/subuid")?, find("/etc/subgid")?);
        Ok(Self {
            root_uid: uid,
            root_gid: gid,
            uid_base,
            gid_base,
            privileged: false,
        })
    }

    /// Writes the maps of a process that has just entered its user namespace.
    pub(crate) fn apply(&self, pid: u32) -> Result<(), SandboxError> {
        let failed = |what: String, source: io::Error| SandboxError::Kernel {
            what,
            source,
            hint: "run `seatrial doctor` to see what this machine lacks".to_owned(),
        };
        if self.privileged {
            for (file, base) in [("uid_map", self.uid_base), ("gid_map", self.gid_base)] {
                let path = format!("/proc/{pid}/{file}");
                fs::write(&path, format!("0 {base} {COUNT}\n"))
                    .map_err(|error| failed(format!("writing {path}"), error))?;
            }
            return Ok(());
        }
        for (program, root, base) in [
            ("newuidmap", self.root_uid, self.uid_base),
            ("newgidmap", self.root_gid, self.gid_base),
        ] {
            let numbers = [
                "0".to_owned(),
                root.to_string(),
                "1".to_owned(),
                "1".to_owned(),
                base.to_string(),
                (COUNT - 1).to_string(),
            ];
            let output = Command::new(program)
                .arg(pid.to_string())
                .args(&numbers)
                .stdin(Stdio::null())
                .output();
            match output {
                Ok(output) if output.status.success() => {}
                Ok(output) => {
                    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                    return Err(failed(format!("`{program}`"), io::Error::other(text)));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(SandboxError::NoProgram {
                        program: program.to_owned(),
                        install: "apt-get install uidmap".to_owned(),
                    });
                }
                Err(error) => return Err(failed(format!("`{program}`"), error)),
            }
        }
        Ok(())
    }
}

/// The first range of at least [`COUNT`] ids that a file grants to one of these names.
fn subordinate(file: &str, names: &[String]) -> Option<u32> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let mut parts = line.trim().split(':');
        let (name, base, count) = (parts.next()?, parts.next()?, parts.next()?);
        let enough = count.parse::<u32>().ok()? >= COUNT;
        (enough && names.iter().any(|known| known == name))
            .then(|| base.parse().ok())
            .flatten()
    })
}

fn user_name(uid: u32) -> String {
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    text.lines()
        .find_map(|line| {
            let mut parts = line.split(':');
            let (name, _, id) = (parts.next()?, parts.next()?, parts.next()?);
            (id == uid.to_string()).then(|| name.to_owned())
        })
        .unwrap_or_else(|| uid.to_string())
}
