//! A project in a temporary directory, and an agent that plays in it.

#![allow(dead_code)] // each test file is a separate crate and uses only a part of this

use std::fs;
use std::path::{Path, PathBuf};

use kumite_scripted::{Env, Trouble, play};
use serde_json::Value;

pub const SPEC: &str = "login-form";

pub struct Project {
    pub dir: tempfile::TempDir,
    pub env: Env,
}

impl Project {
    pub fn new() -> Project {
        let spec_json = "{\n  \"feature_name\": \"login-form\",\n  \"mine\": {\"b\": 1, \"a\": 2},\n  \"language\": \"en\"\n}\n";
        Project::with_spec_json(spec_json)
    }

    pub fn with_spec_json(text: &str) -> Project {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let project = Project {
            dir,
            env: Env {
                spec: Some(SPEC.into()),
                agent: Some("agent-1".into()),
                pace: Some("0".into()),
                ..Env::default()
            },
        };
        project.put(".kiro/specs/login-form/spec.json", text);
        project
    }

    /// Uses this script instead of the built-in one.
    pub fn scripted(mut self, script: &str) -> Project {
        self.put("script.toml", script);
        self.env.script = Some("script.toml".into());
        self
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn document(&self, name: &str) -> PathBuf {
        self.root().join(".kiro/specs").join(SPEC).join(name)
    }

    pub fn code(&self, name: &str) -> PathBuf {
        self.root().join("demo").join(SPEC).join(name)
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub fn text(&self, name: &str) -> String {
        read(&self.document(name))
    }

    pub fn spec_json(&self) -> Value {
        serde_json::from_str(&self.text("spec.json")).expect("JSON")
    }

    /// Plays a step that must succeed.
    pub fn step(&self, step: &str, round: u32) -> Vec<Value> {
        let (lines, played) = self.try_step(step, round);
        played.expect("the step ends well");
        lines
    }

    pub fn try_step(&self, step: &str, round: u32) -> (Vec<Value>, Result<(), Trouble>) {
        let mut env = self.env.clone();
        env.step = Some(step.into());
        env.round = Some(round.to_string());
        self.try_env(&env)
    }

    pub fn try_env(&self, env: &Env) -> (Vec<Value>, Result<(), Trouble>) {
        let mut out = Vec::new();
        let played = play(env, self.root(), &mut out);
        let out = String::from_utf8(out).expect("UTF-8");
        let lines = out
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>();
        (lines.expect("every line is JSON"), played)
    }

    pub fn write_documents(&self) {
        for step in ["requirements", "design", "tasks"] {
            self.step(step, 1);
        }
    }
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sums of "Fix Required" and "Needs Discussion" in the table of a reply.
pub fn sums(reply: &str) -> (u32, u32) {
    let rows = reply.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        ["Critical", "Warning", "Info"]
            .contains(cells.get(1)?)
            .then_some(())?;
        let number = |at: usize| cells[at].parse::<u32>().expect("a number");
        assert_eq!(number(2), number(3) + number(4) + number(5), "{line}");
        Some((number(3), number(5)))
    });
    rows.fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1))
}

pub fn open_boxes(plan: &str) -> usize {
    plan.lines()
        .filter(|line| line.starts_with("- [ ] "))
        .count()
}
