//! Every kind of trouble, as each API reports it.

use std::io::{Read, Write};
use std::time::{Duration, Instant, SystemTime};

use kumite_fake_model::{Act, Script, Server};
use serde_json::{Value, json};

use crate::requests::{APIS, Api, ChatMessage};
use crate::streams::together;
use crate::wire::{Response, connect, parse, request_text, until};

const GO: [ChatMessage<'_>; 1] = [ChatMessage::User("go")];

fn start(act: Act) -> Server {
    Server::start(Script::always(vec![act])).unwrap()
}

/// The answer of each API to the same act, which must be equal for streams and whole answers.
fn troubles(act: Act) -> [Response; 5] {
    let server = start(act);
    APIS.map(|api| {
        let streamed = api.ask(&server, true, &GO);
        let whole = api.ask(&server, false, &GO);
        assert_eq!(streamed.status, whole.status);
        whole
    })
}

fn now_s() -> i64 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    i64::try_from(now.as_secs()).unwrap()
}

#[test]
fn a_usage_limit_is_reported_with_its_end() {
    let before = now_s();
    let [anthropic, chat, responses, gemini, ollama] = troubles(Act::Limit {
        resets_in_s: Some(3600),
        times: None,
    });
    let is_right = |at: i64| (before + 3600..=now_s() + 3600).contains(&at);

    assert_eq!(anthropic.status, 429);
    assert_eq!(anthropic.json()["error"]["type"], "rate_limit_error");
    assert_eq!(
        anthropic.header("anthropic-ratelimit-unified-status"),
        Some("rejected")
    );
    let claim = anthropic.header("anthropic-ratelimit-unified-representative-claim");
    assert_eq!(claim, Some("five_hour"));
    assert_eq!(anthropic.header("x-should-retry"), Some("false"));
    for name in [
        "anthropic-ratelimit-unified-reset",
        "anthropic-ratelimit-unified-5h-reset",
    ] {
        assert!(
            is_right(anthropic.header(name).unwrap().parse().unwrap()),
            "{name}"
        );
    }

    for openai in [chat, responses] {
        assert_eq!(openai.status, 429);
        let error = openai.json()["error"].clone();
        assert_eq!(error["type"], "usage_limit_reached");
        assert_eq!(error["resets_in_seconds"], 3600);
        assert!(is_right(error["resets_at"].as_i64().unwrap()));
    }

    assert_eq!(gemini.status, 429);
    let error = gemini.json()["error"].clone();
    assert_eq!(error["status"], "RESOURCE_EXHAUSTED");
    let quota = error["details"][0]["violations"][0]["quotaId"]
        .as_str()
        .unwrap();
    assert!(quota.contains("PerDay"), "{quota}");
    assert_eq!(error["details"][1]["retryDelay"], "3600s");
    assert_eq!(ollama.status, 429);
}

#[test]
fn a_usage_limit_without_an_end_names_none() {
    let [anthropic, chat, _, gemini, _] = troubles(Act::Limit {
        resets_in_s: None,
        times: None,
    });
    assert_eq!(
        anthropic.header("anthropic-ratelimit-unified-status"),
        Some("rejected")
    );
    assert_eq!(anthropic.header("anthropic-ratelimit-unified-reset"), None);
    assert_eq!(anthropic.header("retry-after"), None);
    assert_eq!(chat.json()["error"].get("resets_at"), None);
    assert_eq!(
        gemini.json()["error"]["details"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn overload_rate_and_auth_have_their_status() {
    let statuses = |act| troubles(act).map(|response| response.status);
    assert_eq!(
        statuses(Act::Overload { times: None }),
        [529, 503, 503, 503, 503]
    );
    assert_eq!(statuses(Act::Auth { times: None }), [401; 5]);
    let rate = troubles(Act::Rate {
        retry_after_s: Some(7),
        times: None,
    });
    assert_eq!(rate.each_ref().map(|response| response.status), [429; 5]);
    let [anthropic, chat, responses, gemini, ollama] = rate;
    for response in [anthropic, chat, responses, ollama] {
        assert_eq!(response.header("retry-after"), Some("7"));
        assert_eq!(response.header("anthropic-ratelimit-unified-status"), None);
    }
    let details = &gemini.json()["error"]["details"];
    assert!(
        details[0]["violations"][0]["quotaId"]
            .as_str()
            .unwrap()
            .contains("PerMinute")
    );
    assert_eq!(details[1]["retryDelay"], "7s");
}

#[test]
fn a_scripted_error_has_its_status_and_message() {
    let act = Act::Error {
        status: 418,
        message: "a teapot".to_owned(),
        times: None,
    };
    for response in troubles(act) {
        assert_eq!(response.status, 418);
        let error = response.json()["error"].clone();
        let message = error.get("message").unwrap_or(&error);
        assert_eq!(message, "a teapot");
    }
}

#[test]
fn garbage_is_neither_json_nor_events() {
    for response in troubles(Act::Garbage { times: None }) {
        assert_eq!(response.status, 200);
        assert!(serde_json::from_str::<Value>(&response.body).is_err());
        assert!(!response.body.contains("data:"));
    }
}

#[test]
fn a_trouble_that_is_used_up_makes_way_for_the_next_act() {
    for api in APIS {
        let overload = Act::Overload { times: Some(2) };
        let act = Act::Say {
            text: "here I am".to_owned(),
        };
        let server = Server::start(Script::always(vec![overload, act])).unwrap();
        let status = || api.ask(&server, true, &GO).status;
        assert_ne!([status(), status()], [200, 200]);
        let answer = api.ask(&server, true, &GO);
        assert!(answer.body.contains("here I am"), "{api:?}");
    }
}

#[test]
fn a_cut_answer_ends_in_the_middle() {
    let server = start(Act::Cut { times: None });
    for api in APIS {
        let streamed = api.ask(&server, true, &GO);
        assert!(!streamed.is_whole);
        assert!(
            streamed.body.contains("This answer"),
            "{api:?} {}",
            streamed.body
        );
        let whole = api.ask(&server, false, &GO);
        assert!(!whole.is_whole && !whole.body.is_empty());
    }
}

#[test]
fn a_hanging_answer_lasts_as_long_as_the_server() {
    for api in APIS {
        for stream in [false, true] {
            let server = start(Act::Hang { times: None });
            let mut conn = connect(&server);
            let body = api.body(stream, &GO, &["x"]).to_string();
            let text = request_text("POST", api.path(stream), "", &body);
            conn.write_all(text.as_bytes()).unwrap();
            until("the request is seen", || !server.requests().is_empty());
            drop(server);
            let mut answer = Vec::new();
            let _ = conn.read_to_end(&mut answer);
            assert!(answer.is_empty());
        }
    }
}

#[test]
fn an_answer_that_hangs_in_the_middle_has_said_something() {
    for api in APIS {
        let server = start(Act::HangMid { times: None });
        let mut conn = connect(&server);
        let body = api.body(true, &GO, &["x"]).to_string();
        conn.write_all(request_text("POST", api.path(true), "", &body).as_bytes())
            .unwrap();
        let mut answer = Vec::new();
        let mut piece = [0; 256];
        while !String::from_utf8_lossy(&answer).contains("This answer") {
            let read = conn.read(&mut piece).unwrap();
            assert_ne!(read, 0, "the connection closed too early");
            answer.extend(&piece[..read]);
        }
        drop(server);
        let _ = conn.read_to_end(&mut answer);
        assert!(!parse(&String::from_utf8(answer).unwrap()).is_whole);
    }
}

#[test]
fn a_client_that_leaves_a_hanging_answer_frees_its_thread() {
    let server = start(Act::Hang { times: Some(1) });
    let mut conn = connect(&server);
    let body = Api::Chat.body(true, &GO, &["x"]).to_string();
    conn.write_all(request_text("POST", "/v1/chat/completions", "", &body).as_bytes())
        .unwrap();
    until("the request is seen", || !server.requests().is_empty());
    drop(conn);
    assert_eq!(Api::Chat.ask(&server, false, &GO).status, 200);
}

#[test]
fn a_slow_answer_comes_later() {
    let server = start(Act::Slow {
        ms: 30,
        times: None,
    });
    let begun = Instant::now();
    let answer = Api::Anthropic.ask(&server, false, &GO).json();
    assert!(begun.elapsed() >= Duration::from_millis(30));
    assert_eq!(answer["content"][0]["text"], "done.");
}

#[test]
fn the_server_ends_without_waiting_for_a_slow_answer() {
    let server = start(Act::Slow {
        ms: 1 << 40,
        times: None,
    });
    let mut conn = connect(&server);
    let body = Api::Chat.body(false, &GO, &["x"]).to_string();
    conn.write_all(request_text("POST", "/v1/chat/completions", "", &body).as_bytes())
        .unwrap();
    until("the request is seen", || !server.requests().is_empty());
    drop(server);
    let _ = conn.read_to_end(&mut Vec::new());
}

#[test]
fn a_huge_answer_has_the_size_asked_for() {
    let bytes = 3_000_001;
    let server = start(Act::Huge { bytes, times: None });
    let streamed = Api::Anthropic.ask(&server, true, &GO);
    let answer = together(Api::Anthropic, &streamed.body);
    assert_eq!(answer["content"][0]["text"].as_str().unwrap().len(), bytes);
    assert_eq!(answer["stop_reason"], json!("end_turn"));
}
