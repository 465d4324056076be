//! Searches a log for the next matching line.

use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, BuildError};
use kumite_agents::{Said, TranscriptLine};
use kumite_project::announce::outcome_detail;

use super::{EntryKind, Form, Log};

/// The most that one request searches.
const SCAN_MAX: u64 = 64 * 1024 * 1024;
const SCAN_TIME: Duration = Duration::from_millis(500);

/// How many lines a backward search reads at once.
const BLOCK: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    At(u64),
    /// Not found yet; go on with this line.
    Later(u64),
    Nowhere,
}

/// What to search for. ASCII letters match in either case.
pub struct Wanted {
    form: Form,
    kind: Option<EntryKind>,
    /// Cheap test: only a line that contains one of these marks is parsed.
    marks: Option<AhoCorasick>,
    /// The text as it is written in the file.
    written: AhoCorasick,
    /// The text as a person reads it.
    meant: AhoCorasick,
}

impl Wanted {
    /// An empty text matches every line.
    pub fn new(text: &str, kind: Option<EntryKind>, form: Form) -> Result<Wanted, BuildError> {
        let in_any_case = |text: &str| {
            let mut builder = AhoCorasick::builder();
            builder.ascii_case_insensitive(true).build([text])
        };
        let quoted = serde_json::Value::from(text).to_string();
        Ok(Wanted {
            form,
            kind,
            marks: kind
                .map(|kind| AhoCorasick::new(kind.marks()))
                .transpose()?,
            written: in_any_case(match form {
                Form::Transcript => &quoted[1..quoted.len() - 1],
                Form::Raw => text,
            })?,
            meant: in_any_case(text)?,
        })
    }

    fn is_in(&self, line: &[u8]) -> bool {
        let is_marked = |marks: &AhoCorasick| marks.is_match(line);
        if !self.marks.as_ref().is_none_or(is_marked) || !self.written.is_match(line) {
            return false;
        }
        // Match only the values: words like `"kind"` are in every line, and nobody searches for
        // them.
        match (self.form, serde_json::from_slice::<TranscriptLine>(line)) {
            (Form::Transcript, Ok(line)) => {
                let is_meant = |words: &&str| self.meant.is_match(words);
                self.kind.is_none_or(|kind| kind.is_kind_of(&line.said))
                    && words(&line.said).iter().any(is_meant)
            }
            _ => self.kind.is_none_or(|kind| kind == EntryKind::Text),
        }
    }
}

fn words(said: &Said) -> Vec<&str> {
    match said {
        Said::Launched { program, step, .. } => {
            step.iter().chain([program]).map(String::as_str).collect()
        }
        Said::Started { session, model } => {
            session.iter().chain(model).map(String::as_str).collect()
        }
        Said::Text { text } | Said::Thought { text } => vec![text],
        Said::Note { text } | Said::Trouble { text } => vec![text],
        Said::Tool { name, what, .. } => vec![name, what],
        Said::ToolEnded { text, .. } => vec![text],
        Said::Changed { path, diff } => vec![path, diff],
        Said::Ended { outcome, text, .. } => outcome_detail(outcome)
            .into_iter()
            .chain([text.as_str()])
            .collect(),
    }
}

/// How much more may be searched.
struct Patience {
    bytes: u64,
    until: Option<Instant>,
    lines: u64,
}

impl Patience {
    fn new() -> Patience {
        Patience {
            bytes: SCAN_MAX,
            until: Instant::now().checked_add(SCAN_TIME),
            lines: 0,
        }
    }

    /// Counts a line. The clock is read only now and then.
    fn spend(&mut self, line: &[u8]) {
        self.bytes = self.bytes.saturating_sub(line.len() as u64);
        self.lines += 1;
        let is_due = self.lines.is_multiple_of(256);
        if is_due && self.until.is_some_and(|until| Instant::now() > until) {
            self.bytes = 0;
        }
    }

    fn is_over(&self) -> bool {
        self.bytes == 0
    }
}

impl Log {
    /// The first matching line, starting at `from`.
    pub fn find(&self, wanted: &Wanted, from: u64) -> io::Result<Found> {
        self.find_within(wanted, from, Patience::new())
    }

    fn find_within(&self, wanted: &Wanted, from: u64, mut patience: Patience) -> io::Result<Found> {
        let mut found = Found::Nowhere;
        self.each(from, u64::MAX, |number, line, _| {
            if patience.is_over() {
                found = Found::Later(number);
                return ControlFlow::Break(());
            }
            patience.spend(line);
            match wanted.is_in(line) {
                true => found = Found::At(number),
                false => return ControlFlow::Continue(()),
            }
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// The last matching line up to and including `from`.
    pub fn find_back(&self, wanted: &Wanted, from: u64) -> io::Result<Found> {
        self.find_back_within(wanted, from, Patience::new())
    }

    fn find_back_within(
        &self,
        wanted: &Wanted,
        from: u64,
        mut patience: Patience,
    ) -> io::Result<Found> {
        let mut until = from.min(self.last()) + 1;
        while until > self.first() {
            if patience.is_over() {
                return Ok(Found::Later(until - 1));
            }
            let start = until.saturating_sub(BLOCK).max(self.first());
            let mut last = None;
            self.each(start, until, |number, line, _| {
                patience.spend(line);
                if wanted.is_in(line) {
                    last = Some(number);
                }
                ControlFlow::Continue(())
            })?;
            if let Some(number) = last {
                return Ok(Found::At(number));
            }
            until = start;
        }
        Ok(Found::Nowhere)
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind;
    use super::super::tests::World;
    use super::*;

    /// A limit without a clock.
    fn patience(bytes: u64) -> Patience {
        Patience {
            bytes,
            until: None,
            lines: 0,
        }
    }

    fn next(log: &Log, wanted: &Wanted, from: u64) -> Found {
        log.find_within(wanted, from, patience(SCAN_MAX)).unwrap()
    }

    fn previous(log: &Log, wanted: &Wanted, from: u64) -> Found {
        log.find_back_within(wanted, from, patience(SCAN_MAX))
            .unwrap()
    }

    fn wanted(text: &str) -> Wanted {
        Wanted::new(text, None, Form::Transcript).unwrap()
    }

    /// 20,000 lines; every thousandth says "a needle".
    fn hay() -> Log {
        let world = World::default();
        let text = (1..=20_000).map(|number| match number % 1000 {
            0 => {
                format!("{{\"at_ms\":{number},\"kind\":\"text\",\"text\":\"a \\\"needle\\\"\"}}\n")
            }
            _ => format!("{{\"at_ms\":{number},\"kind\":\"text\",\"text\":\"hay\"}}\n"),
        });
        world.append(text.collect::<String>().as_bytes());
        world.look()
    }

    #[test]
    fn the_next_and_the_previous_are_found() {
        let log = hay();
        let needle = wanted("A \"NEEDLE\"");
        for (from, expected) in [(1, 1000), (1000, 1000), (1001, 2000), (19_999, 20_000)] {
            assert_eq!(next(&log, &needle, from), Found::At(expected), "{from}");
        }
        assert_eq!(next(&log, &needle, 20_001), Found::Nowhere);
        for (from, expected) in [(u64::MAX - 1, 20_000), (19_999, 19_000), (1000, 1000)] {
            assert_eq!(previous(&log, &needle, from), Found::At(expected), "{from}");
        }
        assert_eq!(previous(&log, &needle, 999), Found::Nowhere);
    }

    #[test]
    fn what_only_the_file_says_is_not_found() {
        let log = hay();
        for text in ["at_ms", "\"text\"", "kind", "\\\""] {
            assert_eq!(next(&log, &wanted(text), 1), Found::Nowhere, "{text}");
        }
    }

    #[test]
    fn a_long_search_answers_in_between_and_goes_on() {
        let log = hay();
        let nothing = wanted("straw");
        let (mut from, mut answers) = (1, 0);
        while let Found::Later(next) = log.find_within(&nothing, from, patience(100_000)).unwrap() {
            assert!(next > from);
            (from, answers) = (next, answers + 1);
        }
        assert!(answers > 3, "{answers}");
        let needle = wanted("needle");
        let mut from = 999;
        let backwards = loop {
            match log.find_back_within(&needle, from, patience(10)).unwrap() {
                Found::Later(next) => from = next,
                found => break found,
            }
        };
        assert_eq!(backwards, Found::Nowhere);
    }

    #[test]
    fn a_kind_is_found_with_or_without_words() {
        let world = World::default();
        for said in kind::tests::all() {
            let line = serde_json::to_string(&TranscriptLine { at_ms: 1, said }).unwrap();
            world.append(format!("{line}\n").as_bytes());
        }
        let log = world.look();
        let numbers = |text: &str, kind: EntryKind| {
            let wanted = Wanted::new(text, Some(kind), log.form()).unwrap();
            let mut numbers = Vec::new();
            while let Found::At(number) =
                next(&log, &wanted, numbers.last().map_or(1, |last| last + 1))
            {
                numbers.push(number);
            }
            numbers
        };
        for text in ["", "words"] {
            assert_eq!(numbers(text, EntryKind::Text), [3, 4]);
            assert_eq!(numbers(text, EntryKind::Tools), [5, 6, 7]);
            assert_eq!(numbers(text, EntryKind::Diffs), [8]);
            assert_eq!(numbers(text, EntryKind::Trouble), [7, 10, 12]);
        }
        assert_eq!(numbers("others", EntryKind::Trouble), [0; 0]);
    }

    #[test]
    fn a_raw_log_is_searched_as_it_is() {
        let world = World::default();
        world.append(b"one \"two\" \xff\nthree\n");
        let log = world.look();
        let found = |text: &str| {
            let wanted = Wanted::new(text, None, Form::Raw).unwrap();
            next(&log, &wanted, 1)
        };
        assert_eq!(found("\"TWO\""), Found::At(1));
        assert_eq!(found("three"), Found::At(2));
        assert_eq!(found("four"), Found::Nowhere);
    }
}
