//! The program around the server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::wire::{parse, request_text, until};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_fake-model"))
}

/// Ends the program even if a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_program_serves_a_script_and_writes_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    let script = json!({"rules": [{"acts": [{"say": {"text": "from a file"}}]}]});
    std::fs::write(file("script.json"), script.to_string()).unwrap();
    let mut child = program();
    child.arg("--script").arg(file("script.json"));
    child
        .arg("--ready-file")
        .arg(file("ready"))
        .arg("--log")
        .arg(file("log"));
    let mut running = Running(child.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let port = ready["port"].as_u64().unwrap();
    assert_eq!(ready["url"], format!("http://127.0.0.1:{port}"));
    let written = || std::fs::read_to_string(file("ready")).unwrap_or_default();
    until("the port is written", || written() == port.to_string());

    let mut conn = std::net::TcpStream::connect(("127.0.0.1", port as u16)).unwrap();
    let body = json!({"tools": [{"name": "x"}], "messages": [{"role": "user", "content": "go"}]});
    let text = request_text("POST", "/v1/messages", "", &body.to_string());
    std::io::Write::write_all(&mut conn, text.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut conn, &mut answer).unwrap();
    assert_eq!(parse(&answer).json()["content"][0]["text"], "from a file");
    let log: Value = serde_json::from_str(&std::fs::read_to_string(file("log")).unwrap()).unwrap();
    assert_eq!(log["request"]["prompt"], "go");
    assert_eq!(log["request"]["by"], json!({"rule": {"rule": 0, "act": 0}}));
    assert_eq!(log["body"], body);
}

#[test]
fn wrong_arguments_and_scripts_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script.json");
    std::fs::write(&script, "{\"rules\": 1}").unwrap();
    let script = script.to_str().unwrap();
    for (args, message) in [
        (
            vec!["--script", script],
            "script.json: cannot read the script: invalid type",
        ),
        (vec!["--script", "/no/such"], "cannot read /no/such"),
        (vec!["--port", "x"], "--port x: not a port"),
        (vec!["--port"], "--port needs a value"),
        (vec!["--what", "x"], "--what is not known"),
    ] {
        let output = program().args(&args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(said.contains(message), "{said}");
    }
}
