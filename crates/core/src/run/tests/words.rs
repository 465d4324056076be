//! Every end has a reason: one word of the contract, and one sentence with the remedy.

use super::build::*;
use super::files::*;
use crate::facts::Verdict;
use crate::journal::{By, Event, Order};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::run::{
    Failure, Finish, Halt, Need, Pause, Reason, SpecState, State, StateName, Step, Work,
};

/// The last notice of the run.
#[track_caller]
fn last_word(before: impl Into<crate::run::Run>, event: Event) -> (StateName, String, String) {
    let decided = decided(before, event);
    match decided.said().last() {
        Some(Notice::RunEnded { rest, message }) => {
            let spec_state = SpecState::from(*rest);
            let reason = spec_state.reason().map_or("", Reason::word);
            (spec_state.state(), reason.to_owned(), message.clone())
        }
        other => panic!("the last word is {other:?}"),
    }
}

/// Each row makes the core produce its reason.
fn rows() -> Vec<(StateName, &'static str, crate::run::Run, Event)> {
    use StateName::{Done, Failed, Paused, Stopped, Waiting};
    let how = || "exit status 1".to_owned();
    let document = Document::Requirements;
    let forbidden = with(blank(), |facts| facts.permitted = Default::default());
    let mut conflict = replied_round(1, 1, 0);
    conflict.counts = Some(findings(0, 0));
    let hung = Work {
        revived: true,
        ..work(review(1))
    };
    let stopped_by = |by| State::Stopping {
        work: work(review(1)),
        by,
    };
    let end = |outcome| ended(outcome, written(3));
    let passed = inspections(&[inspected(1, Verdict::Go)]);
    let nogo = inspections(&[inspected(3, Verdict::Nogo)]);
    let wait = ordered(by_hand_approval(), working(Step::Write(document)));
    let waited = finished(wrote(document));
    let reviewing = || working(review(1)).into();
    let replying = |number| working(reply(number)).into();
    let replied = |round| finished(rounds(&[round]));
    let until = ordered(until(Phase::Requirements), State::Idle);
    let order = until.order.clone();
    let paused_by_user = State::Finishing(work(reply(1))).into();
    vec![
        (
            Done,
            "all_phases_done",
            working(inspect(1)).into(),
            finished(passed),
        ),
        (Done, "not_permitted", State::Idle.into(), start(forbidden)),
        (Done, "until_reached", until, start_as(order, written(1))),
        (Waiting, "approval_needed", wait, waited),
        (
            Paused,
            "needs_discussion",
            replying(1),
            replied(replied_round(1, 0, 1)),
        ),
        (
            Paused,
            "rounds_exhausted",
            replying(7),
            replied(replied_round(7, 1, 0)),
        ),
        (
            Failed,
            "retries_exhausted",
            working(implement(7)).into(),
            finished(tasks(0, 3)),
        ),
        (Paused, "no_evidence", reviewing(), end(Outcome::Finished)),
        (Paused, "evidence_conflict", replying(1), replied(conflict)),
        (
            Paused,
            "inspection_nogo",
            working(inspect(3)).into(),
            finished(nogo),
        ),
        (
            Failed,
            "agent_failed",
            reviewing(),
            end(Outcome::Failed(how())),
        ),
        (
            Failed,
            "agent_missing",
            reviewing(),
            end(Outcome::Missing(how())),
        ),
        (
            Failed,
            "agent_hung",
            State::Working(hung).into(),
            end(Outcome::Hung),
        ),
        (Failed, "timeout", reviewing(), end(Outcome::TimedOut)),
        (Paused, "spec_unreadable", reviewing(), ended_unreadable()),
        (
            Paused,
            "spec_unwritable",
            reviewing(),
            save_failed(OURS.seq, &[]),
        ),
        (
            Stopped,
            "stopped_by_user",
            stopped_by(By::User).into(),
            end(Outcome::Killed),
        ),
        (
            Stopped,
            "interrupted",
            stopped_by(By::Interrupt).into(),
            end(Outcome::Killed),
        ),
        (
            Paused,
            "paused_by_user",
            paused_by_user,
            replied(replied_round(1, 1, 0)),
        ),
    ]
}

#[test]
fn every_end_says_its_state_and_its_reason() {
    for (state, reason, before, event) in rows() {
        let (said_state, said_reason, _) = last_word(before, event);
        assert_eq!((said_state, said_reason.as_str()), (state, reason));
    }
}

#[test]
fn every_message_is_one_sentence_and_names_what_to_do() {
    for (state, reason, before, event) in rows() {
        let (_, _, message) = last_word(before, event);
        assert!(!message.is_empty(), "{reason}");
        assert!(!message.contains('\n'), "{reason}: {message}");
        assert!(!message.contains(". "), "{reason}: {message}");
        assert!(!message.ends_with(['.', ' ', ':']), "{reason}: {message}");
        let names_a_way = message.contains("`kumite ") || message.contains("spec.json");
        assert!(
            names_a_way || state == StateName::Done,
            "{reason}: {message}"
        );
    }
}

#[test]
fn the_sentence_carries_the_details() {
    let end = |outcome| ended(outcome, written(3));
    let said = |before: State, event| last_word(before, event).2;
    let failed = said(
        working(review(1)),
        end(Outcome::Failed("no key".to_owned())),
    );
    assert!(failed.contains("review") && failed.contains("no key"));
    let missing = said(working(review(1)), end(Outcome::Finished));
    assert!(missing.contains("document-review-1.md"), "{missing}");
    let open = said(working(implement(7)), finished(tasks(1, 3)));
    assert!(open.contains("2 tasks") && open.contains("`kumite reset`"));
    let unread = said(working(review(1)), ended_unreadable());
    assert!(unread.contains("spec.json:3"), "{unread}");
    let forbidden = with(blank(), |facts| facts.permitted = Default::default());
    let not_permitted = said(State::Idle, start(forbidden));
    assert!(not_permitted.contains("requirements"), "{not_permitted}");
}

#[test]
fn every_reason_of_a_halt_is_a_word_of_the_contract_and_no_two_share_one() {
    let halts = [
        Halt::Waiting(Document::Design),
        Halt::Stopped(By::User),
        Halt::Stopped(By::Interrupt),
        Halt::Paused(Pause::NeedsDiscussion),
        Halt::Paused(Pause::RoundsExhausted),
        Halt::Paused(Pause::NoEvidence),
        Halt::Paused(Pause::EvidenceConflict),
        Halt::Paused(Pause::InspectionNogo),
        Halt::Paused(Pause::SpecUnreadable),
        Halt::Paused(Pause::SpecUnwritable),
        Halt::Paused(Pause::ByUser),
        Halt::Failed(Failure::RetriesExhausted),
        Halt::Failed(Failure::AgentFailed),
        Halt::Failed(Failure::AgentMissing),
        Halt::Failed(Failure::AgentHung),
        Halt::Failed(Failure::Timeout),
    ];
    let mut words: Vec<&str> = halts
        .into_iter()
        .map(|why| Reason::of_halt(why).word())
        .collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), halts.len());
    let covered: Vec<&str> = rows().into_iter().map(|row| row.1).collect();
    assert!(words.iter().all(|word| covered.contains(word)));
}

#[test]
fn a_start_that_has_nothing_to_do_says_so() {
    let passed = inspections(&[inspected(1, Verdict::Go)]);
    let (state, reason, _) = last_word(done(Finish::AllPhasesDone), start(passed));
    assert_eq!(
        (state, reason.as_str()),
        (StateName::Done, "all_phases_done")
    );
    let event = start_as(Order::default(), tasks(3, 3));
    let (state, reason, _) = last_word(exhausted(), event);
    assert_eq!(
        (state, reason.as_str()),
        (StateName::Failed, "retries_exhausted")
    );
}

#[test]
fn a_word_is_spelled_in_json_as_everywhere_else() {
    for state in StateName::ALL {
        assert_eq!(serde_json::to_value(state).unwrap(), state.word());
    }
    for (_, word, before, event) in rows() {
        let (_, said, _) = last_word(before, event);
        let reason: Reason = serde_json::from_value(said.into()).unwrap();
        assert_eq!(serde_json::to_value(reason).unwrap(), word);
    }
}

#[test]
fn only_a_run_that_goes_on_by_itself_needs_nobody_at_a_limit() {
    let halted = SpecState::Halted(Halt::Limited { until_ms: 1 });
    assert_eq!(halted.need(), Some(Need::Resume));
    assert_eq!(SpecState::Limited.need(), None);
    assert_eq!(halted.reason(), SpecState::Limited.reason());
}
