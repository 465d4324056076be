//! The first line of a list item: its box, its number and its title.

use super::Task;

/// None: the item has no box.
pub(super) fn read(item: &str) -> Option<Task> {
    let line = item.trim_start().lines().next()?;
    let (done, rest) = read_box(without_bullet(line)?)?;
    let (optional, rest) = match rest.strip_prefix('*') {
        // `- [ ]**bold**` is emphasis, not an optional task.
        Some(after) if !after.starts_with('*') => (true, after),
        _ => (false, rest),
    };
    let (id, title) = split_id(rest.trim());
    Some(Task {
        done,
        optional,
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

/// `[ ]`, `[x]` or `[X]`, and what follows. A link is no box, and neither is a date.
fn read_box(text: &str) -> Option<(bool, &str)> {
    let inner = text.strip_prefix('[')?;
    let mark = inner.chars().next()?;
    let rest = inner[mark.len_utf8()..].strip_prefix(']')?;
    let done = match mark {
        'x' | 'X' => true,
        ' ' | '\t' => false,
        _ => return None,
    };
    (!rest.starts_with(['(', '[', ':'])).then_some((done, rest))
}

fn split_id(text: &str) -> (Option<&str>, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let id = word.trim_end_matches(['.', ':', ')']);
    match is_id(id) {
        true => (Some(id), rest.trim_start()),
        false => (None, text),
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
