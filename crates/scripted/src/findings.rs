//! What each review finds, and how the reply judges it.

use std::path::Path;

use serde::Deserialize;

use crate::script::{self, Review};
use crate::trouble::Trouble;

/// A point of a review about a document.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub severity: Severity,
    pub kind: Kind,
    pub title: String,
    pub document: String,
    pub issue: String,
    pub suggestion: String,
    /// Why the reply judges it this way.
    pub reason: String,
    /// The passage to replace; empty if a clarification is enough.
    #[serde(default)]
    pub old: String,
    #[serde(default)]
    pub new: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Critical,
    Warning,
    Info,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Critical, Severity::Warning, Severity::Info];

    pub fn name(self) -> &'static str {
        match self {
            Severity::Critical => "Critical",
            Severity::Warning => "Warning",
            Severity::Info => "Info",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Consistency,
    Gap,
    Ambiguity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgment {
    FixRequired,
    NoFixNeeded,
    NeedsDiscussion,
}

impl Judgment {
    pub fn name(self) -> &'static str {
        match self {
            Judgment::FixRequired => "Fix Required",
            Judgment::NoFixNeeded => "No Fix Needed",
            Judgment::NeedsDiscussion => "Needs Discussion",
        }
    }
}

/// A finding in one review, with its number there and the coming judgment.
#[derive(Clone, Debug)]
pub(crate) struct Issue {
    /// `C1`, `W2`, `I1`
    pub id: String,
    pub finding: Finding,
    pub judgment: Judgment,
}

/// The issues of a round, the most serious first. Review and reply are different processes; both
/// call this, so that they agree.
pub(crate) fn issues(review: &Review, round: u32) -> Result<Vec<Issue>, Trouble> {
    let pool: Pool = script::parse(Path::new("texts/findings.toml"), POOL)?;
    let fixes = &review.fix_required;
    let open = &review.needs_discussion;
    let mut judged: Vec<(Finding, Judgment)> = Vec::new();
    for index in span(fixes.before(round), fixes.at(round)) {
        judged.push((pool.to_fix(index), Judgment::FixRequired));
    }
    for index in span(open.before(round), open.at(round)) {
        judged.push((cycled(&pool.discussion, index), Judgment::NeedsDiscussion));
    }
    // A reviewer always has something to add.
    let remark = cycled(&pool.no_fix, round as usize - 1);
    judged.push((remark, Judgment::NoFixNeeded));
    judged.sort_by_key(|(finding, _)| finding.severity);
    Ok(numbered(judged))
}

pub(crate) fn count(issues: &[Issue], judgment: Judgment) -> usize {
    issues.iter().filter(|i| i.judgment == judgment).count()
}

const POOL: &str = include_str!("../texts/findings.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pool {
    fix: Vec<Finding>,
    general: Vec<Finding>,
    no_fix: Vec<Finding>,
    discussion: Vec<Finding>,
}

impl Pool {
    /// Findings about the built-in documents come first; a long script continues with general ones.
    fn to_fix(&self, index: usize) -> Finding {
        match self.fix.get(index) {
            Some(finding) => finding.clone(),
            None => cycled(&self.general, index - self.fix.len()),
        }
    }
}

fn span(first: usize, count: u32) -> std::ops::Range<usize> {
    first..first + count as usize
}

fn cycled(findings: &[Finding], index: usize) -> Finding {
    findings[index % findings.len()].clone()
}

fn numbered(judged: Vec<(Finding, Judgment)>) -> Vec<Issue> {
    let mut counts = [0; Severity::ALL.len()];
    let number = |(finding, judgment): (Finding, Judgment)| {
        let count = &mut counts[finding.severity as usize];
        *count += 1;
        let id = format!("{}{count}", &finding.severity.name()[..1]);
        Issue {
            id,
            finding,
            judgment,
        }
    };
    judged.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rounds_have_as_many_fixes_as_the_script_says() {
        let fixes = [1, 2, 3, 4].map(|round| {
            let issues = issues(&Review::default(), round).unwrap();
            count(&issues, Judgment::FixRequired)
        });
        assert_eq!(fixes, [3, 1, 0, 0]);
    }

    #[test]
    fn every_built_in_fix_changes_a_passage_of_its_document() {
        let pool: Pool = script::parse(Path::new("findings.toml"), POOL).unwrap();
        for finding in &pool.fix {
            let text = match finding.document.as_str() {
                "requirements.md" => include_str!("../texts/requirements.md"),
                "design.md" => include_str!("../texts/design.md"),
                other => panic!("{other}"),
            };
            assert_eq!(text.matches(&finding.old).count(), 1, "{}", finding.title);
            assert!(!text.contains(&finding.new));
        }
    }

    #[test]
    fn issues_are_numbered_within_their_severity() {
        let issues = issues(&Review::default(), 1).unwrap();
        let ids: Vec<_> = issues.iter().map(|issue| issue.id.as_str()).collect();
        assert_eq!(ids, ["C1", "W1", "W2", "I1"]);
    }
}
