//! The part of Markdown that reports and replies need: visible lines, headings and tables.

use std::borrow::Cow;

/// All lines of a text in order; lines in fenced code and in comments are empty.
pub(crate) fn visible_lines(text: &str) -> Vec<Cow<'_, str>> {
    let mut hidden = Hidden::No;
    text.lines()
        .map(|line| visible(line, &mut hidden))
        .collect()
}

enum Hidden {
    No,
    /// Inside a fence of this character and at least this length.
    Fence(char, usize),
    Comment,
}

fn visible<'a>(line: &'a str, hidden: &mut Hidden) -> Cow<'a, str> {
    match *hidden {
        Hidden::No => {
            if let Some((mark, length)) = opening_fence(line) {
                *hidden = Hidden::Fence(mark, length);
                return Cow::Borrowed("");
            }
            uncommented(line, hidden)
        }
        Hidden::Fence(mark, length) => {
            let rest = line.trim();
            if rest.len() >= length && rest.chars().all(|character| character == mark) {
                *hidden = Hidden::No;
            }
            Cow::Borrowed("")
        }
        Hidden::Comment => match line.split_once("-->") {
            None => Cow::Borrowed(""),
            Some((_, after)) => {
                *hidden = Hidden::No;
                uncommented(after, hidden)
            }
        },
    }
}

fn opening_fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let length = line.len() - info.len();
    // Three backticks with more backticks later on the line are inline code.
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

fn uncommented<'a>(line: &'a str, hidden: &mut Hidden) -> Cow<'a, str> {
    if !line.contains("<!--") {
        return Cow::Borrowed(line);
    }
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        match comment.split_once("-->") {
            Some((_, after)) => rest = after,
            // A comment continues on the next line only if it starts its line.
            None if kept.trim().is_empty() => {
                *hidden = Hidden::Comment;
                return Cow::Borrowed("");
            }
            None => {
                kept.push_str("<!--");
                rest = comment;
                break;
            }
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Level and text of a heading.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start().trim_start_matches('#');
    let level = line.trim_start().len() - text.len();
    let spaced = text.is_empty() || text.starts_with([' ', '\t']);
    ((1..=6).contains(&level) && spaced).then(|| (level, text.trim().trim_end_matches('#').trim()))
}

/// The cells of a line of a table.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in inner.bytes().enumerate() {
        if byte == b'|' && !escaped {
            cells.push(inner[start..at].trim());
            start = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    if start < inner.len() {
        cells.push(inner[start..].trim());
    }
    line.contains('|').then_some(cells)
}

/// Whether this is the line between the head and the body of a table.
pub(crate) fn is_table_rule(line: &str) -> bool {
    let is_dashes = |cell: &str| {
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    cells(line).is_some_and(|cells| !cells.is_empty() && cells.iter().all(|cell| is_dashes(cell)))
}

/// The plain text: lower case, without emphasis, full-width letters as normal ones.
pub(crate) fn plain(text: &str) -> String {
    let heard = text.chars().filter_map(|character| match character {
        '*' | '`' | '~' => None,
        // Invisible: joiners, soft hyphens, emoji variation, byte order marks.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => {
            None
        }
        '_' | '\u{3000}' => Some(' '),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        other => Some(other),
    });
    let heard: String = heard.flat_map(char::to_lowercase).collect();
    heard.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes the byte order mark that some editors write.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}
