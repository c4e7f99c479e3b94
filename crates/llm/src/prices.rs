//! What tokens cost. What is not known is not known: it is never taken for nothing.

use std::sync::LazyLock;

use seatrial_core::Usage;
use serde::Deserialize;

use crate::ModelId;

/// Prices of models: the user's own first, then those that came with the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    own: Vec<Price>,
    built_in: bool,
}

impl Default for Prices {
    fn default() -> Self {
        Self {
            own: Vec::new(),
            built_in: true,
        }
    }
}

/// The price of one model's tokens, in US dollars for a million, and what else is published about it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// `provider/model`.
    pub model: String,
    /// The day on which this was the price, `YYYY-MM-DD`.
    pub date: String,
    /// Tokens of a request.
    pub input: f64,
    /// Those of them that were read from a cache; as `input` when it is not given.
    #[serde(default)]
    pub cached_input: Option<f64>,
    /// Those of them that were written to a cache; as `input` when it is not given.
    #[serde(default)]
    pub cache_write: Option<f64>,
    /// Tokens of an answer.
    pub output: f64,
    /// Beyond so many tokens of a request, other prices hold.
    #[serde(default)]
    pub above: Option<u64>,
    /// `input` there.
    #[serde(default)]
    pub above_input: Option<f64>,
    /// `cached_input` there.
    #[serde(default)]
    pub above_cached_input: Option<f64>,
    /// `output` there.
    #[serde(default)]
    pub above_output: Option<f64>,
    /// Most tokens of a request and its answer.
    #[serde(default)]
    pub context: Option<u64>,
    /// Most tokens of an answer.
    #[serde(default)]
    pub max_output: Option<u64>,
}

/// A file of prices cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the file of prices cannot be read: {0}")]
pub struct PriceError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    format: u32,
    #[serde(default)]
    price: Vec<Price>,
}

const FORMAT: u32 = 1;

static BUILT_IN: LazyLock<Vec<Price>> =
    LazyLock::new(|| parse(include_str!("../data/prices.toml")).unwrap_or_default());

fn parse(text: &str) -> Result<Vec<Price>, PriceError> {
    let table: Table = toml::from_str(text).map_err(|error| PriceError(error.to_string()))?;
    if table.format != FORMAT {
        return Err(PriceError(format!(
            "its format is {}; this program reads {FORMAT}",
            table.format
        )));
    }
    for price in &table.price {
        let numbers = [
            Some(price.input),
            price.cached_input,
            price.cache_write,
            Some(price.output),
            price.above_input,
            price.above_cached_input,
            price.above_output,
        ];
        if numbers
            .into_iter()
            .flatten()
            .any(|number| !number.is_finite() || number < 0.0)
        {
            return Err(PriceError(format!(
                "`{}` has a price that is no amount of money",
                price.model
            )));
        }
        if !is_date(&price.date) {
            return Err(PriceError(format!("`{}` has no date like 2025-08-07", price.model)));
        }
    }
    Ok(table.price)
}

fn is_date(text: &str) -> bool {
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    form == "0000-00-00"
}

impl Prices {
    /// No price of any model.
    pub fn none() -> Self {
        Self {
            own: Vec::new(),
            built_in: false,
        }
    }

    /// The prices of this file's text, before those that are known already.
    pub fn with_file(mut self, text: &str) -> Result<Self, PriceError> {
        let mut own = parse(text)?;
        own.append(&mut self.own);
        self.own = own;
        Ok(self)
    }

    /// The price of a model, if it is known.
    pub fn of(&self, id: &ModelId) -> Option<&Price> {
        // The same models over another wire.
        let provider = match id.provider() {
            "openai-responses" => "openai",
            other => other,
        };
        let built_in: &[Price] = if self.built_in { &BUILT_IN } else { &[] };
        let all = || self.own.iter().chain(built_in);
        let named = |price: &&Price, name: &str| {
            is_named(&price.model, id.provider(), name) || is_named(&price.model, provider, name)
        };
        all().find(|price| named(price, id.model())).or_else(|| {
            let (head, tail) = id.model().rsplit_once(['@', ':']).or_else(|| split_date(id.model()))?;
            (tail == "latest" || tail.chars().all(|c| c.is_ascii_digit() || c == '-'))
                .then(|| all().find(|price| named(price, head)))
                .flatten()
        })
    }
}

fn is_named(entry: &str, provider: &str, model: &str) -> bool {
    entry.split_once('/') == Some((provider, model))
}

/// Cuts a date or `latest` from the end of a name.
fn split_date(name: &str) -> Option<(&str, &str)> {
    if let Some(head) = name.strip_suffix("-latest") {
        return Some((head, "latest"));
    }
    [11, 9].into_iter().find_map(|length| {
        let (head, tail) = name.split_at_checked(name.len().checked_sub(length)?)?;
        let date = tail.strip_prefix('-')?;
        let is = is_date(date) || (date.len() == 8 && date.chars().all(|c| c.is_ascii_digit()));
        is.then_some((head, date))
    })
}

impl Price {
    /// What this usage costs, in millionths of a US dollar, rounded up; `None` when the usage is not known.
    pub fn cost_micros(&self, usage: &Usage) -> Option<u64> {
        let (input, output) = (usage.input?, usage.output?);
        let (input_price, cached_price, output_price) = self.at(input);
        let cached = usage.cached_input.unwrap_or(0).min(input);
        let written = usage.cache_write.unwrap_or(0).min(input - cached);
        let plain = input - cached - written;
        let micros = plain as f64 * input_price
            + cached as f64 * cached_price
            + written as f64 * self.cache_write.unwrap_or(input_price)
            + output as f64 * output_price;
        Some(up(micros))
    }

    /// The most that so many tokens can cost.
    pub(crate) fn most_micros(&self, input: u64, output: u64) -> u64 {
        let (input_price, cached_price, output_price) = self.at(input);
        let dearest = input_price.max(cached_price).max(self.cache_write.unwrap_or(0.0));
        // Below the step, prices are those of below; a table with a lower price above is not one that exists.
        up(input as f64 * dearest + output as f64 * output_price)
    }

    /// How many tokens of output this much money buys beside so many of input.
    pub(crate) fn affordable_output(&self, input: u64, micros: u64) -> u64 {
        let left = micros.saturating_sub(self.most_micros(input, 0));
        let (_, _, output_price) = self.at(input);
        if output_price <= 0.0 {
            return u64::MAX;
        }
        (left as f64 / output_price) as u64
    }

    fn at(&self, input: u64) -> (f64, f64, f64) {
        let cached = self.cached_input.unwrap_or(self.input);
        if self.above.is_some_and(|above| input > above) {
            let above = self.above_input.unwrap_or(self.input);
            (
                above,
                self.above_cached_input.unwrap_or(above),
                self.above_output.unwrap_or(self.output),
            )
        } else {
            (self.input, cached, self.output)
        }
    }
}

/// A price for a million tokens in dollars is the price of one token in millionths of a dollar.
fn up(micros: f64) -> u64 {
    // What is left over from binary fractions is not money.
    (micros - 1e-6).ceil().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(prices: &Prices, model: &str, input: u64, cached: u64, output: u64) -> Option<u64> {
        let usage = Usage {
            input: Some(input),
            cached_input: Some(cached),
            output: Some(output),
            ..Usage::default()
        };
        prices.of(&model.parse().unwrap())?.cost_micros(&usage)
    }

    #[test]
    fn the_table_is_read() {
        let table = parse(include_str!("../data/prices.toml")).unwrap();
        assert!(table.len() > 20);
        for price in table {
            assert!(
                crate::provider(price.model.split('/').next().unwrap()).is_some(),
                "{}",
                price.model
            );
        }
    }

    #[test]
    fn a_cost_is_known_or_it_is_not() {
        let prices = Prices::default();
        for (model, expected) in [
            ("openai/gpt-5", Some(1000 * 125 / 100 + 200)),
            ("openai/gpt-5-2025-08-07", Some(1450)),
            ("openai-responses/gpt-5", Some(1450)),
            ("openai/gpt-5-pro", None),
            ("anthropic/claude-sonnet-4-5-20250929", Some(3300)),
            ("anthropic/claude-3-5-haiku-latest", Some(880)),
            ("ollama/gpt-5", None),
        ] {
            assert_eq!(cost(&prices, model, 1000, 0, 20), expected, "{model}");
        }
        assert_eq!(cost(&prices, "openai/gpt-5", 1000, 1000, 0), Some(125));
        assert_eq!(cost(&prices, "gemini/gemini-2.5-pro", 300_000, 0, 0), Some(750_000));
        let unknown = prices.of(&"openai/gpt-5".parse().unwrap()).unwrap();
        assert_eq!(unknown.cost_micros(&Usage::default()), None);
    }

    #[test]
    fn a_file_of_the_users_comes_first_and_is_checked() {
        let row = |price: &str, date: &str| {
            format!(
                "format = 1\n[[price]]\nmodel = \"openai/gpt-5\"\ndate = \"{date}\"\ninput = {price}\noutput = 0.0\n"
            )
        };
        let prices = Prices::default().with_file(&row("7.0", "2026-01-01")).unwrap();
        assert_eq!(cost(&prices, "openai/gpt-5", 10, 0, 20), Some(70));
        assert_eq!(cost(&prices, "openai/gpt-4o", 10, 0, 0), Some(25));
        for (wrong, why) in [
            (row("-1.0", "2026-01-01"), "no amount of money"),
            (row("nan", "2026-01-01"), "no amount of money"),
            (row("1.0", "January"), "no date"),
            ("format = 2".to_owned(), "its format is 2"),
            ("format = 1\nprize = 1".to_owned(), "unknown field"),
        ] {
            let error = Prices::default().with_file(&wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_can_be_afforded_is_never_more_than_there_is() {
        let mut random = fastrand::Rng::with_seed(3);
        for price in BUILT_IN.iter() {
            for _ in 0..200 {
                let (input, micros) = (random.u64(..400_000), random.u64(..5_000_000));
                let output = price.affordable_output(input, micros);
                let cost = price.most_micros(input, output);
                assert!(
                    cost <= micros.max(price.most_micros(input, 0)) + 1,
                    "{} {cost} {micros}",
                    price.model
                );
            }
        }
    }
}
