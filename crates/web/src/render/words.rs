//! How times, money and states are written on pages.

use jiff::Timestamp;
use kumite_contest::view::{ContestState, TeamState};
use kumite_core::budget::dollars;
use kumite_core::run::StateName;
pub use kumite_project::wording::{elapsed, thousands};
use maud::{Markup, html};

/// A moment; the script shows it in the person's time zone.
pub fn moment(at: &str) -> Markup {
    match at.parse::<Timestamp>() {
        Ok(time) => html! {
            time datetime=(at) { (time.strftime("%Y-%m-%d %H:%M UTC")) }
        },
        Err(_) => html! { (at) },
    }
}

/// The time since then, ticking. `seconds` is shown until the script runs.
pub fn since(at: &str, seconds: f64) -> Markup {
    html! { time.since datetime=(at) { (took(seconds)) } }
}

pub fn milliseconds(at: &str) -> Option<i64> {
    at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// A duration in which tenths of a second matter.
pub fn took(seconds: f64) -> String {
    match seconds {
        0.0..10.0 => format!("{seconds:.1}s"),
        _ => elapsed(seconds as u64),
    }
}

pub fn money(usd: f64) -> String {
    dollars((usd * 1e6).round() as u64)
}

/// A state that is shown as a coloured word. The style sheet has a colour for each state of a spec.
pub trait Badge {
    fn word(&self) -> String;
    fn colour(&self) -> StateName;
}

pub fn badge(state: impl Badge) -> Markup {
    let class = format!("badge {}", state.colour().word());
    html! { span class=(class) { (state.word()) } }
}

impl Badge for StateName {
    fn word(&self) -> String {
        StateName::word(*self).to_owned()
    }

    fn colour(&self) -> StateName {
        *self
    }
}

impl Badge for ContestState {
    fn word(&self) -> String {
        ContestState::word(*self).to_owned()
    }

    fn colour(&self) -> StateName {
        match self {
            ContestState::Running => StateName::Working,
            ContestState::Stopped | ContestState::Cancelled => StateName::Stopped,
            ContestState::Done => StateName::Done,
            ContestState::Failed => StateName::Failed,
        }
    }
}

impl Badge for TeamState {
    fn word(&self) -> String {
        TeamState::word(*self).to_owned()
    }

    fn colour(&self) -> StateName {
        match self {
            TeamState::Working => StateName::Working,
            TeamState::Stopped => StateName::Stopped,
            TeamState::Done => StateName::Done,
            TeamState::Failed | TeamState::Disqualified => StateName::Failed,
        }
    }
}

/// The beginning of a text, on one line.
pub fn cut(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().take(chars_max).collect();
    let line = words.join(" ");
    match line.char_indices().nth(chars_max) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_letters_and_put_on_one_line() {
        assert_eq!(cut("one\n  two", 20), "one two");
        assert_eq!(cut("ein größeres Wort", 7), "ein grö…");
        assert_eq!(cut("", 3), "");
        assert_eq!(cut("a b c d e", 3), "a b…");
    }

    #[test]
    fn a_moment_that_is_none_is_shown_as_it_is() {
        assert_eq!(moment("<x>").into_string(), "&lt;x&gt;");
        let good = moment("2026-03-01T10:00:20Z").into_string();
        assert!(good.contains("2026-03-01 10:00 UTC"), "{good}");
    }

    #[test]
    fn short_times_have_tenths() {
        let rows = [
            (0.0, "0.0s"),
            (0.44, "0.4s"),
            (12.7, "12s"),
            (61.0, "1m 01s"),
            (-1.0, "0s"),
        ];
        for (seconds, text) in rows {
            assert_eq!(took(seconds), text);
        }
    }

    #[test]
    fn nonsense_costs_nothing() {
        assert_eq!(money(f64::NAN), "$0.00");
        assert_eq!(money(0.5), "$0.50");
    }
}
