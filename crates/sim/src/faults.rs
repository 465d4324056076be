//! What can go wrong, and a count of what did.

/// Makes the enum, the groups of its values, and the `Tally` that counts them.
macro_rules! kinds {
    ($($(#[$doc:meta])* $group:ident { $($kind:ident),* $(,)? })*) => {
        /// Everything that chance can cause, so that a test can assert that it really happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { $($($kind),*),* }

        impl Kind {
            $($(#[$doc])* pub const $group: &[Kind] = &[$(Kind::$kind),*];)*
        }

        const COUNT: usize = 0 $(+ Kind::$group.len())*;
    };
}

kinds! {
    /// Played with both machines.
    BOTH {
        CrashBeforeRecord, CrashAfterRecord, CrashBetweenEffects, CrashAnytime, CrashInRecovery,
        ComputerCrash, MessageLate, MessageDoubled, MessageLost,
        AgentLost, AgentAdopted, AgentHeld, AgentHung, AgentTimedOut, SessionGone,
    }
    /// Only runs of specs.
    SPECS {
        SupervisorDied, MessageEarly,
        AgentFailed, AgentHungWithSession, AgentKilledFromOutside,
        AgentMissing, AgentLied, AgentClaimedApproval, AgentWroteHalf, AgentConflicted,
        AgentTickedSome, AgentGarbledSpec, TasksWithoutBoxes, TasksUnreadable, SpecUnwritable,
        PersonStarted, PersonStartedFrom, PersonStartedUntil, PersonReviewedOnce, PersonStopped,
        PersonInterrupted, PersonPaused, PersonReset, PersonApproved, PersonRejected,
        PersonPermitted, PersonRepaired, PersonSetRight, RunQueued,
        ResetTrue, ResetPast, ResetSoon, ResetFar, ResetAbsurd, ResetUnsaid, ServiceBusy,
        ServiceDown, AgentOverBudget, LaunchOverBudget, WakeQueued, WakeLate,
        CrashInWait, PersonCutWaitShort, PersonDidNotWait, PersonStoppedWait, PersonPausedWait,
        PersonPaid,
        AgentPhantom, AgentDroppedTask, AgentChangedProtected, AgentDamagedPlace,
        InspectorChangedCode, CommandFlaky, CommandChangedFiles,
        ErrandFailed, ErrandTimedOut, ErrandKilled, ErrandMissing, ErrandLost, ErrandAdopted,
        ErrandStopped, ErrandPaused, ErrandLeftNothing,
        PlaceMade, PlaceTakenOver, PlaceRefused, PlaceTaken, SetupFailed,
        BaselineBad, BaselineTroubled, SettingsChanged,
        PersonUndid, PersonApprovedImpl, PersonEdited, PersonMended, PersonClearedWay,
    }
    /// Only contests.
    CONTESTS {
        LongAbsence, SubmitBroke, SubmitHung, SubmitMalformed, SubmitLasting, SubmitWaited,
        AskedToWait, MeasureBroke, MeasureHung, Vetoed, JudgeBroke, JudgeHung,
        AgentLimited, AgentBusy, AgentBroke, AgentFound, OthersLimited,
        SaveFailed, SaveFailedButLanded, SummaryFailed, DatabaseDown, StartLost,
        AnswerDoubled, AnswerAfterTimeout, AnswerFromLastProcess, AnswersTogether,
        ClockForward, ClockBack, Cancelled, CancelledWhileAway, EndedUnsaved,
    }
}

/// What happened in a seed, or in many.
#[derive(Clone, Debug)]
pub struct Tally([u64; COUNT]);

impl Default for Tally {
    fn default() -> Tally {
        Tally([0; COUNT])
    }
}

impl Tally {
    pub fn note(&mut self, kind: Kind) {
        self.0[kind as usize] += 1;
    }

    pub fn of(&self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }

    pub fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

/// How often the faults that both machines know happen, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// A crash at each point of the loop body.
    pub crash: u32,
    /// Mean time between crashes at any moment, in milliseconds; 0 means never.
    pub crash_gap_ms: u64,
    /// How often such a crash includes the computer.
    pub computer: u32,
    /// An agent dies together with its kumite.
    pub lost: u32,
    /// The word of an agent's end is lost or late.
    pub late: u32,
    /// It comes twice.
    pub doubled: u32,
}
