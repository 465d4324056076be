//! The documents that a step produces, small but in the format of real ones.

use crate::play::{Action, Counts, Tick, Verdict, VerdictIn};

pub const SOME_TIME: &str = "2026-01-01T00:00:00Z";

pub fn requirements(spec: &str) -> String {
    format!(
        "# Requirements Document\n\n## Introduction\n\nThe feature {spec}, as a test would want it.\n\n\
         ## Requirements\n\n### Requirement 1: It works\n\n\
         **Objective:** As a user, I want {spec}, so that I can get on with my day.\n\n\
         #### Acceptance Criteria\n\n\
         1. When the user asks for {spec}, the system shall answer.\n\
         2. If the answer is unknown, the system shall say so.\n"
    )
}

pub fn design(spec: &str) -> String {
    format!(
        "# Design Document: {spec}\n\n## Overview\n\nOne module answers, another one asks.\n\n\
         ## Components\n\n| Component | Intent | Requirements |\n|---|---|---|\n\
         | Asker | asks | 1.1 |\n| Answerer | answers | 1.1, 1.2 |\n\n\
         ## Testing Strategy\n\nEvery question is asked once.\n"
    )
}

pub fn tasks(count: u32) -> String {
    let mut text = String::from("# Implementation Plan\n\n");
    for number in 1..=count {
        text += &format!(
            "- [ ] {number}. Build part {number}\n  - Write a test first\n  - _Requirements: 1.1_\n\n"
        );
    }
    text
}

pub fn review(spec: &str, round: u32) -> String {
    format!(
        "# Specification Review Report #{round}\n\n**Feature**: {spec}\n\n## Executive Summary\n\n\
         The documents fit together; what does not is listed below.\n\n\
         ## 1. Document Consistency Analysis\n\nThe design covers every requirement.\n\n\
         ## 5. Recommendations\n\n### Suggestions\n\n- S1: Name the answerer's answers.\n"
    )
}

pub fn reply(spec: &str, round: u32, action: &Action) -> String {
    let mut text =
        format!("# Response to Document Review #{round}\n\n**Feature**: {spec}\n\n---\n\n");
    if matches!(
        action.counts,
        Counts::Both | Counts::Table | Counts::Conflict
    ) {
        let (fix, discuss) = (action.fix, action.discuss);
        let rows = [
            ("Critical", fix / 2, 0, 0),
            ("Warning", fix - fix / 2, 0, discuss / 2),
            ("Info", 0, 1, discuss - discuss / 2),
        ];
        text += "## Response Summary\n\n\
                 | Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n\
                 | -------- | ------ | ------------ | ------------- | ---------------- |\n";
        for (severity, fix, no_fix, discuss) in rows {
            let issues = fix + no_fix + discuss;
            text += &format!("| {severity} | {issues} | {fix} | {no_fix} | {discuss} |\n");
        }
        text += "\n---\n\n";
    }
    text + "## Conclusion\n\nEvery issue has been looked at.\n"
}

/// Ticks open boxes in order, whatever their mark, except optional ones (`- [ ]*`), those in code
/// and those after the heading of an appendix.
pub fn tick(tasks: &str, tick: &Tick) -> String {
    let mut left = match tick {
        Tick::All => u64::MAX,
        Tick::Some(count) => *count,
    };
    let (mut in_code, mut in_appendix) = (false, false);
    let mut text = String::new();
    for line in tasks.split_inclusive('\n') {
        let trimmed = line.trim_start();
        in_code ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        in_appendix |= !in_code && line.starts_with('#') && line.contains("Appendix");
        let open = open_box(trimmed).filter(|_| !in_code && !in_appendix && left > 0);
        match open {
            Some(mark) => {
                text += &line.replacen(mark, "[x]", 1);
                left -= 1;
            }
            None => text += line,
        }
    }
    text
}

/// The box of a line, if it is open and not optional.
fn open_box(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("- [")?;
    let end = inner.find(']')?;
    let is_open = inner[..end].chars().count() == 1 && !matches!(&inner[..end], "x" | "X");
    let is_optional = inner[end + 1..].starts_with('*');
    (is_open && !is_optional).then(|| &line[2..end + 4])
}

pub fn inspection(spec: &str, action: &Action) -> String {
    let mut text =
        format!("# Inspection Report - {spec}\n\n## Summary\n\n- **Date**: {SOME_TIME}\n");
    if matches!(
        action.verdict_in,
        VerdictIn::Both | VerdictIn::Report | VerdictIn::Conflict
    ) {
        let verdict = match action.verdict {
            Verdict::Go => "GO",
            Verdict::Nogo => "NOGO",
        };
        text += &format!("- **Judgment**: {verdict}\n");
    }
    text + "- **Inspector**: fake-agent\n\n## Findings by Category\n\n### Requirements Compliance\n\n\
            | Requirement | Status | Severity | Details |\n|---|---|---|---|\n| 1.1 | PASS | - | It answers |\n"
}

/// The first half of a document, cut inside the evidence if it has any.
pub fn first_half(content: &str) -> &[u8] {
    let evidence = ["| Warning |", "**Judgment**: "];
    let end = evidence
        .iter()
        .find_map(|mark| Some(content.find(mark)? + mark.len()));
    &content.as_bytes()[..end.unwrap_or(content.len() / 2)]
}
