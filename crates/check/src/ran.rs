//! An agent on a stage: while it works, and what it left.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kumite_agents::{End, Handle, Said, TranscriptLine, find_marked};
use kumite_core::outcome::{Limit, LimitKind, Outcome};

use crate::verdict::{Miss, Result, expect, words};

pub(crate) struct Running {
    pub handle: Handle,
    pub log: PathBuf,
    pub marker: String,
    pub since: Instant,
}

/// Everything that is known about an agent that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub end: End,
    /// Its stdout.
    pub raw: Vec<u8>,
    pub said: Vec<Said>,
    pub took: Duration,
}

/// How often to check whether something has happened.
const LOOK_EVERY: Duration = Duration::from_millis(5);

impl Running {
    /// Waits for something that the agent should do before it ends. It always ends: its time is
    /// limited.
    pub fn until(&self, what: &str, happens: impl Fn() -> bool) -> Result {
        while !happens() {
            let ended = self.handle.ends_within(LOOK_EVERY);
            expect(!ended || happens(), || format!("it ended before {what}"))?;
        }
        Ok(())
    }

    /// Waits for its end. No process may be left.
    pub fn wait(self) -> Result<Ran> {
        let end = self.handle.wait();
        let took = self.since.elapsed();
        let left: Vec<String> = find_marked(&self.marker)
            .into_iter()
            .filter(|found| found.agent.is_empty())
            .map(|found| found.command)
            .collect();
        expect(left.is_empty() && end.left.is_empty(), || {
            let end = words(&end.ended.outcome);
            format!("nothing of it should be left ({end}), but {left:?} is")
        })?;
        let transcript = fs::read_to_string(self.log.with_extension("jsonl")).unwrap_or_default();
        let lines = transcript
            .lines()
            .map(serde_json::from_str::<TranscriptLine>);
        Ok(Ran {
            end,
            raw: fs::read(&self.log).unwrap_or_default(),
            said: lines.flatten().map(|line| line.said).collect(),
            took,
        })
    }
}

impl Ran {
    pub fn outcome(&self) -> &Outcome {
        &self.end.ended.outcome
    }

    pub fn finished(&self) -> Result<&Ran> {
        self.is("it should finish", |outcome| *outcome == Outcome::Finished)?;
        Ok(self)
    }

    pub fn not_finished(&self) -> Result {
        self.is("it should not count as finished", |outcome| {
            *outcome != Outcome::Finished
        })
    }

    pub fn hung(&self) -> Result {
        self.is("it should be taken for hung", |outcome| {
            *outcome == Outcome::Hung
        })
    }

    pub fn killed(&self) -> Result<&Ran> {
        self.is("it should be ended as told", |outcome| {
            *outcome == Outcome::Killed
        })?;
        Ok(self)
    }

    /// Expects that it failed with these words in the message.
    pub fn failed(&self, parts: &[&str]) -> Result {
        let expected = format!("it should fail and say {parts:?}");
        self.is(&expected, |outcome| match outcome {
            Outcome::Failed(words) => parts.iter().all(|part| words.contains(part)),
            _ => false,
        })
    }

    pub fn missing(&self, part: &str) -> Result {
        let expected = format!("it should not be started, and the reason should say {part:?}");
        self.is(
            &expected,
            |outcome| matches!(outcome, Outcome::Missing(words) if words.contains(part)),
        )
    }

    pub fn limited(&self, kind: LimitKind) -> Result<&Limit> {
        let expected = match kind {
            LimitKind::Usage | LimitKind::Held => "it should meet a usage limit",
            LimitKind::Overload => "it should meet an overload",
        };
        match self.outcome() {
            Outcome::Limited(limit) if limit.kind == kind => Ok(limit),
            other => Err(Miss(format!("{expected}, but {}", words(other)))),
        }
    }

    pub fn is(&self, expected: &str, holds: impl Fn(&Outcome) -> bool) -> Result {
        expect(holds(self.outcome()), || {
            format!("{expected}, but {}", words(self.outcome()))
        })
    }

    pub fn session(&self) -> Result<String> {
        let session = self.end.ended.session.clone();
        session.ok_or_else(|| Miss("its session should be known, but is not".to_owned()))
    }

    /// Expects this text in the transcript.
    pub fn says(&self, part: &str) -> Result {
        let text: Vec<&str> = self.said.iter().filter_map(text).collect();
        expect(text.iter().any(|text| text.contains(part)), || {
            format!("its transcript should have the text {part:?}, but has {text:?}")
        })
    }

    /// The tools in its transcript, and their answers.
    pub fn tools(&self) -> Vec<String> {
        let tool = |said: &Said| match said {
            Said::Tool { name, what, .. } => Some(format!("{name} {what}")),
            Said::ToolEnded { text, .. } => Some(text.clone()),
            Said::Changed { path, .. } => Some(path.clone()),
            _ => None,
        };
        self.said.iter().filter_map(tool).collect()
    }
}

fn text(said: &Said) -> Option<&str> {
    match said {
        Said::Text { text } => Some(text),
        _ => None,
    }
}
