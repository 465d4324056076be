//! Asking teams, metrics and the judge: the answers become events.

use kumite_core::contest::{Event, Failed, Submission};

use super::answers::{self, Asked};
use super::{Host, World};
use crate::faults::Kind;

/// How long to wait before the work, and how long it may take.
type Limits = (u64, u64);

pub fn submit(host: &mut Host, world: &mut World, asked: Asked, limits: Limits) {
    let answer = answers::submit(&world.story.drawn, asked);
    let kinds = [
        (answer.used.waited_ms > 0, Kind::SubmitWaited),
        (is_malformed(&answer.says), Kind::SubmitMalformed),
        (answer.says.is_err(), Kind::SubmitBroke),
        (is_lasting(&answer.says), Kind::SubmitLasting),
        (asks_to_wait(&answer.says), Kind::AskedToWait),
    ];
    note(world, &kinds);
    let Asked {
        team,
        round,
        attempt,
    } = asked;
    let event = |says, used| match says {
        Ok(submission) => Event::Submitted {
            team,
            round,
            attempt,
            submission,
            used,
        },
        Err(failed) => Event::SubmitFailed {
            team,
            round,
            attempt,
            failed,
            used,
        },
    };
    host.wait_for(world, asked, limits, answer, event, Kind::SubmitHung);
}

pub fn measure(host: &mut Host, world: &mut World, asked: Asked, metric: u32, limits: Limits) {
    let answer = answers::measure(&world.story.drawn, asked, metric);
    let is_veto = answer.says.as_ref().is_ok_and(|measure| measure.is_veto);
    let kinds = [
        (answer.says.is_err(), Kind::MeasureBroke),
        (is_veto, Kind::Vetoed),
    ];
    note(world, &kinds);
    let Asked {
        team,
        round,
        attempt,
    } = asked;
    let event = |says, used| match says {
        Ok(measure) => Event::Measured {
            team,
            round,
            metric,
            attempt,
            measure,
            used,
        },
        Err(failed) => Event::MeasureFailed {
            team,
            round,
            metric,
            attempt,
            failed,
            used,
        },
    };
    host.wait_for(world, asked, limits, answer, event, Kind::MeasureHung);
}

pub fn judge(host: &mut Host, world: &mut World, asked: Asked, limits: Limits) {
    let answer = answers::judge(&world.story.drawn, asked);
    note(world, &[(answer.says.is_err(), Kind::JudgeBroke)]);
    let Asked {
        team,
        round,
        attempt,
    } = asked;
    let event = |says, used| match says {
        Ok(judgment) => Event::Judged {
            team,
            round,
            attempt,
            judgment,
            used,
        },
        Err(failed) => Event::JudgeFailed {
            team,
            round,
            attempt,
            failed,
            used,
        },
    };
    host.wait_for(world, asked, limits, answer, event, Kind::JudgeHung);
}

fn note(world: &mut World, kinds: &[(bool, Kind)]) {
    for (_, kind) in kinds.iter().filter(|(happened, _)| *happened) {
        world.tally.note(*kind);
    }
}

fn is_malformed(says: &Result<Submission, Failed>) -> bool {
    matches!(says, Ok(Submission::Malformed { .. }))
}

fn is_lasting(says: &Result<Submission, Failed>) -> bool {
    let lasting = kumite_core::contest::Failure::Lasting;
    says.as_ref().is_err_and(|failed| failed.failure == lasting)
}

fn asks_to_wait(says: &Result<Submission, Failed>) -> bool {
    let asks = |failed: &Failed| failed.retry_after_ms.is_some();
    says.as_ref().is_err_and(asks)
}
