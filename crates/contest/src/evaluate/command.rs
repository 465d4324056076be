//! A metric that a program measures: tests that pass, a linter, a benchmark.
//!
//! The program gets the submission on its standard input and answers one JSON object,
//! `{"score": 0 to 100, "remarks": "...", "veto": false}`, as its last line of output.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf, absolute};

use kumite_core::contest::{Failure, Measure, Used};
use kumite_files::{Access, Durable, replace};
use serde_json::Value;

use super::{asked, cannot, remark, score};
use crate::program::{self, Output, Program, Trouble, complaint};
use crate::work::{Metric, Missed, Try};

pub struct ByCommand {
    pub name: String,
    /// Never empty.
    pub argv: Vec<String>,
    /// A lower score makes the submission worth nothing.
    pub veto_below: Option<f64>,
    pub project: PathBuf,
    pub runs_in: RunsIn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsIn {
    /// The team's worktree, if it has one.
    Worktree,
    Project,
}

impl Metric for ByCommand {
    fn measure(
        &self,
        task: &str,
        submission: &Path,
        worktree: Option<&Path>,
        turn: &Try<'_>,
    ) -> Result<(Measure, Used), Missed> {
        let task = keep_task(turn.dir, task);
        let task = task.map_err(|error| cannot("write to", turn.dir, &error))?;
        let input = File::open(submission);
        let input = input.map_err(|error| cannot("read", submission, &error))?;
        let dir = match self.runs_in {
            RunsIn::Worktree => worktree.unwrap_or(&self.project),
            RunsIn::Project => &self.project,
        };
        let output = program::run(Program {
            argv: &self.argv,
            home: &self.project,
            dir,
            contest_id: turn.contest_id,
            env: self.env(&task, submission, worktree, turn),
            input,
            timeout: turn.timeout,
            cancel: turn.cancel,
        });
        let program = &self.argv[0];
        let output = output.map_err(failed)?;
        let measure = self.read(&output).map_err(|why| {
            let said = complaint(&output.stderr);
            let why = format!("{program} gave an answer that cannot be used: {why}{said}");
            Missed::free(Failure::Unusable, why)
        })?;
        Ok((measure, Used::default()))
    }
}

impl ByCommand {
    fn env(
        &self,
        task: &Path,
        submission: &Path,
        worktree: Option<&Path>,
        turn: &Try<'_>,
    ) -> Vec<(&'static str, OsString)> {
        let round = turn.round.to_string();
        let mut env = vec![
            ("KUMITE_TEAM", OsString::from(turn.team_id)),
            ("KUMITE_ROUND", OsString::from(round)),
            ("KUMITE_METRIC", OsString::from(&self.name)),
            ("KUMITE_SUBMISSION", full(submission)),
            ("KUMITE_TASK", full(task)),
            ("KUMITE_PROJECT", full(&self.project)),
        ];
        env.extend(worktree.map(|worktree| ("KUMITE_WORKTREE", full(worktree))));
        env
    }

    fn read(&self, output: &Output) -> Result<Measure, String> {
        let answer = last_object(&output.stdout).ok_or("no JSON object in its output")?;
        let score = score(&answer)?;
        let mut words = match answer.get("remarks") {
            None | Some(Value::Null) => String::new(),
            Some(_) => remark(asked::text(&answer, "remarks")?),
        };
        let mut is_veto = match answer.get("veto") {
            None | Some(Value::Null) => false,
            Some(veto) => veto
                .as_bool()
                .ok_or_else(|| format!("veto is {}, not true or false", asked::short(veto)))?,
        };
        if let Some(limit) = self.veto_below.filter(|limit| score.as_f64() < *limit) {
            is_veto = true;
            words.push_str(&format!(
                "\n{score} is below {limit}: the submission counts as nothing"
            ));
        }
        Ok(Measure {
            score,
            remark: words.trim().to_owned(),
            is_veto,
        })
    }
}

/// The whole output, or the last line that is an object: a program may have printed other things
/// before.
fn last_object(stdout: &str) -> Option<Value> {
    let object = |text: &str| {
        serde_json::from_str::<Value>(text.trim())
            .ok()
            .filter(Value::is_object)
    };
    object(stdout).or_else(|| stdout.lines().rev().find_map(object))
}

/// The task as a file of the round. Several metrics write it at the same time, and it is never half
/// written.
fn keep_task(dir: &Path, task: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(dir)?;
    let path = dir.join("task.md");
    replace(&path, task.as_bytes(), Durable::Process, Access::Private)?;
    Ok(path)
}

fn full(path: &Path) -> OsString {
    absolute(path)
        .unwrap_or_else(|_| path.to_owned())
        .into_os_string()
}

fn failed(trouble: Trouble) -> Missed {
    let failure = match trouble {
        Trouble::Start(ErrorKind::NotFound | ErrorKind::PermissionDenied, _) => Failure::Lasting,
        Trouble::TimedOut(_) => Failure::TimedOut,
        Trouble::Start(..) | Trouble::Cancelled(_) | Trouble::Failed(_) => Failure::Passing,
    };
    Missed::free(failure, trouble.into_sentence())
}
