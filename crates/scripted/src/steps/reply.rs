//! The reply to a review: judges every issue, repairs the documents, records the counts.

use std::fmt::Write;

use super::{counted, lead};
use crate::clock;
use crate::findings::{self, Finding, Issue, Judgment, Severity};
use crate::page::Lead;
use crate::script::Script;
use crate::spec_json::SpecJson;
use crate::trouble::Trouble;
use crate::workplace::{self, Workplace};

pub(super) fn reply(
    script: &Script,
    round: u32,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    workplace.read(&workplace.document(&format!("document-review-{round}.md")))?;
    let issues = findings::issues(&script.review, round)?;
    let mut applied = Vec::new();
    for issue in &issues {
        let Issue {
            id,
            finding,
            judgment,
        } = issue;
        workplace.say(&format!("{id}: {}. {}", judgment.name(), finding.reason))?;
        if *judgment == Judgment::FixRequired {
            applied.push((issue, repair(workplace, round, issue)?));
        }
    }
    let answer = answer(workplace, round, &issues, &applied)?;
    workplace.write(
        &workplace.document(&format!("document-review-{round}-reply.md")),
        &answer,
    )?;
    record(workplace, round, &issues)?;
    Ok(format!("Reply {round} is written. {}", conclusion(&issues)))
}

/// A replaced passage and its replacement.
struct Repair {
    old: String,
    new: String,
}

/// Repairs the passage that the finding names; a document without it (a script may supply its own)
/// gets a clarification instead.
fn repair(workplace: &mut Workplace<'_>, round: u32, issue: &Issue) -> Result<Repair, Trouble> {
    let Finding {
        document,
        old,
        new,
        suggestion,
        ..
    } = &issue.finding;
    let path = workplace.document(document);
    let text = workplace::load(&path)?;
    let passage = || Repair {
        old: old.clone(),
        new: new.clone(),
    };
    // An interrupted reply may already have done this.
    if !new.is_empty() && text.contains(new.as_str()) {
        return Ok(passage());
    }
    if !old.is_empty() && workplace.edit(&path, old, new)? {
        return Ok(passage());
    }
    let line = format!("- Review {round}, {}: {suggestion}", issue.id);
    if !text.contains(&line) {
        workplace.change(&path, |text| Ok(with_clarification(text, &line)))?;
    }
    Ok(Repair {
        old: String::new(),
        new: line,
    })
}

fn with_clarification(text: &str, line: &str) -> String {
    const HEADING: &str = "## Clarifications\n\n";
    let text = text.trim_end();
    match text.find(HEADING) {
        Some(at) => {
            let (head, rest) = text.split_at(at + HEADING.len());
            format!("{head}{line}\n{rest}\n")
        }
        None => format!("{text}\n\n{HEADING}{line}\n"),
    }
}

fn record(workplace: &mut Workplace<'_>, round: u32, issues: &[Issue]) -> Result<(), Trouble> {
    let fixes = findings::count(issues, Judgment::FixRequired);
    let open = findings::count(issues, Judgment::NeedsDiscussion);
    let path = workplace.document("spec.json");
    workplace.change(&path, |text| {
        let mut spec = SpecJson::parse(&path, text)?;
        spec.record_reply(round, fixes, open)?;
        Ok(spec.text())
    })
}

fn answer(
    workplace: &Workplace<'_>,
    round: u32,
    issues: &[Issue],
    applied: &[(&Issue, Repair)],
) -> Result<String, Trouble> {
    let mut page = format!(
        "# Response to Document Review #{round}\n\n{}**Feature**: {}\n**Reply Date**: {}\n\n---\n\n",
        lead(Lead::Reply, workplace)?,
        workplace.spec(),
        clock::today(),
    );
    page += &summary_table(issues);
    page += "\n---\n\n";
    for issue in issues {
        page += &judged(issue);
    }
    page += &files_to_modify(applied);
    let _ = writeln!(page, "## Conclusion\n\n{}", conclusion(issues));
    page += &applied_fixes(applied);
    Ok(page)
}

fn summary_table(issues: &[Issue]) -> String {
    let mut text = "## Response Summary\n\n| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n".to_string();
    for severity in Severity::ALL {
        let row: Vec<Issue> = issues
            .iter()
            .filter(|issue| issue.finding.severity == severity)
            .cloned()
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            severity.name(),
            row.len(),
            findings::count(&row, Judgment::FixRequired),
            findings::count(&row, Judgment::NoFixNeeded),
            findings::count(&row, Judgment::NeedsDiscussion),
        );
    }
    text
}

fn judged(issue: &Issue) -> String {
    let Issue {
        id,
        finding,
        judgment,
    } = issue;
    let action = match judgment {
        Judgment::FixRequired => format!("{} ({})", finding.suggestion, finding.document),
        Judgment::NoFixNeeded => "None.".to_string(),
        Judgment::NeedsDiscussion => "A person decides.".to_string(),
    };
    format!(
        "### {id}: {}\n\n**Issue**: {}\n\n**Judgment**: {}\n\n**Analysis**: {}\n\n**Action Items**: {action}\n\n---\n\n",
        finding.title,
        finding.issue,
        judgment.name(),
        finding.reason,
    )
}

fn files_to_modify(applied: &[(&Issue, Repair)]) -> String {
    let mut text = "## Files to Modify\n\n".to_string();
    if applied.is_empty() {
        return text + "None.\n\n";
    }
    text += "| File | Changes |\n|---|---|\n";
    for (Issue { id, finding, .. }, _) in applied {
        let _ = writeln!(text, "| {} | {id}: {} |", finding.document, finding.title);
    }
    text + "\n"
}

fn conclusion(issues: &[Issue]) -> String {
    let fixes = findings::count(issues, Judgment::FixRequired);
    let open = findings::count(issues, Judgment::NeedsDiscussion);
    let fixed = match fixes {
        0 => "Nothing in the documents had to be changed.".to_string(),
        _ => format!(
            "{} made in the documents.",
            counted(fixes, "fix was", "fixes were")
        ),
    };
    match open {
        0 => fixed,
        _ => format!(
            "{fixed} {} a person.",
            counted(open, "point needs", "points need")
        ),
    }
}

fn applied_fixes(applied: &[(&Issue, Repair)]) -> String {
    if applied.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n---\n\n## Applied Fixes\n\n**Applied Date**: {}\n",
        clock::today()
    );
    for (issue, Repair { old, new }) in applied {
        let _ = writeln!(
            text,
            "\n### {} ({})\n\n```diff",
            issue.id, issue.finding.document
        );
        for line in old.lines() {
            let _ = writeln!(text, "-{line}");
        }
        for line in new.lines() {
            let _ = writeln!(text, "+{line}");
        }
        text += "```\n";
    }
    text
}
