//! `seatrial image`.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::UNIX_EPOCH,
};

use fs_err as fs;
use seatrial_core::{Arch, ExitCode, Platform};
use seatrial_report::visible;
use seatrial_sandbox::{
    BoxSpec, Command, Credentials, Image, ImageLock, ImageRecipe, ImageRequest, ImageStore, Limits, Network,
    OutputSink, Pull, RecipeBuild, Stream,
};
use seatrial_store::unix_millis;

use super::{answer, answer_json, platform};
use crate::{
    amounts,
    app::App,
    failure::Failure,
    image_args::{ImageBuildArgs, ImageVerb},
};

pub(super) fn run(app: &App, verb: ImageVerb) -> Result<ExitCode, Failure> {
    let images = app.images()?;
    match verb {
        ImageVerb::Build(args) => {
            let is_recipe = Path::new(&args.what).extension().is_some_and(|ending| ending == "toml");
            if is_recipe {
                return build_recipe(app, &images, &args);
            }
            if args.locked || args.credentials.is_some() {
                return Err(Failure::usage(
                    "--locked and --credentials go with a recipe, such as images/compile.toml",
                ));
            }
            let platform = with_arch(platform(&args.what)?, args.arch.as_deref())?;
            let mut request = ImageRequest::default_for(&platform);
            let plain = args.with.is_empty() && args.mirror.is_none();
            request.packages.extend(args.with);
            request.mirror = args.mirror;
            let found = if plain && !args.force {
                images.find(&platform)?
            } else {
                None
            };
            let image = match found {
                Some(image) => image,
                None => images.build(&request, &mut tell(app))?,
            };
            show(app, &image)
        }
        ImageVerb::Import { file, platform: name } => {
            if !file.is_file() {
                return Err(Failure::usage(format!("{} is not a file", file.display())));
            }
            app.show.progress("image", "unpacking");
            let image = match name {
                Some(name) => images.import_tar(&file, &platform(&name)?)?,
                None => images.import(&file)?,
            };
            show(app, &image)
        }
        ImageVerb::Pull {
            reference,
            arch,
            credentials,
            plain_http,
        } => {
            let pull = Pull {
                reference: reference
                    .parse()
                    .map_err(|error: seatrial_sandbox::SandboxError| Failure::usage(error.to_string()))?,
                arch: arch.as_deref().map(read_arch).transpose()?,
                credentials: read_credentials(credentials)?,
                plain_http,
            };
            let image = images.pull(&pull, &mut tell(app))?;
            show(app, &image)
        }
        ImageVerb::Run {
            image,
            open_network,
            command,
        } => run_in(app, &find(&images, &image)?, open_network, command),
        ImageVerb::List => list(app, &images),
        ImageVerb::Rm { image } => {
            let image = find(&images, &image)?;
            images.remove(&image.id)?;
            if app.json {
                answer_json(&image.id)?;
            } else {
                answer(&format!("removed {}", image.id.short()))?;
            }
            Ok(ExitCode::Passed)
        }
    }
}

fn tell(app: &App) -> impl FnMut(&str) + '_ {
    move |line: &str| app.show.progress("image", line)
}

fn show(app: &App, image: &Image) -> Result<ExitCode, Failure> {
    app.show.clear();
    if app.json {
        answer_json(image)?;
    } else {
        answer(&line(image))?;
    }
    Ok(ExitCode::Passed)
}

fn find(images: &ImageStore, name: &str) -> Result<Image, Failure> {
    images.named(name)?.ok_or_else(|| {
        Failure::usage(format!(
            "`{name}` names no image, or several; see `seatrial image list`"
        ))
    })
}

fn read_arch(text: &str) -> Result<Arch, Failure> {
    text.parse().map_err(|_| {
        Failure::usage(format!(
            "`{text}` is no architecture that boxes have (for instance `arm64`, `riscv64`, `x86_64`)"
        ))
    })
}

fn with_arch(platform: Platform, arch: Option<&str>) -> Result<Platform, Failure> {
    Ok(match arch {
        Some(arch) => Platform {
            arch: read_arch(arch)?,
            ..platform
        },
        None => platform,
    })
}

fn read_credentials(file: Option<PathBuf>) -> Result<Credentials, Failure> {
    let Some(file) = file else {
        return Ok(Credentials::default());
    };
    let text = fs::read(&file).map_err(|error| Failure::usage(format!("--credentials: {error}")))?;
    Credentials::read(&text).map_err(|error| Failure::usage(format!("--credentials {}: {error}", file.display())))
}

/// Builds a recipe, and compares with what its lock says or writes it.
fn build_recipe(app: &App, images: &ImageStore, args: &ImageBuildArgs) -> Result<ExitCode, Failure> {
    if !args.with.is_empty() {
        return Err(Failure::usage(
            "--with goes with a platform; a recipe names its packages itself",
        ));
    }
    let file = Path::new(&args.what);
    let text = fs::read_to_string(file).map_err(|error| Failure::usage(error.to_string()))?;
    let mut recipe =
        ImageRecipe::read(&text).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    if let Some(arch) = &args.arch {
        recipe.arch = Some(read_arch(arch)?);
    }
    let lock_file = file.with_extension("lock");
    let known = match std::fs::read_to_string(&lock_file) {
        Ok(text) => {
            let lock = ImageLock::read(&text);
            Some(lock.map_err(|error| Failure::usage(format!("{}: {error}", lock_file.display())))?)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::usage(format!("{}: {error}", lock_file.display()))),
    };
    if args.locked && known.is_none() {
        return Err(Failure::usage(format!(
            "there is no {}; build the recipe once without --locked, and keep what it writes with the recipe",
            lock_file.display()
        )));
    }
    // What this very recipe made, and the lock names, is what would come out.
    let here = images
        .of_recipe(&recipe)?
        .filter(|image| known.as_ref().and_then(|lock| lock.digest(&image.platform)) == Some(image.id));
    if let Some(image) = here.filter(|_| !args.force) {
        return show(app, &image);
    }
    let factory = app.image_factory()?;
    let build = RecipeBuild {
        factory: &factory,
        network: app.open_network()?,
        folder: file.parent().map_or_else(PathBuf::new, Path::to_owned),
        credentials: read_credentials(args.credentials.clone())?,
        mirror: args.mirror.clone(),
    };
    let image = images.build_recipe(&recipe, &build, &mut tell(app))?;
    app.show.clear();
    let differences = known.as_ref().map_or_else(Vec::new, |lock| lock.differences(&image));
    if args.locked && !differences.is_empty() {
        return Err(Failure {
            code: ExitCode::Failed,
            ..Failure::invalid(format!(
                "{} is not what {} says:\n  {}",
                recipe.name,
                lock_file.display(),
                differences.join("\n  ")
            ))
        });
    }
    if known.is_none() || !differences.is_empty() {
        for line in &differences {
            app.show.note(line);
        }
        let mut lock = known.unwrap_or_default();
        lock.record(&image);
        seatrial_store::write_file(&lock_file, lock.write()?.as_bytes())?;
        app.show.note(&format!("wrote {}", lock_file.display()));
    }
    show(app, &image)
}

fn list(app: &App, images: &ImageStore) -> Result<ExitCode, Failure> {
    let listing = images.look()?;
    for (folder, problem) in &listing.damaged {
        app.show.note(&format!(
            "{}: {problem}; make the image again, or delete the folder",
            folder.display()
        ));
    }
    if app.json {
        answer_json(&listing.images)?;
        return Ok(ExitCode::Passed);
    }
    if listing.images.is_empty() {
        answer("no images; `seatrial image build` makes one")?;
        return Ok(ExitCode::Passed);
    }
    let mut text = String::new();
    for image in &listing.images {
        let used = images
            .last_used(&image.id)
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let used = used.map_or(0, |since| since.as_millis() as u64);
        let _ = writeln!(
            text,
            "{}  {:>9}  used {}",
            line(image),
            amounts::bytes(images.disk_use(&image.id)),
            amounts::ago(used, unix_millis())
        );
    }
    answer(&text)?;
    Ok(ExitCode::Passed)
}

fn line(image: &Image) -> String {
    let name = image
        .name()
        .map_or_else(String::new, |name| format!("{}  ", visible(name)));
    format!(
        "{}  {}  {name}{} packages",
        image.id.short(),
        image.platform,
        image.installed.len()
    )
}

/// Passes a command's output on as it comes, and ends the command when there is no place for it any more.
struct Through {
    /// By stream: the beginning of a character, or of a line's end, of which the rest has not come yet.
    begun: [Vec<u8>; 2],
    stop: Arc<AtomicBool>,
    failed: Option<io::Error>,
}

impl Through {
    fn pass(&mut self, stream: Stream, bytes: &[u8]) {
        let text = visible(&String::from_utf8_lossy(bytes));
        let passed = match stream {
            Stream::Out => write_whole(&mut io::stdout().lock(), &text),
            Stream::Err => write_whole(&mut io::stderr().lock(), &text),
        };
        if let Err(error) = passed
            && self.failed.is_none()
        {
            // Without this a command that prints for ever would go on for ever, unheard.
            self.failed = Some(error);
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    /// Passes on what never became whole.
    fn finish(&mut self) {
        for (stream, bytes) in [Stream::Out, Stream::Err]
            .into_iter()
            .zip(std::mem::take(&mut self.begun))
        {
            if !bytes.is_empty() {
                self.pass(stream, &bytes);
            }
        }
    }
}

fn write_whole(to: &mut dyn io::Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// How many bytes at the end are the beginning of something whose rest may follow.
fn begun_at_the_end(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return 1;
    }
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        Ok(_) | Err(_) => 0,
    }
}

impl OutputSink for Through {
    fn bytes(&mut self, stream: Stream, bytes: &[u8]) {
        let [out, err] = &mut self.begun;
        let begun = match stream {
            Stream::Out => out,
            Stream::Err => err,
        };
        let mut whole = std::mem::take(begun);
        whole.extend_from_slice(bytes);
        *begun = whole.split_off(whole.len() - begun_at_the_end(&whole));
        self.pass(stream, &whole);
    }
}

fn run_in(app: &App, image: &Image, open_network: bool, argv: Vec<String>) -> Result<ExitCode, Failure> {
    let spec = BoxSpec {
        image: image.id,
        limits: Limits::default(),
        network: if open_network {
            app.open_network()?
        } else {
            Network::Off
        },
    };
    let mut command = Command::bash("");
    command.argv = argv;
    let mut sandbox = app.factory()?.start(&spec)?;
    let (execution, output) = if app.json {
        let mut output = Vec::new();
        (sandbox.exec(&command, &mut output)?, Some(output))
    } else {
        // It goes where the user wants it, so nothing bounds it.
        command.output_limit = u64::MAX;
        let mut through = Through {
            begun: [Vec::new(), Vec::new()],
            stop: sandbox.stopper(),
            failed: None,
        };
        let ended = sandbox.exec(&command, &mut through);
        through.finish();
        match through.failed {
            // Who has read enough, such as `head`, needs no message; but whether it would have passed nobody knows.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitCode::Failed),
            Some(error) => {
                return Err(Failure::invalid(format!(
                    "cannot pass on what the command prints: {error}; the command was ended"
                )));
            }
            None => (ended?, None),
        }
    };
    if let Some(output) = output {
        answer_json(&serde_json::json!({
            "image": image.id,
            "status": format!("{:?}", execution.status),
            "succeeded": execution.succeeded(),
            "output": String::from_utf8_lossy(&output),
            "truncated_bytes": execution.truncated_bytes,
        }))?;
    }
    Ok(if execution.succeeded() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_go_on_is_waited_for() {
        for (bytes, expected) in [
            (&b""[..], 0),
            (b"abc", 0),
            ("a\u{20ac}".as_bytes(), 0),
            (b"a\xe2", 1),
            (b"a\xe2\x82", 2),
            (b"\xff\xf0\x9f\x98", 3),
            (b"a\xff", 0),
            (b"\xe2\x82a", 0),
            (b"line\r", 1),
            (b"line\r\n", 0),
        ] {
            assert_eq!(begun_at_the_end(bytes), expected, "{bytes:?}");
        }
    }
}
