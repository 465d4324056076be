//! Before an agent is paid, the project's own commands are run on the commit that the work begins
//! with: what fails there is nobody's fault later.

use super::asked;
use super::decide::rest;
use super::state::{Failure, Halt, Halted, Pause, Resume, Run, State, Work};
use super::step::Step;
use super::turn::{Next, Turn, launch};
use crate::effect::Effect;
use crate::facts::{Facts, Look};
use crate::journal::{Entry, Order};
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome};
use crate::place::{Baseline, Measured};

type Decided = (Run, Vec<Effect>);

/// Whether the run must measure it first. `turn` is what the run would begin with.
pub(super) fn is_due(run: &Run, order: &Order, turn: &Turn, facts: &Facts) -> bool {
    let is_wanted = order.rules.baseline != Baseline::Off && !order.verify.is_empty();
    let reaches_impl = order.until.is_none_or(|until| until >= Phase::Impl)
        && order.review_once.is_none()
        && facts.permitted.allows(Phase::Impl);
    let is_ahead = match &turn.next {
        Next::Begin(step) => step.phase() <= Phase::Impl,
        Next::Again { .. } | Next::Wait(_) | Next::Halt(_) | Next::Finish(_) => false,
    };
    is_wanted && reaches_impl && is_ahead && run.memory.trust.measured != Some(run.number)
}

pub(super) fn begin(run: Run, resume: Resume, phase: Option<Phase>, entry: &Entry) -> Decided {
    let (run, mut effects) = measure(run, Work::new(Step::Baseline, entry.agent()), resume);
    effects.insert(0, Effect::Announce(Notice::RunStarted { phase }));
    (run, effects)
}

fn measure(mut run: Run, work: Work, resume: Resume) -> Decided {
    run.memory.trust.begins_at = Some(resume);
    let (launch, started) = launch(&mut run, work, None, None);
    let effects = vec![Effect::Launch(launch), Effect::Announce(started)];
    (run, effects)
}

/// The commands were run, or could not be. `held`: a person wants the run to rest.
pub(super) fn ended(
    mut run: Run,
    work: &Work,
    ended: &Ended,
    look: &Look,
    held: Option<Halt>,
    entry: &Entry,
) -> Decided {
    let resume = run.memory.trust.begins_at.take().unwrap_or_default();
    if let Some(why) = held {
        return halt(run, why, String::new(), resume);
    }
    let measured = look.facts().and_then(|facts| facts.measured.clone());
    let failure = match (&ended.outcome, measured) {
        (Outcome::Finished, Some(measured)) => failure(&measured),
        (Outcome::Finished, None) => Some("they left no result".to_owned()),
        (Outcome::Lost(_), _) if !work.revived => {
            let fresh = Work::new(Step::Baseline, entry.agent());
            let again = Work {
                revived: true,
                ..fresh
            };
            return measure(run, again, resume);
        }
        (Outcome::TimedOut, _) => {
            return halt(run, Halt::Failed(Failure::Timeout), String::new(), resume);
        }
        (other, _) => Some(other.to_string()),
    };
    let warning = match (failure, run.order.rules.baseline) {
        (Some(why), Baseline::Pause) => {
            return halt(run, Halt::Paused(Pause::BaselineFailed), why, resume);
        }
        (Some(why), Baseline::Warn | Baseline::Off) => Some(Notice::Warned(format!(
            "the project's own commands fail before any work ({why})"
        ))),
        (None, _) => None,
    };
    run.memory.trust.measured = Some(run.number);
    run.state = State::Queued { resume };
    let (run, mut effects) = asked::goes_on(run, look, false, entry);
    effects.splice(0..0, warning.map(Effect::Announce));
    (run, effects)
}

fn halt(mut run: Run, why: Halt, detail: String, resume: Resume) -> Decided {
    run.state = State::Halted(Halted::new(why, detail, resume));
    rest(run)
}

fn failure(measured: &Measured) -> Option<String> {
    if !measured.trouble.is_empty() {
        return Some(measured.trouble.clone());
    }
    let failed = measured.checks.iter().filter(|it| !it.outcome.is_good());
    let words: Vec<String> = failed
        .map(|check| format!("{}: {}", check.name, check.outcome))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}
