//! Too many, too often, too slow.

use std::collections::VecDeque;
use std::io::Read;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;

/// Each connection is an open file in this process too.
fn many_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
}

/// Whether the other side has closed it, without waiting.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    // What was sent before the end does not matter.
    let read = std::io::copy(stream, &mut std::io::sink());
    stream.set_nonblocking(false).unwrap();
    !read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn who_dribbles_is_closed_and_holds_up_nobody_else() {
    let stage = stage();
    let head = stage.fill(&format!("{CHANGE} HTTP/1.1\r\n{HOST}\r\n{TOKEN}\r\n"));
    let begun = [
        // Nothing at all, a head without an end, a body without an end.
        String::new(),
        head.clone(),
        format!("{head}Content-Length: 1000\r\n\r\n"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n"),
    ];
    thread::scope(|scope| {
        let dribbling: Vec<_> = begun
            .iter()
            .map(|begun| {
                scope.spawn(|| {
                    let mut stream = stage.served.connect();
                    stream.write_all(begun.as_bytes()).unwrap();
                    let drop = if begun.ends_with("chunked\r\n\r\n") {
                        "1\r\na\r\n"
                    } else {
                        "a"
                    };
                    crate::world::until("a dribbling connection to be closed", || {
                        thread::park_timeout(Duration::from_millis(100));
                        let _ = stream.write_all(drop.as_bytes());
                        is_closed(&mut stream)
                    });
                })
            })
            .collect();
        while dribbling.iter().any(|it| !it.is_finished()) {
            stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
            thread::park_timeout(Duration::from_millis(200));
        }
    });
    assert_eq!(stage.changes(), 0);
}

#[test]
fn a_thousand_idle_connections_do_not_matter_and_there_is_an_end_to_it() {
    many_files();
    let stage = stage();
    let mut idle: Vec<TcpStream> = (0..1000).map(|_| stage.served.connect()).collect();
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    stage.changes_are_possible();
    assert!(idle.iter_mut().all(|stream| !is_closed(stream)));
    // More than it accepts: the oldest make room, and the server lives on.
    idle.extend((0..700).map(|_| stage.served.connect()));
    crate::world::until("the first ones to be closed", || {
        idle[..150].iter_mut().all(is_closed)
    });
    assert!(!is_closed(&mut idle[1699]));
    let files = std::fs::read_dir(format!("/proc/{}/fd", stage.served.pid())).unwrap();
    assert!(files.count() < 1600);
    drop(idle);
    crate::world::until("room again", || {
        stage.ask(LOOK, &[HOST, TOKEN], "").status == 200
    });
}

#[test]
fn who_holds_on_to_all_connections_and_renews_them_keeps_nobody_out() {
    many_files();
    let stage = stage();
    let ask = |stream: &mut TcpStream, path: &str| {
        let head = format!("GET {path} HTTP/1.1\r\n{HOST}\r\n{TOKEN}\r\n\r\n");
        stream.write_all(stage.fill(&head).as_bytes()).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    };
    let mut events = stage.served.connect();
    ask(&mut events, "/api/events");
    // Silent ones, heads without an end, and answers to unknown clients.
    let hold = |number: usize| {
        let mut stream = stage.served.connect();
        let said = match number % 3 {
            0 => String::new(),
            1 => format!("{LOOK} HTTP/1.1\r\nHost: "),
            _ => format!("{LOOK} HTTP/1.1\r\n{HOST}\r\n\r\n"),
        };
        let _ = stream.write_all(stage.fill(&said).as_bytes());
        stream
    };
    let mut held: VecDeque<TcpStream> = (0..1700).map(hold).collect();
    crate::world::until("there to be no more room", || is_closed(&mut held[100]));
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                held.pop_front();
                held.push_back(hold(number % 2));
                let at = number % held.len();
                let _ = held[at].write_all(b"a");
            }
        });
        for _ in 0..30 {
            stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
            stage.ask(LOOK, &[HOST, COOKIE], "").assert_status(200);
        }
        let link = stage.link(&[]);
        stage
            .ask(&format!("GET {link}"), &[HOST], "")
            .assert_status(303);
        is_over.store(true, Ordering::Relaxed);
    });
    // A client that was logged in before keeps its connection.
    assert!(!is_closed(&mut events));
    stage.changes_are_possible();
}

#[test]
fn who_guesses_often_is_not_told_any_more_and_who_knows_is_let_in() {
    let stage = stage();
    let guess = |number: usize| {
        let header = format!("Authorization: Bearer {number:048}");
        stage.ask(LOOK, &[HOST, &header], "")
    };
    let told: Vec<u16> = (0..30).map(|number| guess(number).status).collect();
    assert!(told[..20].iter().all(|status| *status == 401), "{told:?}");
    assert_eq!(told.last(), Some(&429), "{told:?}");
    assert_eq!(wait(&guess(30)), 4);
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    stage.ask(LOOK, &[HOST, COOKIE], "").assert_status(200);
    // The same with links, and a right one works nevertheless.
    let link = stage.link(&[]);
    let guess = |number: usize| stage.ask(&format!("GET /login?key={number:032}"), &[HOST], "");
    let told: Vec<u16> = (0..30).map(|number| guess(number).status).collect();
    assert!(told[..20].iter().all(|status| *status == 401), "{told:?}");
    assert_eq!(told.last(), Some(&429), "{told:?}");
    assert_eq!(wait(&guess(30)), 4);
    let line = format!("GET {link}");
    stage.ask(&line, &[HOST], "").assert_status(303);
    stage.ask(&line, &[HOST], "").assert_status(429);
    stage.changes_are_possible();
}

/// Seconds, in steps of four: one guess is allowed every four seconds, and a slow machine may be in
/// between.
fn wait(answer: &Answer) -> u32 {
    let told: u32 = answer
        .assert_status(429)
        .header("retry-after")
        .unwrap()
        .parse()
        .unwrap();
    told.next_multiple_of(4)
}

#[test]
fn who_asks_too_often_has_to_wait_and_a_foreign_page_cannot_bring_that_about() {
    let stage = stage();
    let burst = |headers: &[&str], count: usize| -> Vec<u16> {
        let mut stream = stage.served.connect();
        let mut request = format!("{LOOK} HTTP/1.1\r\n");
        for header in headers {
            let _ = write!(request, "{header}\r\n");
        }
        let request = stage.fill(&format!("{request}\r\n"));
        let ask = |_| {
            stream.write_all(request.as_bytes()).unwrap();
            Answer::read(&mut stream).status
        };
        (0..count).map(ask).collect()
    };
    let told = burst(&[HOST, "Origin: http://evil.example", COOKIE], 1500);
    assert!(told.iter().all(|status| *status == 403));
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    // A client that asks as fast as possible has to wait after a while, which affects nobody else,
    // not even at the same address.
    let empty = |headers: &[&str]| {
        crate::world::until("a bucket to be empty", || {
            burst(headers, 500).contains(&429)
        });
    };
    empty(&[HOST]);
    stage.ask(LOOK, &[HOST, TOKEN], "").assert_status(200);
    // In the end the same holds for logged-in clients.
    empty(&[HOST, TOKEN]);
    crate::world::until("it to fill again", || {
        stage.ask(LOOK, &[HOST, TOKEN], "").status == 200
    });
}

#[test]
fn who_hoards_streams_gets_some_and_no_more_and_others_still_get_theirs() {
    many_files();
    let stage = stage();
    let open = |header: &str| {
        let mut stream = stage.served.connect();
        let request = format!("GET /api/events HTTP/1.1\r\n{HOST}\r\n{header}\r\n\r\n");
        stream.write_all(stage.fill(&request).as_bytes()).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (
            String::from_utf8_lossy(&status[9..])
                .parse::<u16>()
                .unwrap(),
            stream,
        )
    };
    let hoard: Vec<(u16, TcpStream)> = (0..60).map(|_| open(COOKIE)).collect();
    let held = hoard.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!(held, 32);
    assert!(
        hoard
            .iter()
            .all(|(status, _)| [200, 429, 503].contains(status))
    );
    assert_eq!(open(TOKEN).0, 200);
    stage.changes_are_possible();
    drop(hoard);
    crate::world::until("a stream again", || open(COOKIE).0 == 200);
}
