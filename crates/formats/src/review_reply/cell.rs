//! One cell of the summary: a count, perhaps with a note.

use crate::markdown::plain;

/// `2`, `**2**`, `2 (see below)` and `0件` are counts; an empty cell and words for nothing are 0. A
/// range, a fraction, a negative, rough (`~3`) or struck-out number, or any other word, is not a
/// count.
pub(super) fn count(cell: &str) -> Option<u32> {
    if cell.contains('~') {
        return None;
    }
    let said = plain(&without_notes(&plain(cell))?);
    if is_nothing(&said) {
        return Some(0);
    }
    let start = said.find(|character: char| character.is_ascii_digit())?;
    let digits = said[start..].trim_start_matches(|character: char| character.is_ascii_digit());
    let number = &said[start..said.len() - digits.len()];
    let alone = is_lead(&said[..start]) && !digits.starts_with('%') && !has_digit(digits);
    alone.then(|| number.parse().ok()).flatten()
}

fn is_nothing(said: &str) -> bool {
    let words = [
        "",
        "-",
        "--",
        "—",
        "–",
        "―",
        "ー",
        "−",
        "n/a",
        "na",
        "none",
        "nil",
        "なし",
        "無し",
        "無",
        "該当なし",
    ];
    words.contains(&said)
}

fn has_digit(text: &str) -> bool {
    text.contains(|character: char| character.is_numeric())
}

/// Whether the text right before the number leaves it a plain count: no sign, no comparison, no
/// name.
fn is_lead(before: &str) -> bool {
    let touching = before.chars().next_back();
    let is_part = |mark: char| mark.is_alphanumeric() || "-−–+.,/#~<>≤≥=".contains(mark);
    !touching.is_some_and(is_part) && !before.trim_end().ends_with(['-', '−', '<', '>', '≤', '≥'])
}

/// Removes text in brackets. None if a bracket is not closed, because something may be cut off.
fn without_notes(cell: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for character in cell.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    (depth == 0).then_some(kept)
}
