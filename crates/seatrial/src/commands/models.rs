//! Models for agents, from words, variables and the file of keys.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use fs_err as fs;
use seatrial_agents::{AgentOptions, AgentSettings, CondenserKind, Feedback, Labels};
use seatrial_core::Digest;
use seatrial_llm::{
    Bounds, Cassette, CassetteMode, Meter, Model, ModelId, Pacing, Patience, Prices, Secret, Settings, ToolProtocol,
    Wire, connect,
};
use serde_json::{Value, json};

use crate::{
    app::App,
    failure::Failure,
    model_args::{AskingArgs, CassetteWord, CondenserWord, FeedbackWord, ModelArgs, ToolProtocolWord, WireWord},
};

/// The file of keys in the data folder.
const KEYS: &str = "keys.toml";

/// Settings of agents, and what of them decides a trial's result, for the lock of a run.
pub(super) fn settings(app: &App, args: &ModelArgs) -> Result<(AgentSettings, Option<Value>), Failure> {
    let options = AgentOptions {
        rounds: args.rounds,
        retrieval: args.retrieval.kind(),
        feedback: match args.feedback {
            FeedbackWord::Upstream => Feedback::Upstream,
            FeedbackWord::Full => Feedback::Full,
        },
        condenser: match args.condenser {
            CondenserWord::Off => CondenserKind::Off,
            CondenserWord::Window => CondenserKind::Window,
            CondenserWord::Summary => CondenserKind::Summary,
        },
        max_output: args.asking.max_output,
        temperature: args.asking.temperature.or(Some(0.0)),
        ..AgentOptions::default()
    };
    let bounds = Bounds {
        steps: args.max_steps,
        tool_calls: args.max_tool_calls,
        tokens: args.max_tokens,
        cost_micros: args.max_cost,
    };
    let mut settings = AgentSettings {
        options,
        bounds,
        ..AgentSettings::default()
    };
    if let Some(path) = &args.labels {
        settings.labels = Some(Arc::new(labels(path)?));
    }
    if args.model.is_empty() {
        if args.asking.base_url.is_some() || args.asking.cassette.is_some() {
            return Err(Failure::usage(
                "a server or a cassette was named, and no model: name one with `--model provider/name`",
            ));
        }
        return Ok((settings, None));
    }
    let pacing = Pacing {
        at_once: args.requests_at_once,
        requests_per_minute: args.requests_per_minute,
        tokens_per_minute: args.tokens_per_minute,
    };
    let (models, prices) = asking(app, &args.asking, pacing)?;
    for name in &args.model {
        settings.models.push(connected(name, &models)?);
    }
    settings.run_meter = args.max_cost_of_run.map(|cost| {
        Arc::new(Meter::new(Bounds {
            cost_micros: Some(cost),
            ..Bounds::default()
        }))
    });
    let lock = json!({
        "models": args.model,
        "base_url": args.asking.base_url,
        "wire": args.asking.wire.map(|word| wire(word).name()),
        "tool_protocol": format!("{:?}", args.asking.tool_protocol).to_lowercase(),
        "options": settings.options,
        "bounds": {
            "steps": bounds.steps,
            "tool_calls": bounds.tool_calls,
            "tokens": bounds.tokens,
            "cost_micros": bounds.cost_micros,
            "cost_micros_of_run": args.max_cost_of_run,
        },
        "prices": prices,
        "cassette": args.asking.cassette,
        "labels": args.labels.as_deref().map(read).transpose()?.map(|text| Digest::of(text.as_bytes())),
    });
    Ok((settings, Some(lock)))
}

/// A table of where the instructions are.
pub(super) fn labels(path: &Path) -> Result<Labels, Failure> {
    Labels::parse(&read(path)?).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// One model, to be asked by itself.
pub(super) fn one(app: &App, name: &str, args: &AskingArgs) -> Result<Arc<dyn Model>, Failure> {
    let (settings, _) = asking(app, args, Pacing::default())?;
    // Somebody waits at the terminal, and can ask again.
    let patience = Patience {
        attempts: 2,
        ..settings.patience.clone()
    };
    connected(name, &Settings { patience, ..settings })
}

fn connected(name: &str, settings: &Settings) -> Result<Arc<dyn Model>, Failure> {
    let id: ModelId = name
        .parse()
        .map_err(|error: seatrial_llm::ModelIdError| Failure::usage(error.to_string()))?;
    connect(&id, settings).map_err(|error| Failure::usage(error.to_string()))
}

/// How models are asked, and the digest of the file of prices.
fn asking(app: &App, args: &AskingArgs, pacing: Pacing) -> Result<(Settings, Option<Digest>), Failure> {
    let price_file = args.prices.as_deref().map(read).transpose()?;
    let prices = match &price_file {
        Some(text) => Prices::default()
            .with_file(text)
            .map_err(|error| Failure::usage(format!("--prices: {error}")))?,
        None => Prices::default(),
    };
    let cassette = args
        .cassette
        .as_deref()
        .map(|path| open(path, args.cassette_mode))
        .transpose()?;
    let models = Settings {
        base_url: args.base_url.clone(),
        wire: args.wire.map(wire),
        keys: keys(&app.home.root().join(KEYS))?,
        prices,
        cassette: cassette.map(Arc::new),
        pacing,
        tools: match args.tool_protocol {
            ToolProtocolWord::Auto => ToolProtocol::Auto,
            ToolProtocolWord::Native => ToolProtocol::Native,
            ToolProtocolWord::Text => ToolProtocol::Text,
        },
        ..Settings::default()
    };
    // Variables come before the file, as everywhere: what is set for one command is meant.
    let file = models.keys.clone();
    let mut models = Settings {
        keys: BTreeMap::new(),
        ..models
    }
    .with_variables(&|name| std::env::var(name).ok());
    for (provider, key) in file {
        models.keys.entry(provider).or_insert(key);
    }
    Ok((models, price_file.map(|text| Digest::of(text.as_bytes()))))
}

fn wire(word: WireWord) -> Wire {
    match word {
        WireWord::Chat => Wire::Chat,
        WireWord::Responses => Wire::Responses,
        WireWord::Messages => Wire::Messages,
        WireWord::Gemini => Wire::Gemini,
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::usage(error.to_string()))
}

fn open(path: &Path, word: CassetteWord) -> Result<Cassette, Failure> {
    let mode = match word {
        CassetteWord::Record => CassetteMode::Record,
        CassetteWord::Replay => CassetteMode::Replay,
        CassetteWord::ReplayOrRecord => CassetteMode::ReplayOrRecord,
    };
    Cassette::open(path, mode).map_err(|error| Failure::usage(format!("--cassette {}: {error}", path.display())))
}

/// Keys by provider, from a file that nobody else may read.
fn keys(path: &Path) -> Result<BTreeMap<String, Secret>, Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(meta) = fs::metadata(path) else {
        return Ok(BTreeMap::new());
    };
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(Failure::usage(format!(
            "{}: others may read it (mode {mode:04o}): `chmod 600 {}` first",
            path.display(),
            path.display()
        )));
    }
    // The text is never part of a message: it holds keys.
    let table: BTreeMap<String, String> = toml::from_str(&read(path)?).map_err(|error| {
        let place = error.span().map_or(0, |span| span.start);
        Failure::usage(format!(
            "{}: byte {place} is no line like `openai = \"key\"`",
            path.display()
        ))
    })?;
    Ok(table
        .into_iter()
        .map(|(provider, key)| (provider, Secret::new(key)))
        .collect())
}
