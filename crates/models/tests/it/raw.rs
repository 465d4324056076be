//! Servers that send exactly the bytes a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Lives as long as the test program.
pub struct Raw {
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
    accepted: Arc<AtomicUsize>,
}

impl Raw {
    /// Passes every request to `respond`, which returns whether the connection stays open.
    pub fn start(respond: impl Fn(&str, &mut TcpStream) -> bool + Send + Sync + 'static) -> Raw {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let raw = Raw {
            url: format!("http://{}", listener.local_addr().unwrap()),
            requests: Arc::default(),
            accepted: Arc::default(),
        };
        let (requests, accepted) = (raw.requests.clone(), raw.accepted.clone());
        let respond = Arc::new(respond);
        thread::spawn(move || {
            for conn in listener.incoming() {
                let (requests, respond) = (requests.clone(), respond.clone());
                let mut conn = conn.unwrap();
                accepted.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    let mut reader = BufReader::new(conn.try_clone().unwrap());
                    while let Some(request) = read(&mut reader) {
                        requests.lock().unwrap().push(request.clone());
                        if !respond(&request, &mut conn) {
                            return;
                        }
                    }
                });
            }
        });
        raw
    }

    /// Answers every request with these bytes, and closes.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Raw {
        let bytes = bytes.into();
        Raw::start(move |_, conn| {
            let _ = conn.write_all(&bytes);
            false
        })
    }

    /// Answers every request with a complete response, and keeps the connection.
    pub fn whole(status: &str, headers: &str, body: impl Into<Vec<u8>>) -> Raw {
        let bytes = response(status, headers, &body.into());
        Raw::start(move |_, conn| conn.write_all(&bytes).is_ok())
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

pub fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// One request with its body, or None when the client has gone.
fn read(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse::<usize>().unwrap())
    });
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// The body of a request.
pub fn body(request: &str) -> serde_json::Value {
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}
