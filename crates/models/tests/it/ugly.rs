//! Servers that do not behave.

use std::io::Write;
use std::time::Duration;

use kumite_fake_model::Act;
use kumite_models::{Kind, Provider};
use serde_json::json;

use crate::raw::Raw;
use crate::stage::{answer, ask, server};

const HTML: &str = "<!doctype html><html><body>Please log in</body></html>";

#[test]
fn what_is_not_an_answer_is_malformed_and_says_so() {
    for (body, said) in [
        (HTML.as_bytes(), "the answer is no JSON"),
        (HTML.as_bytes(), "it begins with: <!doctype html>"),
        (b"", "the answer is empty"),
        (b" \n", "the answer is empty"),
        (b"{\"choices\": [", "the answer is no JSON"),
        (
            b"{\"choices\": [{\"message\": {\"content\": \"\xff\xfe\"}}]}",
            "not valid UTF-8",
        ),
        (b"{}", "the answer has no "),
        (b"[]", "the answer has no "),
        (b"null", "the answer has no "),
        (b"7", "the answer has no "),
        (b"\"hello\"", "the answer has no "),
        (
            b"{\"choices\":[],\"content\":7,\"candidates\":[],\"output\":{},\"message\":[]}",
            "the answer has no ",
        ),
        (b"{\"candidates\":[{}]}", "the answer has no "),
    ] {
        let raw = Raw::whole("200 OK", "content-type: application/json\r\n", body);
        for provider in Provider::ALL {
            let failure = answer(&ask(provider, &raw.url)).unwrap_err();
            let body = String::from_utf8_lossy(body);
            assert_eq!(failure.kind, Kind::Malformed, "{provider} {body}");
            assert!(failure.message.contains(said), "{body}: {failure}");
        }
    }
}

#[test]
fn a_wrong_content_type_does_not_matter() {
    let body = json!({"choices": [{"message": {"content": "hi"}}]}).to_string();
    let raw = Raw::whole("200 OK", "content-type: text/html\r\n", body);
    assert_eq!(answer(&ask(Provider::OpenAi, &raw.url)).unwrap().text, "hi");
}

#[test]
fn nesting_without_end_is_malformed() {
    let raw = Raw::whole("200 OK", "", "[".repeat(100_000));
    let failure = answer(&ask(Provider::OpenAi, &raw.url)).unwrap_err();
    assert_eq!(failure.kind, Kind::Malformed);
}

#[test]
fn what_is_no_http_is_no_answer() {
    for bytes in [
        "SSH-2.0-OpenSSH_9.9\r\n",
        "HTTP/1.1 two hundred\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
    ] {
        let failure = answer(&ask(Provider::OpenAi, &Raw::bytes(bytes).url)).unwrap_err();
        assert!(
            matches!(failure.kind, Kind::Malformed | Kind::Unreachable),
            "{failure:?}"
        );
    }
}

#[test]
fn a_connection_that_closes_or_breaks_off_is_unreachable() {
    for bytes in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"choices\": ",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"cho",
    ] {
        let failure = answer(&ask(Provider::OpenAi, &Raw::bytes(bytes).url)).unwrap_err();
        assert_eq!(failure.kind, Kind::Unreachable, "{bytes}: {failure}");
    }
}

#[test]
fn an_error_that_breaks_off_keeps_its_status() {
    let bytes = "HTTP/1.1 503 Busy\r\ncontent-length: 100\r\nretry-after: 3\r\n\r\ntry later";
    let failure = answer(&ask(Provider::OpenAi, &Raw::bytes(bytes).url)).unwrap_err();
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(3)));
    assert!(failure.message.contains("try later"), "{failure}");
}

#[test]
fn an_answer_beyond_64_mb_is_malformed() {
    let megabyte = vec![b' '; 1 << 20];
    let endless = Raw::start(move |_, conn| {
        let _ = conn.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while conn.write_all(&megabyte).is_ok() {}
        false
    });
    let claimed = Raw::bytes(format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
        65 << 20
    ));
    for raw in [endless, claimed] {
        let mut ask = ask(Provider::OpenAi, &raw.url);
        ask.options.timeout = Some(Duration::from_secs(600));
        let failure = answer(&ask).unwrap_err();
        assert_eq!(failure.kind, Kind::Malformed, "{failure}");
        assert!(failure.message.contains("larger than 64 MB"), "{failure}");
    }
}

#[test]
fn headers_without_end_are_malformed() {
    let raw = Raw::start(|_, conn| {
        let _ = conn.write_all(b"HTTP/1.1 200 OK\r\n");
        while conn
            .write_all(b"x-more: of the same, again and again\r\n")
            .is_ok()
        {}
        false
    });
    let failure = answer(&ask(Provider::OpenAi, &raw.url)).unwrap_err();
    assert_eq!(failure.kind, Kind::Malformed, "{failure}");
}

#[test]
fn a_timeout_is_for_the_whole_call() {
    // One byte at a time, so that no single read takes long.
    let dripping = Raw::start(|_, conn| {
        let _ = conn.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
        while conn.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    });
    let slow_head = Raw::start(|_, conn| {
        let _ = conn.write_all(b"HTTP/1.1 200 OK\r\nx: ");
        while conn.write_all(b"y").is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    });
    let hanging = server(vec![Act::Hang { times: None }]);
    let hanging_mid = server(vec![Act::HangMid { times: None }]);
    for url in [
        dripping.url,
        slow_head.url,
        hanging.url(),
        hanging_mid.url(),
    ] {
        let mut ask = ask(Provider::Anthropic, &url);
        ask.options.timeout = Some(Duration::from_millis(150));
        let failure = answer(&ask).unwrap_err();
        assert_eq!(failure.kind, Kind::TimedOut, "{failure}");
        assert!(
            failure
                .message
                .starts_with("anthropic:m did not answer within 0.15 s"),
            "{failure}"
        );
        assert!(failure.may_pass());
    }
}
