//! The word for every state (contract).

use kumite_core::journal::{AgentId, By};
use kumite_core::names::{Document, Phase};
use kumite_core::run::{
    Attempt, Failure, Finish, Halt, Halted, Pause, Reason, Resume, Round, Run, State, Step, Work,
};
use kumite_project::status::{Status, of_run};

fn status(state: State, engine_lives: bool) -> Status {
    let run = Run {
        state,
        ..Run::default()
    };
    of_run("login", &run, None, engine_lives)
}

fn work(step: Step) -> Work {
    Work {
        step,
        agent: AgentId { at_ms: 1, seq: 1 },
        before: None,
        revived: false,
        anew: false,
        takes_over: None,
    }
}

fn halted(why: Halt, step: Step) -> State {
    State::Halted(Halted {
        why,
        detail: String::new(),
        last_words: String::new(),
        resume: Resume::at(step),
    })
}

const REVIEW: fn() -> Step = || Step::Review(Round::fresh(3, 7));

#[test]
fn every_halt_has_its_state_and_reason_and_a_sentence() {
    let design = Step::Write(Document::Design);
    let rows = [
        (
            Halt::Waiting(Document::Design),
            "waiting",
            "approval_needed",
        ),
        (Halt::Stopped(By::User), "stopped", "stopped_by_user"),
        (Halt::Stopped(By::Interrupt), "stopped", "interrupted"),
        (
            Halt::Paused(Pause::NeedsDiscussion),
            "paused",
            "needs_discussion",
        ),
        (
            Halt::Paused(Pause::RoundsExhausted),
            "paused",
            "rounds_exhausted",
        ),
        (Halt::Paused(Pause::NoEvidence), "paused", "no_evidence"),
        (
            Halt::Paused(Pause::EvidenceConflict),
            "paused",
            "evidence_conflict",
        ),
        (
            Halt::Paused(Pause::InspectionNogo),
            "paused",
            "inspection_nogo",
        ),
        (
            Halt::Paused(Pause::SpecUnreadable),
            "paused",
            "spec_unreadable",
        ),
        (
            Halt::Paused(Pause::SpecUnwritable),
            "paused",
            "spec_unwritable",
        ),
        (Halt::Paused(Pause::ByUser), "paused", "paused_by_user"),
        (
            Halt::Failed(Failure::RetriesExhausted),
            "failed",
            "retries_exhausted",
        ),
        (Halt::Failed(Failure::AgentFailed), "failed", "agent_failed"),
        (
            Halt::Failed(Failure::AgentMissing),
            "failed",
            "agent_missing",
        ),
        (Halt::Failed(Failure::AgentHung), "failed", "agent_hung"),
        (Halt::Failed(Failure::Timeout), "failed", "timeout"),
    ];
    for (why, state, reason) in rows {
        for engine_lives in [true, false] {
            let status = status(halted(why, design), engine_lives);
            let said = (
                status.state.word(),
                status.reason.map(Reason::word),
                status.phase,
            );
            assert_eq!(said, (state, Some(reason), Some(Phase::Design)), "{why:?}");
            assert!(status.message.is_some_and(|message| message.len() > 10));
        }
    }
}

#[test]
fn every_way_to_be_done_has_its_reason() {
    for (finish, reason) in [
        (Finish::AllPhasesDone, "all_phases_done"),
        (Finish::NotPermitted(Phase::Impl), "not_permitted"),
        (Finish::UntilReached(Phase::Design), "until_reached"),
    ] {
        let status = status(State::Done(finish), false);
        assert_eq!(
            (status.state.word(), status.reason.map(Reason::word)),
            ("done", Some(reason))
        );
    }
}

#[test]
fn a_run_works_only_while_an_engine_lives() {
    let design = work(Step::Write(Document::Design));
    let states = [
        State::Working(design.clone()),
        State::Finishing(design.clone()),
        State::Stopping {
            work: design,
            by: By::User,
        },
    ];
    for state in states {
        let lives = status(state.clone(), true);
        assert_eq!(
            (lives.state.word(), lives.reason, lives.step),
            ("working", None, Some(Step::Write(Document::Design)))
        );
        let dead = status(state, false);
        assert_eq!(
            (dead.state.word(), dead.reason.map(Reason::word)),
            ("stopped", Some("interrupted"))
        );
        assert!(
            dead.message
                .is_some_and(|message| message.contains("design"))
        );
    }
}

#[test]
fn a_run_that_waits_for_a_slot_is_queued_as_long_as_an_engine_lives() {
    let queued = || State::Queued {
        resume: Resume::default(),
    };
    let lives = status(queued(), true);
    let said = (lives.state.word(), lives.reason.map(Reason::word));
    assert_eq!(said, ("waiting", Some("queued")));
    let dead = status(queued(), false);
    let said = (dead.state.word(), dead.reason.map(Reason::word));
    assert_eq!(said, ("stopped", Some("interrupted")));
}

#[test]
fn a_run_that_was_never_started_is_idle() {
    for engine_lives in [true, false] {
        let idle = status(State::Idle, engine_lives);
        assert_eq!(
            (idle.state.word(), idle.reason, idle.message),
            ("idle", None, None)
        );
    }
}

#[test]
fn rounds_and_attempts_are_shown_where_they_apply() {
    let review = status(State::Working(work(REVIEW())), true);
    assert_eq!((review.round, review.rounds_max), (Some(3), Some(7)));
    assert_eq!((review.attempt, review.attempts_max), (None, None));
    let retry = Attempt { retry: 2, left: 5 };
    let impl_ = status(State::Working(work(Step::Implement(retry))), true);
    assert_eq!((impl_.attempt, impl_.attempts_max), (Some(2), Some(7)));
    assert_eq!((impl_.round, impl_.rounds_max), (None, None));
    let merge = status(State::Working(work(Step::Merge)), true);
    assert_eq!((merge.round, merge.attempt), (None, None));
}

#[test]
fn a_loop_that_was_left_to_a_person_shows_its_last_round() {
    let left = status(
        halted(Halt::Paused(Pause::RoundsExhausted), REVIEW()),
        false,
    );
    assert_eq!(left.round, Some(2));
    let interrupted = status(halted(Halt::Stopped(By::User), REVIEW()), false);
    assert_eq!(interrupted.round, Some(3));
}
