//! Teams that need no model: for the demo, and for testing the settings of a contest.

use std::time::Duration;

use kumite_core::contest::Used;
use kumite_formats::contest::Style;
use serde_json::{Value, json};

use crate::work::{Handed, Missed, Team, Try};

/// How many sections the text of a round has.
fn sections(style: Style, round: u32) -> usize {
    let by_round: [usize; 5] = match style {
        Style::Steady => [4, 7, 9, 11, 13],
        Style::Quick => [11, 12, 12, 12, 12],
        Style::Noisy => [6, 4, 9, 5, 10],
        Style::Late => [3, 3, 4, 12, 14],
        Style::Flat => [6, 6, 6, 6, 6],
    };
    let index = round.saturating_sub(1).min(4) as usize;
    by_round[index]
}

/// What a guide to a small tool may contain, the most obvious first.
const SECTIONS: [(&str, &str); 14] = [
    (
        "Install",
        "One command installs it; it has no dependencies.",
    ),
    ("Usage", "Name the directory that it should tidy."),
    (
        "Example",
        "`tidy ~/Downloads` sorts what lies there by kind.",
    ),
    (
        "Options",
        "`--quiet` says nothing, `--depth 2` looks further down.",
    ),
    ("Configuration", "Rules of your own go into `tidy.toml`."),
    ("Dry run", "With `--dry-run` it only says what it would do."),
    ("Undo", "`tidy undo` puts the last run back."),
    (
        "Exit codes",
        "0 when all is well, 1 when a file could not be moved.",
    ),
    (
        "Backup",
        "It keeps a backup of whatever it would overwrite.",
    ),
    (
        "Troubleshooting",
        "A warning names the file and what to do about it.",
    ),
    ("Performance", "It looks at ten thousand files in a second."),
    ("Security", "It never follows a link out of the directory."),
    ("Contributing", "A change comes with a test."),
    ("License", "Use it as you like."),
];

/// The words by which the demo measures these texts.
pub fn words() -> Vec<String> {
    let titles = SECTIONS.iter().map(|(title, _)| title.to_lowercase());
    titles.collect()
}

pub struct Scripted {
    pub style: Style,
    pub pace: Duration,
}

impl Team for Scripted {
    fn submit(&self, prompt: &str, turn: &Try<'_>) -> Result<Handed, Missed> {
        // After a cancel nobody needs the result.
        turn.cancel.wait(self.pace);
        let sections = &SECTIONS[..sections(self.style, turn.round)];
        let text: String = sections
            .iter()
            .map(|(title, words)| format!("## {title}\n\n{words}\n\n"))
            .collect();
        let text = format!("# tidy\n\n{text}").trim_end().to_owned();
        let messages = json!([
            { "kind": "request", "parts": [{ "part_kind": "user-prompt", "content": prompt }] },
            { "kind": "response", "parts": [{ "part_kind": "text", "content": text }] },
        ]);
        Ok(Handed {
            text,
            flaw: None,
            format: "md".to_owned(),
            messages,
            members: Value::Array(Vec::new()),
            used: Used::default(),
        })
    }
}
