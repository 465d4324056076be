//! A running `kumite serve`, and requests to it, byte by byte: no HTTP client that hides anything.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::world::{PATIENCE, World, until};

/// The server's messages for people.
pub const STDERR: &str = "serve.stderr";

/// A server. It ends with the test.
pub struct Served {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// `http://127.0.0.1:PORT`
    pub url: String,
    pub port: u16,
    pub login_url: String,
    pub token: String,
}

/// A browser that has used a link: it sends its cookie, our Origin, and the CSRF token of a page.
pub struct Browser {
    port: u16,
    /// `NAME=VALUE`, as in the header `Cookie`.
    pub cookie: String,
    pub csrf: String,
}

pub struct Answer {
    pub status: u16,
    /// In the order they came, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl World {
    /// Starts `kumite serve` and waits until it listens.
    pub fn serve(&self) -> Served {
        self.serve_with(&[])
    }

    pub fn serve_with(&self, args: &[&str]) -> Served {
        let stderr = File::create(self.path(STDERR)).unwrap();
        let mut child = self
            .command(&["serve", "--json"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let Ok(said) = serde_json::from_str::<Value>(&line) else {
            panic!("kumite serve did not start: {line}{}", self.read(STDERR));
        };
        let url = said["url"].as_str().unwrap().to_owned();
        Served {
            child,
            stdout,
            port: url.rsplit_once(':').unwrap().1.parse().unwrap(),
            login_url: said["login_url"].as_str().unwrap().to_owned(),
            token: self.read(".kiro/runtime/kumite/token"),
            url,
        }
    }
}

impl Served {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A GET of a program with the token.
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[&self.bearer()], "")
    }

    /// A POST of a program with the token.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let kind = "Content-Type: application/json";
        self.send("POST", path, &[&self.bearer(), kind], &body.to_string())
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// A request with a correct Host and these headers (`Name: value`).
    pub fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        send(self.port, method, path, headers, body)
    }

    /// Sends bytes unchanged and reads one answer.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // It may refuse before it has read everything.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    pub fn connect(&self) -> TcpStream {
        connect(self.port)
    }

    /// Uses the link that was printed at the start.
    pub fn login(&self) -> Browser {
        self.login_with(&self.login_url)
    }

    pub fn login_with(&self, url: &str) -> Browser {
        let path = url.strip_prefix(&self.url).unwrap();
        let answer = self.send("GET", path, &[], "");
        assert_eq!(answer.status, 303, "{answer:?}");
        let set = answer.header("set-cookie").unwrap();
        let mut browser = Browser {
            port: self.port,
            cookie: set.split(';').next().unwrap().to_owned(),
            csrf: String::new(),
        };
        browser.csrf = browser.get("/").csrf();
        browser
    }

    /// Its output after the first line, once it has ended.
    pub fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Sends a signal and waits for the end; returns the exit code.
    pub fn end(&mut self, signal: &str) -> i32 {
        crate::world::kill(self.pid(), signal);
        let mut code = None;
        until("kumite serve to end", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    pub fn get(&self, path: &str) -> Answer {
        send(self.port, "GET", path, &[&self.cookie()], "")
    }

    /// What the page's script does for a button.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let csrf = format!("X-CSRF-Token: {}", self.csrf);
        let kind = "Content-Type: application/json";
        let headers = [&*self.cookie(), &*self.origin(), &*csrf, kind];
        send(self.port, "POST", path, &headers, &body.to_string())
    }

    pub fn cookie(&self) -> String {
        format!("Cookie: {}", self.cookie)
    }

    pub fn origin(&self) -> String {
        format!("Origin: http://127.0.0.1:{}", self.port)
    }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn send(port: u16, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
    for header in headers {
        let _ = write!(text, "{header}\r\n");
    }
    if !body.is_empty() || method == "POST" {
        let _ = write!(text, "Content-Length: {}\r\n", body.len());
    }
    let _ = write!(text, "Connection: close\r\n\r\n{body}");
    let mut stream = connect(port);
    // It may refuse before it has read everything.
    let _ = stream.write_all(text.as_bytes());
    Answer::read_to(&mut stream, method == "HEAD")
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {}", self.status, self.headers, self.text())
    }
}

impl Answer {
    /// Reads one answer. Status 0: the connection was closed without one.
    pub fn read(stream: &mut impl Read) -> Answer {
        Answer::read_to(stream, false)
    }

    fn read_to(stream: &mut impl Read, is_head: bool) -> Answer {
        let mut reader = BufReader::new(stream);
        let mut answer = Answer {
            status: 0,
            headers: Vec::new(),
            body: Vec::new(),
        };
        let Some(status) = line(&mut reader) else {
            return answer;
        };
        answer.status = status.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        while let Some(line) = line(&mut reader).filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').unwrap();
            let name = name.to_ascii_lowercase();
            answer.headers.push((name, value.trim().to_owned()));
        }
        let length = answer
            .header("content-length")
            .map(|it| it.parse().unwrap());
        let chunked = answer.header("transfer-encoding") == Some("chunked");
        answer.body = match (is_head || answer.status == 304, length, chunked) {
            (true, ..) => Vec::new(),
            (_, Some(length), _) => take(&mut reader, length),
            (_, None, true) => chunks(&mut reader),
            (_, None, false) => {
                let mut rest = Vec::new();
                let _ = reader.read_to_end(&mut rest);
                rest
            }
        };
        answer
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(it, _)| it == name);
        named.next().map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The token that a page tells its script.
    #[track_caller]
    pub fn csrf(&self) -> String {
        let text = self.text();
        let meta = text.split("name=\"csrf-token\" content=\"").nth(1);
        let token = meta.and_then(|rest| rest.split('"').next());
        token.unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }

    #[track_caller]
    pub fn assert_status(&self, status: u16) -> &Answer {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

/// A line without its line end. None: there is nothing more.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match reader.read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
    }
}

fn take(reader: &mut impl BufRead, length: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = reader.take(length).read_to_end(&mut bytes);
    bytes
}

fn chunks(reader: &mut impl BufRead) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(length) = line(reader).and_then(|it| u64::from_str_radix(&it, 16).ok()) {
        if length == 0 {
            break;
        }
        all.extend(take(reader, length));
        line(reader);
    }
    all
}
