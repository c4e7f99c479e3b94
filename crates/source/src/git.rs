//! Git repositories: one commit, its files and its submodules, and nothing that came later.
//!
//! The tree keeps a real `.git`, because build files ask it questions (`git describe`, `git submodule update`). It holds
//! the pinned commits only: no tags, no branches, no reflog, no later object.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    process::Output,
};

use fs_err as fs;
use walkdir::WalkDir;

use crate::{
    SourceError,
    download::network,
    process::{Program, complaint},
    tree::Modified,
};

/// Submodules within submodules; deeper than any real project, shallow enough for one that contains itself.
const DEEPEST: usize = 8;

/// Runs git with no configuration but our own.
pub(crate) struct Git {
    /// Scratch folder: home folder of git and place of its configuration.
    scratch: PathBuf,
    variables: BTreeMap<String, String>,
}

impl Git {
    /// `variables` are let through to git, such as proxies. `local` repositories may refer to local submodules.
    pub(crate) fn new(scratch: &Path, variables: &BTreeMap<String, String>, local: bool) -> Result<Self, SourceError> {
        // A file, because settings on the command line do not reach the programs that git starts for local repositories.
        let file_protocol = if local { "always" } else { "never" };
        let config = format!(
            "[core]\n\thooksPath = /dev/null\n\tattributesFile = /dev/null\n\texcludesFile = /dev/null\n\
             \tautocrlf = false\n\tsymlinks = true\n\tlogAllRefUpdates = false\n\tfsmonitor = false\n\
             \taskPass =\n[credential]\n\thelper =\n[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n\
             \ttemplateDir =\n[advice]\n\tdetachedHead = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
             [submodule]\n\trecurse = false\n[fetch]\n\trecurseSubmodules = false\n\twriteCommitGraph = false\n\
             [http]\n\tlowSpeedLimit = 500\n\tlowSpeedTime = 60\n[protocol]\n\tallow = never\n\
             [protocol \"https\"]\n\tallow = always\n[protocol \"http\"]\n\tallow = always\n\
             [protocol \"git\"]\n\tallow = always\n[protocol \"ssh\"]\n\tallow = always\n\
             [protocol \"file\"]\n\tallow = {file_protocol}\n\
             [uploadpack]\n\tallowAnySHA1InWant = true\n"
        );
        fs::create_dir_all(scratch)?;
        fs::write(scratch.join("gitconfig"), config)?;
        Ok(Self {
            scratch: scratch.to_owned(),
            variables: variables.clone(),
        })
    }

    fn command(&self, folder: &Path) -> Program {
        Program::new("git", "apt-get install git", folder)
            .envs(&self.variables)
            .env("HOME", &self.scratch)
            .env("GIT_CONFIG_GLOBAL", self.scratch.join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "/bin/false")
            .env("SSH_ASKPASS", "/bin/false")
            .env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=15")
            // A folder above ours may be somebody's repository.
            .env("GIT_CEILING_DIRECTORIES", &self.scratch)
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Result<Output, SourceError> {
        self.command(folder).args(arguments).output()
    }

    /// Runs something that only fails when the repository or the disk is broken.
    fn must(&self, folder: &Path, arguments: &[&str]) -> Result<String, SourceError> {
        let output = self.run(folder, arguments)?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(SourceError::Archive {
                archive: format!("git {}", arguments.join(" ")),
                problem: complaint(&output),
            })
        }
    }

    /// Finds the commit that a branch, a tag or the default branch means now.
    pub(crate) fn resolve(&self, url: &str, revision: Option<&str>) -> Result<String, SourceError> {
        if let Some(commit) = revision.filter(|text| is_commit(text)) {
            return Ok(commit.to_ascii_lowercase());
        }
        let output = self.run(&self.scratch, &["ls-remote", "--", url])?;
        if !output.status.success() {
            return Err(network(url, complaint(&output)));
        }
        let listing = String::from_utf8_lossy(&output.stdout);
        let references: BTreeMap<&str, &str> = listing
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(commit, name)| (name, commit))
            .collect();
        let wanted = revision.unwrap_or("HEAD");
        // An annotated tag names the tag object; with `^{}` it names the commit.
        let names = [
            format!("refs/tags/{wanted}^{{}}"),
            format!("refs/tags/{wanted}"),
            format!("refs/heads/{wanted}"),
            format!("{wanted}^{{}}"),
            wanted.to_owned(),
        ];
        let found = names.iter().find_map(|name| references.get(name.as_str()));
        match (found, revision) {
            (Some(commit), _) if is_commit(commit) => Ok((*commit).to_owned()),
            (_, Some(revision)) => Err(SourceError::Usage(format!(
                "{url} has no branch or tag `{revision}`; name a commit by its full id (40 hexadecimal digits)"
            ))),
            (_, None) => Err(SourceError::Usage(format!(
                "{url} has no default branch (is the repository empty?); add `@COMMIT`, `@TAG` or `@BRANCH`"
            ))),
        }
    }

    /// Applies a patch to a tree, wholly or not at all.
    pub(crate) fn apply(&self, tree: &Path, patch: &Path, what: &str) -> Result<(), SourceError> {
        let output = self
            .command(tree)
            // A tree may lie below somebody's repository, and then git would look for the files there.
            .env("GIT_DIR", self.scratch.join("none"))
            .args(["apply", "-p1", "--whitespace=nowarn", "--"])
            .arg(patch)
            .output()?;
        if output.status.success() {
            Ok(())
        } else {
            Err(SourceError::Verify {
                what: what.to_owned(),
                problem: format!("its patch does not apply: {}", complaint(&output)),
            })
        }
    }

    /// Lays one commit and its submodules below `target`, which is made here.
    pub(crate) fn check_out(&self, url: &str, commit: &str, target: &Path) -> Result<(), SourceError> {
        fs::create_dir_all(target)?;
        self.must(target, &["init", "--quiet"])?;
        self.lay(url, commit, target, &target.join(".git"), None, 0)?;
        // All files get the commit's time: in the order in which git writes them, generated files would look stale.
        let time = self.must(target, &["show", "--no-patch", "--format=%ct", "HEAD"])?;
        let time = Modified::from_decimal(time.trim()).unwrap_or_default();
        for entry in WalkDir::new(target)
            .contents_first(true)
            .into_iter()
            .filter_entry(|entry| entry.file_name() != ".git")
        {
            time.set(entry.map_err(std::io::Error::from)?.path())?;
        }
        Ok(())
    }

    fn lay(
        &self,
        url: &str,
        commit: &str,
        work: &Path,
        database: &Path,
        submodule: Option<&str>,
        depth: usize,
    ) -> Result<(), SourceError> {
        self.fetch(url, commit, work, database, submodule)?;
        self.must(work, &["checkout", "--quiet", "--detach", commit])?;
        self.must(work, &["config", "remote.origin.url", &without_password(url)])?;
        for leftover in ["FETCH_HEAD", "ORIG_HEAD"] {
            match fs::remove_file(database.join(leftover)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        for (path, commit) in self.links(work)? {
            let Some(name) = self.submodule_name(work, &path)? else {
                // Git itself leaves an empty folder for a link that `.gitmodules` does not explain.
                continue;
            };
            if depth >= DEEPEST {
                return Err(SourceError::Unavailable(format!(
                    "submodule `{path}` of {url} is nested more than {DEEPEST} levels deep"
                )));
            }
            self.lay_submodule(url, work, database, &name, &path, &commit, depth)?;
        }
        Ok(())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one place in the tree is described by all of them"
    )]
    fn lay_submodule(
        &self,
        parent_url: &str,
        work: &Path,
        database: &Path,
        name: &str,
        path: &str,
        commit: &str,
        depth: usize,
    ) -> Result<(), SourceError> {
        let refuse = |problem: &str| SourceError::Archive {
            archive: parent_url.to_owned(),
            problem: format!("submodule `{path}` {problem}"),
        };
        if !is_inside(Path::new(name)) || !is_inside(Path::new(path)) || name.starts_with('-') {
            return Err(refuse("has a name or a path that leads out of the tree"));
        }
        let folder = work.join(path);
        let mut above = work.to_owned();
        for part in Path::new(path).components() {
            above.push(part);
            if above.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
                return Err(refuse("lies behind a link"));
            }
        }
        fs::create_dir_all(&folder)?;
        // Git itself turns `../sibling.git` into a URL.
        self.must(work, &["submodule", "--quiet", "init", "--", path])?;
        let url = self.must(work, &["config", &format!("submodule.{name}.url")])?;
        let url = url.trim();
        if url.is_empty() || url.starts_with('-') || url.contains("::") {
            return Err(refuse("has a URL that git must not be given"));
        }
        let inner = database.join("modules").join(name);
        if let Some(above) = inner.parent() {
            fs::create_dir_all(above)?;
        }
        let inner_text = inner.to_string_lossy();
        self.must(
            &folder,
            &["init", "--quiet", &format!("--separate-git-dir={inner_text}"), "."],
        )?;
        // Relative both ways, as git lays them, so that the tree can be moved.
        let back = relative(&folder, &inner);
        fs::write(folder.join(".git"), format!("gitdir: {}\n", back.display()))?;
        let worktree = relative(&inner, &folder).to_string_lossy().into_owned();
        self.must(&folder, &["config", "core.worktree", &worktree])?;
        self.must(work, &["config", &format!("submodule.{name}.active"), "true"])?;
        self.lay(url, commit, &folder, &inner, Some(path), depth + 1)
    }

    /// Brings one commit and what it needs into a repository, and nothing else.
    fn fetch(
        &self,
        url: &str,
        commit: &str,
        work: &Path,
        database: &Path,
        submodule: Option<&str>,
    ) -> Result<(), SourceError> {
        let direct = self.fetch_shallow(work, url, commit)?;
        if direct.status.success() {
            return Ok(());
        }
        // Some servers give only whole branches: take all of them aside, then cut.
        let aside = self.scratch.join("whole");
        if aside.exists() {
            fs::remove_dir_all(&aside)?;
        }
        fs::create_dir_all(&aside)?;
        self.must(&aside, &["init", "--quiet", "--bare"])?;
        let all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let whole = self
            .command(&aside)
            .args(["fetch", "--quiet", "--no-tags", "--update-head-ok", "--", url])
            .args(all)
            .output()?;
        let of = submodule.map_or_else(|| "the repository".to_owned(), |path| format!("submodule `{path}`"));
        if !whole.status.success() {
            // What a task pinned and cannot be had is not the network's passing fault when it is a submodule.
            return Err(match submodule {
                Some(path) => SourceError::Unavailable(format!(
                    "submodule `{path}` cannot be fetched from {url}: {}",
                    complaint(&whole)
                )),
                None => network(url, complaint(&whole)),
            });
        }
        let has = self.run(&aside, &["cat-file", "-e", &format!("{commit}^{{commit}}")])?;
        if !has.status.success() {
            return Err(SourceError::Unavailable(format!(
                "commit {commit} of {of} is no longer to be had at {url}: {}",
                complaint(&direct)
            )));
        }
        let local = format!("file://{}", aside.display());
        let cut = self
            .command(work)
            .args(["-c", "protocol.file.allow=always"])
            .args(SHALLOW)
            .args([local.as_str(), commit])
            .output()?;
        fs::remove_dir_all(&aside)?;
        if !cut.status.success() {
            return Err(SourceError::Archive {
                archive: url.to_owned(),
                problem: format!("commit {commit} cannot be cut out: {}", complaint(&cut)),
            });
        }
        debug_assert!(database.join("HEAD").exists(), "git was told to use this folder");
        Ok(())
    }

    fn fetch_shallow(&self, work: &Path, url: &str, commit: &str) -> Result<Output, SourceError> {
        self.command(work).args(SHALLOW).args([url, commit]).output()
    }

    /// The links to other repositories in the checked-out commit: path and commit.
    fn links(&self, work: &Path) -> Result<Vec<(String, String)>, SourceError> {
        let listing = self.must(work, &["ls-tree", "-r", "-z", "--full-tree", "HEAD"])?;
        Ok(listing
            .split('\0')
            .filter_map(|line| {
                let (kind, path) = line.split_once('\t')?;
                let commit = kind.strip_prefix("160000 commit ")?;
                Some((path.to_owned(), commit.trim().to_owned()))
            })
            .collect())
    }

    /// The name that `.gitmodules` gives to a path.
    fn submodule_name(&self, work: &Path, path: &str) -> Result<Option<String>, SourceError> {
        if !work
            .join(".gitmodules")
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_file())
        {
            return Ok(None);
        }
        let output = self.run(
            work,
            &[
                "config",
                "-z",
                "--file",
                ".gitmodules",
                "--get-regexp",
                r"^submodule\..*\.path$",
            ],
        )?;
        let listing = String::from_utf8_lossy(&output.stdout);
        Ok(listing.split('\0').find_map(|entry| {
            let (key, value) = entry.split_once('\n')?;
            let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
            (value.trim_end_matches('/') == path).then(|| name.to_owned())
        }))
    }
}

/// Arguments of a fetch that brings one commit without history, tags or submodules.
const SHALLOW: [&str; 6] = [
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--",
];

/// Whether the text is a full commit id (SHA-1 or SHA-256).
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a URL names something on this machine.
pub(crate) fn is_local(url: &str) -> bool {
    url.starts_with("file:") || !url.contains("://")
}

fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_))) && path.components().next().is_some()
}

/// A URL without the password that may be in it: the tree goes into boxes.
fn without_password(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme @ ("http" | "https"), rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit('@').next().unwrap_or(host);
            format!("{scheme}://{host}/{path}")
        }
        _ => url.to_owned(),
    }
}

/// The way from one folder to another by `..`. Both are absolute and free of links below their common part.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let from: Vec<_> = from.components().collect();
    let to: Vec<_> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let mut path: PathBuf = from.iter().skip(common).map(|_| Component::ParentDir).collect();
    path.extend(to.iter().skip(common));
    path
}
