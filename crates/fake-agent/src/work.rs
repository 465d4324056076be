//! The work of a step: the files that a real agent would write.
//!
//! Like a real agent it does not touch `phase` and `approvals`; `spec_json` of the play can.

use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;

use crate::launch::Launch;
use crate::play::{Action, Counts, VerdictIn, Write};
use crate::talk::Talk;
use crate::{documents, spec_json};

pub fn work(launch: &Launch, action: &Action, talk: &mut Talk) {
    let step = launch.step.as_deref().unwrap_or("nothing in particular");
    talk.text(&format!("I will now work on {step}."));
    let mut writer = SpecWriter {
        dir: spec_dir(launch),
        talk,
    };
    let artefact = artefact(launch, action, &writer.dir);
    match (&action.write, artefact) {
        (Write::Nothing, _) => {}
        (Write::Good, artefact) => {
            if let Some((name, content)) = artefact {
                writer.write(&name, &content);
            }
            writer.record(launch, action);
            if launch.step.as_deref() == Some("merge") {
                commit(launch);
            }
        }
        (Write::Files(files), artefact) => {
            if let Some((name, content)) = artefact
                && !files.contains_key(&name)
            {
                writer.write(&name, &content);
            }
            writer.record(launch, action);
            for (name, content) in files {
                if let Some(content) = content {
                    writer.write(name, content);
                }
            }
        }
        (Write::Half, Some((name, content))) => {
            writer.write(&name, documents::first_half(&content))
        }
        (Write::Empty, Some((name, _))) => writer.write(&name, ""),
        (Write::Touch, Some((name, _))) => writer.touch(&name),
        (Write::Half | Write::Empty | Write::Touch, None) => {}
    }
    if let Some(patch) = &action.spec_json {
        writer.edit_spec_json(|spec| spec_json::merge(spec, patch));
    }
    if let Some(text) = &action.garble_spec_json {
        writer.write("spec.json", text);
    }
}

fn spec_dir(launch: &Launch) -> PathBuf {
    match &launch.spec {
        Some(spec) => launch.cwd.join(".kiro/specs").join(spec),
        None => launch.cwd.clone(),
    }
}

/// One commit in the main checkout, if it has git. Errors of git are ignored.
fn commit(launch: &Launch) {
    let project = env::var_os("KUMITE_PROJECT").unwrap_or_default();
    let spec = launch.spec.as_deref().unwrap_or("thing");
    let message = format!("Merge {spec}\n\nKumite-Spec: {spec}");
    let who = [
        "-c",
        "user.name=fake-agent",
        "-c",
        "user.email=fake@localhost",
    ];
    let _ = Command::new("git")
        .arg("-C")
        .arg(project)
        .args(who)
        .args(["commit", "--quiet", "--allow-empty", "-m", &message])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// The file that the step should produce, in good quality. The steps fix and merge produce none.
fn artefact(launch: &Launch, action: &Action, dir: &Path) -> Option<(String, String)> {
    let spec = launch.spec.as_deref().unwrap_or("thing");
    let round = round_of(launch);
    let (name, content) = match launch.step.as_deref()? {
        "requirements" => ("requirements.md".into(), documents::requirements(spec)),
        "design" => ("design.md".into(), documents::design(spec)),
        "tasks" => (
            "tasks.md".into(),
            documents::tasks(action.tasks.unwrap_or(3)),
        ),
        "review" => (
            format!("document-review-{round}.md"),
            documents::review(spec, round),
        ),
        "reply" => (
            format!("document-review-{round}-reply.md"),
            documents::reply(spec, round, action),
        ),
        "impl" => {
            let tasks = fs::read_to_string(dir.join("tasks.md")).ok()?;
            ("tasks.md".into(), documents::tick(&tasks, &action.tick))
        }
        "inspect" => (
            format!("inspection-{round}.md"),
            documents::inspection(spec, action),
        ),
        _ => return None,
    };
    Some((name, content))
}

fn round_of(launch: &Launch) -> u32 {
    launch.round.unwrap_or(1)
}

/// The spec's directory, and the output that reports every change in it.
struct SpecWriter<'a> {
    dir: PathBuf,
    talk: &'a mut Talk,
}

impl SpecWriter<'_> {
    fn write(&mut self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.dir.join(name);
        let written = with_parent(&path).and_then(|()| fs::write(&path, content));
        self.tell("Write", &path, written);
    }

    fn touch(&mut self, name: &str) {
        let path = self.dir.join(name);
        let touched = touch(&path);
        self.tell("Bash", &path, touched);
    }

    /// What the step records in spec.json besides its artefact.
    fn record(&mut self, launch: &Launch, action: &Action) {
        let round = round_of(launch);
        match launch.step.as_deref() {
            Some("reply") if !matches!(action.counts, Counts::Table | Counts::None) => {
                self.edit_spec_json(|spec| spec_json::record_reply(spec, round, action));
            }
            Some("inspect")
                if !matches!(action.verdict_in, VerdictIn::Report | VerdictIn::None) =>
            {
                self.edit_spec_json(|spec| spec_json::record_inspection(spec, round, action));
            }
            Some("fix") => self.edit_spec_json(spec_json::record_fix),
            _ => {}
        }
    }

    fn edit_spec_json(&mut self, edit: impl FnOnce(&mut Value)) {
        let path = self.dir.join("spec.json");
        let edited = spec_json::edit(&path, edit);
        self.tell("Edit", &path, edited);
    }

    /// If a tool fails, the agent is informed and goes on.
    fn tell(&mut self, tool: &str, path: &Path, outcome: io::Result<()>) {
        let outcome = outcome.map_err(|error| format!("cannot change {}: {error}", path.display()));
        if let Err(error) = &outcome {
            eprintln!("fake-agent: {error}");
        }
        self.talk.tool(tool, path, outcome);
    }
}

/// Creates an empty file, or updates the modification time of an existing one.
pub fn touch(path: &Path) -> io::Result<()> {
    with_parent(path)?;
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    file.set_modified(SystemTime::now())
}

fn with_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
