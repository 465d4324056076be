//! What the simulator found: evidence that was of something else, and what passed silently (E8).

use super::build::*;
use super::files::*;
use super::trust::{
    content, failed_command, gate, halted_as, in_place, inspecting, measured, order, prepare, seen,
    ticked, verify,
};
use super::walk::Walk;
use crate::facts::{InspectionFacts, Stamp, Verdict};
use crate::journal::{Event, Order};
use crate::names::{Document, Phase};
use crate::outcome::Outcome;
use crate::place::{Baseline, CheckOutcome, PlaceFacts, PlaceLook};
use crate::run::{Gate, Halt, Pause, Round, Step};

fn checks(walk: &Walk) -> Vec<String> {
    let evidence = walk.run.memory.trust.evidence.as_ref().unwrap();
    evidence.checks.iter().map(|it| it.name.clone()).collect()
}

fn round(number: u32) -> Round {
    match inspect(number) {
        Step::Inspect(round) => round,
        other => panic!("{other:?}"),
    }
}

fn unreadable() -> PlaceLook {
    PlaceLook::Unreadable("git cannot read it".to_owned())
}

#[test]
fn e8_1_commands_in_a_place_that_nobody_can_read_are_no_evidence() {
    for place in [unreadable(), PlaceLook::None] {
        let mut walk = in_place();
        ticked(&mut walk, 1);
        // The files are there, so the commands pass; but nobody can say on which code.
        walk.facts.place = place;
        walk.ends(Outcome::Finished);
        assert_eq!(halted_as(&walk), Halt::Paused(Pause::NoEvidence));
        assert_eq!(walk.facts.completed, None);
        // Once it is repaired, they are run again, and nobody else is paid.
        walk.facts.place = seen(1);
        walk.tell(start_as(order(), walk.facts.clone()));
        walk.works_on(verify(0, 1, gate(0)));
    }
}

#[test]
fn e8_1_evidence_is_of_the_commands_of_the_order() {
    let mut walk = inspecting();
    walk.tell(stop()).ends(Outcome::Killed);
    let mut more = order();
    more.verify.push("build".to_owned());
    walk.tell(start_as(more, walk.facts.clone()));
    walk.works_on(verify(0, 1, Gate::Inspect(round(1))));
}

#[test]
fn e8_1_commands_that_were_interrupted_count_once() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished).works_on(verify(1, 1, gate(0)));
    walk.tell(stop()).ends(Outcome::Killed);
    // A person changes the code meanwhile.
    walk.facts.place = seen(2);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    walk.works_on(inspect(1));
    assert_eq!(checks(&walk), ["tests", "lint"]);
}

#[test]
fn e8_1_a_request_while_a_command_runs_does_not_rename_it() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    let fewer = Order {
        verify: vec!["lint".to_owned()],
        ..order()
    };
    walk.tell(start_as(fewer, walk.facts.clone()));
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    assert_eq!(checks(&walk), ["tests", "lint"]);
}

#[test]
fn e8_1_an_inspection_that_waits_for_commands_keeps_its_number() {
    let mut walk = inspecting();
    walk.facts.inspections = vec![InspectionFacts {
        number: 1,
        report: Some(Verdict::Nogo),
        recorded: Some(Verdict::Go),
        stamp: Some(Stamp::Fnv(5)),
        ..InspectionFacts::default()
    }];
    walk.facts.place = seen(2);
    walk.ends(Outcome::Finished);
    for _ in 0..2 {
        walk.tell(start_as(order(), walk.facts.clone()));
        walk.works_on(verify(0, 1, Gate::Inspect(round(1))));
        walk.tell(stop()).ends(Outcome::Killed);
    }
}

#[test]
fn e8_1_a_go_does_not_count_for_what_an_undo_brings_back() {
    let mut walk = inspecting();
    walk.facts.place = seen(2);
    walk.agent_inspects(Verdict::Go);
    walk.works_on(verify(0, 1, Gate::Judge(round(1))));
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::UndoRequested {
        to: 2,
        content: content(2),
    });
    walk.facts.place = seen(1);
    walk.ends(Outcome::Finished);
    walk.tell(start_as(order(), walk.facts.clone()));
    // It is inspected anew.
    let next = walk.run.work().unwrap().step;
    assert_eq!(next.round().map(|round| round.number), Some(2), "{next:?}");
}

fn protected() -> PlaceLook {
    PlaceLook::Seen(PlaceFacts {
        content: content(1),
        protected: vec!["Cargo.lock".to_owned()],
    })
}

#[test]
fn e8_4_a_person_accepts_only_what_they_were_asked_about() {
    let mut walk = in_place();
    walk.facts.vanished = vec!["2. Log out".to_owned()];
    walk.facts.place = protected();
    walk.checks_boxes(3, 3).ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::EvidenceConflict));
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.tell(stop()).ends(Outcome::Killed);
    assert_ne!(
        walk.run.memory.trust.accepted.as_deref(),
        Some("tree-1"),
        "nobody was asked about it"
    );
}

#[test]
fn e8_4_what_nobody_could_see_is_not_accepted() {
    let mut walk = in_place();
    walk.facts.place = protected();
    walk.checks_boxes(3, 3).ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::ProtectedChanged));
    let accepted = walk.run.memory.trust.accepted.clone();
    walk.facts.place = unreadable();
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(implement(0));
    // What this agent changes was not looked at.
    walk.facts.place = protected();
    walk.ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::ProtectedChanged));
    assert_eq!(walk.run.memory.trust.accepted, accepted);
}

#[test]
fn e8_4_what_changes_while_commands_run_is_judged_too() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished);
    walk.facts.place = protected();
    walk.ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::ProtectedChanged));
    assert_eq!(walk.facts.completed, None);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(inspect(1));
    assert_eq!(walk.facts.completed, Some(Phase::Impl));
}

fn measures() -> Order {
    let mut order = order();
    order.rules.baseline = Baseline::Pause;
    order
}

#[test]
fn e8_6_a_baseline_is_measured_if_the_run_knows_that_impl_is_to_come() {
    let mut walk = in_place();
    // Boxes without a change: the files alone say that impl is done.
    ticked(&mut walk, 0).works_on(implement(1));
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::ResetRequested);
    walk.tell(start_as(measures(), walk.facts.clone()));
    walk.works_on(Step::Baseline);
}

#[test]
fn e8_6_a_baseline_does_not_lose_what_spec_json_must_be_told() {
    let mut generated = blank();
    generated.apply(crate::change::Change::Generated(Document::Requirements));
    let mut walk = Walk::of(generated);
    let document = Document::Requirements;
    let effects = walk.tell_only(Event::DocumentApproved { document });
    walk.fail_to_save(&effects);
    walk.tell(start_as(measures(), walk.facts.clone()));
    walk.works_on(Step::Baseline);
    walk.facts.measured = measured(CheckOutcome::Passed);
    walk.ends(Outcome::Finished);
    assert!(walk.facts.document(document).approved);
}

#[test]
fn e8_3_newer_work_after_a_merge_gets_another_place() {
    let mut walk = inspecting();
    walk.run.memory.note(&[crate::change::Change::Deployed]);
    walk.tell(stop()).ends(Outcome::Killed);
    walk.facts.place = PlaceLook::None;
    walk.facts.completed = None;
    walk.facts.tasks = crate::facts::TaskFacts::Counted { done: 0, total: 3 };
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(prepare());
}

#[test]
fn e8_5_a_new_engine_counts_anew_also_while_something_is_undone() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(failed_command()).ends(failed_command());
    walk.works_on(implement(1));
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::UndoRequested {
        to: 2,
        content: content(1),
    });
    walk.tell(Event::EngineStarted);
    walk.checks_boxes(0, 3).ends(Outcome::Finished);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(implement(0));
}
