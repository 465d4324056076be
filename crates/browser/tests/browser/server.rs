//! A server on loopback with a few pages.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Path, headers (each with its line end) and body of every page.
pub type Pages = BTreeMap<&'static str, (&'static str, &'static str)>;

pub struct Server(SocketAddr);

impl Server {
    pub fn of(pages: &[(&'static str, &'static str, &'static str)]) -> Server {
        let pages: Pages = pages
            .iter()
            .map(|(path, headers, body)| (*path, (*headers, *body)))
            .collect();
        let pages = Arc::new(pages);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                thread::spawn(move || answer(&stream, &pages));
            }
        });
        Server(address)
    }

    /// One page without extra headers.
    pub fn page(body: &'static str) -> Server {
        Server::of(&[("/", "", body)])
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0)
    }

    /// The same server under another name, so that it is another site.
    pub fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.0.port())
    }
}

/// `/headers` returns the request's headers; `/stream` is an event stream that never ends.
fn answer(stream: &TcpStream, pages: &Pages) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let mut stream = stream;
    let status = if pages.contains_key(&*path) { 200 } else { 404 };
    let (more, body) = pages.get(&*path).copied().unwrap_or(("", "nothing here"));
    let told = headers.join("\n");
    let (status, body) = match &*path {
        "/headers" => (200, &*told),
        _ => (status, body),
    };
    if path == "/stream" {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n";
        stream.write_all(head.as_bytes()).unwrap();
        while stream.write_all(b"data: more\n\n").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        return;
    }
    let kind = if path.ends_with(".js") {
        "text/javascript"
    } else {
        "text/html; charset=utf-8"
    };
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n{more}\r\n{body}",
        body.len()
    );
}
