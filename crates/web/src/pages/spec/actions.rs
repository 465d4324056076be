//! What a person can do in each state of a spec.

use kumite_core::facts::Facts;
use kumite_core::names::{Document, Phase};
use kumite_core::run::{Finish, Halt, Run, SpecState, State, may_reset, may_review, may_start};
use kumite_project::status::Status;
use maud::{Markup, html};

use super::seen::SeenSpec;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Run,
    Resume,
    /// Resumes a run that waits for a usage limit, without the wait.
    TryNow,
    /// Takes a pause back.
    GoOn,
    Pause,
    Stop,
    Reset,
    ReviewOnce,
}

/// The possible actions, the likeliest first. Approval has its own form.
pub fn fitting(status: &Status, run: &Run, facts: Option<&Facts>) -> Vec<Action> {
    let mut fit = match &run.state {
        // An engine that ended in the middle left this state.
        _ if status.spec_state == SpecState::CutOff => vec![Action::Resume],
        State::Idle => vec![Action::Run],
        State::Queued { .. } => vec![Action::Stop],
        State::Working(_) => vec![Action::Pause, Action::Stop],
        State::Finishing(_) => vec![Action::GoOn, Action::Stop],
        State::Stopping { .. } => Vec::new(),
        State::Limited(_) => vec![Action::TryNow, Action::Stop],
        State::Halted(_) if may_start(run).is_ok() && !waits(run) => vec![Action::Resume],
        State::Halted(_) => Vec::new(),
        State::Done(Finish::AllPhasesDone) => Vec::new(),
        State::Done(Finish::NotPermitted(_) | Finish::UntilReached(_)) => vec![Action::Run],
    };
    let is_halted = matches!(run.state, State::Halted(_));
    if may_reset(run).is_ok() && is_halted && !waits(run) {
        fit.push(Action::Reset);
    }
    if can_review(run, facts) {
        fit.push(Action::ReviewOnce);
    }
    fit
}

/// The run waits for approval of a document or of deploy.
fn waits(run: &Run) -> bool {
    let waits = |why| matches!(why, Halt::Waiting(_) | Halt::DeployDoubted);
    matches!(&run.state, State::Halted(halted) if waits(halted.why))
}

fn can_review(run: &Run, facts: Option<&Facts>) -> bool {
    let is_open = |facts: &Facts| {
        let is_there = |document: &Document| facts.document(*document).stamp.is_some();
        Document::ALL.iter().all(is_there) && !facts.review.approved
    };
    let may = may_review(run).is_ok() && may_start(run).is_ok() && !waits(run);
    may && facts.is_some_and(is_open)
}

/// The phases that can be repeated: those already reached, as far as they are permitted.
pub fn again(status: &Status, run: &Run, facts: Option<&Facts>) -> Vec<Phase> {
    let (Some(facts), Some(reached)) = (facts, status.phase) else {
        return Vec::new();
    };
    let never_ran = run.state == State::Idle && run.number == 0;
    if !run.is_at_rest() || may_start(run).is_err() || never_ran || waits(run) {
        return Vec::new();
    }
    let phases = Phase::ALL.into_iter();
    let phases = phases.filter(|phase| *phase <= reached && facts.permitted.allows(*phase));
    phases.collect()
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::Run => "Run",
            Action::Resume => "Resume",
            Action::TryNow => "Try now",
            Action::GoOn => "Do not pause",
            Action::Pause => "Pause",
            Action::Stop => "Stop",
            Action::Reset => "Reset",
            Action::ReviewOnce => "Review once",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Action::Run | Action::GoOn => "run",
            Action::Resume | Action::TryNow => "resume",
            Action::Pause => "pause",
            Action::Stop => "stop",
            Action::Reset => "reset",
            Action::ReviewOnce => "review",
        }
    }

    /// The tooltip.
    fn hint(self) -> &'static str {
        match self {
            Action::Run => "Starts with the first phase that is not finished",
            Action::Resume => "Continues with the next step that is not finished",
            Action::TryNow => "Does not wait for the end of the limit",
            Action::GoOn => "Takes the pause back",
            Action::Pause => "Lets the agent finish, and begins nothing new",
            Action::Stop => "Ends the agent now; finished rounds are kept",
            Action::Reset => "Forgets counters and failures; files stay as they are",
            Action::ReviewOnce => "One review round by hand, judged but not fixed",
        }
    }

    /// A confirmation question, only where something is lost.
    fn question(self) -> Option<&'static str> {
        match self {
            Action::Reset => Some(
                "Reset this spec? Its counters of rounds and retries and its failure are forgotten.",
            ),
            _ => None,
        }
    }

    fn class(self) -> Option<&'static str> {
        match self {
            Action::Run | Action::Resume | Action::TryNow => Some("primary"),
            Action::Stop | Action::Reset => Some("danger"),
            Action::GoOn | Action::Pause | Action::ReviewOnce => None,
        }
    }
}

fn button(spec: &str, action: Action) -> Markup {
    html! {
        button type="button" class=[action.class()] title=(action.hint())
            data-post={ "/api/specs/" (spec) "/" (action.path()) }
            data-confirm=[action.question()] { (action.name()) }
    }
}

pub fn actions(seen: &SeenSpec) -> Markup {
    let name = &seen.spec.name;
    let again = again(&seen.status, &seen.run, seen.facts.as_ref());
    html! {
        div.actions #actions role="group" aria-label="Actions" {
            @for action in fitting(&seen.status, &seen.run, seen.facts.as_ref()) {
                (button(name, action))
            }
            @if !again.is_empty() { (from_phase(name, &again)) }
        }
    }
}

/// The last phase that was reached is preselected.
fn from_phase(name: &str, phases: &[Phase]) -> Markup {
    html! {
        form.row #again data-post={ "/api/specs/" (name) "/run" }
            data-confirm="Do this phase and all after it again? Their results are written anew." {
            label.small for="from" { "Again from" }
            select #from name="from" {
                @for phase in phases {
                    option value=(phase.name()) selected[Some(phase) == phases.last()] { (phase.name()) }
                }
            }
            button { "Retry" }
        }
    }
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
