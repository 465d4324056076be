//! Contests for callers that do not play them themselves: a separate kumite process plays each, and
//! outlives the caller.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kumite_agents::start_child;
use kumite_project::files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::home::contests_of;
use crate::playable;

/// How long the first output may take: the contest waits for a database that is in use.
const PATIENCE: Duration = Duration::from_secs(60);
/// Exit codes of kumite that mean that nothing was begun.
const REFUSALS: [i32; 2] = [2, 5];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] playable::Error),
    /// The request is wrong, or does not fit.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    #[error("cannot start kumite")]
    Start(#[from] io::Error),
}

/// A running contest.
#[derive(Debug)]
pub struct Started {
    pub id: String,
    pub child: Child,
}

/// How and where to start contests.
#[derive(Clone, Copy, Debug)]
pub struct Starter<'a> {
    /// The program kumite.
    pub kumite: &'a Path,
    /// The root of the project.
    pub project: &'a Path,
}

/// Which changes to apply.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApplyAsk")]
pub struct Apply {
    /// This team's instead of the winner's.
    #[serde(default)]
    pub team: Option<String>,
    /// Of this round instead of the best one.
    #[serde(default)]
    pub round: Option<u32>,
    /// Only check whether they can be applied.
    #[serde(default)]
    pub check: bool,
}

/// `kumite contest apply --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Applied {
    pub execution_id: String,
    pub team_id: String,
    pub round: u32,
    pub applied: bool,
    pub files: Vec<AppliedFile>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedFile {
    pub path: String,
    /// Lines; None for a file without lines.
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

impl Starter<'_> {
    /// Plays a file of the project. Returns when the id is known.
    pub fn start(&self, file: &str, task: Option<&str>) -> Result<Started, Error> {
        let file = playable::checked(self.project, file)?;
        let mut command = self.contest("run");
        // After `--` they are never taken for flags.
        command.arg("--").arg(file).args(task);
        self.play(command)
    }

    /// Continues an interrupted contest.
    pub fn resume(&self, id: &str) -> Result<Started, Error> {
        let mut command = self.contest("resume");
        command.args(["--", id]);
        self.play(command)
    }

    /// Ends a contest; finished rounds stay. Returns when it has ended.
    pub fn cancel(&self, id: &str) -> Result<String, Error> {
        let mut command = self.contest("cancel");
        command.args(["--", id]);
        let output = finished(command)?;
        Ok(match output.stdout.is_empty() {
            true => words(&output.stderr),
            false => format!("contest {id} is cancelled; what was finished stays on the board"),
        })
    }

    /// Brings a team's changes into the project.
    pub fn apply(&self, id: &str, ask: &Apply) -> Result<Applied, Error> {
        let mut command = self.contest("apply");
        if let Some(team) = &ask.team {
            command.arg(format!("--team={team}"));
        }
        if let Some(round) = ask.round {
            command.arg(format!("--round={round}"));
        }
        if ask.check {
            command.arg("--check");
        }
        command.args(["--", id]);
        let output = finished(command)?;
        serde_json::from_slice(&output.stdout)
            .map_err(|error| Error::Failed(format!("kumite answered nonsense: {error}")))
    }

    fn contest(&self, what: &str) -> Command {
        let mut command = Command::new(self.kumite);
        command
            .args(["--json", "contest", what])
            .current_dir(self.project)
            .stdin(Stdio::null());
        command
    }

    fn play(&self, mut command: Command) -> Result<Started, Error> {
        let dir = contests_of(self.project).with_file_name("started");
        fs::create_dir_all(&dir)?;
        let name = uuid::Uuid::new_v4().simple().to_string();
        let talk = Talk {
            said: dir.join(format!("{name}.jsonl")),
            warned: dir.join(format!("{name}.log")),
        };
        command
            // A signal to the caller's terminal must not reach the contest.
            .process_group(0)
            .stdout(files::create_private(&talk.said)?)
            .stderr(files::create_private(&talk.warned)?);
        let mut child = start_child(|| command.spawn())?;
        match talk.first_word(&mut child) {
            Ok(id) => {
                talk.keep_in(&contests_of(self.project).join(&id));
                Ok(Started { id, child })
            }
            Err(error) => {
                talk.forget();
                Err(error)
            }
        }
    }
}

/// The output of a kumite that plays a contest.
struct Talk {
    said: PathBuf,
    warned: PathBuf,
}

impl Talk {
    /// The id in its first line, or why it ended before.
    fn first_word(&self, child: &mut Child) -> Result<String, Error> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Check whether it is alive before the last look, so that no output is missed.
            let ended = child.try_wait()?;
            if let Some(id) = self.id() {
                return Ok(id);
            }
            if let Some(status) = ended {
                return Err(refusal(status, &fs::read(&self.warned).unwrap_or_default()));
            }
            if Instant::now() > deadline {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = PATIENCE.as_secs();
                return Err(Error::Failed(format!(
                    "the contest did not begin within {seconds} s and was ended"
                )));
            }
            thread::park_timeout(Duration::from_millis(10));
        }
    }

    fn id(&self) -> Option<String> {
        let text = fs::read_to_string(&self.said).ok()?;
        let (line, _) = text.split_once('\n')?;
        let line: Value = serde_json::from_str(line).ok()?;
        line["execution_id"].as_str().map(str::to_owned)
    }

    /// The output belongs to the contest. The files stay where they are if they cannot be moved to
    /// its directory.
    fn keep_in(&self, home: &Path) {
        // Without these files the page can show less of the contest; the contest itself is
        // complete.
        let _ = fs::rename(&self.said, home.join("said.jsonl"));
        let _ = fs::rename(&self.warned, home.join("warned.log"));
    }

    fn forget(&self) {
        let _ = fs::remove_file(&self.said);
        let _ = fs::remove_file(&self.warned);
    }
}

/// Runs a kumite to its end.
fn finished(mut command: Command) -> Result<Output, Error> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = start_child(|| command.spawn())?.wait_with_output()?;
    match output.status.success() {
        true => Ok(output),
        false => Err(refusal(output.status, &output.stderr)),
    }
}

fn refusal(status: ExitStatus, stderr: &[u8]) -> Error {
    let why = match words(stderr) {
        words if words.is_empty() => format!("kumite ended with {status}"),
        words => words,
    };
    match status.code() {
        Some(code) if REFUSALS.contains(&code) => Error::Refused(why),
        _ => Error::Failed(why),
    }
}

/// The text on stderr, without the program's name.
fn words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.trim().lines();
    let plain = lines.map(|line| line.strip_prefix("kumite: ").unwrap_or(line));
    plain.collect::<Vec<_>>().join("\n")
}
