//! An agent's transcript: what it said and did, one [`TranscriptLine`] at a time, beside its raw
//! output.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

use kumite_core::outcome::{Ended, Outcome};

use crate::files::unix_ms;
use crate::mask::Secrets;
use crate::request::Request;
use crate::said::{Said, TranscriptLine, outcome_words};
use crate::supervisor::Log;

/// Two files of half this size are kept, which is a lot for a person to read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The transcript of an agent that works.
pub struct Transcript {
    log: Log,
    secrets: Rc<Secrets>,
    ended: Option<Outcome>,
    trouble: String,
}

impl Transcript {
    /// Begins with what was launched.
    pub fn begin(request: &Request, secrets: Rc<Secrets>) -> Transcript {
        let mut transcript = Transcript {
            log: Log::new(request.transcript(), MAX_BYTES),
            secrets,
            ended: None,
            trouble: String::new(),
        };
        let program = Path::new(&request.program).file_name().unwrap_or_default();
        transcript.say(vec![Said::Launched {
            program: program.to_string_lossy().into_owned(),
            step: request.variable("KUMITE_STEP").map(str::to_owned),
            round: request
                .variable("KUMITE_ROUND")
                .and_then(|round| round.parse().ok()),
        }]);
        transcript
    }

    /// Writes all of it at once.
    pub fn say(&mut self, said: Vec<Said>) {
        let at_ms = unix_ms();
        let mut lines = Vec::new();
        for said in said {
            let said = self.secrets.mask_said(said);
            match &said {
                Said::Ended { outcome, .. } => self.ended = Some(outcome.clone()),
                Said::Trouble { text } => self.trouble.clone_from(text),
                _ => {}
            }
            lines.extend(json(&TranscriptLine { at_ms, said }));
        }
        self.log.append(&lines);
    }

    /// Adds how it ended, unless the agent said so itself. `complaint` is the last line of its
    /// stderr.
    pub fn end(&mut self, ended: &Ended, complaint: &str) {
        let mut said = Vec::new();
        let text = self.secrets.mask(complaint);
        let mut outcome = ended.outcome.clone();
        let is_told = |words: &mut String| words.contains(&text);
        let is_known =
            outcome_words(&mut outcome).is_some_and(is_told) || is_told(&mut self.trouble);
        let is_fine = matches!(ended.outcome, Outcome::Finished | Outcome::Killed);
        if !is_fine && !is_known {
            said.push(Said::Trouble { text });
        }
        if self.ended.as_ref() != Some(&ended.outcome) {
            said.push(closing(ended));
        }
        self.say(said);
    }

    /// The first thing that could not be stored, if any.
    pub fn loss(&self) -> Option<&str> {
        self.log.trouble()
    }
}

/// Adds the end of an agent to a transcript that its supervisor could not finish. A missing
/// transcript is not created: a reader would take it for the whole output.
pub fn close(path: &Path, ended: &Ended) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).append(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    let (last, is_whole) = last_outcome(&mut file)?;
    if last.as_ref() == Some(&ended.outcome) {
        return Ok(());
    }
    let said = closing(ended);
    let at_ms = unix_ms();
    // A line that was cut off must not spoil this one.
    let mut bytes = if is_whole { Vec::new() } else { vec![b'\n'] };
    bytes.extend(json(&TranscriptLine { at_ms, said }));
    file.write_all(&bytes)
}

/// The last outcome in a transcript, and whether its last line has an end.
fn last_outcome(file: &mut File) -> io::Result<(Option<Outcome>, bool)> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::new(file);
    let (mut line, mut last, mut is_whole) = (Vec::new(), None, true);
    while lines.read_until(b'\n', &mut line)? > 0 {
        is_whole = line.ends_with(b"\n");
        if let Ok(TranscriptLine {
            said: Said::Ended { outcome, .. },
            ..
        }) = serde_json::from_slice(&line)
        {
            last = Some(outcome);
        }
        line.clear();
    }
    Ok((last, is_whole))
}

fn closing(ended: &Ended) -> Said {
    Said::Ended {
        outcome: ended.outcome.clone(),
        text: String::new(),
        usage: ended.usage,
    }
}

fn json(line: &TranscriptLine) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("our own types have string keys only");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use kumite_core::outcome::Usage;

    fn ended(outcome: Outcome) -> Ended {
        Ended {
            outcome,
            session: None,
            usage: Usage::default(),
            last_words: String::new(),
        }
    }

    fn failed(sentence: &str) -> Outcome {
        Outcome::Failed(sentence.to_owned())
    }

    /// The end of a transcript that contains `said`.
    fn after(said: Vec<Said>, outcome: Outcome, complaint: &str) -> Vec<Said> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.jsonl");
        let mut transcript = Transcript {
            log: Log::new(path.clone(), 0),
            secrets: Rc::new(Secrets::of(&[])),
            ended: None,
            trouble: String::new(),
        };
        let before = said.len();
        transcript.say(said);
        transcript.end(&ended(outcome), complaint);
        read(&path).split_off(before)
    }

    fn read(path: &Path) -> Vec<Said> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        lines.map(|line: TranscriptLine| line.said).collect()
    }

    fn trouble(text: &str) -> Said {
        let text = text.to_owned();
        Said::Trouble { text }
    }

    #[test]
    fn an_end_that_was_said_is_not_said_again() {
        let finished = closing(&ended(Outcome::Finished));
        assert_eq!(after(vec![finished], Outcome::Finished, "a warning"), []);
    }

    #[test]
    fn an_end_that_is_another_than_was_said_is_said() {
        let finished = closing(&ended(Outcome::Finished));
        let killed = closing(&ended(Outcome::Killed));
        let found = after(vec![finished], Outcome::Killed, "interrupted");
        assert_eq!(found, [killed]);
    }

    #[test]
    fn the_last_complaint_of_a_failed_agent_is_trouble_unless_it_is_known() {
        let outcome = || failed("exit code 1");
        let end = || closing(&ended(outcome()));
        let found = after(Vec::new(), outcome(), "no space left");
        assert_eq!(found, [trouble("no space left"), end()]);
        let found = after(vec![trouble("no space left")], outcome(), "no space left");
        assert_eq!(found, [end()]);
        assert_eq!(after(Vec::new(), outcome(), ""), [end()]);
        let known = failed("exit code 1: no space left");
        let found = after(Vec::new(), known.clone(), "no space left");
        assert_eq!(found, [closing(&ended(known))]);
    }

    #[test]
    fn the_transcript_of_a_lost_agent_gets_an_end_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.jsonl");
        let lost = ended(Outcome::Lost("it is gone".to_owned()));
        close(&path, &lost).unwrap();
        assert!(!path.exists(), "one that is not there is not begun");
        fs::write(
            &path,
            "{\"at_ms\":1,\"kind\":\"text\",\"text\":\"half of a li",
        )
        .unwrap();
        close(&path, &lost).unwrap();
        close(&path, &lost).unwrap();
        assert_eq!(read(&path), [closing(&lost)]);
    }
}
