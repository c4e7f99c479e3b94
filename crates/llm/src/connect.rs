//! From a model's name to a model that can be asked.

use std::sync::Arc;

use seatrial_core::Digest;

use crate::{
    CassetteMode, Model, ModelError, ModelId, Settings, Wire,
    client::Client,
    providers::{KeyNeed, provider, providers},
    quirks::Quirks,
    redact::LEAST_SECRET,
};

/// Finds the provider of a model and makes ready to ask it. Nothing is sent yet.
pub fn connect(id: &ModelId, settings: &Settings) -> Result<Arc<dyn Model>, ModelError> {
    Ok(Arc::new(client(id, settings, None)?))
}

/// The client of a model, over this wire or the one of the settings or the provider.
pub(crate) fn client(id: &ModelId, settings: &Settings, wire: Option<Wire>) -> Result<Client, ModelError> {
    let Some(provider) = provider(id.provider()) else {
        let names = providers().iter().map(|provider| provider.name.as_str());
        let known: Vec<&str> = names.filter(|name| !name.starts_with("scripted")).collect();
        return Err(ModelError::UnknownProvider {
            name: id.provider().to_owned(),
            known: known.join(", "),
        });
    };
    let asks_nobody = settings
        .cassette
        .as_ref()
        .is_some_and(|cassette| cassette.mode() == CassetteMode::Replay);
    let address = settings
        .base_url
        .clone()
        .or_else(|| settings.addresses.get(&provider.name).cloned())
        .or_else(|| provider.address.clone());
    if address.is_none() && !asks_nobody {
        return Err(ModelError::NoAddress {
            provider: provider.name.clone(),
            variables: provider.address_variables.clone(),
        });
    }
    let key = settings.keys.get(&provider.name).cloned();
    if key.is_none() && provider.key == KeyNeed::Required && !asks_nobody {
        return Err(ModelError::NoKey {
            provider: provider.name.clone(),
            variables: provider.key_variables.clone(),
        });
    }
    if let Some(key) = &key
        && key.reveal().len() < LEAST_SECRET
        && !asks_nobody
    {
        return Err(ModelError::ShortKey {
            provider: provider.name.clone(),
            variables: provider.key_variables.clone(),
            least: LEAST_SECRET,
        });
    }
    let address = with_ending(address.unwrap_or_default(), provider.address_ending.as_deref());
    let transport = if asks_nobody {
        None
    } else {
        Some(
            settings
                .shared
                .transport(settings, &address)
                .map_err(ModelError::Setup)?,
        )
    };
    // The name of a key's limits is not the key.
    let holder = key
        .as_ref()
        .map_or_else(String::new, |key| Digest::of(key.reveal().as_bytes()).hex());
    let pace = settings
        .shared
        .pace(format!("{address} {holder} {:?}", settings.pacing), &settings.pacing);
    let wire = wire.or(settings.wire).unwrap_or(provider.wire);
    let quirks = settings.shared.quirks(
        format!("{wire} {address} {} {:?}", id.model(), settings.tools),
        &Quirks::of(provider, settings.tools),
    );
    Ok(Client {
        id: id.clone(),
        provider,
        wire,
        address,
        key,
        price: settings.prices.of(id).cloned(),
        cassette: settings.cassette.clone(),
        settings: settings.clone(),
        transport,
        pace,
        quirks,
    })
}

/// Variables hold the bare address of a resource by custom, without the path of what is asked there.
fn with_ending(address: String, ending: Option<&str>) -> String {
    let Some(ending) = ending else { return address };
    let bare = address.trim_end_matches('/');
    let has_path = bare.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if has_path || bare.is_empty() {
        address
    } else {
        format!("{bare}{ending}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_address_gets_its_ending() {
        for (address, expected) in [
            ("https://ship.example.org/", "https://ship.example.org/openai/v1"),
            (
                "https://ship.example.org/openai/v1/",
                "https://ship.example.org/openai/v1/",
            ),
            ("", ""),
        ] {
            assert_eq!(with_ending(address.to_owned(), Some("/openai/v1")), expected);
        }
        assert_eq!(with_ending("http://x".to_owned(), None), "http://x");
    }
}
