//! The cost of today, from the end of usage.jsonl: the file grows for years, a day is short.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use kumite_host::clock::{local_day, now_ms};
use kumite_host::project::Project;
use kumite_host::usage_log::Line;

/// How much is read at first; more only if it does not cover the day.
const TAIL: u64 = 64 * 1024;

#[derive(Debug, Default, PartialEq)]
pub struct Today {
    pub agents: u64,
    pub usd: f64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// An unreadable file is ignored here; `kumite cost` shows the error.
pub fn today(project: &Project) -> Today {
    of_day(&project.usage_file(), &local_day(now_ms()), TAIL).unwrap_or_default()
}

fn of_day(path: &Path, day: &str, mut tail: u64) -> io::Result<Today> {
    let file = File::open(path)?;
    let end = file.metadata()?.len();
    loop {
        let from = end.saturating_sub(tail);
        let mut bytes = vec![0; usize::try_from(end - from).unwrap_or(0)];
        file.read_exact_at(&mut bytes, from)?;
        let mut lines = bytes.split(|byte| *byte == b'\n');
        // The first line may be cut off.
        if from > 0 {
            lines.next();
        }
        let known = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        let mut sum = Today::default();
        let mut begins = false;
        for line in known {
            begins |= line.day.as_str() < day;
            if line.day == day {
                sum.add(&line);
            }
        }
        if begins || from == 0 {
            return Ok(sum);
        }
        tail *= 4;
    }
}

impl Today {
    fn add(&mut self, line: &Line) {
        self.agents += 1;
        self.usd += line.usd.unwrap_or(0.0);
        self.input_tokens += line.input_tokens;
        self.output_tokens += line.output_tokens;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(day: &str, tokens: u64) -> String {
        let line = Line {
            time: format!("{day}T10:00:00Z"),
            day: day.to_owned(),
            spec: "login".to_owned(),
            run: 1,
            phase: "impl".to_owned(),
            step: "impl".to_owned(),
            round: None,
            attempt: None,
            agent: "1-1".to_owned(),
            program: "claude".to_owned(),
            kind: "claude".to_owned(),
            outcome: "finished".to_owned(),
            usd: Some(0.25),
            input_tokens: tokens,
            output_tokens: 1,
        };
        serde_json::to_string(&line).unwrap() + "\n"
    }

    #[test]
    fn only_today_counts_however_long_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("usage.jsonl");
        let mut text = line("2026-03-01", 1000).repeat(3);
        text += &line("2026-03-02", 10).repeat(20);
        text += "{\"half";
        fs::write(&path, text).unwrap();
        let wanted = Today {
            agents: 20,
            usd: 5.0,
            input_tokens: 200,
            output_tokens: 20,
        };
        for tail in [1, 300, 1 << 20] {
            assert_eq!(of_day(&path, "2026-03-02", tail).unwrap(), wanted, "{tail}");
        }
        assert_eq!(of_day(&path, "2026-03-03", 300).unwrap(), Today::default());
    }
}
