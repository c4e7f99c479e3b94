//! A model of the service: sources as it keeps them, states as the test says.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use seatrial_obs::{Client, Pace, PackagePath, Projects, Settings, Target};

use crate::{
    lab::{md5_of, sha256_of},
    wire::{Asked, Reply, Server},
};

pub(crate) struct Rev {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) user: String,
    pub(crate) comment: String,
}

/// What the state of the package is for one look.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) code: &'static str,
    pub(crate) details: &'static str,
    pub(crate) dirty: bool,
    pub(crate) checked: i64,
}

impl Look {
    pub(crate) fn new(code: &'static str) -> Self {
        Self {
            code,
            details: "",
            dirty: false,
            checked: 0,
        }
    }
}

/// Decides on a question before the service does; `false` lets the service do it, and then the reply is thrown away.
type Interrupt = Box<dyn FnMut(&Asked) -> Option<(Reply, bool)> + Send>;

/// Called with the number of the look.
type AfterLook = Box<dyn FnMut(usize, &mut Inside) + Send>;

#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    pub(crate) revisions: Vec<Rev>,
    /// The looks to come; the last one stays.
    pub(crate) looks: VecDeque<Look>,
    /// The log of each look from a number on.
    pub(crate) log: Vec<u8>,
    pub(crate) interrupt: Option<Interrupt>,
    /// Called after each look with its number.
    pub(crate) after_look: Option<AfterLook>,
    pub(crate) looked: usize,
}

pub(crate) struct Service {
    pub(crate) server: Server,
    pub(crate) inside: Arc<Mutex<Inside>>,
}

/// The time of revision 1; each later one is a second later.
pub(crate) const EPOCH: i64 = 1_700_000_000;

impl Service {
    pub(crate) fn start() -> Self {
        let inside = Arc::new(Mutex::new(Inside::default()));
        let shared = Arc::clone(&inside);
        let server = Server::start(move |asked| {
            let mut inside = shared.lock().unwrap();
            let mut interrupt = inside.interrupt.take();
            let verdict = interrupt.as_mut().and_then(|interrupt| interrupt(asked));
            inside.interrupt = interrupt;
            match verdict {
                Some((reply, true)) => reply,
                Some((reply, false)) => {
                    drop(inside.answer(asked));
                    reply
                }
                None => inside.answer(asked),
            }
        });
        Self { server, inside }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(settings(&self.server.api)).unwrap()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Inside)) {
        change(&mut self.inside.lock().unwrap());
    }
}

/// Settings that lose no time.
pub(crate) fn settings(api: &str) -> Settings {
    let mut settings = Settings::new(api);
    settings.projects = Projects::Any;
    settings.pace = Pace {
        connect: Duration::from_secs(10),
        answer: Duration::from_secs(20),
        hold: Duration::from_secs(10),
        retry: Duration::from_millis(1),
        tries: 4,
        fast: Duration::from_millis(1),
        slow: Duration::from_millis(5),
        grace: Duration::from_millis(20),
        quiet: Duration::from_millis(10),
        settle: Duration::from_hours(1),
    };
    settings
}

pub(crate) fn package() -> PackagePath {
    PackagePath::new("home:someone", "tiny").unwrap()
}

pub(crate) fn target() -> Target {
    Target::new(package(), "standard", "aarch64").unwrap()
}

pub(crate) fn log_of(srcmd5: &str, end: &str) -> Vec<u8> {
    format!(
        "[    0s] Building tiny for project 'home:someone' repository 'standard' arch 'aarch64' srcmd5 '{srcmd5}'\n\
         [    9s] vm {end} \"build tiny.spec\" at Mon Nov 30 02:43:54 UTC 2026.\n"
    )
    .into_bytes()
}

impl Inside {
    pub(crate) fn put(&mut self, user: &str, comment: &str, files: &[(&str, &str)]) -> String {
        let mut map = BTreeMap::new();
        for (name, text) in files {
            let md5 = md5_of(text.as_bytes());
            self.contents.insert(md5.clone(), text.as_bytes().to_vec());
            map.insert((*name).to_owned(), md5);
        }
        self.revisions.push(Rev {
            files: map,
            user: user.to_owned(),
            comment: comment.to_owned(),
        });
        self.srcmd5(self.revisions.len())
    }

    pub(crate) fn srcmd5(&self, revision: usize) -> String {
        let files = self.revisions.get(revision - 1).map(|rev| format!("{:?}", rev.files));
        md5_of(files.unwrap_or_default().as_bytes())
    }

    fn listing(&self, revision: usize) -> String {
        if revision == 0 {
            return "<directory name=\"tiny\"/>".to_owned();
        }
        let mut text = format!(
            "<directory name=\"tiny\" rev=\"{revision}\" vrev=\"{revision}\" srcmd5=\"{}\">",
            self.srcmd5(revision)
        );
        for (name, md5) in &self.revisions[revision - 1].files {
            text.push_str(&format!(
                "<entry name=\"{name}\" md5=\"{md5}\" size=\"1\" mtime=\"1\"/>"
            ));
        }
        text + "</directory>"
    }

    fn answer(&mut self, asked: &Asked) -> Reply {
        let path = asked.target.split('?').next().unwrap();
        match (asked.method.as_str(), path) {
            ("GET", "/source/home:someone/tiny") => {
                let revision = asked
                    .parameter("rev")
                    .map_or(self.revisions.len(), |rev| rev.parse().unwrap());
                Reply::xml(self.listing(revision))
            }
            ("GET", "/source/home:someone/tiny/_history") => {
                let mut text = "<revisionlist>".to_owned();
                for (at, rev) in self.revisions.iter().enumerate() {
                    text.push_str(&format!(
                        "<revision rev=\"{}\"><srcmd5>{}</srcmd5><time>{}</time><user>{}</user><comment>{}</comment></revision>",
                        at + 1,
                        self.srcmd5(at + 1),
                        EPOCH + i64::try_from(at).unwrap(),
                        rev.user,
                        rev.comment
                    ));
                }
                Reply::xml(text + "</revisionlist>")
            }
            ("POST", "/source/home:someone/tiny") => self.commit(asked),
            ("PUT", _) if asked.parameter("rev").as_deref() == Some("repository") => {
                self.contents.insert(md5_of(&asked.body), asked.body.clone());
                Reply::xml("<revision rev=\"repository\"/>")
            }
            ("GET", "/build/home:someone/_result") => self.look(),
            ("GET", "/build/home:someone/standard/aarch64/tiny/_log") => {
                let start: usize = asked.parameter("start").unwrap().parse().unwrap();
                match self.log.get(start..) {
                    _ if self.log.is_empty() => Reply::status(404, "package 'tiny' has no logfile"),
                    None => Reply::status(400, "start out of range"),
                    Some(rest) => Reply::Whole(200, Vec::new(), rest.to_vec()),
                }
            }
            ("GET", "/build/home:someone/standard/aarch64/_jobhistory") => Reply::xml("<jobhistlist/>"),
            _ => Reply::status(404, "unknown"),
        }
    }

    fn commit(&mut self, asked: &Asked) -> Reply {
        let list = String::from_utf8(asked.body.clone()).unwrap();
        let old = self.revisions.last().map(|rev| rev.files.clone()).unwrap_or_default();
        let (mut files, mut missing) = (BTreeMap::new(), String::new());
        for entry in list.split("<entry ").skip(1) {
            let value = |key: &str| Some(entry.split_once(&format!("{key}=\""))?.1.split('"').next()?.to_owned());
            let (name, md5) = (value("name").unwrap(), value("md5").unwrap());
            let word = match (self.contents.get(&md5), value("hash")) {
                (None, _) => Some("new"),
                (Some(content), Some(hash)) => {
                    assert_eq!(hash, format!("sha256:{}", sha256_of(content)), "{name}");
                    None
                }
                (Some(_), None) => (old.get(&name) != Some(&md5)).then_some("missing"),
            };
            if let Some(word) = word {
                missing.push_str(&format!("<entry name=\"{name}\" md5=\"{md5}\" hash=\"{word}\"/>"));
            }
            files.insert(name, md5);
        }
        if !missing.is_empty() {
            return Reply::xml(format!(
                "<directory name=\"tiny\" error=\"missing\">{missing}</directory>"
            ));
        }
        self.revisions.push(Rev {
            files,
            user: "us".to_owned(),
            comment: asked.parameter("comment").unwrap_or_default(),
        });
        Reply::xml(self.listing(self.revisions.len()))
    }

    fn look(&mut self) -> Reply {
        let look = match self.looks.len() {
            0 => Look::new("unknown"),
            1 => self.looks[0].clone(),
            _ => self.looks.pop_front().unwrap(),
        };
        self.looked += 1;
        let mut hook = self.after_look.take();
        if let Some(hook) = &mut hook {
            hook(self.looked, self);
        }
        self.after_look = self.after_look.take().or(hook);
        let dirty = if look.dirty { " dirty=\"true\"" } else { "" };
        let details = match look.details {
            "" => String::new(),
            text => format!("<details>{text}</details>"),
        };
        let state = md5_of(look.code.as_bytes());
        Reply::xml(format!(
            "<resultlist state=\"{state}\"><result project=\"home:someone\" repository=\"standard\" arch=\"aarch64\" \
             code=\"building\" state=\"building\"{dirty}><status package=\"tiny\" code=\"{}\">{details}</status>\
             <stats lastchecked=\"{}\"/></result></resultlist>",
            look.code, look.checked
        ))
    }
}
