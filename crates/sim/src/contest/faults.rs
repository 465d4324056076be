//! What can go wrong in a contest, and how often it does in a seed.

use crate::rng::Rng;
use crate::tally::kinds;

kinds! {
    /// Everything that chance can cause, so that a test can assert that it really happened.
    Kind {
        CrashBeforeRecord, CrashAfterRecord, CrashBetweenEffects, CrashAnytime, LongAbsence,
        SubmitBroke, SubmitHung, SubmitMalformed, SubmitLasting, SubmitWaited, AskedToWait,
        MeasureBroke, MeasureHung, Vetoed, JudgeBroke, JudgeHung,
        AgentLimited, AgentBusy, AgentHeld, AgentHung, AgentBroke, AgentSlow, SessionGone,
        AgentLost, AgentFound,
        SaveFailed, SaveFailedButLanded, SummaryFailed, DatabaseDown, StartLost,
        AnswerDoubled, AnswerAfterTimeout, AnswerFromLastProcess, AnswersTogether,
        ClockForward, ClockBack, Cancelled, CancelledWhileAway, EndedUnsaved,
    }
}

/// How often things go wrong, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// A crash at each point of the loop body.
    pub crash: u32,
    /// Mean time between crashes at any moment, in milliseconds; 0 means never.
    pub crash_gap_ms: u64,
    pub team: u32,
    pub evaluator: u32,
    pub judge: u32,
    pub save: u32,
    pub message: u32,
    /// Mean times until the database is down and until the clock jumps; 0 means never.
    pub outage_gap_ms: u64,
    pub jump_gap_ms: u64,
}

impl Rates {
    pub fn draw(rng: &mut Rng) -> Rates {
        Rates {
            crash: rng.pick(&[0, 0, 2, 5, 20]),
            crash_gap_ms: rng.pick(&[0, 3_000, 10_000, 40_000]),
            team: rng.pick(&[0, 0, 30, 100, 400]),
            evaluator: rng.pick(&[0, 0, 30, 150, 500]),
            judge: rng.pick(&[0, 100, 400, 800]),
            save: rng.pick(&[0, 0, 100, 400]),
            message: rng.pick(&[0, 50, 300]),
            outage_gap_ms: rng.pick(&[0, 0, 10_000, 60_000]),
            jump_gap_ms: rng.pick(&[0, 0, 0, 20_000]),
        }
    }
}
