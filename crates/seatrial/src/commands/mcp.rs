//! `seatrial mcp`.

use std::{
    fmt::Write as _,
    io::Read as _,
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, atomic::AtomicBool},
};

use fs_err as fs;
use seatrial_core::{BOX_SOURCE, ExitCode, Platform};
use seatrial_egress::{AllowList, DoorSpec, Egress, Policy};
use seatrial_packages::Resolver;
use seatrial_sandbox::{BoxSpec, Command, Image, Limits, Network};
use seatrial_source::SourceSpec;
use seatrial_store::Journal;
use seatrial_tools::{
    PackageRebuilds, RepairTools, ToolLimits, ToolState, Toolbox, WebSearcher,
    mcp::{McpError, ServedBox, Server},
};

use super::{
    mcp_journal::Uses,
    mcp_repair::{self, Repairing},
    models,
};
use crate::{
    app::App,
    failure::Failure,
    mcp_args::{McpArgs, McpNetwork, McpSuite, RepairMode},
};

/// Tools that need to know which package has a name.
const NEED_INDEX: [&str; 4] = ["resolve", "diagnose", "try_plan", "build_by_rules"];

pub(super) fn run(app: &App, args: &McpArgs) -> Result<ExitCode, Failure> {
    let toolbox = if args.tools.is_empty() && args.suite.is_some() {
        mcp_repair::target(args)?;
        Toolbox::repair(RepairTools {
            patches: args.mode == RepairMode::Patch,
            compat: args.compat,
        })
    } else if args.tools.is_empty() {
        Toolbox::all()
    } else {
        Toolbox::of(args.tools.iter().map(String::as_str))
            .map_err(|error| Failure::usage(format!("--tools: {error}")))?
    };
    let task = match (&args.task, &args.source) {
        (Some(task), _) => task.clone(),
        (None, Some(source)) if args.suite.is_some() => format!(
            "Repair the package {}, which lies at {BOX_SOURCE} in the box, so that it builds on {}. Edit it there; upload it, \
             and check what came of that.",
            source.to_string_lossy(),
            args.target.as_deref().unwrap_or_default()
        ),
        (None, Some(source)) => format!(
            "Work on {}, which lies at {BOX_SOURCE} in the box.",
            source.to_string_lossy()
        ),
        (None, None) => String::new(),
    };
    policy(args)?;
    // A wrong word is told before a box is made.
    let searcher = args
        .search
        .as_deref()
        .map(|word| models::search(app, word))
        .transpose()?;
    let egress = app.egress()?;
    let server = Server::new(&toolbox, &task).map_err(broken)?;
    let mut failed = None;
    let uses = Uses::default();
    let make = || {
        make(app, args, toolbox, (&egress, &uses))
            .map(|served| ServedBox {
                searcher: searcher.map(|searcher| Arc::new(searcher) as Arc<dyn WebSearcher>),
                ..served
            })
            .map_err(|failure| {
                let message = failure.message.clone();
                app.show.note(&format!("error: {message}"));
                failed = Some(failure);
                message
            })
    };
    let served = match args.http {
        None => {
            app.show.note("serving tools on standard input and output");
            server.serve_stdio(make)
        }
        Some(port) => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
                Failure::invalid(format!("cannot listen at port {port}: {error}; choose another one"))
            })?;
            let address = listener.local_addr()?;
            let token = match &args.token {
                Some(token) if token.is_empty() => return Err(Failure::usage("--token: it is empty")),
                Some(token) => token.clone(),
                None => new_token()?,
            };
            app.show.note(&format!("serving tools at http://{address}/mcp"));
            if args.token.is_none() {
                app.show.note(&format!("clients send: Authorization: Bearer {token}"));
            }
            server.serve_http(listener, &token, Arc::new(AtomicBool::new(false)), make)
        }
    };
    if let Some(text) = uses.text() {
        app.show.note(&text);
    }
    match failed {
        Some(failure) => Err(failure),
        None => served.map(|()| ExitCode::Passed).map_err(broken),
    }
}

/// Makes the box with the source in it.
fn make(app: &App, args: &McpArgs, toolbox: Toolbox, (egress, uses): (&Egress, &Uses)) -> Result<ServedBox, Failure> {
    let image = image(app, &args.image)?;
    let platform = image.platform.clone();
    let network = match policy(args)? {
        None => Network::Off,
        Some(policy) => Network::Door(egress.door(DoorSpec {
            policy,
            index: None,
            observer: Arc::new(|_| {}),
        })?),
    };
    let spec = BoxSpec {
        image: image.id,
        limits: Limits::default(),
        network,
    };
    let mut sandbox = app.factory()?.start(&spec)?;
    if args.suite.is_some() {
        // The package goes there below, with its archives unpacked.
    } else if let Some(source) = &args.source {
        let fetcher = app.fetcher(&platform);
        let pinned = fetcher.pin(&SourceSpec::from_word(source)?)?;
        let tree = fetcher.fetch(&pinned)?;
        for warning in fetcher.warnings() {
            app.show.note(&format!("warning: {warning}"));
        }
        // It may be larger than memory, so it goes by way of a file.
        let (mut file, path) = scratch(app)?;
        let written = tree.write_tar(&mut file);
        let packed = fs::File::open(&path);
        fs::remove_file(&path)?;
        written?;
        sandbox.write_tree(BOX_SOURCE, &mut packed?)?;
    } else {
        let nothing = Command::bash("true").in_folder(BOX_SOURCE);
        sandbox.exec(&nothing, &mut Vec::new())?;
    }
    let resolver = index(app, &toolbox, &platform);
    let rebuilds = match args.suite {
        None => None,
        Some(McpSuite::Repair) => {
            // What a package builds with is got for it, whatever the agent's box may reach.
            let door = Network::Door(egress.door(DoorSpec {
                policy: Policy::Allow(AllowList::registries()),
                index: None,
                observer: Arc::new(|_| {}),
            })?);
            let repairing = Repairing::lay(app, args, &platform, door, resolver.clone(), sandbox.as_mut())?;
            Some(Box::new(repairing) as Box<dyn PackageRebuilds + Send>)
        }
    };
    let folder = app.home.new_run("mcp")?;
    let (journal, _) = Journal::open(folder.join("journal.jsonl"))?;
    app.show.clear();
    Ok(ServedBox {
        rebuilds,
        searcher: None,
        sandbox,
        root: BOX_SOURCE.to_owned(),
        toolbox,
        state: ToolState::default(),
        limits: ToolLimits::default(),
        blobs: app.home.blobs(),
        events: Box::new(uses.of(journal)),
        resolver,
        platform: Some(platform),
        base_packages: image.requested,
    })
}

/// The image of that name, else the platform's.
fn image(app: &App, name: &str) -> Result<Image, Failure> {
    if let Some(image) = app.images()?.named(name)? {
        return Ok(image);
    }
    let platform: Platform = name.parse().map_err(|_| {
        Failure::usage(format!(
            "`{name}` names no image and no platform; see `seatrial image list`"
        ))
    })?;
    app.image(&platform)
}

/// What the box may ask for; `None` for a box without a network.
fn policy(args: &McpArgs) -> Result<Option<Policy>, Failure> {
    let named = AllowList::new(args.allow.iter().map(String::as_str))
        .map_err(|error| Failure::usage(format!("--allow: {error}")))?;
    Ok(match args.network {
        McpNetwork::Registries => Some(Policy::Allow(named.and(&AllowList::registries()))),
        McpNetwork::Open if args.allow.is_empty() => Some(Policy::Open),
        McpNetwork::Open => Some(Policy::Allow(named.and(&AllowList::everything()))),
        McpNetwork::None if args.allow.is_empty() => None,
        McpNetwork::None => Some(Policy::Allow(named)),
    })
}

/// The package index, where a tool needs it. Without one the others work all the same.
fn index(app: &App, toolbox: &Toolbox, platform: &Platform) -> Option<Arc<dyn Resolver>> {
    if !toolbox.specs().any(|spec| NEED_INDEX.contains(&spec.name.as_str())) {
        return None;
    }
    match app.index(platform, None) {
        Ok(index) => Some(Arc::new(index)),
        Err(failure) => {
            app.show.note(&format!(
                "warning: there is no package index, so no tool names packages: {}",
                failure.message
            ));
            None
        }
    }
}

/// A file for a packed tree.
fn scratch(app: &App) -> Result<(fs::File, std::path::PathBuf), Failure> {
    let path = app
        .home
        .cache("mcp")?
        .join(format!("{}.tar", seatrial_store::unique_name()));
    Ok((fs::File::create(&path)?, path))
}

fn new_token() -> Result<String, Failure> {
    let mut bytes = [0_u8; 24];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut token = String::new();
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` passes")]
fn broken(error: McpError) -> Failure {
    Failure::invalid(error.to_string())
}
