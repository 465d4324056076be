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
            text: lines[head + 1..end].join("\n").trim().to_owned(),
        })
    });
    points.collect()
}

/// The judgment in a line such as `**Judgment**: Fix Required`. Inner none: it is not clear.
fn judgment(line: &str) -> Option<Option<Judgment>> {
    let said = plain(line.trim_start_matches(['-', '+', '*', '>', ' ', '\t']));
    let (name, said) = said.split_once([':', '：'])?;
    if !["judgment", "judgement", "verdict", "判定", "判断"].contains(&name.trim()) {
        return None;
    }
    let no_fix = ["no fix", "not needed", "修正不要", "不要", "対応不要"];
    let read = [
        (Judgment::FixRequired, super::is_fix_required(said)),
        (
            Judgment::NoFixNeeded,
            no_fix.iter().any(|word| said.contains(word)),
        ),
        (Judgment::NeedsDiscussion, super::is_needs_discussion(said)),
    ];
    let mut said = read.iter().filter(|(_, said)| *said);
    Some(match (said.next(), said.next()) {
        (Some((judgment, _)), None) => Some(*judgment),
        _ => None,
    })
}
