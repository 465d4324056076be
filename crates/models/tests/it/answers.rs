//! The reply for a good answer of each provider.

use kumite_fake_model::{Act, Script, Server, Usage as Spent};
use kumite_models::{Answer, FINAL_RESULT, Provider, Stop};
use serde_json::{Value, json};

use crate::raw::Raw;
use crate::stage::{answer, ask, reply_to, say, server};

fn schema() -> Value {
    json!({"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]})
}

#[test]
fn a_text_comes_with_its_usage() {
    let script = Script {
        without_tools: true,
        usage: Spent {
            input: 7,
            output: 5,
        },
        ..Script::always(vec![say("組手 is sparring")])
    };
    let server = Server::start(script).unwrap();
    for provider in Provider::ALL {
        let reply = answer(&ask(provider, &server.url())).unwrap();
        assert_eq!(reply.text, "組手 is sparring", "{provider}");
        assert_eq!(reply.calls, []);
        assert_eq!(reply.structured, None);
        assert_eq!(
            (reply.usage.input_tokens, reply.usage.output_tokens),
            (7, 5)
        );
        assert_eq!((reply.stop, reply.model.as_str()), (Stop::End, "m"));
    }
}

#[test]
fn thoughts_are_no_part_of_the_text() {
    for provider in Provider::ALL {
        let think = Act::Think {
            text: "hm".to_owned(),
        };
        let reply = reply_to(provider, Act::All(vec![think, say("yes")])).unwrap();
        assert_eq!(reply.text, "yes", "{provider}");
    }
}

#[test]
fn a_structured_answer_comes_through_the_tool() {
    for provider in Provider::ALL {
        let value = json!({"score": 88.5});
        let server = server(vec![Act::Result {
            value: value.clone(),
        }]);
        let mut ask = ask(provider, &server.url());
        ask.answer = Answer::Structured { schema: schema() };
        let reply = answer(&ask).unwrap();
        assert_eq!(reply.structured, Some(value), "{provider}");
        let offered = &server.requests()[0].tools;
        match provider {
            Provider::Ollama => assert_eq!(offered, &[] as &[String]),
            _ => assert_eq!(offered, &[FINAL_RESULT]),
        }
    }
}

#[test]
fn a_structured_answer_is_also_taken_from_the_text() {
    for (text, expected) in [
        ("{\"score\": 3}", Some(json!({"score": 3}))),
        (
            "Sure:\n```json\n{\"score\": 3}\n```",
            Some(json!({"score": 3})),
        ),
        ("I would say three.", None),
        ("{\"score\": NaN}", None),
    ] {
        for provider in Provider::ALL {
            let server = server(vec![say(text)]);
            let mut ask = ask(provider, &server.url());
            ask.answer = Answer::Structured { schema: schema() };
            let reply = answer(&ask).unwrap();
            assert_eq!(reply.structured, expected, "{provider}");
            assert_eq!(reply.text, text);
        }
    }
}

#[test]
fn a_wrong_structured_answer_can_be_asked_for_again() {
    let result = |score: Value| Act::Result {
        value: json!({"score": score}),
    };
    for provider in Provider::ALL {
        for first in [result(json!("high")), say("prose")] {
            let only = Act::Only {
                times: 1,
                act: Box::new(first),
            };
            let server = server(vec![only, result(json!(1)), result(json!(1))]);
            let mut ask = ask(provider, &server.url());
            ask.answer = Answer::Structured { schema: schema() };
            let reply = answer(&ask).unwrap();
            assert_ne!(reply.structured, Some(json!({"score": 1})));
            ask.messages.extend(reply.again("score must be a number"));
            let reply = answer(&ask).unwrap();
            assert_eq!(reply.structured, Some(json!({"score": 1})), "{provider}");
        }
    }
}

#[test]
fn a_large_answer_is_taken() {
    for provider in Provider::ALL {
        let bytes = 1 << 20;
        let reply = reply_to(provider, Act::Huge { bytes, times: None }).unwrap();
        assert_eq!(reply.text.len(), bytes, "{provider}");
    }
    let text = "x".repeat(60 << 20);
    let body = format!("{{\"choices\":[{{\"message\":{{\"content\":\"{text}\"}}}}]}}");
    let raw = Raw::whole("200 OK", "", body);
    let reply = answer(&ask(Provider::OpenAi, &raw.url)).unwrap();
    assert_eq!(reply.text.len(), text.len());
}

#[test]
fn the_reason_to_stop_is_understood() {
    let chat = |finish: &str| {
        let choice = json!({"message": {"content": "x"}, "finish_reason": finish});
        json!({"choices": [choice]})
    };
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "no"}}]});
    let anthropic =
        |stop: &str| json!({"content": [{"type": "text", "text": "x"}], "stop_reason": stop});
    let gemini = |finish: &str| {
        let content = json!({"parts": [{"text": "x"}]});
        json!({"candidates": [{"content": content, "finishReason": finish}]})
    };
    let responses = |reason: &str| json!({"output": [], "status": "incomplete", "incomplete_details": {"reason": reason}});
    let ollama = |reason: &str| json!({"message": {"content": "x"}, "done_reason": reason});
    for (provider, body, stop) in [
        (Provider::OpenAi, chat("stop"), Stop::End),
        (Provider::OpenAi, chat("length"), Stop::Length),
        (Provider::OpenAi, chat("content_filter"), Stop::Filter),
        (Provider::OpenAi, chat("strange"), Stop::Other),
        (Provider::OpenAi, refusal, Stop::Filter),
        (Provider::Anthropic, anthropic("end_turn"), Stop::End),
        (Provider::Anthropic, anthropic("stop_sequence"), Stop::End),
        (Provider::Anthropic, anthropic("max_tokens"), Stop::Length),
        (Provider::Anthropic, anthropic("refusal"), Stop::Filter),
        (Provider::GoogleGla, gemini("STOP"), Stop::End),
        (Provider::GoogleGla, gemini("MAX_TOKENS"), Stop::Length),
        (Provider::GoogleGla, gemini("SAFETY"), Stop::Filter),
        (
            Provider::GoogleGla,
            gemini("MALFORMED_FUNCTION_CALL"),
            Stop::Other,
        ),
        (
            Provider::GoogleGla,
            json!({"promptFeedback": {"blockReason": "SAFETY"}}),
            Stop::Filter,
        ),
        (
            Provider::GoogleGla,
            json!({"candidates": [{"finishReason": "MAX_TOKENS"}]}),
            Stop::Length,
        ),
        (
            Provider::GrokResponses,
            responses("max_output_tokens"),
            Stop::Length,
        ),
        (
            Provider::GrokResponses,
            responses("content_filter"),
            Stop::Filter,
        ),
        (Provider::Ollama, ollama("stop"), Stop::End),
        (Provider::Ollama, ollama("length"), Stop::Length),
    ] {
        let raw = Raw::whole("200 OK", "", body.to_string());
        let reply = answer(&ask(provider, &raw.url)).unwrap();
        assert_eq!(reply.stop, stop, "{body}");
    }
}

#[test]
fn what_a_cache_had_is_a_part_of_the_input() {
    let chat = json!({
        "choices": [{"message": {"content": ""}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    });
    let anthropic = json!({
        "content": [],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1, "output_tokens": 2},
    });
    let gemini = json!({
        "candidates": [{"finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 1, "thoughtsTokenCount": 1},
    });
    let responses = json!({
        "output": [],
        "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2},
    });
    for (provider, body) in [
        (Provider::Groq, chat),
        (Provider::Anthropic, anthropic),
        (Provider::GoogleVertex, gemini),
        (Provider::OpenAiResponses, responses),
    ] {
        let raw = Raw::whole("200 OK", "", body.to_string());
        let usage = answer(&ask(provider, &raw.url)).unwrap().usage;
        assert_eq!(
            (usage.input_tokens, usage.output_tokens, usage.cache_read),
            (10, 2, 4),
            "{provider}"
        );
    }
}

#[test]
fn what_was_said_before_a_search_is_no_part_of_the_answer() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let blocks = json!([
        text("Let me look."), {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "1", "content": []}, text("It is "), text("blue."),
    ]);
    let said =
        |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    let items = json!([said("Let me look."), {"type": "web_search_call"}, said("It is blue.")]);
    for (provider, body) in [
        (Provider::Anthropic, json!({"content": blocks})),
        (
            Provider::GrokResponses,
            json!({"output": items, "status": "completed"}),
        ),
    ] {
        let raw = Raw::whole("200 OK", "", body.to_string());
        assert_eq!(
            answer(&ask(provider, &raw.url)).unwrap().text,
            "It is blue."
        );
    }
}

#[test]
fn a_paused_answer_is_gone_on_with() {
    let first = json!([{"type": "text", "text": "one "}]);
    let paused =
        json!({"content": first, "stop_reason": "pause_turn", "usage": {"input_tokens": 3}});
    let done = json!({
        "content": [{"type": "text", "text": "two"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 4},
    });
    let raw = Raw::start(move |request, conn| {
        let went_on = crate::raw::body(request)["messages"][1]["content"] == first;
        let body = if went_on { &done } else { &paused };
        let bytes = crate::raw::response("200 OK", "", body.to_string().as_bytes());
        std::io::Write::write_all(conn, &bytes).is_ok()
    });
    let reply = answer(&ask(Provider::Anthropic, &raw.url)).unwrap();
    assert_eq!((reply.text.as_str(), reply.stop), ("one two", Stop::End));
    assert_eq!(reply.usage.input_tokens, 7);
    assert_eq!(reply.raw.unwrap().as_array().unwrap().len(), 2);
    assert_eq!(raw.requests().len(), 2);
}
