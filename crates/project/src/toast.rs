//! What the page shows for a moment when something happens. The news carries it, so that the
//! script of the page only shows it: a new notice, or a new way for a run to rest, does not compile
//! until it is defined here what people see.

use kumite_core::notice::Notice;
use kumite_core::run::{Failure, Halt, Rest};
use serde::Serialize;
use serde_json::{Value, json};

use crate::wording::sentence;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Toast {
    pub level: ToastLevel,
    pub text: String,
}

/// How a message looks. An error stays until it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToastLevel {
    Info,
    Good,
    Warn,
    Error,
}

impl Toast {
    /// A sentence of ours, as the beginning of a text.
    pub fn new(level: ToastLevel, sentence: &str) -> Toast {
        let mut letters = sentence.chars();
        let first = letters.next().map(char::to_uppercase);
        Toast {
            level,
            text: first.into_iter().flatten().chain(letters).collect(),
        }
    }

    /// None: the pages show it, and that is enough.
    pub fn of(notice: &Notice) -> Option<Toast> {
        let level = level(notice)?;
        let text = match notice {
            // The page may be open in another time zone than ours, so no time is told.
            Notice::LimitWaiting { words, .. } => format!("waits for a usage limit: {words}"),
            Notice::ImplExhausted { .. } => {
                format!("{}. A reset lets it go on", sentence(notice))
            }
            other => sentence(other),
        };
        Some(Toast::new(level, &text))
    }

    /// Adds it to a line of news. A line without one is not shown.
    pub fn add_to(toast: Option<Toast>, mut news: Value) -> Value {
        if let Some(toast) = toast {
            news["toast"] = json!(toast);
        }
        news
    }
}

fn level(notice: &Notice) -> Option<ToastLevel> {
    match notice {
        Notice::ImplRetry { .. } | Notice::RoundEnded { .. } => Some(ToastLevel::Info),
        Notice::LimitWaiting { .. } => Some(ToastLevel::Warn),
        Notice::ImplExhausted { .. } | Notice::Warned(_) | Notice::SaveFailed(_) => {
            Some(ToastLevel::Error)
        }
        Notice::RunEnded { rest, .. } => end_level(*rest),
        Notice::RunQueued(_)
        | Notice::CheckoutBusy { .. }
        | Notice::RunStarted { .. }
        | Notice::PhaseStarted(_)
        | Notice::PhaseEnded(_)
        | Notice::StepStarted { .. }
        | Notice::StepEnded { .. }
        | Notice::ReviewApproved { .. }
        | Notice::InspectionEnded { .. }
        | Notice::DocumentApproved { .. }
        | Notice::DocumentRejected(_)
        | Notice::WorktreeCreated { .. }
        | Notice::NoWorktree { .. }
        | Notice::VerifyStarted { .. }
        | Notice::Checkpoint { .. } => None,
        Notice::VerifyEnded { check, .. } => match check.outcome.is_good() {
            true => None,
            false => Some(ToastLevel::Warn),
        },
    }
}

fn end_level(rest: Rest) -> Option<ToastLevel> {
    match rest {
        Rest::Done(_) => Some(ToastLevel::Good),
        Rest::Idle | Rest::Halted(Halt::Stopped(_)) => Some(ToastLevel::Info),
        Rest::JournalUnwritable
        | Rest::Halted(
            Halt::Paused(_) | Halt::Waiting(_) | Halt::DeployDoubted | Halt::Limited { .. },
        ) => Some(ToastLevel::Warn),
        Rest::JournalUnreadable => Some(ToastLevel::Error),
        Rest::Halted(Halt::Failed(why)) => match why {
            // `ImplExhausted` has already told this.
            Failure::RetriesExhausted => None,
            Failure::AgentFailed
            | Failure::AgentMissing
            | Failure::AgentHung
            | Failure::Timeout
            | Failure::SetupFailed => Some(ToastLevel::Error),
        },
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::journal::By;
    use kumite_core::run::{Finish, Pause};

    use super::*;

    fn ended(rest: Rest, message: &str) -> Option<Toast> {
        Toast::of(&Notice::RunEnded {
            rest,
            message: message.to_owned(),
        })
    }

    #[test]
    fn the_end_of_a_run_is_told_by_how_it_rests() {
        let rows = [
            (
                Rest::Done(Finish::AllPhasesDone),
                ToastLevel::Good,
                "Done: x",
            ),
            (
                Rest::Halted(Halt::Stopped(By::User)),
                ToastLevel::Info,
                // The sentence itself says who stopped it.
                "X",
            ),
            (
                Rest::Halted(Halt::Paused(Pause::Budget)),
                ToastLevel::Warn,
                "Paused: x",
            ),
            (Rest::JournalUnwritable, ToastLevel::Warn, "Paused: x"),
            (
                Rest::Halted(Halt::Failed(Failure::Timeout)),
                ToastLevel::Error,
                "Failed: x",
            ),
        ];
        for (rest, level, text) in rows {
            assert_eq!(ended(rest, "x"), Some(Toast::new(level, text)), "{rest:?}");
        }
    }

    #[test]
    fn b4_4_the_limit_of_retries_is_told_once() {
        let exhausted = Toast::of(&Notice::ImplExhausted { max: 7, open: 3 }).unwrap();
        assert_eq!(exhausted.level, ToastLevel::Error);
        assert!(
            exhausted
                .text
                .starts_with("Impl max retry exceeded (7/7): 3 tasks")
        );
        let end = Rest::Halted(Halt::Failed(Failure::RetriesExhausted));
        assert_eq!(ended(end, "x"), None);
    }

    #[test]
    fn a_line_of_news_without_a_toast_stays_as_it_is() {
        let news = json!({"type": "step_started"});
        assert_eq!(Toast::add_to(None, news.clone()), news);
        let toast = Toast::new(ToastLevel::Warn, "ünusual");
        let line = Toast::add_to(Some(toast), news);
        assert_eq!(line["toast"], json!({"level": "warn", "text": "Ünusual"}));
    }
}
