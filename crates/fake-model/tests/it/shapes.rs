//! Every API, streaming and not: correct formats, and the same answer in both.

use kumite_fake_model::{Act, Script, Server, Usage};
use serde_json::{Value, json};

use crate::requests::{APIS, Api, ChatMessage};
use crate::streams::{events, together};
use crate::wire::{exchange, get, post, request_text};

fn say(text: &str) -> Act {
    Act::Say {
        text: text.to_owned(),
    }
}

fn tool(name: &str, input: Value) -> Act {
    Act::Tool {
        name: name.to_owned(),
        input,
    }
}

/// Only ids and times may differ between two answers.
fn without_ids(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for key in [
                "id",
                "call_id",
                "item_id",
                "created",
                "created_at",
                "responseId",
            ] {
                fields.remove(key);
            }
            for field in fields.values_mut() {
                *field = without_ids(field.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_ids(item.take());
            }
        }
        _ => {}
    }
    value
}

#[test]
fn a_streamed_answer_is_the_whole_answer_in_pieces() {
    let long = "組手 is sparring. ".repeat(300);
    let answers = [
        say("hello"),
        say(&long),
        Act::Think {
            text: "only a thought, but a long one".to_owned(),
        },
        tool("Bash", json!({"command": "ls", "long": long})),
        Act::All(vec![
            Act::Think {
                text: "first I think".to_owned(),
            },
            say("then I speak"),
            tool("Read", json!({"file_path": "/a"})),
            tool("Bash", json!({"command": "cat /a"})),
        ]),
    ];
    for act in answers {
        let server = Server::start(Script::always(vec![act.clone()])).unwrap();
        for api in APIS {
            let whole = api.ask(&server, false, &[ChatMessage::User("go")]);
            assert_eq!(whole.status, 200);
            assert_eq!(whole.header("content-type"), Some("application/json"));
            let stream = api.ask(&server, true, &[ChatMessage::User("go")]);
            let kind = match api {
                Api::Ollama => "application/x-ndjson",
                _ => "text/event-stream",
            };
            assert_eq!(stream.header("content-type"), Some(kind));
            assert!(whole.is_whole && stream.is_whole);
            let streamed = without_ids(together(api, &stream.body));
            assert_eq!(streamed, without_ids(whole.json()), "{api:?} {act:?}");
        }
    }
}

fn rich_answer(api: Api) -> Value {
    let act = Act::All(vec![
        Act::Think {
            text: "hm".to_owned(),
        },
        say("text"),
        tool("Bash", json!({"command": "ls"})),
    ]);
    let script = Script {
        usage: Usage {
            input: 7,
            output: 5,
        },
        ..Script::always(vec![act])
    };
    let server = Server::start(script).unwrap();
    without_ids(api.ask(&server, false, &[ChatMessage::User("go")]).json())
}

#[test]
fn an_answer_has_the_shape_of_anthropic_messages() {
    let expected = json!({
        "type": "message", "role": "assistant", "model": "fake-model",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
            {"type": "text", "text": "text"},
            {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {
            "input_tokens": 7, "output_tokens": 5,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    });
    assert_eq!(rich_answer(Api::Anthropic), expected);
}

#[test]
fn an_answer_has_the_shape_of_chat_completions() {
    let call = json!({
        "type": "function", "function": {"name": "Bash", "arguments": "{\"command\":\"ls\"}"},
    });
    let message = json!({
        "role": "assistant", "content": "text", "refusal": null, "reasoning_content": "hm",
        "tool_calls": [call],
    });
    let expected = json!({
        "object": "chat.completion", "model": "fake-model",
        "choices": [{
            "index": 0, "message": message, "logprobs": null, "finish_reason": "tool_calls",
        }],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    });
    assert_eq!(rich_answer(Api::Chat), expected);
}

#[test]
fn an_answer_has_the_shape_of_responses() {
    let answer = rich_answer(Api::Responses);
    let text = json!({"type": "output_text", "text": "text", "annotations": []});
    let expected = json!([
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "status": "completed", "role": "assistant", "content": [text]},
        {
            "type": "function_call", "status": "completed", "name": "Bash",
            "arguments": "{\"command\":\"ls\"}",
        },
    ]);
    assert_eq!(answer["output"], expected);
    assert_eq!(answer["status"], "completed");
    assert_eq!(answer["object"], "response");
    assert_eq!(answer["usage"]["input_tokens"], 7);
    assert_eq!(answer["usage"]["output_tokens"], 5);
    assert_eq!(answer["usage"]["total_tokens"], 12);
}

#[test]
fn an_answer_has_the_shape_of_gemini() {
    let parts = json!([
        {"text": "hm", "thought": true},
        {"text": "text"},
        {
            "functionCall": {"name": "Bash", "args": {"command": "ls"}},
            "thoughtSignature": "c2lnbmVk",
        },
    ]);
    let expected = json!({
        "candidates": [{
            "content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP",
        }],
        "modelVersion": "fake-model",
        "usageMetadata": {
            "promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12,
        },
    });
    assert_eq!(rich_answer(Api::Gemini), expected);
}

#[test]
fn an_answer_has_the_shape_of_ollama() {
    let call = json!({"function": {"name": "Bash", "arguments": {"command": "ls"}}});
    let message = json!({
        "role": "assistant", "content": "text", "thinking": "hm", "tool_calls": [call],
    });
    let answer = rich_answer(Api::Ollama);
    assert_eq!(answer["message"], message);
    assert_eq!(answer["done"], true);
    assert_eq!(answer["done_reason"], "stop");
    assert_eq!(answer["prompt_eval_count"], 7);
    assert_eq!(answer["eval_count"], 5);
}

#[test]
fn ids_are_never_used_twice() {
    let server = Server::start(Script::always(vec![tool("Bash", json!({}))])).unwrap();
    // Ollama has no ids.
    for api in APIS.into_iter().filter(|api| *api != Api::Ollama) {
        let answers = [0; 2].map(|_| api.ask(&server, false, &[ChatMessage::User("go")]).body);
        assert_ne!(answers[0], answers[1], "{api:?}");
    }
}

#[test]
fn a_stream_of_gemini_that_is_not_asked_for_as_events_is_an_array() {
    let server = Server::start(Script::always(vec![say("a text of some length")])).unwrap();
    let path = "/v1/models/fake-model:streamGenerateContent?key=x";
    let body = Api::Gemini.body(true, &[ChatMessage::User("go")], &["x"]);
    let answer = post(&server, path, &body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let chunks = answer.json();
    let parts = chunks.as_array().unwrap().iter();
    let said: String = parts
        .map(|chunk| {
            chunk["candidates"][0]["content"]["parts"][0]["text"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(said, "a text of some length");
}

#[test]
fn a_custom_tool_of_codex_gets_plain_text_in_its_namespace() {
    let act = Act::Run {
        command: "ls".to_owned(),
    };
    let server = Server::start(Script::always(vec![act])).unwrap();
    let exec = json!({"type": "custom", "name": "exec"});
    let functions = json!({"type": "namespace", "name": "functions", "tools": [exec]});
    let tools = json!({"type": "additional_tools", "role": "developer", "tools": [functions]});
    let user = json!({"type": "message", "role": "user", "content": "go"});
    let mut body = json!({"model": "m", "input": [tools, user]});
    let whole = post(&server, "/v1/responses", &body).json();
    let expected = json!({
        "type": "custom_tool_call", "status": "completed", "name": "exec",
        "namespace": "functions", "input": "text(await tools.exec_command({\"cmd\":\"ls\"}));",
    });
    assert_eq!(without_ids(whole["output"][0].clone()), expected);
    body["stream"] = json!(true);
    let streamed = together(Api::Responses, &post(&server, "/v1/responses", &body).body);
    assert_eq!(without_ids(streamed["output"][0].clone()), expected);
}

#[test]
fn a_stream_begins_with_an_empty_message() {
    let server = Server::start(Script::always(vec![say("text")])).unwrap();
    let answer = Api::Anthropic.ask(&server, true, &[ChatMessage::User("go")]);
    let start = &events(&answer.body)[0]["message"];
    assert_eq!(start["content"], json!([]));
    assert_eq!(start["stop_reason"], Value::Null);
}

#[test]
fn tokens_are_counted_and_models_listed() {
    let script = Script {
        usage: Usage {
            input: 42,
            output: 1,
        },
        ..Script::default()
    };
    let server = Server::start(script).unwrap();
    let counted = post(
        &server,
        "/v1/messages/count_tokens",
        &json!({"messages": []}),
    );
    assert_eq!(counted.json(), json!({"input_tokens": 42}));
    let counted = post(
        &server,
        "/v1beta/models/m:countTokens",
        &json!({"contents": []}),
    );
    assert_eq!(counted.json(), json!({"totalTokens": 42}));
    assert_eq!(
        get(&server, "/v1/models").json()["data"][0]["id"],
        "fake-model"
    );
    let gemini = get(&server, "/v1beta/models").json();
    assert_eq!(gemini["models"][0]["name"], "models/fake-model");
    let head = exchange(&server, &request_text("HEAD", "/", "", ""));
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}
