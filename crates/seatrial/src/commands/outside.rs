//! Tool servers of others for our agents, from words.

use std::{collections::BTreeMap, time::Duration};

use seatrial_tools::mcp::{McpServer, McpServerSpec, McpWay};

use crate::failure::Failure;

/// How long a server may take to start, and any one call.
const PATIENCE: Duration = Duration::from_mins(2);

/// What a server that is started finds in its environment, beside the variable that it is given.
const VARIABLES: [&str; 3] = ["PATH", "HOME", "LANG"];

/// Starts or calls the servers that are named.
pub(super) fn servers(words: &[String], tokens: &[String]) -> Result<Vec<McpServer>, Failure> {
    let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
    for word in tokens {
        let (name, variable) = word.split_once('=').ok_or_else(|| {
            Failure::usage(format!(
                "--mcp-token {word}: write it as NAME=VARIABLE, with the name of a server"
            ))
        })?;
        variables.insert(name, variable);
    }
    let mut specs: Vec<McpServerSpec> = Vec::new();
    for word in words {
        let spec = spec(word, &mut variables)?;
        if specs.iter().any(|other| other.name == spec.name) {
            return Err(Failure::usage(format!("--mcp: there are two servers `{}`", spec.name)));
        }
        specs.push(spec);
    }
    if let Some(name) = variables.keys().next() {
        return Err(Failure::usage(format!(
            "--mcp-token {name}=...: there is no such server"
        )));
    }
    specs
        .iter()
        .map(|spec| McpServer::start(spec).map_err(|error| Failure::invalid(error.to_string())))
        .collect()
}

fn spec(word: &str, variables: &mut BTreeMap<&str, &str>) -> Result<McpServerSpec, Failure> {
    let is_name = |name: &str| {
        !name.is_empty() && name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let (name, place) = word
        .split_once('=')
        .filter(|(name, place)| is_name(name) && !place.trim().is_empty())
        .ok_or_else(|| {
            Failure::usage(format!(
                "--mcp {word}: write it as NAME=URL or NAME=COMMAND; a name has letters, digits and `-`"
            ))
        })?;
    let token = variables
        .remove(name)
        .map(|variable| {
            let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| {
                Failure::usage(format!(
                    "--mcp-token {name}={variable}: there is no such variable here; set it first"
                ))
            })?;
            Ok::<_, Failure>((variable.to_owned(), value))
        })
        .transpose()?;
    let way = if place.contains("://") {
        McpWay::Http {
            url: place.to_owned(),
            token: token.map(|(_, value)| value),
        }
    } else {
        let command = shlex::split(place)
            .ok_or_else(|| Failure::usage(format!("--mcp {name}: the command has a quote without an end")))?;
        let own = VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
        McpWay::Process {
            command,
            env: own.chain(token).collect(),
        }
    };
    Ok(McpServerSpec {
        name: name.to_owned(),
        way,
        patience: PATIENCE,
    })
}
