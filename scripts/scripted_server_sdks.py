"""Talks with the scripted model server through the providers' own SDKs: two calls after a thought, their results after a
429 in between, an end. Run by `scripted-server-sdks`."""

import sys
from importlib.metadata import version

import anthropic
import openai
from google import genai
from google.genai import types

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
SAID = "I look at the folder now, in more than one piece."
CALLS = [{"command": "ls -la"}, {"command": "pwd"}]


def check(name, found, expected):
    if found != expected:
        sys.exit(f"{name}: found {found!r}, expected {expected!r}")


def chat(address, key, stream):
    import json

    client = openai.OpenAI(base_url=address, api_key=key)
    asked = {
        "model": "ship",
        "messages": [{"role": "user", "content": "Build it."}],
        "tools": [{"type": "function", "function": {"name": "shell", "description": "", "parameters": SCHEMA}}],
    }
    if stream:
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
            answer = events.get_final_completion()
    else:
        answer = client.chat.completions.create(**asked)
    message = answer.choices[0].message
    check("text", message.content, SAID)
    check("calls", [json.loads(call.function.arguments) for call in message.tool_calls], CALLS)
    check("finish", answer.choices[0].finish_reason, "tool_calls")
    check("usage", (answer.usage.prompt_tokens, answer.usage.completion_tokens), (120, 40))
    asked["messages"].append(
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": "shell", "arguments": call.function.arguments},
                }
                for call in message.tool_calls
            ],
        }
    )
    for call in message.tool_calls:
        asked["messages"].append({"role": "tool", "tool_call_id": call.id, "content": "Makefile"})
    check("end", client.chat.completions.create(**asked).choices[0].message.content, "Done.")


def responses(address, key, stream):
    import json

    client = openai.OpenAI(base_url=address, api_key=key)
    asked = {
        "model": "ship",
        "input": [{"role": "user", "content": "Build it."}],
        "tools": [{"type": "function", "name": "shell", "description": "", "parameters": SCHEMA, "strict": False}],
    }
    if stream:
        with client.responses.stream(**asked) as events:
            for _ in events:
                pass
            answer = events.get_final_response()
    else:
        answer = client.responses.create(**asked)
    calls = [item for item in answer.output if item.type == "function_call"]
    check("text", answer.output_text, SAID)
    check("calls", [json.loads(call.arguments) for call in calls], CALLS)
    check("usage", (answer.usage.input_tokens, answer.usage.output_tokens), (120, 40))
    asked["input"] += [item.model_dump(exclude_none=True) for item in answer.output]
    for call in calls:
        asked["input"].append({"type": "function_call_output", "call_id": call.call_id, "output": "Makefile"})
    check("end", client.responses.create(**asked).output_text, "Done.")


def messages(address, key, stream):
    client = anthropic.Anthropic(base_url=address, api_key=key)
    asked = {
        "model": "ship",
        "max_tokens": 1000,
        "messages": [{"role": "user", "content": "Build it."}],
        "tools": [{"name": "shell", "description": "", "input_schema": SCHEMA}],
    }
    if stream:
        with client.messages.stream(**asked) as events:
            answer = events.get_final_message()
    else:
        answer = client.messages.create(**asked)
    calls = [block for block in answer.content if block.type == "tool_use"]
    check("kinds", [block.type for block in answer.content], ["thinking", "text", "tool_use", "tool_use"])
    check("text", answer.content[1].text, SAID)
    check("calls", [call.input for call in calls], CALLS)
    usage = answer.usage
    check("usage", (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens), (20, 100, 40))
    blocks = [block.model_dump(exclude_none=True) for block in answer.content]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "Makefile"} for call in calls]
    asked["messages"] += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    check("end", client.messages.create(**asked).content[0].text, "Done.")


def gemini(address, key, stream):
    # This SDK does not try again by itself unless it is told to.
    options = types.HttpOptions(
        base_url=address.removesuffix("/v1beta"),
        retry_options=types.HttpRetryOptions(attempts=3, initial_delay=0.1),
    )
    client = genai.Client(api_key=key, http_options=options)
    tool = types.FunctionDeclaration(name="shell", description="", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[tool])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    talk = [types.Content(role="user", parts=[types.Part(text="Build it.")])]
    asked = {"model": "ship", "contents": talk, "config": config}
    if stream:
        chunks = list(client.models.generate_content_stream(**asked))
    else:
        chunks = [client.models.generate_content(**asked)]
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts or []]
    usage = chunks[-1].usage_metadata
    check("text", "".join(part.text or "" for part in parts if not part.thought), SAID)
    check("calls", [part.function_call.args for part in parts if part.function_call], CALLS)
    counts = (usage.prompt_token_count, usage.candidates_token_count, usage.thoughts_token_count)
    check("usage", counts, (120, 29, 11))
    results = [types.Part.from_function_response(name="shell", response={"output": "Makefile"})] * 2
    talk += [types.Content(role="model", parts=parts), types.Content(role="user", parts=results)]
    check("end", client.models.generate_content(**asked).text, "Done.")


def main():
    addresses = dict(line.split() for line in open(sys.argv[1]))
    packages = {"chat": "openai", "responses": "openai", "messages": "anthropic", "gemini": "google-genai"}
    for talk in (chat, responses, messages, gemini):
        wire = talk.__name__
        for stream in (True, False):
            # Another key is another trial: the script begins anew.
            talk(addresses[wire], f"{wire}-{stream}-key", stream)
            how = "streamed" if stream else "whole"
            print(f"{wire:<10} {how:<9} fine with {packages[wire]} {version(packages[wire])}")


main()
