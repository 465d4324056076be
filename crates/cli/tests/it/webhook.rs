//! Notices that reach a person who is not looking: `[notify] webhook`, and the desktop.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

use crate::programs::script;
use crate::world::{World, text};

/// A web address that accepts every POST and passes its body on.
pub fn listen() -> (SocketAddr, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (listener.local_addr().unwrap(), serve(listener, 0))
}

/// The first few are answered with "busy", and not passed on.
fn serve(listener: TcpListener, mut busy: u32) -> Receiver<Value> {
    let (send, bodies) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) <= 2 {
                    break;
                }
                head.push(line.to_ascii_lowercase());
            }
            let length = head
                .iter()
                .find_map(|line| line.strip_prefix("content-length:"));
            let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
            reader.read_exact(&mut body).unwrap();
            assert!(head[0].starts_with("post /hook "), "{head:?}");
            if busy > 0 {
                busy -= 1;
                let answer = b"HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
                reader.get_mut().write_all(answer).unwrap();
                continue;
            }
            // Passed on before the answer: when kumite has ended, everything is there.
            if send.send(serde_json::from_slice(&body).unwrap()).is_err() {
                return;
            }
            let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            reader.get_mut().write_all(answer).unwrap();
        }
    });
    bodies
}

fn types(posted: &[Value]) -> Vec<String> {
    posted.iter().map(|it| text(&it["type"])).collect()
}

const SOON: Duration = Duration::from_secs(60);

fn with_webhook(address: &str) -> World {
    let world = World::new();
    world.settings(&format!("[notify]\nwebhook = \"http://{address}/hook\""));
    world.spec("login");
    world
}

#[test]
fn b4_a_retry_and_the_end_are_posted_and_the_rest_is_not() {
    let (address, bodies) = listen();
    let world = with_webhook(&address.to_string());
    world.play(json!({"steps": {"impl": [{"tick": 1}, {}]}}));
    world.kumite(&["run", "login"]).assert_code(0);
    // kumite has ended, so everything has been posted.
    let posted: Vec<Value> = bodies.try_iter().collect();
    assert_eq!(types(&posted), ["impl_retry", "run_ended"]);
    assert_eq!(
        (&posted[0]["attempt"], &posted[0]["open"]),
        (&json!(1), &json!(2))
    );
    assert!(
        text(&posted[0]["text"]).contains("Impl retry (1/7)"),
        "{}",
        posted[0]
    );
    assert_eq!(
        (&posted[1]["spec"], &posted[1]["reason"]),
        (&json!("login"), &json!("all_phases_done"))
    );
    assert!(text(&posted[1]["text"]).contains("login"));
}

#[test]
fn b4_used_up_retries_and_pauses_are_posted() {
    let (address, bodies) = listen();
    let world = with_webhook(&address.to_string());
    world.play(json!({"steps": {"impl": {"tick": 0}}}));
    world.settings(&format!(
        "[impl]\nretries_max = 1\n[notify]\nwebhook = \"http://{address}/hook\""
    ));
    world.kumite(&["run", "login"]).assert_code(1);
    let posted: Vec<Value> = bodies.try_iter().collect();
    assert_eq!(
        types(&posted),
        ["impl_retry", "impl_exhausted", "run_ended"]
    );
    assert_eq!(posted[2]["reason"], "retries_exhausted");
    assert!(
        text(&posted[1]["text"]).contains("Impl max retry exceeded"),
        "{}",
        posted[1]
    );
}

#[test]
fn an_old_end_is_not_posted_again_by_a_later_process() {
    let (address, bodies) = listen();
    let world = with_webhook(&address.to_string());
    world.play(json!({"steps": {"reply": {"discuss": 1}}}));
    world.kumite(&["run", "login"]).assert_code(3);
    assert_eq!(bodies.try_iter().count(), 1);
    world.kumite(&["stop", "login"]).assert_code(0);
    world.kumite(&["pause", "login"]).assert_code(0);
    assert_eq!(bodies.try_iter().count(), 0);
}

#[test]
fn b4_all_webhooks_are_told_and_a_slow_one_delays_none() {
    let (one, first) = listen();
    let (two, second) = listen();
    // It accepts connections, and never answers.
    let slow = TcpListener::bind("127.0.0.1:0").unwrap();
    let slow_address = slow.local_addr().unwrap();
    let world = World::new();
    world.spec("login");
    let hooks = [slow_address, one, two].map(|it| format!("http://{it}/hook"));
    world.settings(&format!("[notify]\nwebhook = {hooks:?}"));
    let run = world.start(&["run", "login"]);
    for bodies in [first, second] {
        let end = bodies.recv_timeout(SOON).unwrap();
        assert_eq!(
            (&end["type"], &end["level"]),
            (&json!("run_ended"), &json!("info"))
        );
    }
    drop(slow);
    run.wait().assert_code(0);
}

#[test]
fn b4_a_webhook_that_was_busy_is_told_later() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = with_webhook(&listener.local_addr().unwrap().to_string());
    let bodies = serve(listener, 1);
    world.play(json!({"steps": {"impl": [{"tick": 1}, {"wait_for": "go"}]}}));
    let run = world.start(&["run", "login"]);
    let retry = bodies.recv_timeout(SOON).unwrap();
    assert_eq!(retry["type"], "impl_retry");
    world.write("go", "");
    run.wait().assert_code(0);
    assert_eq!(types(&bodies.try_iter().collect::<Vec<_>>()), ["run_ended"]);
}

#[test]
fn b4_what_a_webhook_did_not_take_is_told_by_the_next_kumite() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let world = with_webhook(&address.to_string());
    world.play(json!({"steps": {"reply": {"discuss": 1}}}));
    world.kumite(&["run", "login"]).assert_code(3);
    let bodies = serve(TcpListener::bind(address).unwrap(), 0);
    world.kumite(&["pause", "login"]).assert_code(0);
    let end = bodies.recv_timeout(SOON).unwrap();
    assert_eq!(
        (&end["type"], &end["state"]),
        (&json!("run_ended"), &json!("paused"))
    );
    world.kumite(&["pause", "login"]).assert_code(0);
    assert_eq!(bodies.try_iter().count(), 0);
}

#[test]
fn b4_a_run_that_is_given_up_is_posted() {
    let (address, bodies) = listen();
    let world = with_webhook(&address.to_string());
    world.play(json!({"steps": {"design": {"touch": ["in-design"], "wait_for": "never"}}}));
    let run = world.start(&["run", "login"]);
    world.wait_for("in-design");
    std::fs::remove_dir_all(world.path(".kiro/runtime")).unwrap();
    let end = bodies.recv_timeout(SOON).unwrap();
    assert_eq!(
        (&end["type"], &end["reason"]),
        (&json!("run_ended"), &json!("interrupted"))
    );
    run.wait();
}

#[test]
fn a_webhook_that_nobody_answers_holds_nothing_up() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let world = with_webhook(&closed.to_string());
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(out.json().pop().unwrap()["state"], "done");
    assert!(out.stderr.contains("webhook"), "{out:?}");
}

#[test]
fn a_wrong_webhook_is_refused_before_anything_starts() {
    let world = World::new();
    world.spec("login");
    world.settings("[notify]\nwebhook = \"not an address\"");
    world.kumite(&["run", "login"]).assert_code(5);
    assert!(world.launches().is_empty());
}

#[test]
fn b4_the_desktop_is_told_the_same() {
    let mut world = World::new();
    world.spec("login");
    world.play(json!({"steps": {"impl": [{"tick": 1}, {}]}}));
    let told = world.path("told");
    script(
        &world,
        "bin/notify-send",
        &format!("printf '%s|' \"$@\" >> {}", told.display()),
    );
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    for (name, value) in [
        ("PATH", path.as_str()),
        ("DISPLAY", ":0"),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere"),
    ] {
        world.env.push((name.to_owned(), value.to_owned()));
    }
    world.kumite(&["run", "login"]).assert_code(0);
    let told = std::fs::read_to_string(told).unwrap();
    let begin = "--app-name=kumite|--|kumite: login|";
    assert_eq!(told.matches(begin).count(), 2, "{told}");
    assert!(told.contains(&format!("{begin}Impl retry (1/7)")), "{told}");
}
