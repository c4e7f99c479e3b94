//! Recipes of images: files of a repository that say what an image is made from, each with a lock that says what came
//! out.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use fs_err as fs;
use seatrial_core::{Arch, Digest, Platform};
use serde::{Deserialize, Serialize};

use super::{
    ImageStore,
    image::{Image, Origin},
    mmdebstrap::ImageRequest,
    oci::{Credentials, Pull},
    place::About,
};
use crate::{
    BoxSpec, Command, Limits, Network, SandboxError, SandboxFactory,
    native::{IdMap, io_error},
};

/// The recipe of the image that C and C++ are built in.
const COMPILE: &str = include_str!("../../../../images/compile.toml");
/// The label of an image that says which recipe made it.
const MADE_FROM: &str = "seatrial.recipe";
/// The longest time of one step.
const STEP: Duration = Duration::from_hours(1);
/// Last lines of a failed step that are shown.
const LAST_LINES: usize = 12;

/// What an image is made from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageRecipe {
    /// Its name.
    pub name: String,
    /// What it begins with.
    pub from: RecipeBase,
    /// Its architecture; this machine's when absent.
    #[serde(default, deserialize_with = "arch")]
    pub arch: Option<Arch>,
    /// Packages to install.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Further settings of the package manager, a line each.
    #[serde(default)]
    pub apt: Vec<String>,
    /// Scripts for `sh`, run as root in a box that begins with the rest, one after the other.
    #[serde(default)]
    pub run: Vec<String>,
    /// What its maker writes on it.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// What an image begins with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum RecipeBase {
    /// A release of Debian.
    Debian(String),
    /// A release of another distribution, as `distribution:release`.
    Distribution(String),
    /// An image of a registry.
    Registry(String),
    /// A file beside the recipe.
    Archive(String),
}

fn arch<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Arch>, D::Error> {
    String::deserialize(deserializer)?
        .parse()
        .map(Some)
        .map_err(serde::de::Error::custom)
}

impl ImageRecipe {
    /// Reads a recipe.
    pub fn read(text: &str) -> Result<Self, SandboxError> {
        let recipe: Self =
            toml::from_str(text).map_err(|error| SandboxError::Image(format!("the recipe cannot be read: {error}")))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if recipe.name.is_empty() || !recipe.name.chars().all(plain) {
            return Err(SandboxError::Image(format!(
                "the recipe's name `{}` is not made of letters, digits, `-`, `_` and `.`",
                recipe.name
            )));
        }
        Ok(recipe)
    }

    /// Tells it from every recipe that would make something else. An image carries it as a label.
    fn identity(&self) -> String {
        let whole = Self {
            arch: Some(self.arch.unwrap_or_else(Arch::host)),
            ..self.clone()
        };
        Digest::of(format!("{whole:?}").as_bytes()).to_string()
    }

    /// The recipe of the image that C and C++ are built in.
    pub fn compile() -> Result<Self, SandboxError> {
        Self::read(COMPILE)
    }
}

/// The packages of [`ImageRecipe::compile`].
pub(super) fn default_packages() -> Vec<String> {
    // That it can be read is a test.
    ImageRecipe::compile().map_or_else(|_| Vec::new(), |recipe| recipe.packages)
}

/// What building a recipe needs.
pub struct RecipeBuild<'a> {
    /// Makes the box that the steps run in.
    pub factory: &'a dyn SandboxFactory,
    /// The network of that box.
    pub network: Network,
    /// The folder of the recipe.
    pub folder: PathBuf,
    /// Who asks a registry.
    pub credentials: Credentials,
    /// The mirror to take packages from; this machine's when absent.
    pub mirror: Option<String>,
}

impl ImageStore {
    /// The newest image that exactly this recipe made.
    pub fn of_recipe(&self, recipe: &ImageRecipe) -> Result<Option<Image>, SandboxError> {
        let identity = recipe.identity();
        Ok(self
            .list()?
            .into_iter()
            .find(|image| image.name() == Some(&recipe.name) && image.labels.get(MADE_FROM) == Some(&identity)))
    }

    /// Makes an image from a recipe; a listener hears how it goes.
    pub fn build_recipe(
        &self,
        recipe: &ImageRecipe,
        build: &RecipeBuild<'_>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Image, SandboxError> {
        let mut steps = recipe.run.clone();
        let from_packages = matches!(recipe.from, RecipeBase::Debian(_) | RecipeBase::Distribution(_));
        if !from_packages {
            steps = before(recipe).into_iter().chain(steps).collect();
        }
        let origin = Origin::Recipe(recipe.name.clone());
        let base_origin = if steps.is_empty() {
            origin.clone()
        } else {
            Origin::Recipe(format!("{}/base", recipe.name))
        };
        let base = match &recipe.from {
            RecipeBase::Debian(release) => {
                self.build_base(recipe, "debian", release, build.mirror.as_ref(), base_origin, tell)?
            }
            RecipeBase::Distribution(name) => {
                let (distribution, release) = name.split_once(':').ok_or_else(|| {
                    SandboxError::Image(format!("`{name}` names no release; write it as `distribution:release`"))
                })?;
                self.build_base(recipe, distribution, release, build.mirror.as_ref(), base_origin, tell)?
            }
            RecipeBase::Registry(name) => {
                let pull = Pull {
                    arch: recipe.arch,
                    credentials: build.credentials.clone(),
                    ..Pull::of(name.parse()?)
                };
                self.pull_as(&pull, Some(base_origin), tell)?
            }
            RecipeBase::Archive(name) => {
                let about = About {
                    arch: recipe.arch,
                    origin: base_origin,
                    ..About::default()
                };
                self.import_as(&build.folder.join(name), about)?
            }
        };
        let mut labels = recipe.labels.clone();
        labels.insert(MADE_FROM.to_owned(), recipe.identity());
        if steps.is_empty() {
            return self.label(base, &labels);
        }
        let recipe = &ImageRecipe {
            labels,
            ..recipe.clone()
        };
        self.run_steps(recipe, &base, &steps, build, origin, tell)
    }

    fn build_base(
        &self,
        recipe: &ImageRecipe,
        distribution: &str,
        release: &str,
        mirror: Option<&String>,
        origin: Origin,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Image, SandboxError> {
        let arch = recipe.arch.unwrap_or_else(Arch::host);
        let platform: Platform = format!("{distribution}:{release}/{arch}")
            .parse()
            .map_err(|error: seatrial_core::PlatformError| SandboxError::Image(error.to_string()))?;
        let request = ImageRequest {
            platform,
            packages: recipe.packages.clone(),
            mirror: mirror.cloned(),
            settings: recipe.apt.clone(),
        };
        self.build_as(&request, origin, tell)
    }

    fn run_steps(
        &self,
        recipe: &ImageRecipe,
        base: &Image,
        steps: &[String],
        build: &RecipeBuild<'_>,
        origin: Origin,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Image, SandboxError> {
        let mut sandbox = build.factory.start(&BoxSpec {
            image: base.id,
            limits: Limits::default(),
            network: build.network.clone(),
        })?;
        for (at, step) in steps.iter().enumerate() {
            let title = format!("step {} of {}", at + 1, steps.len());
            tell(&title);
            let mut command = Command::bash("").with_timeout(STEP);
            command.argv = vec!["/bin/sh".to_owned(), "-ec".to_owned(), step.clone()];
            let mut output = Vec::new();
            let execution = sandbox.exec(&command, &mut output)?;
            if !execution.succeeded() {
                let text = String::from_utf8_lossy(&output).into_owned();
                let mut last: Vec<_> = text.lines().rev().take(LAST_LINES).collect();
                last.reverse();
                return Err(SandboxError::Image(format!(
                    "{title} of the recipe {} ended with {:?}; its last words:\n    {}",
                    recipe.name,
                    execution.status,
                    last.join("\n    ")
                )));
            }
        }
        tell("packing");
        let ids = IdMap::of_this_user()?;
        let room = self.home.cache("image-build")?;
        let _lease = self.lease(&room, &ids)?;
        let making = tempfile::Builder::new()
            .prefix(".making-")
            .tempdir_in(&room)
            .map_err(io_error("a folder for the image"))?;
        super::check_room(making.path(), 0)?;
        let archive = making.path().join("image.tar");
        let mut file = fs::File::create(&archive).map_err(io_error("the image's archive"))?;
        sandbox.export(&mut file)?;
        drop((file, sandbox));
        let about = About {
            platform: Some(base.platform.clone()),
            arch: None,
            requested: recipe.packages.clone(),
            origin,
            environment: base.environment.clone(),
            labels: base.labels.clone().into_iter().chain(recipe.labels.clone()).collect(),
        };
        self.place_tar(&archive, &ids, about)
    }
}

/// The step that installs packages into an image that is there.
fn before(recipe: &ImageRecipe) -> Option<String> {
    if recipe.packages.is_empty() && recipe.apt.is_empty() {
        return None;
    }
    let settings: Vec<_> = recipe.apt.iter().map(|line| super::mmdebstrap::quoted(line)).collect();
    let mut lines = vec!["mkdir -p /etc/apt/apt.conf.d".to_owned()];
    if !settings.is_empty() {
        lines.push(format!(
            "printf '%s\\n' {} >/etc/apt/apt.conf.d/91recipe",
            settings.join(" ")
        ));
    }
    if !recipe.packages.is_empty() {
        let packages: Vec<_> = recipe
            .packages
            .iter()
            .map(|name| super::mmdebstrap::quoted(name))
            .collect();
        lines.push("export DEBIAN_FRONTEND=noninteractive".to_owned());
        lines.push("apt-get -o APT::Sandbox::User=root update".to_owned());
        lines.push(format!(
            "apt-get -o APT::Sandbox::User=root install --yes --no-install-recommends {}",
            packages.join(" ")
        ));
        lines.push("apt-get clean".to_owned());
    }
    Some(lines.join("\n"))
}

/// What came out of a recipe, by platform. It lies beside the recipe, and is kept with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageLock {
    /// The version of this form.
    version: u32,
    /// One entry a platform.
    #[serde(default)]
    built: Vec<Built>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Built {
    platform: String,
    digest: Digest,
    #[serde(default)]
    packages: BTreeMap<String, String>,
}

/// The version of locks that this program writes.
const LOCK_VERSION: u32 = 1;

impl ImageLock {
    /// Reads a lock.
    pub fn read(text: &str) -> Result<Self, SandboxError> {
        let lock: Self =
            toml::from_str(text).map_err(|error| SandboxError::Image(format!("the lock cannot be read: {error}")))?;
        if lock.version > LOCK_VERSION {
            return Err(SandboxError::Image(format!(
                "the lock has version {}, and this program knows {LOCK_VERSION} at most; use a newer one",
                lock.version
            )));
        }
        Ok(lock)
    }

    /// Its text.
    pub fn write(&self) -> Result<String, SandboxError> {
        let text = toml::to_string(self).map_err(|error| SandboxError::Image(format!("the lock: {error}")))?;
        Ok(format!(
            "# Written by `seatrial image build`; kept with the recipe beside it.\n{text}"
        ))
    }

    /// Records an image, in the place of an earlier one of its platform.
    pub fn record(&mut self, image: &Image) {
        self.version = LOCK_VERSION;
        let platform = image.platform.to_string();
        self.built.retain(|built| built.platform != platform);
        self.built.push(Built {
            platform,
            digest: image.id,
            packages: packages(image),
        });
        self.built.sort_by(|a, b| a.platform.cmp(&b.platform));
    }

    /// How an image differs from what is recorded, a line each; nothing when it is the same.
    pub fn differences(&self, image: &Image) -> Vec<String> {
        let platform = image.platform.to_string();
        let Some(built) = self.built.iter().find(|built| built.platform == platform) else {
            return vec![format!("the lock has nothing for {platform}")];
        };
        if built.digest == image.id {
            return Vec::new();
        }
        let mut lines = vec![format!("its digest is {} instead of {}", image.id, built.digest)];
        let now = packages(image);
        let names: std::collections::BTreeSet<_> = built.packages.keys().chain(now.keys()).collect();
        for name in names {
            let line = match (built.packages.get(name), now.get(name)) {
                (Some(before), Some(after)) if before == after => continue,
                (Some(before), Some(after)) => format!("{name}: {after} instead of {before}"),
                (Some(before), None) => format!("{name} {before} is missing"),
                (None, Some(after)) => format!("{name} {after} is new"),
                (None, None) => continue,
            };
            lines.push(line);
        }
        if lines.len() == 1 {
            lines.push("its packages are the same: the mirror has newer lists, or a step wrote something that differs each time".to_owned());
        }
        lines
    }

    /// What is recorded for a platform.
    pub fn digest(&self, platform: &Platform) -> Option<Digest> {
        let platform = platform.to_string();
        let built = self.built.iter().find(|built| built.platform == platform);
        built.map(|built| built.digest)
    }
}

fn packages(image: &Image) -> BTreeMap<String, String> {
    let pairs = image.installed.iter();
    pairs
        .map(|package| (package.name.clone(), package.version.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_of_the_usual_image_can_be_read() {
        let recipe = ImageRecipe::compile().unwrap();
        assert_eq!(recipe.from, RecipeBase::Debian("bookworm".to_owned()));
        assert!(recipe.packages.iter().any(|name| name == "build-essential"));
        assert!(recipe.run.is_empty());
    }

    #[test]
    fn what_is_no_recipe_is_refused_by_name() {
        for (text, word) in [
            ("name = \"a\"", "from"),
            ("name = \"a/b\"\nfrom = { debian = \"x\" }", "a/b"),
            ("name = \"a\"\nfrom = { debian = \"x\", archive = \"y\" }", "from"),
            ("name = \"a\"\nfrom = { debian = \"x\" }\narch = \"z80\"", "z80"),
            ("name = \"a\"\nfrom = { debian = \"x\" }\npackage = []", "package"),
        ] {
            let error = ImageRecipe::read(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(ImageLock::read("version = 2").is_err());
    }
}
