//! How things look on a terminal.

use console::{Style, style};
use kumite_core::facts::Verdict;
use kumite_core::notice::{Level, Notice};
use kumite_host::announce::Announcement;
use kumite_host::clock::local_time;
use kumite_host::wording;

/// One line for a person: time, spec, what happened.
pub fn line(announcement: &Announcement, width: usize) -> String {
    let clock = local_time(announcement.at_ms);
    let text = wording::sentence(&announcement.notice);
    format!(
        "{} {:width$} {} {}",
        style(clock).dim(),
        style(&announcement.spec).bold(),
        mark(&announcement.notice),
        notice_style(&announcement.notice).apply_to(text),
    )
}

fn mark(notice: &Notice) -> &'static str {
    match (notice, notice.level()) {
        (_, Level::Error) => "✗",
        (_, Level::Warn) => "!",
        (notice, _) if is_nogo(notice) => "!",
        (Notice::RunEnded { .. } | Notice::ReviewApproved { .. }, _) => "✓",
        (Notice::PhaseStarted(_), _) => "▸",
        (_, Level::Info) => "·",
    }
}

fn notice_style(notice: &Notice) -> Style {
    match (notice, notice.level()) {
        (_, Level::Error) => Style::new().red(),
        (_, Level::Warn) => Style::new().yellow(),
        (notice, _) if is_nogo(notice) => Style::new().yellow(),
        (Notice::RunEnded { .. } | Notice::ReviewApproved { .. }, _) => Style::new().green(),
        (Notice::PhaseStarted(_), _) => Style::new().cyan(),
        (_, Level::Info) => Style::new(),
    }
}

fn is_nogo(notice: &Notice) -> bool {
    let nogo = Verdict::Nogo;
    matches!(notice, Notice::InspectionEnded { verdict, .. } if *verdict == nogo)
}

/// The colour of a state word.
pub fn state_style(state: &str) -> Style {
    match state {
        "working" => Style::new().cyan(),
        "done" => Style::new().green(),
        "failed" => Style::new().red(),
        "paused" | "waiting" | "stopped" => Style::new().yellow(),
        _ => Style::new().dim(),
    }
}

/// `3m 07s`
pub fn elapsed(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m {s:02}s"),
        (h, m, _) => format!("{h}h {m:02}m"),
    }
}
