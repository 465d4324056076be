//! The Response Summary table of `document-review-{n}-reply.md`: what the review left open.
//!
//! The table is recognised by its columns, in any order. Anything unclear is no answer: a run that
//! pauses can be resumed, but a review that was approved by mistake cannot be undone.

mod cell;
mod points;

use std::borrow::Cow;

use kumite_core::facts::Findings;

use crate::markdown::{cells, heading, is_table_rule, plain, visible_lines, without_mark};

pub use points::{Judgment, Point, points};

/// The open findings, summed over the rows. None: there is no such table, a cell is not a plain
/// count, or two tables disagree.
pub fn parse(bytes: &[u8]) -> Option<Findings> {
    let text = String::from_utf8_lossy(without_mark(bytes));
    let tables = tables(&visible_lines(&text), text.ends_with('\n'));
    let summaries = tables.iter().filter(|table| table.in_summary);
    let summaries: Vec<_> = summaries.map(|table| table.findings).collect();
    let chosen = match summaries.is_empty() {
        true => tables.iter().map(|table| table.findings).collect(),
        false => summaries,
    };
    let first = (*chosen.first()?)?;
    chosen
        .iter()
        .all(|findings| *findings == Some(first))
        .then_some(first)
}

struct Table {
    in_summary: bool,
    /// None: unclear.
    findings: Option<Findings>,
}

fn tables(lines: &[Cow<'_, str>], is_whole: bool) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut headings: Vec<(usize, bool)> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some((level, text)) = heading(&lines[at]) {
            headings.retain(|(above, _)| *above < level);
            headings.push((level, is_summary(text)));
        }
        let rule = lines.get(at + 1).is_some_and(|line| is_table_rule(line));
        if let Some(columns) = rule.then(|| Columns::of(&lines[at])).flatten() {
            let body = &lines[at + 2..];
            let length = body.iter().take_while(|line| cells(line).is_some()).count();
            let reaches_end = at + 2 + length == lines.len();
            tables.push(Table {
                in_summary: headings.iter().any(|(_, summary)| *summary),
                findings: columns.sum(&body[..length], is_whole || !reaches_end),
            });
            at += 1 + length;
        }
        at += 1;
    }
    tables
}

fn is_summary(heading: &str) -> bool {
    let heading = plain(heading);
    heading.contains("summary") || heading.contains("サマリ")
}

/// The columns of the counts.
struct Columns {
    fix_required: usize,
    needs_discussion: usize,
    /// How many issues were judged, if the table has such a column.
    issues: Option<usize>,
}

impl Columns {
    fn of(head: &str) -> Option<Columns> {
        let names: Vec<String> = cells(head)?.into_iter().map(plain).collect();
        Some(Columns {
            fix_required: only(&names, is_fix_required)?,
            needs_discussion: only(&names, is_needs_discussion)?,
            issues: only(&names, is_issues),
        })
    }

    /// None if any row is unclear, if there are no rows, or if a total contradicts the rows.
    fn sum(&self, rows: &[Cow<'_, str>], is_whole: bool) -> Option<Findings> {
        let (mut sum, mut total) = (None, None);
        for (index, row) in rows.iter().enumerate() {
            let is_last = index + 1 == rows.len();
            if is_last && !is_whole && !row.trim_end().ends_with('|') {
                // The file ends within this row: a digit may be missing.
                return None;
            }
            let cells = cells(row)?;
            let counts = self.counts(&cells)?;
            let kept = if self.is_total(&cells) {
                &mut total
            } else {
                &mut sum
            };
            *kept = Some(add(kept.unwrap_or_default(), counts)?);
        }
        match (sum, total) {
            (Some(sum), Some(total)) if sum != total => None,
            (sum, total) => sum.or(total),
        }
    }

    fn counts(&self, cells: &[&str]) -> Option<Findings> {
        let cell = |index: usize| cells.get(index).copied().unwrap_or_default();
        let issues = self.issues.and_then(|index| cell::count(cell(index)));
        let judged = cells.iter().enumerate().any(|(index, cell)| {
            Some(index) != self.issues && cell.contains(|it: char| it.is_numeric())
        });
        if issues > Some(0) && !judged {
            // There are issues, but their outcome is not given.
            return None;
        }
        Some(Findings {
            fix_required: cell::count(cells.get(self.fix_required)?)?,
            needs_discussion: cell::count(cells.get(self.needs_discussion)?)?,
        })
    }

    fn is_total(&self, cells: &[&str]) -> bool {
        let mut labels = cells.iter().enumerate();
        labels.any(|(index, cell)| {
            let counted = index == self.fix_required || index == self.needs_discussion;
            !counted && is_total_word(&plain(cell))
        })
    }
}

fn only(names: &[String], is_it: fn(&str) -> bool) -> Option<usize> {
    let mut found = names.iter().enumerate().filter(|(_, name)| is_it(name));
    let (index, _) = found.next()?;
    found.next().is_none().then_some(index)
}

fn is_issues(name: &str) -> bool {
    says(
        name,
        &["issues", "findings", "件数", "指摘", "指摘数", "課題"],
    )
}

fn is_fix_required(name: &str) -> bool {
    let words = [
        "fix required",
        "fixes required",
        "fixrequired",
        "required fix",
        "needs fix",
        "修正必要",
        "要修正",
        "修正が必要",
        "修正要",
    ];
    says(name, &words)
}

fn is_needs_discussion(name: &str) -> bool {
    let words = [
        "needs discussion",
        "need discussion",
        "needsdiscussion",
        "discussion needed",
        "discussion required",
        "要議論",
        "議論が必要",
        "議論必要",
        "要検討",
        "検討が必要",
        "検討必要",
        "要協議",
        "協議が必要",
        "要相談",
    ];
    says(name, &words)
}

fn says(name: &str, words: &[&str]) -> bool {
    let denied = name.split(' ').any(|word| word == "no" || word == "not") || name.contains("不要");
    !denied && words.iter().any(|word| name.contains(word))
}

fn is_total_word(label: &str) -> bool {
    let starts = ["total", "合計", "総計", "小計", "総数"];
    let whole = ["計", "sum", "all", "全体", "grand total"];
    starts.iter().any(|word| label.starts_with(word)) || whole.contains(&label)
}

fn add(one: Findings, two: Findings) -> Option<Findings> {
    Some(Findings {
        fix_required: one.fix_required.checked_add(two.fix_required)?,
        needs_discussion: one.needs_discussion.checked_add(two.needs_discussion)?,
    })
}
