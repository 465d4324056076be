//! The kinds of lines a person can choose from.

use kumite_agents::Said;
use kumite_core::outcome::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Tools,
    Diffs,
    Trouble,
    /// The start, the end, and remarks.
    Note,
}

impl Kind {
    pub fn of(said: &Said) -> Kind {
        match said {
            Said::Text { .. } | Said::Thought { .. } => Kind::Text,
            Said::Tool { .. } | Said::ToolEnded { .. } => Kind::Tools,
            Said::Changed { .. } => Kind::Diffs,
            Said::Trouble { .. } => Kind::Trouble,
            Said::Launched { .. } | Said::Started { .. } => Kind::Note,
            Said::Note { .. } | Said::Ended { .. } => Kind::Note,
        }
    }

    pub fn named(name: &str) -> Option<Kind> {
        let all = [Kind::Text, Kind::Tools, Kind::Diffs, Kind::Trouble];
        all.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Tools => "tools",
            Kind::Diffs => "diffs",
            Kind::Trouble => "trouble",
            Kind::Note => "note",
        }
    }

    /// Tools that failed and a bad end belong to trouble too.
    pub fn is_kind_of(self, said: &Said) -> bool {
        self == Kind::of(said) || (self == Kind::Trouble && is_bad(said))
    }

    /// Every line of this kind contains one of these texts, so most other lines need not be parsed.
    pub fn marks(self) -> &'static [&'static str] {
        match self {
            Kind::Text => &[r#""kind":"text""#, r#""kind":"thought""#],
            Kind::Tools => &[r#""kind":"tool"#],
            Kind::Diffs => &[r#""kind":"changed""#],
            Kind::Trouble => &[r#""kind":"trouble""#, r#""ok":false"#, r#""kind":"ended""#],
            Kind::Note => &[""],
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
    use kumite_agents::Line;
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
            let line = Line { at_ms: 1, said };
            let text = serde_json::to_string(&line).unwrap();
            for name in ["text", "tools", "diffs", "trouble"] {
                let kind = Kind::named(name).unwrap();
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
        let trouble = |said: &Said| Kind::Trouble.is_kind_of(said);
        assert_eq!(all().iter().filter(|said| trouble(said)).count(), 3);
        assert_eq!(Kind::named("note"), None);
    }
}
