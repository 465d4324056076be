//! What must be shown before impl is complete (E4).

use super::build::*;
use super::trust::*;
use super::walk::Walk;
use crate::effect::Effect;
use crate::journal::Event;
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::place::{CheckOutcome, PlaceFacts, PlaceLook};
use crate::run::{Because, Failure, Halt, Pause, Step, may_approve_impl};

#[test]
fn e4_1_complete_is_boxes_and_a_change_and_passing_commands() {
    let mut walk = in_place();
    ticked(&mut walk, 1).works_on(verify(0, 1, gate(0)));
    assert_eq!(walk.facts.completed, None, "not before it is verified");
    walk.ends(Outcome::Finished).works_on(verify(1, 1, gate(0)));
    assert_eq!(walk.facts.completed, None);
    walk.ends(Outcome::Finished).works_on(inspect(1));
    assert_eq!(walk.facts.completed, Some(Phase::Impl));
    let evidence = walk.run.memory.trust.evidence.as_ref().unwrap();
    assert_eq!(evidence.tree.as_deref(), Some("tree-1"));
    let names: Vec<&str> = evidence.checks.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["tests", "lint"]);
}

#[test]
fn e4_2_a_failing_command_is_the_next_attempt_and_its_agent_is_told() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(failed_command()).works_on(verify(0, 0, gate(0)));
    let agent = walk.run.work().unwrap().agent;
    let ending = walk.ending(failed_command());
    let effects = walk.tell_only(ending);
    let because = Because::Verify {
        name: "tests".to_owned(),
        agent,
    };
    let launch = effects.iter().find_map(|effect| match effect {
        Effect::Launch(launch) => Some(launch.clone()),
        _ => None,
    });
    let launch = launch.unwrap();
    assert_eq!(
        (launch.step, launch.because),
        (implement(1), Some(because.clone()))
    );
    let retry = Notice::ImplRetry {
        attempt: 1,
        max: 7,
        open: 0,
        because,
    };
    assert!(effects.contains(&Effect::Announce(retry)), "{effects:?}");
    assert_eq!(walk.facts.completed, None);
}

#[test]
fn e4_3_a_command_that_passes_when_it_is_run_again_counts_and_is_marked() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::TimedOut).works_on(verify(0, 0, gate(0)));
    walk.ends(Outcome::Finished).works_on(verify(1, 1, gate(0)));
    walk.ends(Outcome::Finished).works_on(inspect(1));
    let checks = &walk.run.memory.trust.evidence.as_ref().unwrap().checks;
    let outcomes: Vec<CheckOutcome> = checks.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [CheckOutcome::Flaky, CheckOutcome::Passed]);
}

#[test]
fn e4_4_failing_commands_use_up_the_retries() {
    let mut walk = in_place();
    for retry in 0..=7 {
        ticked(&mut walk, u64::from(retry) + 1).works_on(verify(0, 1, gate(retry)));
        walk.ends(failed_command()).ends(failed_command());
    }
    assert_eq!(halted_as(&walk), Halt::Failed(Failure::RetriesExhausted));
    // Only a reset helps, and then the commands still have to pass.
    walk.tell(start_as(order(), walk.facts.clone()));
    assert_eq!(halted_as(&walk), Halt::Failed(Failure::RetriesExhausted));
    walk.tell(Event::ResetRequested);
    walk.tell(start_as(order(), walk.facts.clone()));
    assert!(matches!(walk.run.work().unwrap().step, Step::Verify(_)));
}

#[test]
fn e4_5_boxes_without_a_change_are_a_phantom() {
    let mut walk = in_place();
    ticked(&mut walk, 0).works_on(implement(1));
    assert_eq!(walk.run.memory.trust.because, Some(Because::Phantom));
    // Neither a stop nor a reset gets around it.
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::ResetRequested);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(implement(0));
    // A person can settle it.
    walk.tell(stop()).ends(Outcome::Killed);
    assert!(may_approve_impl(&walk.run).is_ok());
    walk.tell(Event::ImplApproved);
    walk.tell(start_as(order(), walk.facts.clone()));
    assert!(matches!(walk.run.work().unwrap().step, Step::Verify(_)));
}

#[test]
fn e4_6_a_task_that_vanished_asks_a_person() {
    let mut walk = in_place();
    walk.facts.vanished = vec!["2. Log the user out".to_owned()];
    ticked(&mut walk, 1);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::EvidenceConflict));
    let ended = crate::run::run_ended(&walk.run);
    assert!(format!("{ended:?}").contains("2. Log the user out"));
    // Who goes on has looked.
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(verify(0, 1, gate(0)));
}

#[test]
fn e4_7_protected_files_ask_a_person_and_going_on_accepts_them() {
    let mut walk = in_place();
    walk.facts.place = PlaceLook::Seen(PlaceFacts {
        content: content(1),
        protected: vec!["Cargo.lock".to_owned()],
    });
    walk.checks_boxes(3, 3).ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::ProtectedChanged));
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(verify(0, 1, gate(0)));
    assert_eq!(walk.run.memory.trust.accepted.as_deref(), Some("tree-1"));
}

#[test]
fn e4_8_a_place_that_cannot_be_read_is_no_evidence() {
    let mut walk = in_place();
    walk.facts.place = PlaceLook::Unreadable("the worktree is gone".to_owned());
    walk.checks_boxes(3, 3).ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::NoEvidence));
}

#[test]
fn e4_9_evidence_is_of_exactly_the_code_that_is_there() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished);
    // The last command changed a file: all are run once more, on what is there now.
    walk.facts.place = seen(2);
    walk.ends(Outcome::Finished).works_on(verify(0, 1, gate(0)));
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    walk.works_on(inspect(1));
    let tree = |walk: &Walk| {
        walk.run
            .memory
            .trust
            .evidence
            .as_ref()
            .unwrap()
            .tree
            .clone()
    };
    assert_eq!(tree(&walk).as_deref(), Some("tree-2"));
}

#[test]
fn e4_9_commands_that_change_files_each_time_ask_a_person() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    for code in 2..4 {
        walk.ends(Outcome::Finished);
        walk.facts.place = seen(code);
        walk.ends(Outcome::Finished);
    }
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::EvidenceConflict));
    // Going on tries again.
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(verify(0, 1, gate(0)));
}
