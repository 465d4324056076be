//! Small things that many pages show, so that they look the same everywhere.

use maud::{Markup, html};

/// The state of a spec, a contest or a team.
pub fn badge(state: &str) -> Markup {
    html! { span.badge.(look(state)) { (state) } }
}

/// Contests have states of their own that look like those of specs.
fn look(state: &str) -> &'static str {
    match state {
        "working" | "running" => "working",
        "waiting" => "waiting",
        "paused" => "paused",
        "stopped" | "cancelled" => "stopped",
        "failed" | "disqualified" => "failed",
        "done" => "done",
        _ => "idle",
    }
}

/// A moment (RFC 3339). The script shows it local and short.
pub fn when(time: &str) -> Markup {
    html! { time datetime=(time) { (short(time)) } }
}

/// How long ago it was; it ticks.
pub fn since(time: &str) -> Markup {
    html! { time.since datetime=(time) { "since " (short(time)) } }
}

/// How long it takes until then; it ticks.
pub fn until(time: &str) -> Markup {
    html! { time.until datetime=(time) { "at " (short(time)) } }
}

/// Without the script: day and minute, as they are written.
fn short(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

/// `done` of `total`, as a bar with its figures.
pub fn progress(done: u32, total: u32, of_what: &str) -> Markup {
    html! {
        span.bar {
            progress value=(done) max=(total.max(1)) aria-label={ (done) " of " (total) " " (of_what) } {}
            span.num { (done) "/" (total) }
        }
    }
}

pub fn usd(usd: f64) -> String {
    match usd {
        usd if usd > 0.0 && usd < 0.01 => "<$0.01".to_owned(),
        usd if usd >= 100.0 => format!("${usd:.0}"),
        usd => format!("${usd:.2}"),
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

/// A name as one segment of a path. Names that we make are plain; those of files need not be.
pub fn segment(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

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
    fn money_is_never_shown_as_nothing() {
        for (amount, text) in [
            (0.0, "$0.00"),
            (0.004, "<$0.01"),
            (0.42, "$0.42"),
            (99.5, "$99.50"),
            (123.4, "$123"),
        ] {
            assert_eq!(usd(amount), text);
        }
    }

    #[test]
    fn a_name_is_one_segment_whatever_it_holds() {
        assert_eq!(segment("login-form"), "login-form");
        assert_eq!(segment("a/../b?c#d \"é"), "a%2F..%2Fb%3Fc%23d%20%22%C3%A9");
    }

    #[test]
    fn a_name_cannot_end_its_attribute() {
        let shown = badge("\"><script>").into_string();
        assert!(!shown.contains("<script>"), "{shown}");
    }
}
