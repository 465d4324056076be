//! The protocol itself: messages that do not belong there, and the end.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::watch::held;
use crate::world::{World, until};

/// `kumite mcp` and its pipes.
struct Raw {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Raw {
    fn new(world: &World) -> Raw {
        let mut child = world
            .command(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Raw {
            stdin: child.stdin.take(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// A server after the handshake.
    fn begun(world: &World) -> Raw {
        let mut raw = Raw::new(world);
        raw.begin();
        raw
    }

    fn begin(&mut self) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        );
        let answer = self.answer("hello");
        assert_eq!(answer["result"]["serverInfo"]["name"], "kumite", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    fn say(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.say(format!("{message}\n").as_bytes());
    }

    /// The answer to this request. Every line of stdout is a message, whatever else happens.
    fn answer(&mut self, id: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "it has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn is_well(&mut self) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": "well", "method": "tools/call",
            "params": {"name": "list_specs", "arguments": {}}}),
        );
        let answer = self.answer("well");
        assert_eq!(
            answer["result"]["structuredContent"]["total"], 1,
            "{answer}"
        );
    }

    /// Closes its stdin; returns its exit code, its remaining output, and its stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.stdin.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut rest).unwrap();
        let output = self.child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), rest, stderr)
    }
}

fn world() -> World {
    let world = World::new();
    world.spec("login");
    world
}

#[test]
fn a_line_that_is_no_json_is_answered() {
    let world = world();
    let mut raw = Raw::begun(&world);
    raw.say(b"this is no JSON\n");
    // Pings are always answered, so an answer that does not come is not waited for without an end.
    let mut answer = Value::Null;
    until("the line to be answered", || {
        raw.send(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
        loop {
            let mut line = String::new();
            raw.stdout.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            match message["id"] == "ping" {
                true => return answer != Value::Null,
                false => answer = message,
            }
        }
    });
    assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    raw.is_well();
}

#[test]
fn garbage_does_not_end_it() {
    let world = world();
    let mut raw = Raw::begun(&world);
    let huge = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"x\": \"{}\"}}\n",
        "x".repeat(20_000_000)
    );
    let rows: [&[u8]; 10] = [
        b"\n\n",
        b"not JSON at all\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 1\n",
        b"\xff\xfe\x00\x01\n",
        b"[]\n",
        b"null\n",
        b"{\"jsonrpc\": \"1.0\", \"id\": {}, \"method\": 5}\n",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/nonsense\"}\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 77, \"result\": {}}\n",
        huge.as_bytes(),
    ];
    for garbage in rows {
        raw.say(garbage);
        raw.is_well();
    }
    let unknown = [
        ("nonsense/now", json!({})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", json!({"name": "get_spec", "arguments": []})),
        ("prompts/get", json!({"name": "x"})),
    ];
    for (method, params) in unknown {
        raw.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}));
        // Something that is not a request may be answered without its id.
        raw.send(&json!({"jsonrpc": "2.0", "id": "last", "method": "ping"}));
        let mut errors = 0;
        loop {
            let mut line = String::new();
            raw.stdout.read_line(&mut line).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            errors += usize::from(message.get("error").is_some());
            if message["id"] == "last" {
                break;
            }
        }
        assert_eq!(errors, 1, "{method}");
        raw.is_well();
    }
    assert_eq!(raw.end().0, Some(0));
}

#[test]
fn what_is_said_before_the_handshake_does_not_end_it() {
    let world = world();
    let mut raw = Raw::new(&world);
    raw.say(b"hello?\n");
    raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    raw.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    raw.send(&json!({"jsonrpc": "2.0", "id": "early", "method": "tools/list"}));
    assert!(raw.answer("early").get("error").is_some());
    raw.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    raw.begin();
    raw.is_well();
}

#[test]
fn it_ends_when_its_stdin_is_closed_and_leaves_nothing() {
    let world = world();
    let never_spoke = Raw::new(&world);
    assert_eq!(never_spoke.end(), (Some(0), String::new(), String::new()));
    let mut spoke = Raw::begun(&world);
    spoke.is_well();
    assert_eq!(spoke.end(), (Some(0), String::new(), String::new()));
    assert!(!world.path(".kiro/runtime").exists());
}

#[test]
fn a_call_that_waits_ends_with_stdin_and_the_run_goes_on() {
    let world = world();
    world.play(json!({"steps": {"requirements": held()}}));
    let mut raw = Raw::begun(&world);
    raw.send(
        &json!({"jsonrpc": "2.0", "id": "run", "method": "tools/call", "params": {
        "name": "run_spec",
        "arguments": {"spec": "login", "until": "requirements", "wait_seconds": 600}}}),
    );
    world.wait_for_step("login", "requirements 1");
    let (code, rest, _) = raw.end();
    assert_eq!(code, Some(0));
    assert!(rest.contains("it goes on"), "{rest}");
    world.go();
    until("it to end", || {
        world.stands("login") == "done until_reached"
    });
}

#[test]
fn a_call_that_is_cancelled_stops_waiting_and_others_are_answered_meanwhile() {
    let world = world();
    world.play(json!({"steps": {"requirements": held()}}));
    let mut raw = Raw::begun(&world);
    raw.send(
        &json!({"jsonrpc": "2.0", "id": "run", "method": "tools/call", "params": {
        "name": "run_spec",
        "arguments": {"spec": "login", "until": "requirements", "wait_seconds": 600}}}),
    );
    world.wait_for_step("login", "requirements 1");
    raw.is_well();
    raw.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "run"}}));
    raw.is_well();
    let (code, rest, _) = raw.end();
    assert_eq!(
        (code, rest.as_str()),
        (Some(0), ""),
        "nobody wants that answer any more"
    );
}
