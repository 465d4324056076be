//! An agent in a shell script, and its environment.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kumite_agents::{End, Handle, Protocol, Remains, Request, find_marked, launch};
use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;
use tempfile::TempDir;

pub const BINARY: &str = env!("CARGO_BIN_EXE_kumite-supervise");
pub const GOOD: &str = r#"echo '{"session_id":"s-1","total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4},"is_error":false,"subtype":"success","result":"ok","type":"result"}'"#;
pub const BAD: &str = r#"echo '{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["too many turns"]}'"#;
pub const INIT: &str = r#"echo '{"type":"system","subtype":"init","session_id":"s-1"}'"#;

pub struct World {
    root: TempDir,
    pub request: Request,
}

/// A world with an agent that runs `script`, with generous limits.
pub fn world(script: &str) -> World {
    let root = TempDir::new().unwrap();
    let agent = root.path().join("agent.sh");
    fs::write(&agent, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(root.path().join("dir")).unwrap();
    let name = root.path().file_name().unwrap().to_str().unwrap();
    let request = Request {
        agent: format!("agent-{name}"),
        program: agent.to_str().unwrap().to_owned(),
        args: Vec::new(),
        cwd: root.path().to_owned(),
        env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())],
        stdin: None,
        log: root.path().join("logs/agent.log"),
        protocol: Protocol::Program(ProgramKind::Claude),
        session: Some("given".to_owned()),
        step_timeout_ms: 60_000,
        silence_timeout_ms: 0,
        exit_grace_ms: 30_000,
        term_grace_ms: 5_000,
        // A newly written script can be busy: other tests fork while it is open.
        spawn_retries: 5,
        log_max_bytes: 0,
    };
    World { root, request }
}

impl World {
    pub fn with(mut self, change: impl FnOnce(&mut Request)) -> World {
        change(&mut self.request);
        self
    }

    pub fn dir(&self) -> PathBuf {
        self.root.path().join("dir")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn launch(&self) -> Handle {
        launch(Path::new(BINARY), &self.dir(), &self.request).unwrap()
    }

    /// From start to end; no process of the agent may remain.
    pub fn run(&self) -> End {
        let end = self.launch().wait();
        self.assert_nothing_remains();
        end
    }

    pub fn outcome(&self) -> Outcome {
        self.run().ended.outcome
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_default()
    }

    /// Waits for a file that the agent writes at a certain point.
    pub fn wait_for(&self, name: &str) {
        until(name, || self.path(name).exists());
    }

    pub fn marked(&self) -> Vec<kumite_agents::Marked> {
        let all = find_marked("KUMITE_AGENT=").into_iter();
        all.filter(|found| found.agent == self.request.agent)
            .collect()
    }

    pub fn assert_nothing_remains(&self) {
        assert_eq!(self.marked(), []);
    }
}

/// A failing test must not leave its agent running.
impl Drop for World {
    fn drop(&mut self) {
        Remains::marked(&[&self.request.marker()]).end();
    }
}

pub fn until(what: &str, mut happens: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !happens() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn failed(sentence: &str) -> Outcome {
    Outcome::Failed(sentence.to_owned())
}
