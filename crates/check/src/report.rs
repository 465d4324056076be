//! The results of all scenarios, for people and for programs.

use std::time::Duration;

use serde_json::{Value, json};

use crate::verdict::Verdict;

/// One scenario and its result.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    pub what: &'static str,
    pub verdict: Verdict,
    pub took: Duration,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub agent: String,
    pub kind: &'static str,
    pub version: Option<String>,
    pub offline: bool,
    pub rows: Vec<Row>,
}

impl Report {
    pub fn passed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Passed))
    }

    pub fn failed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Failed(_)))
    }

    pub fn skipped(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Skipped(_)))
    }

    fn count(&self, counts: fn(&Verdict) -> bool) -> usize {
        self.rows.iter().filter(|row| counts(&row.verdict)).count()
    }

    /// The last line of the table. Skipped scenarios do not count.
    pub fn summary(&self) -> String {
        let tried = self.passed() + self.failed();
        let skipped = match self.skipped() {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        format!("{} of {tried} passed{skipped}", self.passed())
    }

    pub fn json(&self) -> Value {
        let scenarios: Vec<Value> = self.rows.iter().map(Row::json).collect();
        json!({
            "agent": self.agent,
            "kind": self.kind,
            "version": self.version,
            "offline": self.offline,
            "passed": self.passed(),
            "failed": self.failed(),
            "skipped": self.skipped(),
            "scenarios": scenarios,
        })
    }
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "verdict": self.verdict.name(),
            "message": self.verdict.message(),
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdicts: Vec<Verdict>) -> Report {
        let row = |verdict| Row {
            name: "x",
            what: "y",
            verdict,
            took: Duration::ZERO,
        };
        Report {
            agent: "a".to_owned(),
            kind: "claude",
            version: None,
            offline: true,
            rows: verdicts.into_iter().map(row).collect(),
        }
    }

    #[test]
    fn what_was_skipped_is_neither_passed_nor_failed() {
        let failed = || Verdict::Failed("no".to_owned());
        let skipped = || Verdict::Skipped("why".to_owned());
        let report = report(vec![Verdict::Passed, failed(), skipped(), Verdict::Passed]);
        assert_eq!(report.summary(), "2 of 3 passed, 1 skipped");
        let json = report.json();
        assert_eq!(
            (&json["passed"], &json["failed"], &json["skipped"]),
            (&json!(2), &json!(1), &json!(1))
        );
        assert_eq!(json["scenarios"][1]["message"], "no");
    }
}
