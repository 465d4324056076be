//! The judgment in `inspection-{n}.md`: GO or NOGO, and nothing in between.
//!
//! It is on a line (`- **Judgment**: GO`), in a row of a table, below a heading, or in a
//! column of a table with one row. An unfilled template, a condition, or two different
//! judgments are no verdict.

mod word;

use std::borrow::Cow;

use kumite_core::facts::Verdict;

use crate::markdown::{cells, heading, is_table_rule, plain, visible_lines, without_mark};
use word::{Said, said};

pub fn parse(bytes: &[u8]) -> Option<Verdict> {
    let text = String::from_utf8_lossy(without_mark(bytes));
    let lines = visible_lines(&text);
    let mut verdict = None;
    for at in 0..lines.len() {
        match judgment(&lines, at) {
            Said::Nothing => {}
            Said::Unclear => return None,
            Said::Clearly(said) if verdict.is_some_and(|other| other != said) => return None,
            Said::Clearly(said) => verdict = Some(said),
        }
    }
    verdict
}

/// What the line says about the judgment, or what the lines below it say if it introduces them.
fn judgment(lines: &[Cow<'_, str>], at: usize) -> Said {
    let line = lines[at].trim().trim_start_matches(['>', ' ']);
    if line.starts_with('|') {
        return row(lines, at, line);
    }
    let (text, value) = labelled(line);
    if !is_label(text) {
        return Said::Nothing;
    }
    match value {
        Some(value) if !plain(value).is_empty() => said(value),
        // A heading, or a label whose value is on the next line.
        _ if value.is_some() || heading(line).is_some() => below(&lines[at + 1..]),
        _ => Said::Nothing,
    }
}

/// Splits `- **Judgment**: GO` into its two halves.
fn labelled(line: &str) -> (&str, Option<&str>) {
    let text = heading(line).map_or(line, |(_, text)| text);
    let text = text.trim_start_matches(['-', '*', '+', ' ', '\t']);
    let dash = || text.split_once(" - ");
    match text
        .split_once([':', '：', '—', '–', '=', '→'])
        .or_else(dash)
    {
        Some((label, value)) => (label, Some(value)),
        None => (text, None),
    }
}

fn below(lines: &[Cow<'_, str>]) -> Said {
    // A judgment is right below its heading; searching further would also cost too much.
    let near = lines.iter().take(4);
    let next = near.map(|line| line.trim()).find(|line| !line.is_empty());
    match next {
        Some(line) if !line.starts_with('|') && heading(line).is_none() => {
            let bare = line.trim_start_matches(['-', '*', '+', '>', ' ']);
            // A label is judged when its own line is read.
            if is_label(labelled(bare).0) {
                Said::Nothing
            } else {
                said(bare)
            }
        }
        _ => Said::Nothing,
    }
}

fn row(lines: &[Cow<'_, str>], at: usize, line: &str) -> Said {
    let cells = cells(line).unwrap_or_default();
    if let [label, values @ ..] = cells.as_slice()
        && is_label(label)
    {
        let here = said(&values.join(" / "));
        if here != Said::Nothing {
            return here;
        }
    }
    match cells.iter().position(|cell| is_label(cell)) {
        Some(column) => only_row(lines.get(at + 1..).unwrap_or_default(), column),
        None => Said::Nothing,
    }
}

/// The value of a column, if this is a table head with exactly one row below it.
fn only_row(below: &[Cow<'_, str>], column: usize) -> Said {
    let [rule, row, rest @ ..] = below else {
        return Said::Nothing;
    };
    let goes_on = rest.first().is_some_and(|line| cells(line).is_some());
    if !is_table_rule(rule) || goes_on {
        return Said::Nothing;
    }
    let value = cells(row).and_then(|cells| cells.get(column).map(|cell| said(cell)));
    value.unwrap_or(Said::Nothing)
}

/// `Judgment`, `Final Verdict`, `総合判定（Judgment）`, but not `Judgment criteria`.
fn is_label(text: &str) -> bool {
    // A sentence is not a label; this also keeps the replacements below cheap.
    if text.len() > 120 {
        return false;
    }
    let mut label = plain(text);
    let kinds = [
        "go/nogo",
        "go/no-go",
        "overall",
        "final",
        "inspection",
        "総合",
        "最終",
        "検査",
    ];
    for kind in kinds {
        label = label.replace(kind, "");
    }
    let words = label.split(|character: char| !character.is_alphanumeric());
    // In `2. Judgment` the number means nothing.
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = words.filter(|word| !is_number(word)).peekable();
    let known = ["judgment", "judgement", "verdict", "判定", "判定結果"];
    words.peek().is_some() && words.all(|word| known.contains(&word))
}
