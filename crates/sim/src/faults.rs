//! What can go wrong, how often it does in a seed, and a count of what did.

use kumite_core::journal::{Guard, LimitRules, Rules};

use crate::rng::Rng;
use crate::tally::kinds;

kinds! {
    /// Everything that chance can cause, so that a test can assert that it really happened.
    Kind {
        CrashBeforeRecord, CrashAfterRecord, CrashBetweenEffects, CrashAnytime, CrashInRecovery,
        MachineCrash, SupervisorDied,
        MessageLate, MessageDoubled, MessageLost, MessageEarly,
        AgentFailed, AgentHung, AgentHungWithSession, AgentTimedOut, AgentKilledFromOutside,
        AgentMissing, AgentLied, AgentClaimedApproval, AgentWroteHalf, AgentConflicted, AgentTickedSome,
        AgentGarbledSpec, TasksWithoutBoxes, TasksUnreadable, SaveFailed, AgentAdopted,
        PersonStarted, PersonStartedFrom, PersonStartedUntil, PersonReviewedOnce, PersonStopped,
        PersonInterrupted, PersonPaused, PersonReset, PersonApproved, PersonRejected,
        PersonPermitted, PersonRepaired, PersonSetRight, RunQueued,
        ResetTrue, ResetPast, ResetSoon, ResetFar, ResetAbsurd, ResetUnsaid, ServiceBusy, ServiceDown,
        SessionGone, AgentOverBudget, LaunchHeldBack, LaunchOverBudget, WakeQueued, WakeLate,
        CrashInWait, PersonCutWaitShort, PersonDidNotWait, PersonStoppedWait, PersonPausedWait,
        PersonPaid,
    }
}

/// The shape of one seed's world.
#[derive(Clone, Debug)]
pub struct Plan {
    pub specs: usize,
    pub jobs: usize,
    pub rules: Rules,
    /// Faults end here, and people behave from here on.
    pub faults_until_ms: u64,
    pub rates: Rates,
}

/// How often things go wrong, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// A crash at each point of the loop body.
    pub crash: u32,
    pub save: u32,
    pub launch: u32,
    pub message: u32,
    pub agent: u32,
    /// Mean time between crashes at any moment, in milliseconds; 0 means never.
    pub crash_gap_ms: u64,
    /// How often such a crash includes the machine.
    pub machine: u32,
    /// Mean time between two acts of people for one spec.
    pub people_gap_ms: u64,
}

impl Plan {
    pub fn draw(rng: &mut Rng, limit: LimitRules) -> Plan {
        Plan {
            specs: rng.weighed(&[(30, 1), (25, 2), (15, 3), (12, 4), (8, 6), (6, 8), (4, 10)]),
            jobs: rng.between(1, 5) as usize,
            rules: draw_rules(rng, limit),
            faults_until_ms: rng.between(500, 5_000),
            rates: Rates::draw(rng),
        }
    }
}

fn draw_rules(rng: &mut Rng, limit: LimitRules) -> Rules {
    // Small limits are reached more often.
    const LIMITS: [(u32, u8); 7] = [(4, 1), (4, 2), (3, 3), (1, 4), (1, 5), (1, 6), (2, 7)];
    Rules {
        rounds_max: rng.weighed(&LIMITS),
        retries_max: rng.weighed(&LIMITS),
        inspections_max: rng.weighed(&LIMITS),
        auto_approve: rng.chance(600),
        guard: rng.pick(&[Guard::Seed, Guard::Strict]),
        limit,
    }
}

impl Rates {
    fn draw(rng: &mut Rng) -> Rates {
        Rates {
            crash: rng.pick(&[0, 0, 2, 5, 15]),
            save: rng.pick(&[0, 0, 20, 100]),
            launch: rng.pick(&[0, 0, 20, 60]),
            message: rng.pick(&[0, 50, 200]),
            agent: rng.pick(&[0, 150, 300, 500]),
            crash_gap_ms: rng.pick(&[0, 600, 1_500, 3_000]),
            machine: rng.pick(&[0, 200, 500]),
            people_gap_ms: rng.pick(&[250, 500, 1_000, 4_000]),
        }
    }
}
