//! `usage.jsonl`: what every agent of the project has used, one agent per line. It is written once
//! per agent, and added up by [`crate::books`] for budgets, `kumite cost` and the page. Contests
//! also write here what their agents and models have used.

use std::io;
use std::path::{Path, PathBuf};

use kumite_core::outcome::{Outcome, Usage};
use kumite_core::program;
use kumite_core::run::Step;
use kumite_files::{Access, Lines};
use serde::{Deserialize, Serialize};

use crate::announce::{outcome_name, usd};
use crate::books::{Follower, Found, Of};
use crate::clock::{local_day, rfc3339};

/// An agent that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageLine {
    pub time: String,
    /// The date in the person's time zone.
    pub day: String,
    /// Empty if the work was for a contest.
    pub spec: String,
    /// The id of the contest, if the work was for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<String>,
    /// The number of the run; 0 in a contest.
    pub run: u32,
    pub phase: String,
    pub step: String,
    pub round: Option<u32>,
    pub attempt: Option<u8>,
    pub agent: String,
    /// Its name in the settings.
    pub program: String,
    pub kind: String,
    pub outcome: String,
    /// `null`: its program reported no price.
    pub usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// The agent that has ended, and its run.
#[derive(Clone, Copy, Debug)]
pub struct EndedAgent<'a> {
    pub spec: &'a str,
    pub run: u32,
    pub step: Step,
    pub agent: &'a str,
    pub program: &'a Program,
}

/// A try of a contest that has ended.
#[derive(Clone, Debug)]
pub struct Tried<'a> {
    pub contest: &'a str,
    /// Unique among all lines.
    pub id: String,
    pub step: &'static str,
    pub round: u32,
    pub attempt: u32,
    pub program: Program,
    pub is_good: bool,
    pub at_ms: u64,
}

/// The program that did the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its name in the settings.
    pub program: String,
    pub kind: String,
}

impl UsageLine {
    pub fn new(place: EndedAgent<'_>, at_ms: u64, outcome: &Outcome, usage: Usage) -> UsageLine {
        let EndedAgent { step, program, .. } = place;
        UsageLine {
            time: rfc3339(at_ms),
            day: local_day(at_ms),
            spec: place.spec.to_owned(),
            contest: None,
            run: place.run,
            phase: step.phase().name().to_owned(),
            step: step.name().to_owned(),
            round: step.round().map(|round| round.number),
            attempt: step.attempt().map(|attempt| attempt.retry),
            agent: place.agent.to_owned(),
            program: program.program.clone(),
            kind: program.kind.clone(),
            outcome: outcome_name(outcome).to_owned(),
            usd: has_price(program, outcome, usage).then(|| usd(usage.usd_micros)),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        }
    }

    /// A try of a contest: what its agents, or its model, have used.
    pub fn of_contest(tried: Tried<'_>, usage: Usage) -> UsageLine {
        let Tried { program, .. } = tried;
        let outcome = match tried.is_good {
            true => Outcome::Finished,
            false => Outcome::Failed(String::new()),
        };
        UsageLine {
            time: rfc3339(tried.at_ms),
            day: local_day(tried.at_ms),
            spec: String::new(),
            contest: Some(tried.contest.to_owned()),
            run: 0,
            phase: "contest".to_owned(),
            step: tried.step.to_owned(),
            round: Some(tried.round),
            attempt: u8::try_from(tried.attempt).ok(),
            agent: tried.id,
            outcome: outcome_name(&outcome).to_owned(),
            usd: has_price(&program, &outcome, usage).then(|| usd(usage.usd_micros)),
            program: program.program,
            kind: program.kind,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        }
    }

    /// What the work was for.
    pub fn of(&self) -> Of {
        match &self.contest {
            Some(id) => Of::Contest(id.clone()),
            None => Of::Spec(self.spec.clone()),
        }
    }

    pub fn usd_micros(&self) -> Option<u64> {
        self.usd.map(micros)
    }
}

/// Using nothing is a valid price of 0; using something for 0 is not a price, and neither is the
/// silence of an agent that was ended.
fn has_price(program: &Program, outcome: &Outcome, usage: Usage) -> bool {
    let told_nothing = match outcome {
        Outcome::Killed | Outcome::Hung | Outcome::TimedOut | Outcome::Lost(_) => true,
        Outcome::Finished
        | Outcome::Failed(_)
        | Outcome::Missing(_)
        | Outcome::Limited(_)
        | Outcome::SessionGone(_)
        | Outcome::OverBudget(_) => program::ProgramKind::named(&program.kind)
            .is_some_and(|known| !known.info().tells_price),
    };
    let used = usage.input_tokens > 0 || usage.output_tokens > 0;
    usage.usd_micros > 0 || !(used || told_nothing)
}

/// Exact for all values that [`usd`] has written; an invalid value becomes 0.
fn micros(usd: f64) -> u64 {
    (usd * 1e6).round() as u64
}

/// The file of a project.
#[derive(Debug)]
pub struct UsageLog {
    path: PathBuf,
    /// Whether its end is known to be complete.
    whole: bool,
}

/// Lines are far shorter; a longer one is not valid.
pub(crate) const LINE_MAX: u64 = 64 * 1024;

impl UsageLog {
    pub fn at(path: PathBuf) -> UsageLog {
        UsageLog { path, whole: false }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line in one write. `again`: it may already be there, from before a crash; then it
    /// is not repeated, and the result is false.
    pub fn append(&mut self, line: &UsageLine, again: bool) -> io::Result<bool> {
        let mut log = Lines::open(&self.path, Access::Private)?;
        if !self.whole {
            // A killed process may have been in the middle of a line, for any run.
            log.repair(|last| serde_json::from_slice::<UsageLine>(last).is_ok())?;
            self.whole = true;
        }
        if again && self.mentions(&line.agent)? {
            return Ok(false);
        }
        log.append(&(serde_json::to_string(line)? + "\n"))?;
        Ok(true)
    }

    fn mentions(&self, agent: &str) -> io::Result<bool> {
        let mut found = false;
        Follower::at(self.path.clone()).read(|it| {
            found |= matches!(it, Found::Line(line) if line.agent == agent);
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::names::Document;
    use tempfile::TempDir;

    use super::*;

    fn log(dir: &TempDir) -> UsageLog {
        UsageLog::at(dir.path().join("runtime/usage.jsonl"))
    }

    fn line(agent: &str, usd_micros: u64) -> UsageLine {
        let place = EndedAgent {
            spec: "login",
            run: 2,
            step: Step::Write(Document::Design),
            agent,
            program: &Program {
                program: "mine".to_owned(),
                kind: "command".to_owned(),
            },
        };
        let usage = Usage {
            usd_micros,
            input_tokens: 10,
            output_tokens: 2,
        };
        UsageLine::new(place, 1_767_225_600_042, &Outcome::Hung, usage)
    }

    fn lines(log: &UsageLog) -> (Vec<UsageLine>, usize) {
        let mut lines = Vec::new();
        let mut unreadable = 0;
        let read = Follower::at(log.path.clone()).read(|found| match found {
            Found::Begin => {}
            Found::Line(line) => lines.push(*line),
            Found::Nonsense => unreadable += 1,
        });
        read.unwrap();
        (lines, unreadable)
    }

    fn text(log: &UsageLog) -> String {
        std::fs::read_to_string(&log.path).unwrap()
    }

    #[test]
    fn t10_a_line_comes_back_as_it_was_written_to_the_millionth() {
        let dir = TempDir::new().unwrap();
        let mut log = log(&dir);
        assert_eq!(lines(&log), (Vec::new(), 0));
        let prices = [0, 1, 95_488, 1_234_567_890_123];
        for (number, price) in prices.into_iter().enumerate() {
            let written = log.append(&line(&format!("agent-1-{number}"), price), false);
            assert!(written.unwrap());
        }
        let (read, unreadable) = lines(&log);
        let read: Vec<_> = read.iter().map(UsageLine::usd_micros).collect();
        assert_eq!(read, [None, Some(1), Some(95_488), Some(1_234_567_890_123)]);
        assert_eq!(unreadable, 0);
        let first: serde_json::Value =
            serde_json::from_str(text(&log).lines().nth(2).unwrap()).unwrap();
        assert_eq!(first["time"], "2026-01-01T00:00:00.042Z");
        assert_eq!(first["usd"], 0.095488);
        assert_eq!(
            (&first["phase"], &first["outcome"]),
            (&"design".into(), &"hung".into())
        );
    }

    #[test]
    fn t10_a_price_that_was_not_told_is_not_zero() {
        let price = |kind: &str, outcome, usd_micros, input_tokens| {
            let program = Program {
                program: "mine".to_owned(),
                kind: kind.to_owned(),
            };
            let usage = Usage {
                usd_micros,
                input_tokens,
                output_tokens: 0,
            };
            has_price(&program, &outcome, usage)
        };
        let failed = || Outcome::Failed("no login".to_owned());
        assert!(price("claude", Outcome::Finished, 1, 1));
        assert!(price("claude", Outcome::Killed, 1, 1));
        assert!(price("claude", failed(), 0, 0));
        assert!(!price("claude", Outcome::Killed, 0, 0));
        assert!(!price("opencode", Outcome::Finished, 0, 1));
        assert!(!price("codex", Outcome::Finished, 0, 1));
        assert!(!price("codex", failed(), 0, 0));
    }

    #[test]
    fn t10_what_may_stand_there_already_is_written_once() {
        let dir = TempDir::new().unwrap();
        let mut first = log(&dir);
        for agent in ["agent-1-1", "agent-1-10"] {
            assert!(first.append(&line(agent, 1), true).unwrap());
        }
        let mut second = log(&dir);
        assert!(!second.append(&line("agent-1-1", 1), true).unwrap());
        assert_eq!(lines(&second).0.len(), 2);
    }

    #[test]
    fn t10_a_line_that_a_crash_cut_off_is_removed_and_written_again() {
        let whole = serde_json::to_string(&line("agent-1-2", 7)).unwrap();
        for cut in [1, whole.len() / 2, whole.len() - 1] {
            let dir = TempDir::new().unwrap();
            log(&dir).append(&line("agent-1-1", 5), false).unwrap();
            let before = text(&log(&dir));
            std::fs::write(&log(&dir).path, format!("{before}{}", &whole[..cut])).unwrap();
            assert!(log(&dir).append(&line("agent-1-2", 7), true).unwrap());
            let (read, unreadable) = lines(&log(&dir));
            assert_eq!((read.len(), unreadable), (2, 0));
            // A line without its line end is a line.
            std::fs::write(&log(&dir).path, format!("{before}{whole}")).unwrap();
            assert!(!log(&dir).append(&line("agent-1-2", 7), true).unwrap());
            assert_eq!(lines(&log(&dir)).0.len(), 2);
        }
    }

    #[test]
    fn t10_lines_that_make_no_sense_are_skipped_and_counted() {
        let dir = TempDir::new().unwrap();
        let mut log = log(&dir);
        log.append(&line("agent-1-1", 5), false).unwrap();
        let good = text(&log).into_bytes();
        let long = vec![b'x'; 3 * LINE_MAX as usize];
        let bad = [b"{}\n\n\xff\xfe\nnull\n", &long[..], b"\n"].concat();
        std::fs::write(&log.path, [&good[..], &bad, &good].concat()).unwrap();
        let (read, unreadable) = lines(&log);
        assert_eq!(read.len(), 2);
        assert!(unreadable >= 4, "{unreadable}");
    }
}
