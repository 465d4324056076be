//! The texts of a round: what was asked, what was handed in, what was changed.

use std::fs::File;
use std::io::{Read, Take};

use kumite_contest::files;
use kumite_contest::report::RoundReport;
use maud::{Markup, html};

use super::seen::{CHANGES, SeenContest, inside};
use crate::render::{diff, markdown, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Submission,
    Prompt,
    Changes,
}

impl What {
    pub const ALL: [What; 3] = [What::Submission, What::Changes, What::Prompt];

    /// As it appears in an address.
    pub fn name(self) -> &'static str {
        match self {
            What::Submission => "submission",
            What::Prompt => "prompt",
            What::Changes => "changes",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            What::Submission => "Submission",
            What::Prompt => "Prompt",
            What::Changes => "Changes",
        }
    }

    pub fn from_name(name: &str) -> Option<What> {
        What::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The beginning of a text, or all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub text: String,
    /// `md`, `diff` and so on.
    pub format: String,
    /// The size of the whole text.
    pub bytes: u64,
    pub is_cut: bool,
}

impl SeenContest {
    /// The changes of a round, unless they are the submission itself.
    pub fn changes_beside(&self, round: &RoundReport, bytes_max: u64) -> Option<Text> {
        let dir = self.round_dir(self.number(&round.team_id), round.round)?;
        let is_diff = files::about(&dir).is_some_and(|about| about.format == "diff");
        let is_wanted = self.has_agents && !is_diff;
        is_wanted.then(|| self.text(round, What::Changes, bytes_max))?
    }

    /// At most this many bytes of a text; None if there is no such text.
    pub fn text(&self, round: &RoundReport, what: What, bytes_max: u64) -> Option<Text> {
        let number = self.number(&round.team_id);
        let Some(home) = &self.home else {
            return of_row(round, what, bytes_max);
        };
        let dir = self.round_dir(number, round.round)?;
        let (path, format) = match what {
            What::Submission => {
                let about = files::about(&dir);
                let format = about.map_or_else(|| "md".to_owned(), |about| about.format);
                (files::submission(&dir), format)
            }
            What::Prompt => (files::prompt(&dir), "txt".to_owned()),
            What::Changes => (dir.join(CHANGES), "diff".to_owned()),
        };
        let file = File::open(inside(home, &path).ok()?).ok()?;
        let bytes = file.metadata().ok()?.len();
        let mut start = Vec::new();
        let mut take: Take<File> = file.take(bytes_max);
        take.read_to_end(&mut start).ok()?;
        Some(Text {
            is_cut: bytes > bytes_max,
            text: whole_letters(&start),
            format,
            bytes,
        })
    }
}

fn of_row(round: &RoundReport, what: What, bytes_max: u64) -> Option<Text> {
    let (text, format) = match what {
        What::Submission => (&round.submission, round.submission_format.as_deref()),
        What::Prompt => (&round.prompt, Some("txt")),
        What::Changes => (&None, None),
    };
    let text = text.as_ref()?;
    let bytes = text.len() as u64;
    let start = usize::try_from(bytes_max.min(bytes)).unwrap_or(text.len());
    Some(Text {
        is_cut: bytes > bytes_max,
        text: whole_letters(&text.as_bytes()[..start]),
        format: format.unwrap_or("md").to_owned(),
        bytes,
    })
}

/// Leaves out a character that was cut in the middle.
fn whole_letters(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

impl Text {
    /// `whole` is the address of the full text.
    pub fn show(&self, whole: &str) -> Markup {
        html! {
            @match self.format.as_str() {
                "md" | "markdown" => div.doc { (markdown(&self.text)) },
                "diff" => (diff(&self.text)),
                _ => pre { (self.text) },
            }
            @if self.text.trim().is_empty() {
                p.muted { "It is empty." }
            }
            p.small {
                @if self.is_cut {
                    span.muted { "Only the beginning is shown. " }
                }
                a href=(whole) target="_blank" { "The whole of it as plain text" }
                span.muted { ", " (size(self.bytes)) }
            }
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{} bytes", words::thousands(bytes)),
        _ => format!("{} KB", words::thousands(bytes / 1000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> RoundReport {
        RoundReport {
            submission: Some(text.to_owned()),
            ..RoundReport::default()
        }
    }

    #[test]
    fn a_long_text_is_cut_between_letters_and_says_so() {
        let found = of_row(&row("aä<b>"), What::Submission, 2).unwrap();
        assert_eq!(
            (found.text.as_str(), found.is_cut, found.bytes),
            ("a", true, 6)
        );
        let shown = found.show("/x").into_string();
        assert!(shown.contains("Only the beginning") && shown.contains("href=\"/x\""));
        let whole = of_row(&row("aä"), What::Submission, 3).unwrap();
        assert_eq!((whole.text.as_str(), whole.is_cut), ("aä", false));
    }

    #[test]
    fn what_is_not_there_is_not_shown() {
        assert_eq!(of_row(&row("a"), What::Prompt, 9), None);
        assert_eq!(of_row(&row("a"), What::Changes, 9), None);
        assert_eq!(What::from_name("../submission"), None);
    }

    #[test]
    fn a_text_that_is_no_markdown_is_shown_as_it_is() {
        let text = |format: &str| Text {
            text: "<script>alert(1)</script>\n# a".to_owned(),
            format: format.to_owned(),
            bytes: 1,
            is_cut: false,
        };
        for format in ["txt", "diff", "md", "<b>"] {
            let shown = text(format).show("/x").into_string();
            assert!(!shown.contains("<script"), "{shown}");
        }
    }
}
