//! The points of a reply, one by one, for people to read. The counts are the table's.

use crate::markdown::{heading, plain, visible_lines, without_mark};

/// One point of a review, with what the reply says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its heading: `C1: The waiting time has no unit`.
    pub title: String,
    /// None: it is not clear.
    pub judgment: Option<Judgment>,
    /// What stands below the heading, as it was written.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgment {
    FixRequired,
    NoFixNeeded,
    NeedsDiscussion,
}

/// The sections in which a judgment stands, in their order.
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

/// A line of dashes that separates it from the next section is no part of it.
fn without_rule(text: &str) -> &str {
    let text = text.trim();
    let kept = text.trim_end_matches('-');
    match text.len() - kept.len() >= 3 && kept.ends_with('\n') {
        true => kept.trim_end(),
        false => text,
    }
}

/// The judgment in a line such as `**Judgment**: Fix Required`. Inner none: it is not clear.
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
