//! The settings of contests, read from files in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_formats::contest::{self, Loaded, Plan, Problem, Request};

/// Files below `/work/project` (or at absolute paths), and variables.
#[derive(Clone, Default)]
pub struct World {
    files: BTreeMap<PathBuf, String>,
    env: BTreeMap<String, String>,
    pub workspace: Option<PathBuf>,
    pub task: Option<String>,
    pub timeout: Option<Duration>,
    pub lenient: bool,
}

const DIR: &str = "/work/project";

impl World {
    pub fn new() -> World {
        World {
            task: Some("the task".to_owned()),
            ..World::default()
        }
    }

    pub fn file(mut self, path: &str, text: &str) -> World {
        self.files
            .insert(Path::new(DIR).join(path), text.to_owned());
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> World {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn workspace(mut self, path: &str) -> World {
        self.workspace = Some(PathBuf::from(path));
        self
    }

    pub fn load(&self, file: &str) -> Result<Loaded, Vec<Problem>> {
        let request = Request {
            file: Path::new(file),
            text: None,
            workspace: self.workspace.as_deref(),
            dir: Path::new(DIR),
            task: self.task.as_deref(),
            timeout: self.timeout,
            lenient: self.lenient,
        };
        let read = |path: &Path| {
            let missing = || io::Error::from(io::ErrorKind::NotFound);
            self.files.get(path).cloned().ok_or_else(missing)
        };
        contest::load(&request, &read, &|name| self.env.get(name).cloned())
    }

    pub fn plan(&self, file: &str) -> Plan {
        match self.load(file) {
            Ok(loaded) => loaded.plan,
            Err(problems) => panic!("{}", lines(&problems)),
        }
    }

    /// Everything that is wrong, one problem per line.
    pub fn said(&self, file: &str) -> String {
        match self.load(file) {
            Ok(_) => panic!("nothing was wrong"),
            Err(problems) => lines(&problems),
        }
    }

    pub fn warned(&self, file: &str) -> String {
        match self.load(file) {
            Ok(loaded) => lines(&loaded.warnings),
            Err(problems) => panic!("{}", lines(&problems)),
        }
    }
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}

pub const ORCHESTRATOR: &str = "[orchestrator]\n[[orchestrator.teams]]\nconfig = \"a.toml\"\n";
pub const TEAM: &str = "[team]\nteam_id = \"a\"\nteam_name = \"Team A\"\n";
pub const EVALUATOR: &str = "[[metrics]]\nname = \"Coverage\"\n";

/// A small, valid mixseek contest.
pub fn mixseek() -> World {
    World::new()
        .file("o.toml", ORCHESTRATOR)
        .file("a.toml", TEAM)
        .file("configs/evaluator.toml", EVALUATOR)
        .file("configs/judgment.toml", "model = \"openai:judge\"\n")
}

/// The same with more keys in `[orchestrator]`.
pub fn orchestrator(keys: &str) -> World {
    let text = ORCHESTRATOR.replacen("[orchestrator]\n", &format!("[orchestrator]\n{keys}\n"), 1);
    mixseek().file("o.toml", &text)
}

pub fn team(text: &str) -> World {
    mixseek().file("a.toml", &format!("{TEAM}{text}"))
}

pub fn evaluator(text: &str) -> World {
    mixseek().file("configs/evaluator.toml", text)
}

pub fn judgment(text: &str) -> World {
    mixseek().file("configs/judgment.toml", text)
}

/// A `contest.toml` with these lines after three valid ones.
pub fn own(text: &str) -> World {
    World::new().file("contest.toml", &format!("{OWN}{text}"))
}

pub const OWN: &str = "team = [{ id = \"a\", scripted = \"steady\" }]\n\
    metric = [{ name = \"m\", words = [\"w\"] }]\n\n";

/// Runs a table of worlds, each with its expected message.
pub fn refused(file: &str, rows: &[(World, &str)]) {
    for (world, said) in rows {
        assert_eq!(world.said(file), *said);
    }
}
