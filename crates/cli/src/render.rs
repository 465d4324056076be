//! How things look on a terminal.

use std::borrow::Cow;

use console::{Style, style};
use kumite_core::facts::Verdict;
use kumite_core::notice::{Level, Notice};
use kumite_core::run::StateName;
use kumite_project::announce::Announcement;
use kumite_project::clock::local_time;
use kumite_project::wording;
pub use kumite_project::wording::{elapsed, thousands};

/// One line for a person: time, spec, what happened.
pub fn line(announcement: &Announcement, width: usize) -> String {
    let clock = local_time(announcement.at_ms);
    let text = wording::sentence(&announcement.notice);
    let (mark, colour) = look(&announcement.notice);
    format!(
        "{} {:width$} {mark} {}",
        style(clock).dim(),
        style(&announcement.spec).bold(),
        colour.apply_to(text),
    )
}

fn look(notice: &Notice) -> (&'static str, Style) {
    match (notice, notice.level()) {
        (_, Level::Error) => ("✗", Style::new().red()),
        (_, Level::Warn) => ("!", Style::new().yellow()),
        (notice, _) if is_nogo(notice) => ("!", Style::new().yellow()),
        (Notice::RunEnded { .. } | Notice::ReviewApproved { .. }, _) => ("✓", Style::new().green()),
        (Notice::PhaseStarted(_), _) => ("▸", Style::new().cyan()),
        (_, Level::Info) => ("·", Style::new()),
    }
}

fn is_nogo(notice: &Notice) -> bool {
    let nogo = Verdict::Nogo;
    matches!(notice, Notice::InspectionEnded { verdict, .. } if *verdict == nogo)
}

/// The colour of a state.
pub fn state_style(state: StateName) -> Style {
    match state {
        StateName::Working => Style::new().cyan(),
        StateName::Done => Style::new().green(),
        StateName::Failed => Style::new().red(),
        StateName::Paused | StateName::Waiting | StateName::Stopped => Style::new().yellow(),
        StateName::Idle => Style::new().dim(),
    }
}

/// Our marks as ASCII, for a locale without other characters.
pub fn in_locale(text: &str) -> Cow<'_, str> {
    match is_ascii_wanted() {
        true => Cow::Owned(as_ascii(text)),
        false => Cow::Borrowed(text),
    }
}

/// Whether the locale is plain C. If none is set, terminals usually know more than that.
pub fn is_ascii_wanted() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    locale.is_some_and(|locale| locale == "C" || locale == "POSIX")
}

fn as_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '▸' => ascii.push('>'),
            '✓' => ascii.push('+'),
            '✗' => ascii.push('x'),
            '·' | '─' => ascii.push('-'),
            '●' => ascii.push('*'),
            '…' => ascii.push_str("..."),
            other => ascii.push(other),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_marks_have_an_ascii_form_and_other_letters_stay() {
        assert_eq!(as_ascii("▸ ✓ ✗ · … ü"), "> + x - ... ü");
    }

    #[test]
    fn long_numbers_are_written_in_groups_of_three() {
        let numbers = [0, 12, 999, 1_000, 123_456, 1_234_567];
        assert_eq!(
            numbers.map(thousands),
            ["0", "12", "999", "1,000", "123,456", "1,234,567"]
        );
    }
}
