//! Models for agents, from words, variables and the file of keys.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use fs_err as fs;
use seatrial_agents::{AgentOptions, AgentSettings, CondenserKind, Feedback, Labels, RepairOptions};
use seatrial_core::Digest;
use seatrial_llm::{
    Bounds, Cassette, CassetteMode, EmbeddingModel, Meter, Model, ModelId, Pacing, Patience, Prices, Secret, Settings,
    ToolProtocol, Wire, connect, connect_embeddings,
};
use seatrial_tools::{ProviderSearch, SearchProvider};
use serde_json::{Value, json};

use crate::{
    app::App,
    failure::Failure,
    mcp_args::RepairMode,
    model_args::{AskingArgs, CassetteWord, CondenserWord, FeedbackWord, ModelArgs, ToolProtocolWord, WireWord},
};

/// The file of keys in the data folder.
const KEYS: &str = "keys.toml";

/// How long one search may take.
const SEARCH_PATIENCE: Duration = Duration::from_secs(20);

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
        repair: RepairOptions {
            patches: args.repair_mode == RepairMode::Patch,
            compat: args.repair_compat,
            ..RepairOptions::default()
        },
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
    if let Some(word) = &args.search {
        settings.searcher = Some(Arc::new(search(app, word)?));
    }
    for server in super::outside::servers(&args.mcp, &args.mcp_token)? {
        settings.outside.extend(server.tools());
    }
    if args.model.is_empty() && args.embedder.is_none() {
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
    if let Some(word) = &args.embedder {
        settings.embedding = Some(embedder(word, &args.model, &models)?);
    }
    if args.model.is_empty() {
        return Ok((settings, None));
    }
    for name in &args.model {
        settings.models.push(connected(name, &models)?);
    }
    let of_run = Bounds {
        steps: args.max_steps_of_run,
        tool_calls: args.max_tool_calls_of_run,
        tokens: args.max_tokens_of_run,
        cost_micros: args.max_cost_of_run,
    };
    settings.run_meter = (of_run != Bounds::default()).then(|| Arc::new(Meter::new(of_run)));
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
            "of_run": {
                "steps": of_run.steps,
                "tool_calls": of_run.tool_calls,
                "tokens": of_run.tokens,
                "cost_micros": of_run.cost_micros,
            },
        },
        "prices": prices,
        "cassette": args.asking.cassette,
        "embedder": args.embedder,
        "search": args.search,
        "mcp": args.mcp,
        "labels": args.labels.as_deref().map(read).transpose()?.map(|text| Digest::of(text.as_bytes())),
    });
    Ok((settings, Some(lock)))
}

/// Who searches the web, with the key from its variable or from the file of keys.
pub(super) fn search(app: &App, word: &str) -> Result<ProviderSearch, Failure> {
    let file = keys(&app.home.root().join(KEYS))?;
    let key = |provider: &SearchProvider| {
        let variable = provider.key_variable.and_then(|name| std::env::var(name).ok());
        variable
            .map(|key| key.trim().to_owned())
            .filter(|key| !key.is_empty())
            .or_else(|| file.get(provider.name).map(|key| key.expose().to_owned()))
    };
    ProviderSearch::from_word(word, &key, SEARCH_PATIENCE).map_err(|error| Failure::usage(format!("--search: {error}")))
}

/// The model that makes vectors. The server of `--base-url` is asked when it is that of the same provider's models.
fn embedder(word: &str, models: &[String], settings: &Settings) -> Result<Arc<dyn EmbeddingModel>, Failure> {
    let (name, url) = word
        .split_once('=')
        .map_or((word, None), |(name, url)| (name, Some(url)));
    let usage = |error: &dyn std::fmt::Display| Failure::usage(format!("--embedder: {error}"));
    let id: ModelId = name
        .parse()
        .map_err(|error: seatrial_llm::ModelIdError| usage(&error))?;
    let is_same = |model: &String| {
        model
            .split_once('/')
            .is_some_and(|(provider, _)| provider == id.provider())
    };
    let settings = Settings {
        base_url: match url {
            Some(url) => Some(url.to_owned()),
            None if models.is_empty() || models.iter().any(is_same) => settings.base_url.clone(),
            None => None,
        },
        ..settings.clone()
    };
    connect_embeddings(&id, &settings).map_err(|error| usage(&error))
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
