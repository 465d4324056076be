//! Small elements that many pages use: ticking times, bars, short counts, links.

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The time since then; it ticks.
pub fn since(time: &str) -> Markup {
    html! { time.since datetime=(time) { "since " (short(time)) } }
}

/// The time until then; it ticks.
pub fn until(time: &str) -> Markup {
    html! { time.until datetime=(time) { "at " (short(time)) } }
}

/// The text shown without the script: day and minute, as written.
fn short(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// `done` of `total`, as a bar with its figures.
pub fn progress(done: u32, total: u32, of_what: &str) -> Markup {
    html! {
        span.bar {
            progress value=(done) max=(total.max(1)) aria-hidden="true" {}
            span.num { (done) "/" (total) " " (of_what) }
        }
    }
}

/// Big counts, short: 950, 12.3k, 4.6M.
pub fn count(count: u64) -> String {
    let short = |unit: u64, name: &str| {
        let tenths = count / (unit / 10);
        match tenths < 1000 {
            true => format!("{}.{}{name}", tenths / 10, tenths % 10),
            false => format!("{}{name}", tenths / 10),
        }
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => short(1_000, "k"),
        _ => short(1_000_000, "M"),
    }
}

/// A sentence of the engine as the page shows it: with a capital letter, its `commands` as code,
/// and a full stop.
pub fn sentence(words: &str) -> Markup {
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    // A command, a file name and kumite itself keep their small letter.
    let is_name = |word: &str| word == "kumite" || word.contains(['`', '.', '_', '/']);
    let is_name = words.split(' ').next().is_some_and(is_name);
    let text = match is_name {
        true => words.to_owned(),
        false => first + letters.as_str(),
    };
    let ends = text.is_empty() || text.ends_with(['.', '?', '!']);
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
        @if !ends { "." }
    }
}

/// A name as one segment of a path. Names that we make need no escapes; file names may.
pub fn segment(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// All other bytes of a segment are escaped.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short_and_never_too_big() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (12_345, "12.3k"),
            (99_999, "99.9k"),
            (100_000, "100k"),
            (999_999, "999k"),
            (4_650_000, "4.6M"),
            (123_000_000, "123M"),
        ] {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn what_the_engine_says_becomes_a_sentence() {
        for (words, shown) in [
            (
                "paused by you; `kumite resume` goes on",
                "Paused by you; <code>kumite resume</code> goes on.",
            ),
            (
                "design.md waits for approval",
                "design.md waits for approval.",
            ),
            ("kumite was interrupted", "kumite was interrupted."),
            ("all phases are done.", "All phases are done."),
            ("an <b> in it", "An &lt;b&gt; in it."),
            ("", ""),
        ] {
            assert_eq!(sentence(words).into_string(), shown);
        }
    }

    #[test]
    fn a_name_is_one_segment_whatever_it_holds() {
        assert_eq!(segment("login-form"), "login-form");
        assert_eq!(segment("a/../b?c#d \"é"), "a%2F..%2Fb%3Fc%23d%20%22%C3%A9");
    }
}
