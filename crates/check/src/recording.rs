//! The output of each program in a successful run, recorded from the real ones.

use crate::agent::Kind;
use crate::programs::{Recorded, known};

pub(crate) struct Recording {
    /// Every line but the last.
    pub before: Vec<&'static str>,
    /// The result line.
    pub result: &'static str,
    /// An invalid result line.
    pub bad: &'static str,
    /// The text and the session in the recording.
    pub text: &'static str,
    pub session: &'static str,
    /// The key of a number that is added up: the cost, if the program reports it.
    pub figure: &'static str,
}

const COMMAND: Recorded = Recorded {
    lines: r#"Hello from the command.
{"kumite":1,"session":"s-1","usage":{"usd":0.5,"input_tokens":10,"output_tokens":2}}
"#,
    text: "Hello from the command.",
    session: "s-1",
    figure: "\"usd\":",
    bad: "it broke",
};

/// `None`: the output is one side of a conversation, which cannot be played alone.
pub(crate) fn recording(kind: Kind) -> Option<Recording> {
    let recorded = match kind {
        Kind::Program(program) => known(program).recorded,
        Kind::Command => COMMAND,
        Kind::Acp => return None,
    };
    let (before, result) = recorded.lines.trim_end().rsplit_once('\n')?;
    Some(Recording {
        before: before.lines().collect(),
        result,
        bad: recorded.bad,
        text: recorded.text,
        session: recorded.session,
        figure: recorded.figure,
    })
}

impl Recording {
    /// The whole recording, line by line.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.before.iter().chain([&self.result]);
        lines.map(|line| (*line).to_owned()).collect()
    }

    /// The result line with another value for `figure`.
    pub fn result_with(&self, value: &str) -> String {
        let mut changed = String::new();
        let mut rest = self.result;
        while let Some(at) = rest.find(self.figure) {
            let (before, after) = rest.split_at(at + self.figure.len());
            let end = after.find([',', '}']).unwrap_or(after.len());
            changed = changed + before + value;
            rest = &after[end..];
        }
        changed + rest
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;

    #[test]
    fn every_recording_has_its_words_and_its_session() {
        let programs = ProgramKind::ALL.into_iter().map(Kind::Program);
        for kind in programs.chain([Kind::Command]) {
            let recording = recording(kind).unwrap();
            let all = recording.lines().join("\n");
            assert!(all.contains(recording.session), "{kind:?}");
            assert!(recording.result.contains(recording.figure), "{kind:?}");
            assert!(recording.result_with("NaN").contains("NaN"), "{kind:?}");
        }
    }

    #[test]
    fn every_figure_of_a_result_is_changed() {
        let changed = recording(Kind::Program(ProgramKind::Claude))
            .unwrap()
            .result_with("-5");
        assert_eq!(changed.matches("\"costUSD\":-5,").count(), 2);
        assert!(!changed.contains("\"costUSD\":0"));
    }
}
