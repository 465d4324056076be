//! What can be evaluated at all.

use super::event::Submission;

/// A larger submission is malformed: no evaluator could read it.
pub const SUBMISSION_MAX: usize = 1_000_000;

impl Submission {
    /// D9: an empty or malformed submission fails its round.
    pub fn of(text: &str) -> Submission {
        let malformed = |why: String| Submission::Malformed { why };
        if text.trim().is_empty() {
            return malformed("the submission was empty".to_owned());
        }
        if let Some(at) = text.find('\0') {
            return malformed(format!("the submission had a NUL byte at byte {at}"));
        }
        let bytes = text.len();
        if bytes > SUBMISSION_MAX {
            let why = format!("the submission had {bytes} bytes, more than {SUBMISSION_MAX}");
            return malformed(why);
        }
        Submission::Given {
            bytes: bytes as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d9_what_nobody_could_evaluate_is_malformed_and_says_why() {
        let large = "x".repeat(SUBMISSION_MAX + 1);
        let rows = [
            ("", "empty"),
            (" \n\t", "empty"),
            ("a\0b", "NUL byte at byte 1"),
            (large.as_str(), "1000001 bytes"),
        ];
        for (text, words) in rows {
            let Submission::Malformed { why } = Submission::of(text) else {
                panic!("{words}");
            };
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(Submission::of("ok"), Submission::Given { bytes: 2 });
    }
}
