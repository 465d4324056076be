//! Notices as sentences, the same in the terminal, on the desktop and in a webhook.

use kumite_core::journal::By;
use kumite_core::notice::{NextAction, Notice};
use kumite_core::outcome::{LimitKind, Outcome};
use kumite_core::place::CheckOutcome;
use kumite_core::run::{Because, Halt, Pause, Rest, SpecState, Step};

use crate::clock::local_moment;

pub fn sentence(notice: &Notice) -> String {
    match notice {
        Notice::RunQueued(None) => "queued".to_owned(),
        Notice::RunQueued(Some(place)) => format!("queued: {place}"),
        Notice::CheckoutBusy { with } => format!("queued: {with} works in the same checkout"),
        Notice::RunStarted { phase: Some(phase) } => format!("starts with {}", phase.name()),
        Notice::RunStarted { phase: None } => "starts".to_owned(),
        Notice::PhaseStarted(phase) => format!("{} begins", phase.name()),
        Notice::PhaseEnded(phase) => format!("{} ends", phase.name()),
        Notice::StepStarted { step, resumed, .. } => match resumed {
            true => format!("{} goes on in the same session", step_words(*step)),
            false => format!("{} starts", step_words(*step)),
        },
        Notice::StepEnded { step, outcome, .. } => {
            format!("{} {}", step_words(*step), outcome_words(outcome))
        }
        Notice::RoundEnded {
            round,
            findings,
            next,
        } => format!(
            "review round {round}: {} to fix, {} to discuss: {}",
            findings.fix_required,
            findings.needs_discussion,
            match next {
                NextAction::Continue => "another round",
                NextAction::Approved => "approved",
                NextAction::Paused => "a person is needed",
            }
        ),
        Notice::ReviewApproved { rounds: 1 } => "review approved after 1 round".to_owned(),
        Notice::ReviewApproved { rounds } => format!("review approved after {rounds} rounds"),
        Notice::ImplRetry {
            attempt,
            max,
            open,
            because,
        } => {
            let why = match because {
                Because::TasksOpen => still_open(*open),
                Because::Verify { name, .. } => format!("the command {name} failed"),
                Because::Phantom => "all boxes are ticked, but no file has changed".to_owned(),
            };
            format!("Impl retry ({attempt}/{max}): {why}")
        }
        Notice::WorktreeCreated {
            path,
            branch,
            made: true,
        } => format!("works in the worktree {path}, on the branch {branch}"),
        Notice::WorktreeCreated { path, branch, .. } => {
            format!("takes over the worktree {path}, on the branch {branch}")
        }
        Notice::NoWorktree { why } => format!("works in the checkout: {why}"),
        Notice::VerifyStarted { name, .. } => format!("the command {name} starts"),
        Notice::VerifyEnded { check, .. } => {
            let took = elapsed(check.ms / 1000);
            let how = match check.outcome {
                CheckOutcome::Passed => "passes",
                CheckOutcome::Failed => "fails",
                CheckOutcome::Timeout => "takes too long and was ended",
                CheckOutcome::Flaky => "passes only when run again (flaky)",
            };
            format!("the command {} {how} ({took})", check.name)
        }
        Notice::Checkpoint { seq } => format!("checkpoint {seq}"),
        Notice::ImplExhausted { max, open } => {
            format!(
                "Impl max retry exceeded ({max}/{max}): {}",
                still_open(*open)
            )
        }
        Notice::InspectionEnded { round, verdict } => {
            format!("inspection {round}: {}", verdict.word())
        }
        Notice::DocumentApproved {
            document,
            by_person,
        } => format!(
            "{} approved{}",
            document.file(),
            if *by_person { "" } else { " automatically" }
        ),
        Notice::DocumentRejected(document) => format!("{} rejected", document.file()),
        Notice::LimitWaiting { until_ms, words } => {
            format!("waits until {}: {words}", local_moment(*until_ms))
        }
        Notice::Warned(text) => text.clone(),
        Notice::SaveFailed(why) => format!("spec.json could not be written: {why}"),
        Notice::RunEnded { rest, message } => match rest {
            // `stopped by you` already contains the state.
            Rest::Halted(Halt::Stopped(By::User) | Halt::Paused(Pause::ByUser)) => message.clone(),
            Rest::Idle
            | Rest::Halted(_)
            | Rest::Done(_)
            | Rest::JournalUnreadable
            | Rest::JournalUnwritable => {
                format!("{}: {message}", SpecState::from(*rest).state())
            }
        },
    }
}

/// The rules do not know the name of a spec: commands in their sentences get it here, so that they
/// can be typed as shown.
pub fn addressed(message: &str, spec: &str) -> String {
    let name = match spec.starts_with('-') {
        true => format!("-- {spec}"),
        false => spec.to_owned(),
    };
    let commands = ["resume", "run", "approve", "reject", "reset", "log", "diff"];
    let named = |message: String, command: &str| {
        message.replace(
            &format!("`kumite {command}`"),
            &format!("`kumite {command} {name}`"),
        )
    };
    let message = message.replace("`kumite approve SPEC ", &format!("`kumite approve {name} "));
    commands.into_iter().fold(message, named)
}

/// The same for the final notice of a run.
pub fn addressed_notice(notice: &Notice, spec: &str) -> Notice {
    let mut notice = notice.clone();
    if let Notice::RunEnded { message, .. } = &mut notice {
        *message = addressed(message, spec);
    }
    notice
}

fn still_open(tasks: u32) -> String {
    match tasks {
        1 => "1 task is still open".to_owned(),
        tasks => format!("{tasks} tasks are still open"),
    }
}

/// A step as people say it.
pub fn step_words(step: Step) -> String {
    match step {
        Step::Write(document) => document.name().to_owned(),
        Step::Review(round) => format!("review {}", round.number),
        Step::Reply(round) => format!("reply {}", round.number),
        Step::Implement(attempt) if attempt.retry == 0 => "impl".to_owned(),
        Step::Implement(attempt) => format!("impl (retry {})", attempt.retry),
        Step::Inspect(round) => format!("inspection {}", round.number),
        Step::Fix(round) => format!("fix of inspection {}", round.number),
        Step::Merge => "merge".to_owned(),
        Step::Baseline => "baseline".to_owned(),
        Step::Prepare(_) => "preparation of the worktree".to_owned(),
        Step::Verify(_) => "verification".to_owned(),
        Step::Undo(to) => format!("undo to checkpoint {to}"),
    }
}

pub fn outcome_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Finished => "has finished".to_owned(),
        Outcome::Failed(how) => format!("failed: {how}"),
        Outcome::Missing(why) => format!("could not be started: {why}"),
        Outcome::Hung => "said nothing for too long and was ended".to_owned(),
        Outcome::TimedOut => "took too long and was ended".to_owned(),
        Outcome::Killed => "was ended".to_owned(),
        Outcome::Lost(how) => format!("was lost: {how}"),
        Outcome::Limited(limit) => match limit.kind {
            LimitKind::Usage => format!("reached a usage limit: {}", limit.words),
            LimitKind::Held => format!("is held back by a usage limit: {}", limit.words),
            LimitKind::Overload => format!("met a service that is too busy: {}", limit.words),
        },
        Outcome::SessionGone(how) => format!("could not go on in its session: {how}"),
        Outcome::OverBudget(what) => format!("may not spend more: {what}"),
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

/// `1234567` as `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_as_they_are_shown() {
        let rows = [
            ("`kumite resume` goes on", "`kumite resume a` goes on"),
            (
                "`kumite reset` and `kumite run`",
                "`kumite reset a` and `kumite run a`",
            ),
            ("see `kumite agent list`", "see `kumite agent list`"),
            ("`kumite approve SPEC deploy`", "`kumite approve a deploy`"),
        ];
        for (said, expected) in rows {
            assert_eq!(addressed(said, "a"), expected);
            assert_eq!(addressed(&addressed(said, "a"), "a"), expected);
        }
        assert_eq!(addressed("`kumite run`", "-x"), "`kumite run -- -x`");
    }
}
