//! The requests sent to each API.

use kumite_models::{Answer, Ask, Call, Domains, Message, Native, Provider, Tool, ToolResult};
use serde_json::{Value, json};

use crate::raw::{Raw, body};
use crate::stage::{answer, ask};

/// Sends `ask` and returns the request; the answer does not matter.
fn sent(provider: Provider, change: impl Fn(&mut Ask)) -> String {
    let raw = Raw::whole("500 Oops", "", "");
    let mut ask = ask(provider, &raw.url);
    change(&mut ask);
    answer(&ask).unwrap_err();
    raw.requests().remove(0)
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"score": {"type": "number"}}})
}

fn tool() -> Tool {
    Tool {
        name: "dig".to_owned(),
        description: "Digs".to_owned(),
        schema: schema(),
    }
}

/// A conversation with every kind of message.
fn talk(ask: &mut Ask) {
    ask.system = Some("You lead.".to_owned());
    ask.tools = vec![tool()];
    let call = |id: &str| Call {
        id: id.to_owned(),
        name: "dig".to_owned(),
        input: json!({"deep": true}),
    };
    let result = |id: &str, is_error: bool| ToolResult {
        id: id.to_owned(),
        name: "dig".to_owned(),
        text: "dug".to_owned(),
        is_error,
    };
    ask.messages.push(Message::Model {
        text: "Wait.".to_owned(),
        calls: vec![call("1"), call("2")],
        raw: None,
    });
    ask.messages.push(Message::Results(vec![
        result("1", false),
        result("2", true),
    ]));
}

#[test]
fn a_request_goes_to_its_path_with_its_headers() {
    for (provider, path, header) in [
        (
            Provider::OpenAi,
            "/v1/chat/completions",
            "authorization: Bearer ",
        ),
        (
            Provider::OpenAiResponses,
            "/v1/responses",
            "authorization: Bearer ",
        ),
        (Provider::Anthropic, "/v1/messages", "x-api-key: "),
        (
            Provider::GoogleGla,
            "/v1beta/models/m:generateContent",
            "x-goog-api-key: ",
        ),
        (
            Provider::GoogleVertex,
            "/v1/publishers/google/models/m:generateContent",
            "x-goog-api-key: ",
        ),
        (
            Provider::Grok,
            "/v1/chat/completions",
            "authorization: Bearer ",
        ),
        (
            Provider::GrokResponses,
            "/v1/responses",
            "authorization: Bearer ",
        ),
        (
            Provider::Groq,
            "/v1/chat/completions",
            "authorization: Bearer ",
        ),
        (Provider::Ollama, "/api/chat", "host: "),
    ] {
        let request = sent(provider, |_| {});
        assert!(
            request.starts_with(&format!("POST {path} HTTP/1.1\r\n")),
            "{request}"
        );
        assert!(request.contains(&format!("\r\n{header}")), "{request}");
        assert!(
            request.contains("\r\ncontent-type: application/json\r\n"),
            "{request}"
        );
        assert!(request.contains("\r\nuser-agent: kumite/"), "{request}");
    }
    let anthropic = sent(Provider::Anthropic, |_| {});
    assert!(
        anthropic.contains("\r\nanthropic-version: 2023-06-01\r\n"),
        "{anthropic}"
    );
    assert!(!anthropic.contains("anthropic-beta"), "{anthropic}");
}

#[test]
fn nothing_that_is_not_set_is_sent() {
    let message = json!([{"role": "user", "content": "go"}]);
    for (provider, expected) in [
        (
            Provider::Groq,
            json!({"model": "m", "messages": message, "stream": false}),
        ),
        (
            Provider::OpenAiResponses,
            json!({"model": "m", "input": message, "stream": false}),
        ),
        (
            Provider::Anthropic,
            json!({"model": "m", "messages": message, "max_tokens": 8192}),
        ),
        (
            Provider::GoogleGla,
            json!({"contents": [{"role": "user", "parts": [{"text": "go"}]}]}),
        ),
        (
            Provider::Ollama,
            json!({"model": "m", "messages": message, "stream": false}),
        ),
    ] {
        assert_eq!(body(&sent(provider, |_| {})), expected, "{provider}");
    }
}

#[test]
fn a_conversation_has_the_words_of_its_api() {
    let function = json!({"name": "dig", "description": "Digs", "parameters": schema()});
    let chat_tools = json!([{"type": "function", "function": function}]);
    let chat_call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "dig", "arguments": "{\"deep\":true}"}});
    let chat = json!({
        "model": "m", "stream": false, "tools": chat_tools,
        "messages": [
            {"role": "system", "content": "You lead."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Wait.", "tool_calls": [chat_call("1"), chat_call("2")]},
            {"role": "tool", "tool_call_id": "1", "content": "dug"},
            {"role": "tool", "tool_call_id": "2", "content": "dug"},
        ],
    });
    let item_call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "dig", "arguments": "{\"deep\":true}"});
    let item_result =
        |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "dug"});
    let responses = json!({
        "model": "m", "stream": false, "instructions": "You lead.",
        "tools": [{"type": "function", "name": "dig", "description": "Digs", "parameters": schema(), "strict": false}],
        "input": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Wait."},
            item_call("1"), item_call("2"), item_result("1"), item_result("2"),
        ],
    });
    let block_call =
        |id: &str| json!({"type": "tool_use", "id": id, "name": "dig", "input": {"deep": true}});
    let block_result = |id: &str, is_error: bool| json!({"type": "tool_result", "tool_use_id": id, "content": "dug", "is_error": is_error});
    let anthropic = json!({
        "model": "m", "max_tokens": 8192, "system": "You lead.",
        "tools": [{"name": "dig", "description": "Digs", "input_schema": schema()}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "text", "text": "Wait."}, block_call("1"), block_call("2")]},
            {"role": "user", "content": [block_result("1", false), block_result("2", true)]},
        ],
    });
    let part_call =
        |id: &str| json!({"functionCall": {"id": id, "name": "dig", "args": {"deep": true}}});
    let part_result = |id: &str, key: &str| json!({"functionResponse": {"id": id, "name": "dig", "response": {key: "dug"}}});
    let declared = json!({"name": "dig", "description": "Digs", "parametersJsonSchema": schema()});
    let gemini = json!({
        "systemInstruction": {"parts": [{"text": "You lead."}]},
        "tools": [{"functionDeclarations": [declared]}],
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"text": "Wait."}, part_call("1"), part_call("2")]},
            {"role": "user", "parts": [part_result("1", "result"), part_result("2", "error")]},
        ],
    });
    let plain_call = json!({"function": {"name": "dig", "arguments": {"deep": true}}});
    let plain_result = json!({"role": "tool", "tool_name": "dig", "content": "dug"});
    let ollama = json!({
        "model": "m", "stream": false, "tools": chat_tools,
        "messages": [
            {"role": "system", "content": "You lead."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "Wait.", "tool_calls": [plain_call, plain_call]},
            plain_result, plain_result,
        ],
    });
    for (provider, expected) in [
        (Provider::OpenAi, chat),
        (Provider::GrokResponses, responses),
        (Provider::Anthropic, anthropic),
        (Provider::GoogleGla, gemini),
        (Provider::Ollama, ollama),
    ] {
        assert_eq!(body(&sent(provider, talk)), expected, "{provider}");
    }
}

#[test]
fn what_a_provider_said_goes_back_as_it_came() {
    let signed = json!([
        {"text": "hm", "thought": true},
        {"functionCall": {"name": "dig", "args": {}}, "thoughtSignature": "c2lnbmVk"},
    ]);
    let thinking = json!([{"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}]);
    let reasoning = json!([{"type": "reasoning", "id": "rs_1", "summary": []}]);
    for (provider, raw, place) in [
        (Provider::GoogleGla, signed, "/contents/1/parts"),
        (Provider::Anthropic, thinking, "/messages/1/content"),
        (Provider::OpenAiResponses, reasoning, "/input/1"),
    ] {
        let request = sent(provider, |ask| {
            let (text, calls) = (String::new(), Vec::new());
            let raw = Some(raw.clone());
            ask.messages.push(Message::Model { text, calls, raw });
        });
        let expected = match provider {
            Provider::OpenAiResponses => &raw[0],
            _ => &raw,
        };
        assert_eq!(body(&request).pointer(place), Some(expected));
    }
}

#[test]
fn a_structured_answer_is_asked_for_as_a_forced_call() {
    let forced = |provider| {
        body(&sent(provider, |ask| {
            ask.answer = Answer::Structured { schema: schema() }
        }))
    };
    let chat = forced(Provider::OpenAi);
    assert_eq!(chat["tool_choice"], "required");
    assert_eq!(chat["tools"][0]["function"]["name"], "final_result");
    assert_eq!(chat["tools"][0]["function"]["parameters"], schema());
    let responses = forced(Provider::OpenAiResponses);
    assert_eq!(responses["tool_choice"], "required");
    assert_eq!(responses["tools"][0]["name"], "final_result");
    let anthropic = forced(Provider::Anthropic);
    assert_eq!(
        anthropic["tool_choice"],
        json!({"type": "tool", "name": "final_result"})
    );
    assert_eq!(anthropic["tools"][0]["input_schema"], schema());
    let gemini = forced(Provider::GoogleGla);
    let calling = json!({"mode": "ANY", "allowedFunctionNames": ["final_result"]});
    assert_eq!(gemini["toolConfig"]["functionCallingConfig"], calling);
    let ollama = forced(Provider::Ollama);
    assert_eq!(ollama["format"], schema());
    assert_eq!(ollama.get("tools"), None);
}

#[test]
fn beside_other_tools_a_structured_answer_is_still_to_be_a_call() {
    for (provider, place, choice) in [
        (Provider::OpenAi, "/tool_choice", json!("required")),
        (Provider::Anthropic, "/tool_choice", json!({"type": "any"})),
        (
            Provider::GoogleGla,
            "/toolConfig/functionCallingConfig",
            json!({"mode": "ANY"}),
        ),
    ] {
        let request = sent(provider, |ask| {
            ask.tools = vec![tool()];
            ask.answer = Answer::Structured { schema: schema() };
        });
        assert_eq!(body(&request).pointer(place), Some(&choice));
    }
}

#[test]
fn options_have_the_names_of_their_api() {
    for (provider, expected) in [
        (
            Provider::OpenAi,
            json!({"temperature": 0.0, "max_completion_tokens": 9, "top_p": 0.5, "seed": 3, "stop": ["x"], "extra": 1}),
        ),
        (
            Provider::GrokResponses,
            json!({"temperature": 0.0, "max_output_tokens": 9, "top_p": 0.5, "extra": 1}),
        ),
        (
            Provider::Anthropic,
            json!({"temperature": 0.0, "max_tokens": 9, "top_p": 0.5, "stop_sequences": ["x"], "extra": 1}),
        ),
        (
            Provider::GoogleGla,
            json!({"generationConfig": {"temperature": 0.0, "maxOutputTokens": 9, "topP": 0.5, "seed": 3, "stopSequences": ["x"]}, "extra": 1}),
        ),
        (
            Provider::Ollama,
            json!({"options": {"temperature": 0.0, "num_predict": 9, "top_p": 0.5, "seed": 3, "stop": ["x"]}, "extra": 1}),
        ),
    ] {
        let request = sent(provider, |ask| {
            ask.options.temperature = Some(0.0);
            ask.options.max_tokens = Some(9);
            ask.options.top_p = Some(0.5);
            ask.options.seed = Some(3);
            ask.options.stop_sequences = vec!["x".to_owned()];
            ask.options.extra = json!({"extra": 1, "stream": true})
                .as_object()
                .unwrap()
                .clone();
        });
        let mut sent = body(&request);
        assert_ne!(sent["stream"], json!(true), "{provider}");
        for key in ["model", "messages", "input", "contents", "stream"] {
            sent.as_object_mut().unwrap().remove(key);
        }
        assert_eq!(sent, expected, "{provider}");
    }
}

#[test]
fn what_a_provider_does_itself_is_asked_for_in_its_words() {
    let only = || Domains::Only(vec!["a.org".to_owned()]);
    let native = || {
        vec![
            Native::WebSearch {
                max_uses: Some(3),
                domains: only(),
            },
            Native::CodeExecution,
        ]
    };
    let fetch = || Native::WebFetch {
        max_uses: None,
        domains: Domains::Except(vec!["b.org".to_owned()]),
        citations: true,
        max_content_tokens: Some(100),
    };
    let anthropic = sent(Provider::Anthropic, |ask| {
        ask.native = native();
        ask.native.push(fetch());
    });
    let expected = json!([
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3, "allowed_domains": ["a.org"]},
        {"type": "code_execution_20250825", "name": "code_execution"},
        {
            "type": "web_fetch_20250910", "name": "web_fetch", "blocked_domains": ["b.org"],
            "citations": {"enabled": true}, "max_content_tokens": 100,
        },
    ]);
    assert_eq!(body(&anthropic)["tools"], expected);
    let betas = "\r\nanthropic-beta: code-execution-2025-08-25,web-fetch-2025-09-10\r\n";
    assert!(anthropic.contains(betas), "{anthropic}");

    let gemini = sent(Provider::GoogleGla, |ask| {
        ask.native = native();
        ask.native.push(fetch());
    });
    let expected = json!([{"googleSearch": {}}, {"codeExecution": {}}, {"urlContext": {}}]);
    assert_eq!(body(&gemini)["tools"], expected);

    let grok = sent(Provider::GrokResponses, |ask| ask.native = native());
    let expected = json!([
        {"type": "web_search", "filters": {"allowed_domains": ["a.org"]}},
        {"type": "code_interpreter", "container": {"type": "auto"}},
    ]);
    assert_eq!(body(&grok)["tools"], expected);
}
