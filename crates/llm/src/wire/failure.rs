//! What a provider means when it says no. Each has words of its own; the codes are few and not kept to.

use serde_json::Value;

use crate::quirks::Parameter;

/// What a provider's no means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    BadKey,
    NoCredit,
    UnknownModel,
    ContextFull,
    Refused,
    /// The request may be taken without this, or with this written in another way.
    Parameter(Parameter),
    /// It may go better the next time.
    Again,
    /// It will not go better.
    Bad,
}

/// Words by which a provider says that the conversation is too long.
const CONTEXT: [&str; 15] = [
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "context limit",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "input token count",
    "exceeds the maximum number of tokens",
    "too many input tokens",
    "range of input length",
    "reduce the length of the",
    "request_too_large",
];

/// Not the mere mention of billing: limits by the minute are told with an advice to pay more.
const CREDIT: [&str; 9] = [
    "insufficient_quota",
    "insufficient_balance",
    "insufficient balance",
    "insufficient credits",
    "credit balance",
    "prepayment credits",
    "billing_hard_limit",
    "billing_not_active",
    "exceeded_current_quota_error",
];

const KEY: [&str; 5] = [
    "api key not valid",
    "api_key_invalid",
    "invalid_api_key",
    "incorrect api key",
    "authentication_error",
];

const MODEL: [&str; 10] = [
    "model_not_found",
    "deploymentnotfound",
    "is not a valid model",
    "unknown model",
    "unknown_model",
    "model not exist",
    "model not found",
    "invalid model name",
    "no such model",
    "no endpoints found for",
];

const REFUSAL: [&str; 7] = [
    "content_filter",
    "content_policy",
    "content management policy",
    "responsibleaipolicy",
    "data_inspection_failed",
    "flagged",
    "invalid_prompt",
];

/// Says what a refusal of this request means, and the provider's words for it. The status is that of the answer, or the
/// one that an error in the middle of a stream names.
pub(crate) fn classify(status: u16, said: &str, sent: &Value) -> (Failure, String) {
    let body: Value = serde_json::from_str(said).unwrap_or(Value::Null);
    let body = body.get(0).unwrap_or(&body);
    let message = message(body).unwrap_or_else(|| head(said));
    let codes = codes(body);
    let words = format!("{message} {codes}").to_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let is_ours = (400..500).contains(&status) && status != 429 || status == 501;

    let failure = if status == 401 || has(&KEY) {
        Failure::BadKey
    } else if status == 402 || has(&CREDIT) {
        Failure::NoCredit
    } else if sent.get("tools").is_some() && words.contains("requires --jinja") {
        // Of a server that says so with any status.
        Failure::Parameter(Parameter::Tools)
    } else if let Some(failure) = room(&words, sent) {
        failure
    } else if status != 429 && (status == 413 || has(&CONTEXT)) {
        Failure::ContextFull
    } else if has(&REFUSAL) && status < 500 {
        Failure::Refused
    } else if let Some(parameter) = is_ours.then(|| parameter(&words, sent)).flatten() {
        Failure::Parameter(parameter)
    } else if is_ours && (has(&MODEL) || names_a_missing_model(status, &words)) {
        Failure::UnknownModel
    } else if status == 403 {
        Failure::BadKey
    } else if matches!(status, 408 | 409 | 425 | 429) || status >= 500 && status != 501 {
        Failure::Again
    } else {
        Failure::Bad
    };
    (failure, message)
}

/// The status that an error in the middle of a stream stands for.
pub(crate) fn status_of(error: &Value) -> u16 {
    let number = ["/error/code", "/error/status", "/code", "/status"]
        .iter()
        .find_map(|path| error.pointer(path)?.as_u64())
        .and_then(|number| u16::try_from(number).ok())
        .filter(|number| (400..600).contains(number));
    let words = codes(error).to_lowercase();
    let named = || {
        if words.contains("rate_limit") || words.contains("resource_exhausted") {
            429
        } else if words.contains("invalid_request") || words.contains("invalid_argument") || words.contains("refus") {
            400
        } else {
            500
        }
    };
    number.unwrap_or_else(named)
}

/// The provider's words.
fn message(body: &Value) -> Option<String> {
    let found = [
        "/error/message",
        "/message",
        "/error",
        "/detail",
        "/error_message",
        "/errors/0/message",
        "/detail/0/msg",
    ]
    .iter()
    .find_map(|path| body.pointer(path)?.as_str().filter(|text| !text.is_empty()))?;
    // A provider of providers has the words of the one behind it further down.
    let behind = body.pointer("/error/metadata/raw").and_then(Value::as_str);
    Some(match behind {
        Some(behind) => head(&format!("{found}: {behind}")),
        None => head(found),
    })
}

/// Codes and types, and the names of parameters.
fn codes(body: &Value) -> String {
    let texts: Vec<&str> = [
        "/error/code",
        "/error/type",
        "/error/status",
        "/error/param",
        "/code",
        "/type",
        "/param",
    ]
    .iter()
    .filter_map(|path| body.pointer(path)?.as_str())
    .collect();
    let inner = body
        .pointer("/error/innererror/code")
        .and_then(Value::as_str)
        .unwrap_or_default();
    format!("{} {inner}", texts.join(" "))
}

/// The first thousand characters on one line.
fn head(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        return "it says nothing".to_owned();
    }
    match line.char_indices().nth(1000) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn names_a_missing_model(status: u16, words: &str) -> bool {
    let missing = [
        "not found",
        "not_found",
        "does not exist",
        "doesn't exist",
        "not supported for",
        "not available",
    ];
    words.contains("model")
        && missing.iter().any(|word| words.contains(word))
        && matches!(status, 400 | 403 | 404 | 422)
}

/// The request would fit if its answer were bound tighter. `None` when this is not what is said.
fn room(words: &str, sent: &Value) -> Option<Failure> {
    const LEAST: u64 = 64;
    let bound = output_bound(sent)?;
    if !CONTEXT.iter().any(|word| words.contains(word)) {
        return None;
    }
    let numbers = numbers(words);
    // Of a limit, what the messages have of it, and the bound that was sent, the first is the greatest of those that are not
    // a sum; what remains of it beside the messages is the room.
    let says_both = [
        "in the completion",
        "max_tokens",
        "max_completion_tokens",
        "in the output",
    ];
    if !says_both.iter().any(|word| words.contains(word)) || !numbers.contains(&bound) {
        return None;
    }
    let others: Vec<u64> = numbers.iter().copied().filter(|number| *number != bound).collect();
    others.iter().find_map(|input| {
        let total = input + bound;
        let limit = others
            .iter()
            .copied()
            .filter(|limit| *limit > input + LEAST && *limit < total)
            .min_by_key(|limit| total - limit)?;
        // A request that is longer than the limit leaves no room.
        (*input >= 16).then(|| Failure::Parameter(Parameter::Room(limit - input - LEAST / 4)))
    })
}

fn numbers(words: &str) -> Vec<u64> {
    let plain = words.replace(',', "");
    plain
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

/// The bound on the answer's tokens that was sent.
fn output_bound(sent: &Value) -> Option<u64> {
    [
        "/max_tokens",
        "/max_completion_tokens",
        "/max_output_tokens",
        "/generationConfig/maxOutputTokens",
    ]
    .iter()
    .find_map(|path| sent.pointer(path)?.as_u64())
}

/// The parameter that is refused, when one that was sent is named.
fn parameter(words: &str, sent: &Value) -> Option<Parameter> {
    // Types that nearly every refusal has say nothing.
    let words = words
        .replace("invalid_request_error", "")
        .replace("invalid_argument", "");
    let words = words.as_str();
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let sends = |path: &str| sent.pointer(path).is_some();
    let refuses = has(&[
        "support",
        "unrecognized",
        "unknown",
        "unexpected",
        "extra inputs",
        "not permitted",
        "not allowed",
        "not enabled",
        "invalid",
        "cannot",
        "deprecated",
        "must be",
        "only",
        "requires",
        "disabled",
        "not available",
    ]);
    let misses = has(&[
        "missing",
        "must be passed back",
        "must include",
        "must contain",
        "is required",
    ]);
    if misses
        && has(&[
            "reasoning_content",
            "thought_signature",
            "thoughtsignature",
            "thought signature",
        ])
    {
        return Some(Parameter::ReasoningMissing);
    }
    if has(&["items are not persisted", "invalid_encrypted_content"]) {
        return Some(Parameter::Reasoning);
    }
    if has(&["stream_options"]) && sends("/stream_options") {
        return Some(Parameter::UsageInStream);
    }
    if has(&["parametersjsonschema", "parameters_json_schema"]) {
        return Some(Parameter::GeminiSchema);
    }
    if has(&["cache_control"]) {
        return Some(Parameter::CacheMarks);
    }
    let names_bound = has(&[
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "maxoutputtokens",
    ]);
    if let Some(sent) = output_bound(sent).filter(|_| names_bound) {
        let too_high = has(&[
            "too large",
            "at most",
            "less than",
            "exceed",
            "maximum",
            "range",
            "<=",
            "greater than",
        ]);
        let is_unknown = has(&[
            "unsupported",
            "unrecognized",
            "unknown",
            "not supported",
            "unexpected",
            "not permitted",
        ]);
        return Some(if too_high && !is_unknown {
            let highest = numbers(words)
                .into_iter()
                .filter(|number| *number < sent && *number >= 16)
                .max();
            Parameter::OutputBoundTooHigh(highest)
        } else {
            Parameter::OutputBound
        });
    }
    if has(&[
        "response_format",
        "json_schema",
        "responsejsonschema",
        "response_schema",
        "text.format",
        "structured output",
        "json mode",
    ]) && (sends("/response_format")
        || sends("/text")
        || sends("/generationConfig/responseJsonSchema")
        || sends("/generationConfig/responseMimeType"))
    {
        return Some(Parameter::Schema);
    }
    if has(&["temperature"]) && (sends("/temperature") || sends("/generationConfig/temperature")) {
        return Some(Parameter::Temperature);
    }
    if has(&[
        "reasoning_content",
        "reasoning_details",
        "encrypted",
        "thinkingconfig",
        "thinking_config",
        "thinking",
        "reasoning.encrypted_content",
    ]) && refuses
    {
        return Some(Parameter::Reasoning);
    }
    if sends("/tools") && refuses {
        // One server asks for options of its own here, without which it has no tools at all.
        if has(&["tool_choice", "toolconfig", "function_calling_config"])
            && !has(&["--enable-auto-tool-choice"])
            && sends("/tool_choice")
        {
            return Some(Parameter::ToolChoice);
        }
        let has_none = has(&[
            "not support",
            "unsupported",
            "no endpoints",
            "not enabled",
            "--enable-auto-tool-choice",
            "unrecognized",
            "unknown parameter",
            "unknown field",
            "extra inputs",
            "not available",
            "disabled",
        ]);
        // A fault in a tool's schema or in a conversation's calls is ours, and no reason to do without.
        let is_ours = has(&["schema", "tool_call_id", "tool_calls", "tool_use_id", "tool_result"]);
        if has(&["tool", "function call", "functiondeclarations"]) && has_none && !is_ours {
            return Some(Parameter::Tools);
        }
    }
    if has(&["stream"]) && refuses && sends("/stream") {
        return Some(Parameter::Stream);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;
    use serde_json::json;

    use super::*;

    /// Words of providers for the same things, as their public documentation and reports of users have them.
    #[test]
    fn each_providers_no_is_understood() {
        let sent = json!({
            "temperature": 0, "max_tokens": 8000, "stream": true, "stream_options": {"include_usage": true},
            "tools": [{}], "tool_choice": "auto", "response_format": {},
        });
        let openai = |message: &str, code: &str, param: &str| {
            json!({"error": {"message": message, "type": "invalid_request_error", "code": code, "param": param}})
                .to_string()
        };
        let gemini = |message: &str, status: &str| {
            json!({"error": {"code": 400, "message": message, "status": status}}).to_string()
        };
        let plain = |message: &str| json!({ "error": message }).to_string();
        let anthropic = |kind: &str, message: &str| {
            json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
        };
        let cases = [
            (401, openai("Incorrect API key provided: x", "invalid_api_key", "")),
            (400, gemini("API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")),
            (401, anthropic("authentication_error", "invalid x-api-key")),
            (403, openai("Country not supported", "unsupported_country", "")),
            (429, openai("You exceeded your current quota, please check your plan", "insufficient_quota", "")),
            (400, anthropic("invalid_request_error", "Your credit balance is too low to access the API")),
            (402, plain("Insufficient Balance")),
            (404, openai("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found", "")),
            (404, anthropic("not_found_error", "model: claude-9")),
            (404, gemini("models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.", "NOT_FOUND")),
            (400, openai("foo/bar is not a valid model ID", "400", "")),
            (404, json!({"error": {"message": "No endpoints found for foo/bar.", "code": 404}}).to_string()),
            (404, plain("model \"qwen9\" not found, try pulling it first")),
            (404, "404 page not found".to_owned()),
            (400, openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", "context_length_exceeded", "messages")),
            (400, openai("This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (2000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.", "context_length_exceeded", "messages")),
            (400, openai("'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 119 input tokens (8000 > 4096 - 119).", "BadRequestError", "max_tokens")),
            (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
            (400, anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 195000 + 8000 > 200000, decrease input length or `max_tokens` and try again")),
            (413, anthropic("request_too_large", "Request exceeds the maximum size")),
            (400, gemini("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT")),
            (400, json!({"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error"}}).to_string()),
            (400, openai("Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "unsupported_value", "temperature")),
            (400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter", "max_tokens")),
            (400, openai("max_tokens is too large: 8000. This model supports at most 4096 completion tokens, whereas you provided 8000.", "invalid_value", "max_tokens")),
            (400, anthropic("invalid_request_error", "max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku")),
            (400, openai("Unrecognized request argument supplied: stream_options", "", "")),
            (400, openai("Your organization must be verified to stream this model.", "unsupported_value", "stream")),
            (400, plain("registry.ollama.ai/library/gemma:2b does not support tools")),
            (404, json!({"error": {"message": "No endpoints found that support tool use.", "code": 404}}).to_string()),
            (400, openai("\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", "BadRequestError", "")),
            (400, openai("deepseek-reasoner does not support this tool_choice", "invalid_request_error", "")),
            (400, openai("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "", "response_format")),
            (400, gemini("Invalid JSON payload received. Unknown name \"parametersJsonSchema\" at 'tools[0]': Cannot find field.", "INVALID_ARGUMENT")),
            (400, openai("Encrypted content is not supported with this model.", "", "include")),
            (400, json!({"error": {"code": "content_filter", "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."}}).to_string()),
            (429, openai("Rate limit reached for gpt-5. Add a payment method to increase it: see account/billing", "rate_limit_exceeded", "")),
            (429, gemini("You exceeded your current quota, please check your plan and billing details.", "RESOURCE_EXHAUSTED")),
            (429, gemini("Your prepayment credits are depleted.", "RESOURCE_EXHAUSTED")),
            (400, anthropic("invalid_request_error", "`temperature` may only be set to 1 when thinking is enabled")),
            (400, anthropic("invalid_request_error", "`temperature` is deprecated for this model.")),
            (400, openai("Invalid schema for function 'shell': 'x' is not supported", "", "tools[0].function.parameters")),
            (500, openai("tools param requires --jinja flag", "500", "")),
            (400, openai("Missing `reasoning_content` field in the assistant message at message index 2.", "", "")),
            (400, openai("The `reasoning_content` in the thinking mode must be passed back to the API.", "", "")),
            (400, gemini("Function call is missing a thought_signature in functionCall parts.", "INVALID_ARGUMENT")),
            (400, openai("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "", "")),
            (400, gemini("Please ensure that the number of function response parts is equal to the number of function call parts.", "INVALID_ARGUMENT")),
            (529, anthropic("overloaded_error", "Overloaded")),
            (503, "<html>Service Unavailable</html>".to_owned()),
            (500, String::new()),
            (502, json!([{"error": {"message": "bad gateway"}}]).to_string()),
            (400, openai("Invalid 'messages[1].content': expected a string", "invalid_type", "messages")),
            (422, json!({"detail": [{"msg": "field required", "loc": ["body"]}]}).to_string()),
        ];
        let mut listing = String::new();
        for (status, said) in cases {
            let (failure, message) = classify(status, &said, &sent);
            let short: String = message.chars().take(70).collect();
            writeln!(listing, "{status} {failure:?}: {short}").unwrap();
        }
        expect![[r#"
            401 BadKey: Incorrect API key provided: x
            400 BadKey: API key not valid. Please pass a valid API key.
            401 BadKey: invalid x-api-key
            403 BadKey: Country not supported
            429 NoCredit: You exceeded your current quota, please check your plan
            400 NoCredit: Your credit balance is too low to access the API
            402 NoCredit: Insufficient Balance
            404 UnknownModel: The model `gpt-9` does not exist or you do not have access to it.
            404 UnknownModel: model: claude-9
            404 UnknownModel: models/gemini-9 is not found for API version v1beta, or is not support
            400 UnknownModel: foo/bar is not a valid model ID
            404 UnknownModel: No endpoints found for foo/bar.
            404 UnknownModel: model "qwen9" not found, try pulling it first
            404 Bad: 404 page not found
            400 ContextFull: This model's maximum context length is 128000 tokens. However, your me
            400 Parameter(Room(1792)): This model's maximum context length is 8192 tokens. However, you reque
            400 Parameter(Room(3961)): 'max_tokens' or 'max_completion_tokens' is too large: 8000. This model
            400 ContextFull: prompt is too long: 210000 tokens > 200000 maximum
            400 Parameter(Room(4984)): input length and `max_tokens` exceed context limit: 195000 + 8000 > 20
            413 ContextFull: Request exceeds the maximum size
            400 ContextFull: The input token count (1200000) exceeds the maximum number of tokens a
            400 ContextFull: the request exceeds the available context size. try increasing the con
            400 Parameter(Temperature): Unsupported value: 'temperature' does not support 0 with this model. O
            400 Parameter(OutputBound): Unsupported parameter: 'max_tokens' is not supported with this model. 
            400 Parameter(OutputBoundTooHigh(Some(4096))): max_tokens is too large: 8000. This model supports at most 4096 comple
            400 Parameter(OutputBoundTooHigh(Some(4096))): max_tokens: 8000 > 4096, which is the maximum allowed number of output
            400 Parameter(UsageInStream): Unrecognized request argument supplied: stream_options
            400 Parameter(Stream): Your organization must be verified to stream this model.
            400 Parameter(Tools): registry.ollama.ai/library/gemma:2b does not support tools
            404 Parameter(Tools): No endpoints found that support tool use.
            400 Parameter(Tools): "auto" tool choice requires --enable-auto-tool-choice and --tool-call-
            400 Parameter(ToolChoice): deepseek-reasoner does not support this tool_choice
            400 Parameter(Schema): Invalid parameter: 'response_format' of type 'json_schema' is not supp
            400 Parameter(GeminiSchema): Invalid JSON payload received. Unknown name "parametersJsonSchema" at 
            400 Parameter(Reasoning): Encrypted content is not supported with this model.
            400 Refused: The response was filtered due to the prompt triggering Azure OpenAI's 
            429 Again: Rate limit reached for gpt-5. Add a payment method to increase it: see
            429 Again: You exceeded your current quota, please check your plan and billing de
            429 NoCredit: Your prepayment credits are depleted.
            400 Parameter(Temperature): `temperature` may only be set to 1 when thinking is enabled
            400 Parameter(Temperature): `temperature` is deprecated for this model.
            400 Bad: Invalid schema for function 'shell': 'x' is not supported
            500 Parameter(Tools): tools param requires --jinja flag
            400 Parameter(ReasoningMissing): Missing `reasoning_content` field in the assistant message at message 
            400 Parameter(ReasoningMissing): The `reasoning_content` in the thinking mode must be passed back to th
            400 Parameter(ReasoningMissing): Function call is missing a thought_signature in functionCall parts.
            400 Parameter(Reasoning): Item with id 'rs_1' not found. Items are not persisted when `store` is
            400 Bad: Please ensure that the number of function response parts is equal to t
            529 Again: Overloaded
            503 Again: <html>Service Unavailable</html>
            500 Again: it says nothing
            502 Again: bad gateway
            400 Bad: Invalid 'messages[1].content': expected a string
            422 Bad: field required
        "#]].assert_eq(&listing);
    }

    #[test]
    fn nothing_that_was_not_sent_is_blamed() {
        let (failure, _) = classify(400, r#"{"error":"temperature is not supported"}"#, &json!({}));
        assert_eq!(failure, Failure::Bad);
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..random.usize(..60)).map(|_| random.u8(..)).collect();
            let said = String::from_utf8_lossy(&bytes);
            drop(classify(random.u16(..), &said, &json!({"max_tokens": random.u64(..)})));
        }
    }
}
