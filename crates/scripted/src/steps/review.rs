//! A review of the three documents.

use std::fmt::Write;

use super::{counted, lead};
use crate::clock;
use crate::findings::{self, Issue, Judgment, Kind, Severity};
use crate::page::Lead;
use crate::script::Script;
use crate::trouble::Trouble;
use crate::workplace::Workplace;

pub(super) fn review(
    script: &Script,
    round: u32,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    for document in DOCUMENTS {
        workplace.read(&workplace.document(document))?;
    }
    workplace.say("I compare the documents with each other, sentence by sentence: what one promises, the next has to carry.")?;
    let issues = findings::issues(&script.review, round)?;
    for issue in issues
        .iter()
        .filter(|i| i.judgment != Judgment::NoFixNeeded)
    {
        let finding = &issue.finding;
        workplace.say(&format!(
            "{} in {}: {}.",
            issue.id, finding.document, finding.title
        ))?;
    }
    let report = report(workplace, round, &issues)?;
    workplace.write(
        &workplace.document(&format!("document-review-{round}.md")),
        &report,
    )?;
    let found = counted(issues.len(), "issue", "issues");
    Ok(format!(
        "Review {round} is written: {found}. {}",
        verdict(&issues)
    ))
}

const DOCUMENTS: [&str; 3] = ["requirements.md", "design.md", "tasks.md"];

fn report(workplace: &Workplace<'_>, round: u32, issues: &[Issue]) -> Result<String, Trouble> {
    let mut page = format!(
        "# Specification Review Report #{round}\n\n{}**Feature**: {}\n**Review Date**: {}\n**Documents Reviewed**: {}\n\n",
        lead(Lead::Review, workplace)?,
        workplace.spec(),
        clock::today(),
        DOCUMENTS.join(", "),
    );
    page += &summary(issues);
    page += "## 1. Document Consistency Analysis\n\n";
    page += &section(
        issues,
        Kind::Consistency,
        "The documents agree with each other.",
    );
    page += "## 2. Gap Analysis\n\n";
    page += &section(issues, Kind::Gap, "No gaps were found.");
    page += "## 3. Ambiguities and Unknowns\n\n";
    page += &section(
        issues,
        Kind::Ambiguity,
        "Every criterion can be tested as it stands.",
    );
    page += "## 4. Steering Alignment\n\nThe design stays within the standard library and adds no dependency.\n\n";
    page += &recommendations(issues);
    page += &action_items(issues);
    Ok(page)
}

fn summary(issues: &[Issue]) -> String {
    let mut text = "## Executive Summary\n\n| Severity | Count |\n|---|---|\n".to_string();
    for severity in Severity::ALL {
        let count = of(issues, severity).count();
        let _ = writeln!(text, "| {} | {count} |", severity.name());
    }
    let _ = writeln!(text, "\n{}\n", verdict(issues));
    text
}

fn verdict(issues: &[Issue]) -> &'static str {
    let fixes = findings::count(issues, Judgment::FixRequired);
    let open = findings::count(issues, Judgment::NeedsDiscussion);
    match (fixes, open) {
        (0, 0) => "The documents are ready for implementation.",
        (0, _) => "The documents are sound; a question is left that they cannot answer.",
        (_, _) => "The documents should be corrected before implementation.",
    }
}

fn section(issues: &[Issue], kind: Kind, nothing: &str) -> String {
    let mut text = String::new();
    for issue in issues.iter().filter(|issue| issue.finding.kind == kind) {
        let finding = &issue.finding;
        let _ = writeln!(
            text,
            "### {}: {}\n\n**Severity**: {}\n**Document**: {}\n\n{}\n\n**Suggestion**: {}\n",
            issue.id,
            finding.title,
            finding.severity.name(),
            finding.document,
            finding.issue,
            finding.suggestion,
        );
    }
    if text.is_empty() {
        text = format!("{nothing}\n\n");
    }
    text
}

fn recommendations(issues: &[Issue]) -> String {
    let mut text = "## 5. Recommendations\n\n".to_string();
    for (severity, heading) in [
        (Severity::Critical, "Critical Issues (Must Fix)"),
        (Severity::Warning, "Warnings (Should Address)"),
        (Severity::Info, "Suggestions (Nice to Have)"),
    ] {
        let _ = writeln!(text, "### {heading}\n");
        let lines = of(issues, severity).map(|i| format!("- {}: {}", i.id, i.finding.title));
        let lines: Vec<String> = lines.collect();
        let lines = if lines.is_empty() {
            "- None".into()
        } else {
            lines.join("\n")
        };
        let _ = writeln!(text, "{lines}\n");
    }
    text
}

fn action_items(issues: &[Issue]) -> String {
    let mut text = "## 6. Action Items\n\n| Priority | Issue | Recommended Action | Affected Document |\n|---|---|---|---|\n".to_string();
    for Issue { id, finding, .. } in issues {
        let (priority, document) = (finding.severity.name(), &finding.document);
        let _ = writeln!(
            text,
            "| {priority} | {id} | {} | {document} |",
            finding.suggestion
        );
    }
    text
}

fn of(issues: &[Issue], severity: Severity) -> impl Iterator<Item = &Issue> {
    let same = move |issue: &&Issue| issue.finding.severity == severity;
    issues.iter().filter(same)
}
