//! Follows a run step by step, as the kernel tells of its files, and kills it after some.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::File,
    io::Read,
    os::{fd::AsFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags},
};

use super::traces::Traces;

/// How it ended.
pub(super) enum Ended {
    ByItself { code: i32, out: String, err: String },
    Killed,
}

/// A running harness.
pub(super) struct Watched {
    child: Child,
    out: tempfile::NamedTempFile,
    notices: Notices,
}

/// What the kernel tells of the folders of a run.
struct Notices {
    inotify: std::os::fd::OwnedFd,
    folders: HashMap<i32, PathBuf>,
    count: u64,
}

impl Notices {
    fn new(home: &Path) -> Self {
        let mut notices = Self {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap(),
            folders: HashMap::new(),
            count: 0,
        };
        for room in ["boxes", "runs"] {
            std::fs::create_dir_all(home.join(room)).unwrap();
            notices.watch(&home.join(room));
        }
        for run in std::fs::read_dir(home.join("runs")).unwrap() {
            notices.follow(&run.unwrap().path());
        }
        notices
    }

    fn watch(&mut self, folder: &Path) {
        let flags = WatchFlags::CREATE | WatchFlags::MOVE | WatchFlags::DELETE | WatchFlags::MODIFY;
        // A folder that has gone meanwhile tells nothing more.
        if let Ok(number) = inotify::add_watch(&self.inotify, folder, flags) {
            self.folders.insert(number, folder.to_owned());
        }
    }

    /// Watches a run or a box, and what is in it: trials or layers.
    fn follow(&mut self, folder: &Path) {
        self.watch(folder);
        for room in ["trials", "layers"] {
            if folder.join(room).is_dir() {
                self.watch(&folder.join(room));
            }
        }
    }

    /// Takes what there is, and follows new folders of runs and trials.
    fn take(&mut self) {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut made = Vec::new();
        {
            let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
            while let Ok(event) = reader.next() {
                self.count += 1;
                if event.events().contains(ReadFlags::CREATE | ReadFlags::ISDIR)
                    && let (Some(folder), Some(name)) = (self.folders.get(&event.wd()), event.file_name())
                {
                    made.push(folder.join(OsStr::from_bytes(name.to_bytes())));
                }
            }
        }
        for folder in made {
            self.follow(&folder);
        }
    }
}

impl Watched {
    pub(super) fn start(mut command: Command, home: &Path) -> Self {
        let notices = Notices::new(home);
        let out = tempfile::NamedTempFile::new().unwrap();
        let child = command
            .stdout(File::create(out.path()).unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { child, out, notices }
    }

    /// Lets it go on for some steps and a few turns of an idle loop, then kills it.
    pub(super) fn kill_after(mut self, steps: u64, turns: u64, traces: &mut Traces) -> Ended {
        let mut pipe = self.child.stderr.take().unwrap();
        let mut err = Vec::new();
        while self.notices.count < steps {
            let (said, told) = {
                let mut waited = [
                    PollFd::new(&pipe, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.notices.inotify.as_fd(), PollFlags::IN),
                ];
                poll(&mut waited, None).unwrap();
                (!waited[0].revents().is_empty(), !waited[1].revents().is_empty())
            };
            if told {
                self.notices.take();
            }
            if said {
                let mut bytes = [0; 4096];
                let count = pipe.read(&mut bytes).unwrap();
                err.extend_from_slice(&bytes[..count]);
                if count == 0 {
                    // It has closed its end, so it is over.
                    return self.ended(&err);
                }
            }
        }
        // Not each point of interest is one at which a file changes.
        for _ in 0..turns {
            std::hint::spin_loop();
        }
        let pid = rustix::process::Pid::from_child(&self.child);
        // It stands still while its boxes are counted; to the kill it makes no difference.
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        traces.note(self.child.id());
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        Ended::Killed
    }

    fn ended(mut self, err: &[u8]) -> Ended {
        let status = self.child.wait().unwrap();
        Ended::ByItself {
            code: status.code().unwrap_or(-1),
            out: std::fs::read_to_string(self.out.path()).unwrap(),
            err: String::from_utf8_lossy(err).into_owned(),
        }
    }
}
