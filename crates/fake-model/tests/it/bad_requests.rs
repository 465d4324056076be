//! Invalid requests get an answer that explains the error.

use std::io::{Read, Write};

use kumite_fake_model::{Act, By, Script, Server};
use serde_json::json;

use crate::requests::{APIS, Api, ChatMessage};
use crate::wire::{Response, connect, exchange, get, parse, post, request_text};

fn server() -> Server {
    Server::start(Script::always(vec![Act::Say {
        text: "hello".to_owned(),
    }]))
    .unwrap()
}

fn check(answer: &Response, status: u16, message: &str) {
    assert_eq!(answer.status, status);
    let body = answer.json();
    let error = &body["error"];
    let said = error.get("message").unwrap_or(error).as_str().unwrap();
    assert!(
        said.starts_with("fake-model: ") && said.contains(message),
        "{said}"
    );
}

#[test]
fn a_body_that_is_no_json_object_is_refused() {
    let server = server();
    for api in APIS {
        let path = api.path(false);
        let answer = exchange(&server, &request_text("POST", path, "", "{\"model\": "));
        check(&answer, 400, "the body is no JSON: EOF");
        let answer = exchange(&server, &request_text("POST", path, "", "[1]"));
        check(&answer, 400, "the body is JSON, but no object");
        let deep = "[".repeat(100_000);
        check(
            &exchange(&server, &request_text("POST", path, "", &deep)),
            400,
            "recursion limit",
        );
    }
    assert!(
        server
            .requests()
            .iter()
            .all(|seen| seen.by == By::Refused { status: 400 })
    );
}

#[test]
fn an_object_that_is_no_request_is_housekeeping() {
    let server = server();
    let odd = json!({"model": 7, "messages": {"a": 1}, "input": [1, null], "contents": "x"});
    for api in APIS {
        assert_eq!(post(&server, api.path(false), &odd).status, 200);
    }
}

#[test]
fn an_unknown_path_is_named() {
    let server = server();
    check(
        &get(&server, "/v1/files"),
        404,
        "GET /v1/files is not known",
    );
    check(
        &post(&server, "/v1/embeddings", &json!({})),
        404,
        "POST /v1/embeddings is not known",
    );
    let answer = post(&server, "/v1/models/m:embedContent", &json!({}));
    check(&answer, 404, "/v1/models/m:embedContent is not known");
}

#[test]
fn another_method_is_refused() {
    let answer = exchange(&server(), &request_text("DELETE", "/v1/messages", "", ""));
    check(&answer, 405, "DELETE is not understood");
}

#[test]
fn a_compressed_body_is_refused() {
    for coding in ["gzip", "zstd"] {
        let header = format!("content-encoding: {coding}\r\n");
        let answer = exchange(
            &server(),
            &request_text("POST", "/v1/responses", &header, "xx"),
        );
        check(&answer, 415, &format!("compressed ({coding})"));
    }
}

#[test]
fn a_websocket_is_refused_in_the_way_that_codex_understands() {
    let upgrade = "upgrade: websocket\r\n";
    let answer = exchange(
        &server(),
        &request_text("GET", "/v1/responses", upgrade, ""),
    );
    check(&answer, 426, "no WebSockets");
}

#[test]
fn sizes_that_are_too_large_or_no_numbers_are_refused() {
    let server = server();
    let head = "POST /v1/messages HTTP/1.1\r\n";
    let large = "a".repeat(70_000);
    for (text, status, message) in [
        (
            format!("{head}content-length: 99999999999\r\n\r\n"),
            413,
            "larger than",
        ),
        (
            format!("{head}content-length: many\r\n\r\n"),
            400,
            "content-length is \"many\"",
        ),
        (
            format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n"),
            400,
            "chunk size \"zz\"",
        ),
        (
            format!("{head}transfer-encoding: chunked\r\n\r\nffffffffff\r\n"),
            413,
            "larger than",
        ),
        (
            format!("{head}x: {large}\r\n\r\n"),
            431,
            "headers are too large",
        ),
        (format!("{head}no colon\r\n\r\n"), 400, "has no colon"),
        ("hello\r\n\r\n".to_owned(), 400, "no HTTP request"),
    ] {
        let mut conn = connect(&server);
        conn.write_all(text.as_bytes()).unwrap();
        conn.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        conn.read_to_string(&mut answer).unwrap();
        check(&parse(&answer), status, message);
    }
}

#[test]
fn a_chunked_body_is_read_after_continue() {
    let server = server();
    let body = Api::Chat
        .body(false, &[ChatMessage::User("go")], &["x"])
        .to_string();
    let (first, second) = body.split_at(10);
    let mut conn = connect(&server);
    let head = "POST /v1/chat/completions HTTP/1.1\r\nexpect: 100-continue\r\n\
                connection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    conn.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    conn.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    let chunks = format!(
        "{:x};ext=1\r\n{first}\r\n{:X}\r\n{second}\r\n0\r\ntrailer: x\r\n\r\n",
        first.len(),
        second.len()
    );
    conn.write_all(chunks.as_bytes()).unwrap();
    let mut answer = String::new();
    conn.read_to_string(&mut answer).unwrap();
    let answer = parse(&answer);
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "hello");
}

#[test]
fn a_connection_carries_several_requests() {
    let server = server();
    let mut conn = connect(&server);
    let body = Api::Chat
        .body(true, &[ChatMessage::User("go")], &["x"])
        .to_string();
    let one = format!(
        "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..3 {
        conn.write_all(one.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"0\r\n\r\n") {
            let mut byte = [0];
            conn.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        assert!(String::from_utf8(answer).unwrap().contains("hello"));
    }
    assert_eq!(server.requests().len(), 3);
}
