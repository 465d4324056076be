//! A team, a model server, and a place to work.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use kumite_contest::evaluate::ModelMeans;
use kumite_contest::prompts::Templates;
use kumite_contest::teams::model::{Error, ModelTeam};
use kumite_contest::work::{Handed, Missed, Team, Try};
use kumite_fake_model::{Act, Options, Rule, Script, Server};
use kumite_formats::contest::{self as formats, Leader, Llm, Member, MemberKind, Price, Prompts};
use kumite_models::{Cancel, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Stage {
    pub server: Server,
    pub dir: TempDir,
    pub cancel: Cancel,
    pub timeout: Duration,
    pub round: u32,
    pub prices: BTreeMap<String, Price>,
    /// Besides the keys and base URLs.
    pub env: Vec<(&'static str, &'static str)>,
}

impl Stage {
    /// For prompts that contain a word, the model plays these acts.
    pub fn new(rules: &[(&str, Vec<Act>)]) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let rule = |(when, acts): &(&str, Vec<Act>)| Rule {
            when: (*when).to_owned(),
            acts: acts.clone(),
            ..Rule::default()
        };
        let script = Script {
            rules: rules.iter().map(rule).collect(),
            without_tools: true,
            ..Script::default()
        };
        let options = Options {
            log: Some(dir.path().join("requests.jsonl")),
            ..Options::default()
        };
        Stage {
            server: Server::start_with(script, &options).unwrap(),
            dir,
            cancel: Cancel::new(),
            timeout: Duration::from_secs(60),
            round: 1,
            prices: BTreeMap::new(),
            env: Vec::new(),
        }
    }

    pub fn team(&self, team: &formats::ModelTeam) -> Result<ModelTeam, Error> {
        let url = self.server.url();
        let env: BTreeMap<String, String> = [
            ("OPENAI_API_KEY", "sk-test".to_owned()),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("ANTHROPIC_API_KEY", "sk-ant-test".to_owned()),
            ("ANTHROPIC_BASE_URL", url.clone()),
            ("GOOGLE_API_KEY", "test".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url),
        ]
        .into_iter()
        .chain(
            self.env
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        )
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        let means = ModelMeans {
            client: Client::new(),
            env: Arc::new(move |name: &str| env.get(name).cloned()),
            templates: Arc::new(Templates::new(&Prompts::default(), 1000).unwrap()),
            zone: TimeZone::UTC,
            project: self.dir.path().to_owned(),
        };
        ModelTeam::new(team, &self.prices, &means)
    }

    pub fn submit(&self, team: &formats::ModelTeam, prompt: &str) -> Result<Handed, Missed> {
        self.submit_with(&self.team(team).unwrap(), prompt)
    }

    pub fn submit_with(&self, team: &ModelTeam, prompt: &str) -> Result<Handed, Missed> {
        team.submit(
            prompt,
            &Try {
                contest_id: "contest-1",
                team_id: "blue",
                team_name: "Blue",
                round: self.round,
                attempt: 1,
                timeout: self.timeout,
                cancel: &self.cancel,
                dir: self.dir.path(),
            },
        )
    }

    /// The bodies of all requests so far.
    pub fn bodies(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.dir.path().join("requests.jsonl")).unwrap();
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|mut line| line["body"].take()).collect()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap()
    }
}

pub fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        timeout_ms: 60_000,
        max_retries: 2,
        ..Llm::default()
    }
}

pub fn team(members: Vec<Member>) -> formats::ModelTeam {
    formats::ModelTeam {
        leader: Leader {
            system_instruction: None,
            system_prompt: None,
            llm: llm("openai:lead"),
        },
        members,
        max_concurrent_members: 15,
    }
}

pub fn member(name: &str, kind: MemberKind) -> Member {
    Member {
        name: name.to_owned(),
        tool_name: format!("delegate_to_{name}"),
        tool_description: format!("Delegate task to {name}"),
        system_instruction: None,
        system_prompt: None,
        kind,
        llm: llm("openai:helper"),
    }
}

pub fn say(text: &str) -> Act {
    Act::Say {
        text: text.to_owned(),
    }
}

pub fn call(name: &str, task: &str) -> Act {
    Act::Tool {
        name: format!("delegate_to_{name}"),
        input: json!({"task": task}),
    }
}

/// A server that answers every request with this page.
pub fn page(text: &'static str) -> String {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let lines = BufReader::new(&connection).lines();
            lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .for_each(drop);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
            let length = text.len();
            write!(
                connection,
                "{head}\r\nContent-Length: {length}\r\n\r\n{text}"
            )
            .unwrap();
        }
    });
    format!("http://127.0.0.1:{port}/page")
}
