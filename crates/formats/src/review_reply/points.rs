//! The single points of a reply, for people to read. The counts come from the table.

use crate::markdown::{heading, plain, visible_lines, without_mark};

/// One point of a review, with the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its heading: `C1: The waiting time has no unit`.
    pub title: String,
    /// None: unclear.
    pub judgment: Option<Judgment>,
    /// The text below the heading, unchanged.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgment {
    FixRequired,
    NoFixNeeded,
    NeedsDiscussion,
}

/// The sections that contain a judgment, in order.
pub fn points(bytes: &[u8]) -> Vec<Point> {
    let text = String::from_utf8_lossy(without_mark(bytes));
    let lines: Vec<&str> = text.lines().collect();
    let visible = visible_lines(&text);
    let mut heads: Vec<usize> = Vec::new();
    heads.extend((0..visible.len()).filter(|at| heading(&visible[*at]).is_some()));
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    let sections = heads.iter().copied().zip(ends);
    let points = sections.filter_map(|(head, end)| {
        let below = &visible[head + 1..end];
        let judgment = below.iter().find_map(|line| judgment(line))?;
        let (_, title) = heading(&visible[head])?;
        Some(Point {
            title: title.to_owned(),
            judgment,
            text: without_rule(&lines[head + 1..end].join("\n")).to_owned(),
        })
    });
    points.collect()
}

/// Removes the line of dashes that separates a section from the next.
fn without_rule(text: &str) -> &str {
    let text = text.trim();
    let kept = text.trim_end_matches('-');
    match text.len() - kept.len() >= 3 && kept.ends_with('\n') {
        true => kept.trim_end(),
        false => text,
    }
}

/// The judgment in a line such as `**Judgment**: Fix Required`. `Some(None)`: it is unclear.
fn judgment(line: &str) -> Option<Option<Judgment>> {
    let said = plain(line.trim_start_matches(['-', '+', '*', '>', ' ', '\t']));
    let (name, said) = said.split_once([':', '：'])?;
    if !["judgment", "judgement", "verdict", "判定", "判断"].contains(&name.trim()) {
        return None;
    }
    let mut found = said.split(['/', ',', ';', '(', '|', '、']).filter_map(one);
    let first = found.next();
    let differs = found.any(|other| Some(other) != first);
    Some(first.filter(|_| !differs))
}

fn one(said: &str) -> Option<Judgment> {
    let no_fix = ["no fix", "not needed", "不要"];
    if no_fix.iter().any(|word| said.contains(word)) {
        Some(Judgment::NoFixNeeded)
    } else if super::is_fix_required(said) {
        Some(Judgment::FixRequired)
    } else {
        super::is_needs_discussion(said).then_some(Judgment::NeedsDiscussion)
    }
}
