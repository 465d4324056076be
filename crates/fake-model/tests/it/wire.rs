//! A client: one request per connection, read to the end.

use std::io::{Read, Write};
use std::net::TcpStream;

use kumite_fake_model::Server;
use serde_json::Value;

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    /// As it was sent, with the chunks joined.
    pub body: String,
    /// Whether the whole body arrived.
    pub is_whole: bool,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

pub fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port())).unwrap()
}

pub fn request_text(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: fake\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
}

pub fn exchange(server: &Server, text: &str) -> Response {
    let mut conn = connect(server);
    conn.write_all(text.as_bytes()).unwrap();
    read_response(conn)
}

pub fn post(server: &Server, path: &str, body: &Value) -> Response {
    exchange(server, &request_text("POST", path, "", &body.to_string()))
}

pub fn get(server: &Server, path: &str) -> Response {
    exchange(server, &request_text("GET", path, "", ""))
}

pub fn read_response(mut conn: TcpStream) -> Response {
    let mut bytes = Vec::new();
    // A cut connection may end with an error; what came before it counts.
    let _ = conn.read_to_end(&mut bytes);
    parse(&String::from_utf8(bytes).unwrap())
}

pub fn parse(text: &str) -> Response {
    let (head, rest) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {text:?}"));
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .unwrap()
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut response = Response {
        status,
        headers,
        body: String::new(),
        is_whole: false,
    };
    if response.header("transfer-encoding") == Some("chunked") {
        (response.body, response.is_whole) = unchunked(rest);
    } else {
        let length: usize = response.header("content-length").unwrap().parse().unwrap();
        response.body = rest.to_owned();
        response.is_whole = rest.len() == length;
    }
    response
}

fn unchunked(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, after == "\r\n");
        }
        body.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap();
    }
    (body, false)
}

/// Waits for something that another thread does.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..20_000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("{what} never held");
}
