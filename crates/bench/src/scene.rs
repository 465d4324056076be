//! A project in a temporary directory, and kumite in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::Result;
use crate::stats::Samples;

/// The steps of this bench's agent in one run, in order.
pub const STEPS: [(&str, u32); 13] = [
    ("requirements", 1),
    ("design", 1),
    ("tasks", 1),
    ("review", 1),
    ("reply", 1),
    ("review", 2),
    ("reply", 2),
    ("review", 3),
    ("reply", 3),
    ("impl", 1),
    ("impl", 2),
    ("impl", 3),
    ("inspect", 1),
];

pub struct Scene {
    dir: TempDir,
}

impl Scene {
    /// A project with this many new specs.
    pub fn new(specs: usize) -> Result<Scene> {
        let scene = Scene {
            dir: tempfile::Builder::new().prefix("kumite-bench-").tempdir()?,
        };
        fs::create_dir_all(scene.root().join(".kiro/specs"))?;
        let settings = format!(
            "[agent]\ndefault = \"bench\"\n\n[agents.bench]\nkind = \"command\"\ncommand = [{:?}]\n",
            beside("bench-agent")?
        );
        fs::write(scene.root().join(".kiro/kumite.toml"), settings)?;
        for number in 0..specs {
            let dir = scene.spec_dir(&name(number));
            fs::create_dir_all(&dir)?;
            fs::write(dir.join("spec.json"), spec_json(&name(number)))?;
        }
        Ok(scene)
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn spec_dir(&self, name: &str) -> PathBuf {
        self.root().join(".kiro/specs").join(name)
    }

    pub fn run_dir(&self, name: &str) -> PathBuf {
        self.root().join(".kiro/runtime/kumite/runs").join(name)
    }

    fn log(&self) -> PathBuf {
        self.root().join("times.txt")
    }

    /// The environment in which the agent of this bench works.
    pub fn at_work<'a>(&self, command: &'a mut Command, work: Duration) -> &'a mut Command {
        command
            .current_dir(self.root())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .env("BENCH_LOG", self.log())
            .env("BENCH_WORK_US", work.as_micros().to_string())
    }

    /// kumite in this project, without the person's own settings.
    pub fn kumite(&self, args: &[&str]) -> Result<Command> {
        let mut command = Command::new(beside("kumite")?);
        command.args(args).current_dir(self.root());
        command
            .env("XDG_CONFIG_HOME", self.root().join("no-config"))
            .env("XDG_STATE_HOME", self.root().join("state"))
            .env_remove("DBUS_SESSION_BUS_ADDRESS");
        Ok(command)
    }

    /// From the end of each agent to the beginning of the next one of its spec.
    pub fn gaps(&self) -> Result<Samples> {
        let mut times: Vec<(String, u64, u64)> = Vec::new();
        for line in fs::read_to_string(self.log())?.lines() {
            let mut words = line.split(' ');
            let mut word = || words.next().ok_or("the agent's log is cut off");
            times.push((word()?.to_owned(), word()?.parse()?, word()?.parse()?));
        }
        times.sort();
        let pairs = times.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        Ok(pairs
            .map(|pair| Duration::from_nanos(pair[1].1.saturating_sub(pair[0].2)))
            .collect())
    }
}

pub fn name(number: usize) -> String {
    format!("spec-{number}")
}

/// Does what Ctrl-C does.
pub fn interrupt(child: &Child) -> Result<()> {
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status()?;
    Ok(())
}

/// A program that was built together with this one.
pub fn beside(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    match path.is_file() {
        true => Ok(path),
        false => Err(format!(
            "{} is not built; `cargo xtask bench` builds it",
            path.display()
        )
        .into()),
    }
}

fn spec_json(name: &str) -> String {
    let phases = [
        "requirements",
        "design",
        "tasks",
        "document-review",
        "impl",
        "inspection",
    ];
    let permissions = phases.map(|phase| format!("\"{phase}\": true")).join(", ");
    let documents = ["requirements", "design", "tasks"];
    let approvals = documents
        .map(|document| format!("\"{document}\": {{\"generated\": false, \"approved\": false}}"))
        .join(",\n    ");
    format!(
        "{{\n  \"feature_name\": \"{name}\",\n  \"created_at\": \"2026-01-01T00:00:00Z\",\n  \
         \"updated_at\": \"2026-01-01T00:00:00Z\",\n  \"language\": \"en\",\n  \
         \"phase\": \"initialized\",\n  \"approvals\": {{\n    {approvals}\n  }},\n  \
         \"autoExecution\": {{\"enabled\": true, \"permissions\": {{{permissions}, \"deploy\": false}}}}\n}}\n"
    )
}
