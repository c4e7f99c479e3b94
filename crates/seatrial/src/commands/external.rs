//! Programs of others that work as agents: from words to a recipe with its values.

use std::{collections::BTreeMap, path::Path};

use fs_err as fs;
use seatrial_agents::{
    AgentSettings,
    external::{External, ExternalProgram, ExternalRecipe, Secrets, is_variable},
};
use seatrial_core::Digest;
use serde_json::{Value, json};

use crate::{
    args::{NetworkArgs, NetworkMode},
    external_args::ExternalArgs,
    failure::Failure,
    model_args::ModelArgs,
};

/// What an agent is made from, and what of it is locked.
pub(super) struct Made {
    pub(super) settings: AgentSettings,
    pub(super) lock: Value,
    /// Of the recipe.
    pub(super) digest: Digest,
}

/// Whether the agent is a program of others; words that belong to another agent are refused.
pub(super) fn is_meant(agent: &str, args: &ExternalArgs) -> Result<bool, Failure> {
    let is_external = agent == External::NAME;
    if !is_external && args.recipe.is_some() {
        return Err(Failure::usage(format!(
            "the agent `{agent}` has no recipe; `--recipe` is for `{}`",
            External::NAME
        )));
    }
    Ok(is_external)
}

/// The program, from its recipe; its hosts join those that boxes may ask.
pub(super) fn program(args: &ExternalArgs, models: &ModelArgs, network: &mut NetworkArgs) -> Result<Made, Failure> {
    let names = || ExternalRecipe::built_in_names().collect::<Vec<_>>().join(", ");
    let word = args.recipe.as_deref().ok_or_else(|| {
        Failure::usage(format!(
            "the agent `{}` needs a recipe: `--recipe NAME` with one of {}, or `--recipe FILE`",
            External::NAME,
            names()
        ))
    })?;
    let text = match ExternalRecipe::built_in(word) {
        Some(text) => text.to_owned(),
        None if Path::new(word).is_file() => {
            fs::read_to_string(word).map_err(|error| Failure::usage(error.to_string()))?
        }
        None => {
            return Err(Failure::usage(format!(
                "there is no recipe `{word}`, and no file of this name; there are {}",
                names()
            )));
        }
    };
    let recipe = ExternalRecipe::parse(&text).map_err(|error| Failure::usage(format!("{word}: {error}")))?;
    no_bounds(models)?;
    let model = match models.model.as_slice() {
        [] if recipe.needs_model => {
            return Err(Failure::usage(format!(
                "the recipe `{}` needs the name of a model: `--model provider/name`",
                recipe.name
            )));
        }
        [] => None,
        [one] => Some(one.clone()),
        _ => return Err(Failure::usage("the agent `external` takes one `--model`")),
    };
    recipe
        .launch(models.asking.base_url.as_deref())
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut passed = BTreeMap::new();
    for name in &args.pass {
        if !is_variable(name) {
            return Err(Failure::usage(format!(
                "--pass {name}: this is no name of a variable that can be handed over"
            )));
        }
        let value = std::env::var(name)
            .map_err(|_| Failure::usage(format!("--pass {name}: there is no such variable here; set it first")))?;
        passed.insert(name.clone(), value);
    }
    let has_key = recipe.wants.is_empty() || recipe.wants.iter().any(|name| passed.contains_key(name));
    if models.asking.base_url.is_none() && !has_key {
        return Err(Failure::usage(format!(
            "the recipe `{}` wants one of {}: hand it over with `--pass NAME`; whoever works in the box can read it\n  \
             with a server of your own, name it with `--base-url URL`",
            recipe.name,
            recipe.wants.join(", ")
        )));
    }
    let lock = json!({
        "recipe": recipe.name,
        "models": models.model,
        "base_url": models.asking.base_url,
        "passed": args.pass,
    });
    let program = ExternalProgram {
        recipe,
        model,
        base_url: models.asking.base_url.clone(),
        secrets: Secrets::new(passed).map_err(|error| Failure::usage(format!("--pass {error}")))?,
    };
    match network.network {
        NetworkMode::Recorded => network.allow.extend(program.hosts()),
        NetworkMode::Open if models.asking.base_url.is_none() => {}
        NetworkMode::Open => {
            return Err(Failure::usage(
                "`--network open` leads to public hosts only, and a server of your own may be none; use `--network recorded`",
            ));
        }
        NetworkMode::None => {}
    }
    Ok(Made {
        settings: AgentSettings {
            external: Some(program),
            ..AgentSettings::default()
        },
        lock,
        digest: ExternalRecipe::digest(&text),
    })
}

/// Nobody here counts what a program of others spends before it has spent it.
fn no_bounds(models: &ModelArgs) -> Result<(), Failure> {
    let bounds = [
        ("--max-cost", models.max_cost.is_some()),
        ("--max-cost-of-run", models.max_cost_of_run.is_some()),
        ("--max-tokens-of-run", models.max_tokens_of_run.is_some()),
        ("--max-steps-of-run", models.max_steps_of_run.is_some()),
        ("--max-tool-calls-of-run", models.max_tool_calls_of_run.is_some()),
        ("--max-tokens", models.max_tokens.is_some()),
        ("--max-steps", models.max_steps.is_some()),
        ("--max-tool-calls", models.max_tool_calls.is_some()),
        ("--cassette", models.asking.cassette.is_some()),
        ("--search", models.search.is_some()),
        ("--embedder", models.embedder.is_some()),
        ("--mcp", !models.mcp.is_empty()),
    ];
    match bounds.iter().find(|(_, given)| *given) {
        Some((word, _)) => Err(Failure::usage(format!(
            "{word} cannot be kept for a program of others, which asks its model itself\n  \
             bound it by time, or by words of its own in a recipe's command"
        ))),
        None => Ok(()),
    }
}
