//! The kinds of lines a person can choose from.

use kumite_agents::Said;
use kumite_core::outcome::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Text,
    Tools,
    Diffs,
    Trouble,
    /// The start, the end, and remarks.
    Note,
}

impl EntryKind {
    pub fn of(said: &Said) -> EntryKind {
        match said {
            Said::Text { .. } | Said::Thought { .. } => EntryKind::Text,
            Said::Tool { .. } | Said::ToolEnded { .. } => EntryKind::Tools,
            Said::Changed { .. } => EntryKind::Diffs,
            Said::Trouble { .. } => EntryKind::Trouble,
            Said::Launched { .. } | Said::Started { .. } => EntryKind::Note,
            Said::Note { .. } | Said::Ended { .. } => EntryKind::Note,
        }
    }

    pub fn named(name: &str) -> Option<EntryKind> {
        let all = [
            EntryKind::Text,
            EntryKind::Tools,
            EntryKind::Diffs,
            EntryKind::Trouble,
        ];
        all.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Text => "text",
            EntryKind::Tools => "tools",
            EntryKind::Diffs => "diffs",
            EntryKind::Trouble => "trouble",
            EntryKind::Note => "note",
        }
    }

    /// Tools that failed and a bad end belong to trouble too.
    pub fn is_kind_of(self, said: &Said) -> bool {
        self == EntryKind::of(said) || (self == EntryKind::Trouble && is_bad(said))
    }

    /// Every line of this kind contains one of these texts, so most other lines need not be parsed.
    pub fn marks(self) -> &'static [&'static str] {
        match self {
            EntryKind::Text => &[r#""kind":"text""#, r#""kind":"thought""#],
            EntryKind::Tools => &[r#""kind":"tool"#],
            EntryKind::Diffs => &[r#""kind":"changed""#],
            EntryKind::Trouble => &[r#""kind":"trouble""#, r#""ok":false"#, r#""kind":"ended""#],
            EntryKind::Note => &[""],
        }
    }
}

pub fn is_bad(said: &Said) -> bool {
    match said {
        Said::ToolEnded { ok, .. } => !ok,
        Said::Ended { outcome, .. } => !matches!(outcome, Outcome::Finished),
        Said::Trouble { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
pub mod tests {
    use kumite_agents::TranscriptLine;
    use kumite_core::outcome::Usage;

    use super::*;

    /// One of each.
    pub fn all() -> Vec<Said> {
        let text = || "words".to_owned();
        let tool = |ok| Said::ToolEnded {
            id: text(),
            ok,
            text: text(),
        };
        let end = |outcome| Said::Ended {
            outcome,
            text: text(),
            usage: Usage::default(),
        };
        vec![
            Said::Launched {
                program: text(),
                step: Some(text()),
                round: Some(2),
            },
            Said::Started {
                session: Some(text()),
                model: Some(text()),
            },
            Said::Text { text: text() },
            Said::Thought { text: text() },
            Said::Tool {
                id: text(),
                name: text(),
                what: text(),
            },
            tool(true),
            tool(false),
            Said::Changed {
                path: text(),
                diff: text(),
            },
            Said::Note { text: text() },
            Said::Trouble { text: text() },
            end(Outcome::Finished),
            end(Outcome::Hung),
        ]
    }

    #[test]
    fn a_line_has_a_mark_of_each_kind_that_it_is_of() {
        for said in all() {
            let line = TranscriptLine { at_ms: 1, said };
            let text = serde_json::to_string(&line).unwrap();
            for name in ["text", "tools", "diffs", "trouble"] {
                let kind = EntryKind::named(name).unwrap();
                if kind.is_kind_of(&line.said) {
                    assert!(
                        kind.marks().iter().any(|mark| text.contains(mark)),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_failed_is_trouble_too() {
        let trouble = |said: &Said| EntryKind::Trouble.is_kind_of(said);
        assert_eq!(all().iter().filter(|said| trouble(said)).count(), 3);
        assert_eq!(EntryKind::named("note"), None);
    }
}
