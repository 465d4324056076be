//! The first line of a list item: its box, its number and its title.

use super::Task;

/// None: the item has no box.
pub(super) fn read(item: &str) -> Option<Task> {
    let line = item.trim_start().lines().next()?;
    let (done, rest) = read_box(without_bullet(line)?)?;
    let (star_before, rest) = match rest.strip_prefix('*') {
        // `- [ ]**bold**` is emphasis, not an optional task.
        Some(after) if !after.starts_with('*') => (true, after),
        _ => (false, rest),
    };
    let (id, star_after, title) = split_id(rest.trim());
    Some(Task {
        done,
        optional: star_before || star_after,
        id: id.map(str::to_owned),
        parallel: title.contains("(P)"),
        title: without_mark(title),
        ..Task::default()
    })
}

fn without_bullet(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => {
            let number = line.trim_start_matches(|character: char| character.is_ascii_digit());
            number.strip_prefix(['.', ')'])?
        }
    };
    Some(rest.trim_start())
}

/// Whether the box is ticked, and the text after it. Only x and X tick a box; any other mark
/// (Kiro's `[-]` and `[~]`, or an empty box) leaves it open, so that no work vanishes from the
/// count. A link is not a box, and neither is a date. `[P]` marks a task that may be done at the
/// same time as others.
fn read_box(text: &str) -> Option<(bool, &str)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    // An emoji may be followed by a variation selector.
    let inner = inner.trim().trim_end_matches('\u{fe0f}');
    let is_mark = inner.chars().count() <= 1 && inner != "P";
    let is_box = is_mark && !rest.starts_with(['(', '[', ':']);
    is_box.then_some((matches!(inner, "x" | "X"), rest))
}

/// The number, whether a star after it makes the task optional (`7.9*`), and the title.
fn split_id(text: &str) -> (Option<&str>, bool, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let marks = ['.', ':', ')'];
    let word = word.trim_end_matches(marks);
    let (id, starred) = match word.strip_suffix('*') {
        Some(id) => (id.trim_end_matches(marks), true),
        None => (word, false),
    };
    match is_id(id) {
        true => (Some(id), starred, rest.trim_start()),
        false => (None, false, text),
    }
}

/// Digits with dots, perhaps after a few capital letters: `1.2`, `T001`, `FIX-1.1`.
fn is_id(word: &str) -> bool {
    let digits = word.trim_start_matches(|character: char| character.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    let digits = match letters {
        0 => digits,
        _ => digits.strip_prefix('-').unwrap_or(digits),
    };
    let parts = digits.split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    letters <= 8 && parts.into_iter().all(is_number)
}

fn without_mark(title: &str) -> String {
    let parts = title.split("(P)").map(str::trim);
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}
