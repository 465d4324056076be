//! An agent for tests. The variable `SCENE` selects its behaviour.

use std::io::{Lines, StdinLock, Write};
use std::path::Path;
use std::process::{Command, exit};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let mut agent = Agent {
        scene: std::env::var("SCENE").unwrap_or_default(),
        lines: std::io::stdin().lines(),
        asked: 0,
    };
    while let Some(message) = agent.read() {
        agent.serve(&message);
    }
    if agent.scene == "stays" {
        let _ = signal_hook::flag::register(
            signal_hook::consts::SIGTERM,
            Arc::new(AtomicBool::new(false)),
        );
        std::fs::write("stayed", std::process::id().to_string()).expect("a file");
        forever();
    }
}

struct Agent {
    scene: String,
    lines: Lines<StdinLock<'static>>,
    asked: u64,
}

impl Agent {
    fn read(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("a line");
        Some(serde_json::from_str(&line).expect("a message"))
    }

    fn serve(&mut self, message: &Value) {
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => self.greet(message),
            "session/new" if self.scene == "login" => {
                refuse(message, -32000, "Authentication required", json!(null))
            }
            "session/new" => {
                let model = json!([{"id": "model", "category": "model", "currentValue": "m-1"}]);
                let session = json!({"sessionId": "s-1", "configOptions": model});
                match message["params"]["cwd"] == json!(std::env::current_dir().expect("cwd")) {
                    true => answer(message, session),
                    false => refuse(message, -32602, "another cwd", json!(null)),
                }
            }
            "session/resume" => match self.scene.as_str() {
                "resume gone" => refuse(message, -32002, "Resource not found: old", json!(null)),
                _ => answer(message, json!({"models": {"currentModelId": "m-2"}})),
            },
            "session/load" => self.load(message),
            "session/prompt" => {
                self.prompt(message);
            }
            other => panic!("asked for {other}"),
        }
    }

    fn greet(&mut self, message: &Value) {
        let params = &message["params"];
        assert_eq!(params["protocolVersion"], 1);
        assert_eq!(params["clientCapabilities"]["fs"]["writeTextFile"], true);
        assert_eq!(params["clientInfo"]["name"], "kumite");
        match self.scene.as_str() {
            "mute" => exit(0),
            "killed" => {
                let me = std::process::id().to_string();
                let _ = Command::new("kill").args(["-KILL", &me]).status();
            }
            _ => {}
        }
        let version = if self.scene == "version" { 2 } else { 1 };
        let able = match self.scene.split(' ').next() {
            Some("resume") => json!({"loadSession": true, "sessionCapabilities": {"resume": {}}}),
            Some("load") => json!({"loadSession": true}),
            _ => json!({}),
        };
        answer(
            message,
            json!({"protocolVersion": version, "agentCapabilities": able}),
        );
    }

    /// Replays the past, and answers before the replay ends.
    fn load(&mut self, message: &Value) {
        if self.scene == "load gone" {
            let details = json!({"details": "No previous sessions found"});
            return refuse(message, -32603, "Internal error", details);
        }
        update(json!({"sessionUpdate": "user_message_chunk", "content": words("old question")}));
        update(text("old answer"));
        update(cost(1.0));
        answer(message, json!(null));
        update(text("older answer"));
        update(
            json!({"sessionUpdate": "tool_call", "toolCallId": "old", "title": "old tool", "status": "completed"}),
        );
    }

    fn prompt(&mut self, message: &Value) {
        let prompt = message["params"]["prompt"][0]["text"].clone();
        let end = |reason: &str| answer(message, json!({"stopReason": reason}));
        match self.scene.as_str() {
            "tools" => tools(),
            "permission" => self.permission(&["allow_always", "allow_once", "reject_once"]),
            "no option" => self.permission(&["reject_always"]),
            "files" => self.files(),
            "terminal" => {
                let answer = self.ask("terminal/create", json!({"command": "ls"}));
                update(text(&answer["error"]["code"].to_string()));
            }
            "crash" => exit(3),
            "crash, leaving a child" => {
                let child = Command::new("sleep").arg("1000").spawn().expect("sleep");
                std::fs::write("child", child.id().to_string()).expect("a file");
                exit(3);
            }
            "hang" | "deaf" => return self.hang(message),
            "closes" => {
                let _ = rustix::stdio::dup2_stdout(std::fs::File::open("/dev/null").expect("null"));
                forever();
            }
            "limit" => {
                let limit = json!({"status": "rejected", "resetsAt": 1_900_000_000});
                update(
                    json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {"_claude/rateLimit": limit}}),
                );
                let kind = json!({"errorKind": "rate_limit"});
                return refuse(message, -32603, "You hit your limit", kind);
            }
            "overload" => return refuse(message, -32603, "API Error: 529 Overloaded", json!(null)),
            "late login" => return refuse(message, -32000, "Please log in", json!(null)),
            "error" => return refuse(message, -32603, "Internal error", json!("disk full")),
            "garbage" => {
                println!("npm warn something\n\n[1, 2]\n{{\"level\":\"info\"}}");
                update(json!({"sessionUpdate": "a_kind_of_tomorrow", "content": {"deep": [1, 2]}}));
                send(json!({"method": "_vendor/news", "params": {}}));
                send(json!({"id": 77, "result": {"nobody": "asked"}}));
                send(json!({"method": "session/update", "params": "nonsense"}));
                update(text("Still here."));
            }
            "huge" => {
                println!("{}", "x".repeat(100 * 1024 * 1024));
                while !Path::new("go").exists() {
                    sleep(Duration::from_millis(5));
                }
                update(text("After the flood."));
            }
            "many questions" => self.many_questions(),
            "slow" => {
                for piece in ["one ", "two ", "three"] {
                    update(text(piece));
                    sleep(Duration::from_millis(20));
                }
            }
            "usage" => {
                update(cost(0.25));
                update(text("Done."));
                let usage = json!({"inputTokens": 10, "outputTokens": 5, "cachedReadTokens": 90, "totalTokens": 105});
                return answer(message, json!({"stopReason": "end_turn", "usage": usage}));
            }
            "hasty" => {
                // All of it fits into a pipe, so the agent has exited before it is read.
                (0..300).for_each(|_| update(text("x")));
                end("end_turn");
                exit(0);
            }
            "trailing" => {
                end("end_turn");
                update(text("One more thing."));
                return update(cost(0.5));
            }
            "load" => update(cost(1.25)),
            reason
            @ ("max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "moonrise") => {
                return end(reason);
            }
            _ => {}
        }
        if self.scene.is_empty() || self.scene.starts_with(['l', 'r', 's']) {
            update(text(&format!(
                "You said: {}",
                prompt.as_str().unwrap_or_default()
            )));
        }
        end("end_turn");
    }

    fn permission(&mut self, kinds: &[&str]) {
        let option =
            |kind: &&str| json!({"optionId": format!("id of {kind}"), "name": kind, "kind": kind});
        let options: Vec<Value> = kinds.iter().map(option).collect();
        let call =
            json!({"toolCallId": "t", "title": "rm -r x", "status": "pending", "kind": "execute"});
        let answer = self.ask(
            "session/request_permission",
            json!({"sessionId": "s-1", "toolCall": call, "options": options}),
        );
        update(text(&answer["result"].to_string()));
    }

    fn files(&mut self) {
        let cwd = std::env::current_dir().expect("cwd");
        let path = |name: &str| json!(cwd.join(name));
        for (method, params) in [
            (
                "fs/write_text_file",
                json!({"sessionId": "s-1", "path": path("dir/new"), "content": "a\nb\n"}),
            ),
            (
                "fs/read_text_file",
                json!({"sessionId": "s-1", "path": path("dir/new"), "line": 2}),
            ),
            (
                "fs/read_text_file",
                json!({"sessionId": "s-1", "path": "/etc/passwd"}),
            ),
            (
                "fs/write_text_file",
                json!({"sessionId": "s-1", "path": path("../outside"), "content": "x"}),
            ),
            (
                "fs/read_text_file",
                json!({"sessionId": "s-1", "path": path("none")}),
            ),
            ("fs/read_text_file", json!({"sessionId": "s-1"})),
        ] {
            let answer = self.ask(method, params);
            let word = match answer["error"]["code"].as_i64() {
                Some(code) => code.to_string(),
                None => answer["result"].to_string(),
            };
            update(text(&format!("{word} ")));
        }
    }

    /// Sends far more requests than a pipe holds before it reads one answer.
    fn many_questions(&mut self) {
        let path = std::env::current_dir().expect("cwd").join("big");
        std::fs::write(&path, "x".repeat(10_000)).expect("a file");
        for id in 1000..2000 {
            let params = json!({"sessionId": "s-1", "path": path});
            send(json!({"id": id, "method": "fs/read_text_file", "params": params}));
        }
        let answers = (1000..2000).filter(|_| {
            let answer = self.read().expect("an answer");
            answer["result"]["content"].as_str().map(str::len) == Some(10_000)
        });
        let count = answers.count();
        update(text(&format!("{count} answers")));
    }

    fn hang(&mut self, prompt: &Value) {
        std::fs::write("pid", std::process::id().to_string()).expect("a file");
        update(
            json!({"sessionUpdate": "plan", "entries": [{"content": "wait", "priority": "low", "status": "pending"}]}),
        );
        let message = self.read().expect("a message");
        assert_eq!(message["method"], "session/cancel");
        std::fs::write("cancelled", "").expect("a file");
        match self.scene.as_str() {
            "hang" => answer(prompt, json!({"stopReason": "cancelled"})),
            _ => forever(),
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = format!("question {}", self.asked);
        send(json!({"id": id, "method": method, "params": params}));
        let answer = self.read().expect("an answer");
        assert_eq!(answer["id"], id);
        answer
    }
}

fn tools() {
    update(json!({"sessionUpdate": "agent_thought_chunk", "content": words("Hm.")}));
    update(text("I will "));
    update(text("write it."));
    update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Write", "kind": "edit", "status": "pending"}),
    );
    let diff =
        json!([{"type": "diff", "path": "/p/a", "oldText": "one\ntwo\n", "newText": "one\n2\n"}]);
    update(
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": "Write a", "content": diff}),
    );
    update(
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed", "rawOutput": "written"}),
    );
    update(
        json!({"sessionUpdate": "tool_call", "toolCallId": "2", "title": "make", "kind": "execute", "status": "in_progress"}),
    );
    let output = json!([{"type": "content", "content": words("no rule")}]);
    update(
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "2", "status": "failed", "content": output}),
    );
    update(text("Done."));
}

fn forever() -> ! {
    loop {
        sleep(Duration::from_secs(1000));
    }
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn text(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": words(text)})
}

fn cost(usd: f64) -> Value {
    let cost = json!({"amount": usd, "currency": "USD"});
    json!({"sessionUpdate": "usage_update", "used": 100, "size": 1000, "cost": cost})
}

fn update(update: Value) {
    send(json!({"method": "session/update", "params": {"sessionId": "s-1", "update": update}}));
}

fn answer(to: &Value, result: Value) {
    send(json!({"id": to["id"], "result": result}));
}

fn refuse(to: &Value, code: i32, message: &str, data: Value) {
    let error = json!({"code": code, "message": message, "data": data});
    send(json!({"id": to["id"], "error": error}));
}

fn send(mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{message}\n").as_bytes());
    let _ = out.flush();
}
