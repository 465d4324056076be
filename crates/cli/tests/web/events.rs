//! `/api/events`: nothing is missed and nothing comes twice.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::served::Served;
use crate::watch::held;
use crate::world::{World, lines, text, until};

/// A stream of events, read as it comes.
struct Stream {
    reader: BufReader<Chunked>,
    head: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Event {
    id: Option<String>,
    kind: String,
    data: Value,
}

/// The body of a chunked answer, without its chunks.
struct Chunked {
    stream: BufReader<TcpStream>,
    left: usize,
}

impl Read for Chunked {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            let mut line = String::new();
            while line.trim().is_empty() {
                line.clear();
                if self.stream.read_line(&mut line)? == 0 {
                    return Ok(0);
                }
            }
            self.left = usize::from_str_radix(line.trim(), 16).unwrap();
            if self.left == 0 {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.left);
        let count = self.stream.read(&mut buffer[..count])?;
        self.left -= count;
        Ok(count)
    }
}

impl Stream {
    /// The stream of a program.
    fn open(served: &Served, query: &str, headers: &[&str]) -> Stream {
        let bearer = served.bearer();
        let headers: Vec<&str> = [&*bearer]
            .into_iter()
            .chain(headers.iter().copied())
            .collect();
        Stream::open_as(served, query, &headers)
    }

    fn open_as(served: &Served, query: &str, headers: &[&str]) -> Stream {
        Stream::on(served.connect(), served, query, headers)
    }

    fn on(mut stream: TcpStream, served: &Served, query: &str, headers: &[&str]) -> Stream {
        let (host, headers) = (served.port, headers.join("\r\n"));
        let text = format!(
            "GET /api/events{query} HTTP/1.1\r\nHost: 127.0.0.1:{host}\r\n{headers}\r\n\r\n"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
        }
        Stream {
            head,
            reader: BufReader::new(Chunked { stream, left: 0 }),
        }
    }

    /// What comes after an id.
    fn after(served: &Served, id: &str) -> Stream {
        Stream::open(served, "", &[&format!("Last-Event-ID: {id}")])
    }

    /// The next event. None: the stream has ended.
    fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", id)) => event.id = Some(id.to_owned()),
                Some(("event", kind)) => event.kind = kind.to_owned(),
                Some(("data", data)) => event.data = serde_json::from_str(data).unwrap(),
                None if line.trim().is_empty() && !event.kind.is_empty() => return Some(event),
                _ => {}
            }
        }
    }

    /// All up to and including the first one of this kind.
    fn until(&mut self, kind: &str) -> Vec<Event> {
        let mut all: Vec<Event> = Vec::new();
        while all.last().is_none_or(|event| event.kind != kind) {
            let event = self.next();
            all.push(event.unwrap_or_else(|| panic!("no {kind} in {all:?}")));
        }
        all
    }

    /// Those that are there already, up to `count`.
    fn take(&mut self, count: usize) -> Vec<Event> {
        (0..count).map(|_| self.next().unwrap()).collect()
    }
}

/// The lines of news.jsonl that are news.
fn news(world: &World) -> Vec<Value> {
    let mut all = lines(&world.read(".kiro/runtime/kumite/news.jsonl"));
    all.retain(|line| line.get("key").is_some());
    all
}

fn data(events: &[Event]) -> Vec<Value> {
    events.iter().map(|event| event.data.clone()).collect()
}

#[test]
fn a_run_is_told_as_it_happens() {
    let world = World::new();
    world.spec("login");
    let served = world.serve();
    let mut stream = Stream::open(&served, "", &[]);
    assert!(stream.head.starts_with("HTTP/1.1 200"), "{}", stream.head);
    let head = stream.head.to_ascii_lowercase();
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(head.contains("x-accel-buffering: no"), "{head}");
    let hello = stream.next().unwrap();
    assert_eq!(
        (hello.kind.as_str(), &hello.data["position"]),
        ("hello", &json!(hello.id))
    );
    served
        .post("/api/specs/login/run", &json!({"until": "requirements"}))
        .assert_status(202);
    let events = stream.until("run_ended");
    assert_eq!(data(&events), news(&world));
    for event in &events {
        assert_eq!(event.kind, text(&event.data["type"]));
        assert_eq!(event.data["spec"], "login");
    }
    assert!(events.iter().all(|event| event.id.is_some()));
    // A new spec is reported too, whoever creates it.
    world.kumite(&["new", "other"]).assert_code(0);
    let made = stream.next().unwrap();
    assert_eq!(
        (made.kind.as_str(), &made.data["spec"]),
        ("spec_created", &json!("other"))
    );
}

#[test]
fn whoever_was_away_gets_exactly_what_it_missed() {
    let world = World::new();
    world.spec("login");
    let served = world.serve();
    let mut stream = Stream::open(&served, "", &[]);
    let hello = stream.next().unwrap().id.unwrap();
    served
        .post("/api/specs/login/run", &json!({"until": "design"}))
        .assert_status(202);
    let events = stream.until("run_ended");
    // From every possible position, by header and by query.
    let ids = [hello]
        .into_iter()
        .chain(events.iter().map(|event| event.id.clone().unwrap()));
    for (seen, id) in ids.enumerate() {
        let missed = &events[seen..];
        let mut by_header = Stream::after(&served, &id);
        let mut by_query = Stream::open(&served, &format!("?after={id}"), &[]);
        assert_eq!(by_header.take(missed.len()), missed);
        assert_eq!(by_query.take(missed.len()), missed);
    }
}

#[test]
fn an_unknown_position_is_told_to_begin_anew() {
    let world = World::new();
    let served = world.serve();
    world.kumite(&["new", "login"]).assert_code(0);
    for id in ["1-0", "nonsense", "ffffffffff-7"] {
        let mut stream = Stream::after(&served, id);
        let first = stream.take(2);
        assert_eq!((first[0].kind.as_str(), &first[0].id), ("reset", &None));
        assert_eq!(first[1].kind, "hello");
    }
}

#[test]
fn nothing_is_missed_or_doubled_when_the_server_is_killed_in_the_middle_of_a_run() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"review": held()}}));
    let mut served = world.serve();
    let mut stream = Stream::open(&served, "", &[]);
    assert_eq!(stream.next().unwrap().kind, "hello");
    served
        .post("/api/specs/login/run", &json!({}))
        .assert_status(202);
    // Somewhere in the middle it has heard enough, and the server dies while more happens.
    let mut heard = stream.take(5);
    world.wait_for_step("login", "review 1");
    served.end("KILL");
    while let Some(event) = stream.next() {
        heard.push(event);
    }
    let last = heard.last().unwrap().id.clone().unwrap();
    let served = world.serve();
    world.go();
    let mut stream = Stream::after(&served, &last);
    // The agent outlived the server, and the next engine continues it.
    heard.extend(stream.until("run_ended"));
    assert_eq!(heard.last().unwrap().data["state"], "done");
    assert_eq!(data(&heard), news(&world));
    let mut ids: Vec<_> = heard.iter().map(|event| event.id.clone()).collect();
    ids.dedup();
    assert_eq!(ids.len(), heard.len());
}

#[test]
fn many_who_follow_hear_the_same_also_those_who_read_late() {
    let world = World::new();
    for spec in ["a", "b", "c"] {
        world.spec(spec);
    }
    let served = world.serve();
    let mut streams: Vec<Stream> = (0..20).map(|_| Stream::open(&served, "", &[])).collect();
    for stream in &mut streams {
        assert_eq!(stream.next().unwrap().kind, "hello");
    }
    served
        .post("/api/run", &json!({"all": true}))
        .assert_status(202);
    for spec in ["a", "b", "c"] {
        world.wait_for_state(spec, "done");
    }
    let news = news(&world);
    for stream in &mut streams {
        assert_eq!(data(&stream.take(news.len())), news);
    }
}

#[test]
fn whoever_is_too_slow_gets_the_rest_from_the_file() {
    let world = World::new();
    let served = world.serve();
    let connection = served.connect();
    // The client has a small buffer, so that the server has to hold the rest back.
    rustix::net::sockopt::set_socket_recv_buffer_size(&connection, 64 * 1024).unwrap();
    let mut stream = Stream::on(connection, &served, "", &[&served.bearer()]);
    assert_eq!(stream.next().unwrap().kind, "hello");
    let words = "x".repeat(2000);
    for number in 0..6000 {
        let line = json!({"type": "x", "number": number, "words": words});
        let key = format!("x {number}.0");
        kumite_project::news::append(&world.path(".kiro/runtime/kumite"), &key, line, false)
            .unwrap();
    }
    for number in 0..6000 {
        assert_eq!(stream.next().unwrap().data["number"], number);
    }
}

#[test]
fn a_log_that_grows_is_told() {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"requirements": held()}}));
    let served = world.serve();
    served
        .post("/api/specs/login/run", &json!({"until": "requirements"}))
        .assert_status(202);
    world.wait_for_step("login", "requirements 1");
    let agents = served.get("/api/specs/login/agents").json();
    let agent = text(&agents["agents"][0]["id"]);
    let mut stream = Stream::open(&served, &format!("?log=login/{agent}"), &[]);
    let first = stream.until("log").pop().unwrap();
    assert_eq!((&first.data["agent"], &first.id), (&json!(agent), &None));
    world.go();
    let log = format!("/api/specs/login/agents/{agent}/log");
    world.wait_for_state("login", "done");
    let last = served.get(&log).json()["last"].clone();
    until("all lines to be told", || {
        stream.until("log").pop().unwrap().data["lines"] == last
    });
    for (query, status) in [
        ("?log=login", 400),
        ("?log=nobody/agent-1-1", 404),
        ("?log=login/x", 400),
        ("?lag=1", 400),
    ] {
        served
            .get(&format!("/api/events{query}"))
            .assert_status(status);
    }
}

#[test]
fn streams_are_counted_and_end_with_the_server() {
    let world = World::new();
    let mut served = world.serve();
    let browser = served.login();
    let mut streams: Vec<Stream> = (0..32)
        .map(|_| {
            let stream = Stream::open_as(&served, "", &[&browser.cookie()]);
            assert!(stream.head.starts_with("HTTP/1.1 200"), "{}", stream.head);
            stream
        })
        .collect();
    let full = browser.get("/api/events");
    assert_eq!(full.assert_status(429).header("retry-after"), Some("5"));
    // Programs have their own limit, and a stream that ends makes room.
    let program = Stream::open(&served, "", &[]);
    assert!(program.head.starts_with("HTTP/1.1 200"));
    streams.pop();
    until("there to be room again", || {
        Stream::open_as(&served, "", &[&browser.cookie()])
            .head
            .starts_with("HTTP/1.1 200")
    });
    served.end("TERM");
    for mut stream in streams {
        while stream.next().is_some() {}
    }
}
