//! The built-in metric: which words does a submission mention?

use std::path::Path;

use kumite_core::contest::{Measure, Score, Used};

use crate::work::{Metric, Missed, Try};

/// Never empty.
pub struct Checklist {
    pub words: Vec<String>,
}

impl Metric for Checklist {
    fn measure(
        &self,
        _: &str,
        submission: &Path,
        _: Option<&Path>,
        _: &Try<'_>,
    ) -> Result<(Measure, Used), Missed> {
        let text = super::read(submission)?.to_lowercase();
        Ok((self.look(&text), Used::default()))
    }
}

impl Checklist {
    /// `text` is in lower case.
    fn look(&self, text: &str) -> Measure {
        let is_missing = |word: &&String| !text.contains(&word.to_lowercase());
        let missing: Vec<&str> = self
            .words
            .iter()
            .filter(is_missing)
            .map(String::as_str)
            .collect();
        let all = self.words.len().max(1) as u64;
        let found = self.words.len().saturating_sub(missing.len()) as u64;
        // Rounded half up, in whole numbers.
        let hundredths = (2 * found * 10_000 + all) / (2 * all);
        let remark = match missing.as_slice() {
            [] => format!("all {all} are mentioned"),
            missing => format!(
                "{found} of {all} are mentioned; missing: {}",
                missing.join(", ")
            ),
        };
        Measure {
            score: Score::from_hundredths(hundredths).unwrap_or(Score::MAX),
            remark,
            is_veto: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_the_share_of_words_and_the_remark_names_the_missing_ones() {
        let words = ["Cost", "risk", "time to market"]
            .map(str::to_owned)
            .to_vec();
        let list = Checklist { words };
        for (text, score, remark) in [
            (
                "costs, risks; time to market",
                10_000,
                "all 3 are mentioned",
            ),
            (
                "the cost and the risk",
                6_667,
                "2 of 3 are mentioned; missing: time to market",
            ),
            (
                "nothing",
                0,
                "0 of 3 are mentioned; missing: Cost, risk, time to market",
            ),
        ] {
            let found = list.look(text);
            assert_eq!(
                (found.score.hundredths(), found.remark.as_str()),
                (score, remark)
            );
        }
    }
}
