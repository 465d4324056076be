//! Errors of the provider, and their messages.

use std::io::Write;
use std::time::Duration;

use kumite_fake_model::Act;
use kumite_models::{Cancel, Client, Kind, Native, Provider};
use serde_json::json;

use crate::raw::{Raw, body, response};
use crate::stage::{KEY, answer, ask, reply_to};

#[test]
fn every_trouble_has_its_kind_at_every_provider() {
    let retry_after = Some(Duration::from_secs(7));
    let error = |status: u16| Act::Error {
        status,
        message: "out of luck".to_owned(),
        times: None,
    };
    let rate = Act::Rate {
        retry_after_s: Some(7),
        times: None,
    };
    for (act, kind, may_pass) in [
        (error(400), Kind::Refused { status: 400 }, false),
        (error(404), Kind::Refused { status: 404 }, false),
        (error(500), Kind::Server { status: 500 }, true),
        (Act::Auth { times: None }, Kind::Auth, false),
        (rate, Kind::Limited { retry_after }, true),
        (
            Act::Overload { times: None },
            Kind::Overloaded { retry_after: None },
            true,
        ),
        (Act::Garbage { times: None }, Kind::Malformed, true),
        (Act::Cut { times: None }, Kind::Unreachable, true),
    ] {
        for provider in Provider::ALL {
            let failure = reply_to(provider, act.clone()).unwrap_err();
            assert_eq!(failure.kind, kind, "{provider} {failure}");
            assert_eq!(failure.may_pass(), may_pass);
            assert!(
                failure.message.contains(&format!("{provider}:m")),
                "{failure}"
            );
            if let Act::Error { .. } = act {
                assert!(failure.message.contains("out of luck"), "{failure}");
            }
        }
    }
}

#[test]
fn a_wrong_key_is_named_by_its_variable() {
    let failure = reply_to(Provider::GrokResponses, Act::Auth { times: None }).unwrap_err();
    assert!(
        failure
            .message
            .contains("does not accept the key in GROK_API_KEY (401)"),
        "{failure}"
    );
}

#[test]
fn a_key_is_sent_in_its_header_and_never_shown() {
    for provider in Provider::ALL {
        // The server returns the whole request, including its headers.
        let raw = Raw::start(|request, conn| {
            let error = json!({"error": {"message": request}}).to_string();
            conn.write_all(&response("400 Bad Request", "", error.as_bytes()))
                .is_ok()
        });
        let ask = ask(provider, &raw.url);
        let failure = answer(&ask).unwrap_err();
        let request = &raw.requests()[0];
        assert_eq!(
            request.contains(KEY),
            provider != Provider::Ollama,
            "{request}"
        );
        let line = request.lines().next().unwrap();
        assert!(!line.contains(KEY), "{line}");
        for shown in [
            failure.message.clone(),
            format!("{failure:?}"),
            format!("{ask:?}"),
        ] {
            assert!(!shown.contains(KEY), "{shown}");
        }
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Raw::bytes("");
    let location = format!("location: {}/v1/chat/completions\r\n", elsewhere.url);
    for status in ["301 Moved", "307 Temporary Redirect"] {
        for provider in Provider::ALL {
            let raw = Raw::whole(status, &location, "");
            let failure = answer(&ask(provider, &raw.url)).unwrap_err();
            assert!(
                matches!(failure.kind, Kind::Refused { status: 301 | 307 }),
                "{failure}"
            );
        }
    }
    assert_eq!(elsewhere.accepted(), 0);
}

#[test]
fn an_error_that_calls_itself_a_success_is_a_failure() {
    for provider in Provider::ALL {
        let body = json!({"error": {"message": "upstream is down", "code": 502}});
        let raw = Raw::whole("200 OK", "", body.to_string());
        let failure = answer(&ask(provider, &raw.url)).unwrap_err();
        assert_eq!(failure.kind, Kind::Server { status: 200 });
        assert!(
            failure.message.ends_with("failed: upstream is down"),
            "{failure}"
        );
    }
}

#[test]
fn an_address_where_nobody_listens_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = answer(&ask(Provider::OpenAi, &url)).unwrap_err();
    assert_eq!(failure.kind, Kind::Unreachable);
    let said = format!("cannot reach openai:m at {url}/v1: ");
    assert!(failure.message.starts_with(&said), "{failure}");
    let failure = answer(&ask(Provider::OpenAi, "http://host.invalid")).unwrap_err();
    assert_eq!(failure.kind, Kind::Unreachable, "{failure}");
}

#[test]
fn what_a_provider_cannot_do_is_refused_before_it_is_asked() {
    let raw = Raw::bytes("");
    for provider in [
        Provider::OpenAi,
        Provider::Grok,
        Provider::Groq,
        Provider::Ollama,
    ] {
        let mut ask = ask(provider, &raw.url);
        ask.native = vec![Native::CodeExecution];
        let failure = answer(&ask).unwrap_err();
        assert_eq!(failure.kind, Kind::Refused { status: 400 });
        assert!(
            failure.message.contains("cannot do CodeExecution"),
            "{failure}"
        );
    }
    assert_eq!(raw.accepted(), 0);
}

#[test]
fn a_temperature_that_a_model_refuses_is_left_out_from_then_on() {
    let raw = Raw::start(|request, conn| {
        let (status, body) = match body(request).get("temperature") {
            Some(_) => {
                let message =
                    "Unsupported value: 'temperature' does not support 0.0 with this model.";
                ("400 Bad Request", json!({"error": {"message": message}}))
            }
            None => (
                "200 OK",
                json!({"choices": [{"message": {"content": "fine"}}]}),
            ),
        };
        conn.write_all(&response(status, "", body.to_string().as_bytes()))
            .is_ok()
    });
    let client = Client::new();
    let mut ask = ask(Provider::OpenAi, &raw.url);
    ask.options.temperature = Some(0.0);
    for requests in [2, 3, 4] {
        let reply = client.ask(&ask, &Cancel::new()).unwrap();
        assert_eq!(reply.text, "fine");
        assert_eq!(raw.requests().len(), requests);
    }
}
