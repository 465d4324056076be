//! Whole runs, from one event to the next.

use super::build::*;
use super::files::*;
use super::walk::Walk;
use crate::facts::Verdict;
use crate::journal::Event;
use crate::names::Document;
use crate::outcome::Outcome;
use crate::run::{Failure, Finish, Pause, State, Step};

/// One review and its reply, with fixes left.
fn open_round(walk: &mut Walk) {
    walk.agent_finishes().agent_replies(2, 1);
}

fn reviews(step: &Step) -> bool {
    matches!(step, Step::Review(_))
}

fn replies(step: &Step) -> bool {
    matches!(step, Step::Reply(_))
}

fn implements(step: &Step) -> bool {
    matches!(step, Step::Implement(_))
}

/// The steps without their counters.
fn names(walk: &Walk) -> Vec<&'static str> {
    walk.launched.iter().map(|step| step.name()).collect()
}

#[test]
fn a_spec_walks_through_all_its_phases() {
    let mut walk = Walk::of(blank());
    walk.checks_boxes(0, 2).start();
    walk.agent_finishes().agent_finishes().agent_finishes();
    walk.agent_finishes().agent_replies(1, 0);
    walk.agent_finishes().agent_replies(0, 0);
    walk.agent_finishes();
    walk.checks_boxes(2, 2).agent_finishes();
    walk.agent_inspects(Verdict::Nogo).agent_finishes();
    walk.agent_inspects(Verdict::Go);
    walk.stands(done(Finish::AllPhasesDone));
    let expected = [
        "requirements",
        "design",
        "tasks",
        "review",
        "reply",
        "review",
        "reply",
        "impl",
        "impl",
        "inspect",
        "fix",
        "inspect",
    ];
    assert_eq!(names(&walk), expected);
    // None of it is run again.
    walk.start().stands(done(Finish::AllPhasesDone));
    assert_eq!(walk.launched.len(), expected.len());
}

#[test]
fn a2_1_seven_rounds_and_then_a_pause_that_grants_seven_more() {
    let mut walk = Walk::of(written(3));
    walk.start().times(7, open_round);
    walk.stands(paused(Pause::RoundsExhausted, Step::Review(round(8, 6))));
    assert_eq!((walk.count(reviews), walk.count(replies)), (7, 7));

    walk.start().works_on(Step::Review(round(8, 6)));
    walk.times(7, open_round);
    walk.stands(paused(Pause::RoundsExhausted, Step::Review(round(15, 6))));
    let numbers: Vec<u32> = walk
        .launched
        .iter()
        .filter_map(|it| it.round())
        .map(|it| it.number)
        .collect();
    let expected: Vec<u32> = (1..=14).flat_map(|number| [number, number]).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn a4_2_stops_between_rounds_do_not_widen_the_allowance() {
    let mut walk = Walk::of(written(3));
    walk.start();
    for _ in 0..7 {
        walk.tell(stop()).ends(Outcome::Killed).start();
        walk.agent_finishes();
        walk.tell(stop()).ends(Outcome::Killed).start();
        walk.agent_replies(2, 0);
    }
    walk.stands(paused(Pause::RoundsExhausted, Step::Review(round(8, 6))));
}

#[test]
fn a3_3_discussion_pauses_only_once_the_fixes_are_in() {
    let mut walk = Walk::of(written(3));
    walk.start().agent_finishes().agent_replies(1, 2);
    walk.works_on(review(2))
        .agent_finishes()
        .agent_replies(0, 2);
    walk.stands(paused(Pause::NeedsDiscussion, Step::Review(round(3, 6))));
}

#[test]
fn b3_1_one_run_and_seven_retries_and_then_only_a_reset_goes_on() {
    let mut walk = Walk::of(tasks(0, 3));
    walk.start();
    walk.times(8, |walk| {
        walk.agent_finishes();
    });
    walk.stands(exhausted());
    assert_eq!(walk.count(implements), 8);

    walk.start().tell(Event::EngineStarted).start();
    walk.stands(exhausted());
    assert_eq!(walk.count(implements), 8);

    walk.tell(Event::ResetRequested).stands(State::Idle);
    walk.start().works_on(implement(0));
    walk.checks_boxes(3, 3)
        .agent_finishes()
        .works_on(inspect(1));
}

#[test]
fn b2_3_a_new_process_grants_seven_retries_again() {
    let mut walk = Walk::of(tasks(0, 3));
    walk.start();
    walk.times(6, |walk| {
        walk.agent_finishes();
    });
    walk.works_on(implement(6)).tell(Event::EngineStarted);
    walk.times(8, |walk| {
        walk.agent_finishes();
    });
    walk.stands(exhausted());
    assert_eq!(walk.count(implements), 6 + 8);
}

#[test]
fn hung_an_agent_is_resumed_once_and_then_fails_the_run() {
    let mut walk = Walk::of(reviewed());
    walk.start().ends(Outcome::Hung).works_on(implement(0));
    walk.ends(Outcome::Hung);
    walk.stands(failed(Failure::AgentHung, implement(0)));
    assert_eq!(walk.launched.len(), 2);
    // A person's resume gives a new chance.
    walk.start().ends(Outcome::Hung).works_on(implement(0));
}

#[test]
fn lost_an_agent_is_started_again_once() {
    let lost = || Outcome::Lost("power cut".to_owned());
    let mut walk = Walk::of(reviewed());
    walk.start()
        .ends(lost())
        .works_on(implement(0))
        .ends(lost());
    walk.stands(failed(Failure::AgentFailed, implement(0)));
    assert_eq!(walk.launched.len(), 2);
}

#[test]
fn a4_3_a_stop_that_meets_a_finished_agent_keeps_its_round() {
    let mut walk = Walk::of(written(3));
    walk.start().agent_finishes();
    walk.tell(stop()).agent_replies(2, 0);
    walk.stands(stopped(review(2)));
    walk.start().works_on(review(2));
    assert_eq!((walk.count(reviews), walk.count(replies)), (2, 1));
}

#[test]
fn a4_1_a_stop_in_the_middle_of_a_round_goes_on_with_that_round() {
    let mut walk = Walk::of(written(3));
    walk.start()
        .agent_finishes()
        .agent_replies(2, 0)
        .agent_finishes();
    walk.works_on(reply(2)).tell(stop()).ends(Outcome::Killed);
    walk.stands(stopped(reply(2)));
    walk.start().works_on(reply(2));
    // The same if only the files are known.
    let mut other = Walk::of(walk.facts.clone());
    other.start().works_on(reply(2));
}

#[test]
fn a8_a_round_whose_end_could_not_be_written_is_not_run_again() {
    let mut walk = Walk::of(written(3));
    walk.start().agent_finishes();
    walk.facts.review.rounds[0] = replied_round(1, 2, 0);
    let event = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(event);
    walk.fail_to_save(&effects);
    walk.stands(paused(Pause::SpecUnwritable, review(2)));
    assert_eq!(walk.count(reviews), 1);

    // It fails once more, and then the write succeeds.
    let event = start(walk.facts.clone());
    let effects = walk.tell_only(event);
    walk.fail_to_save(&effects);
    walk.stands(paused(Pause::SpecUnwritable, review(2)));
    walk.start().works_on(review(2));
    assert_eq!(walk.facts.review.rounds[0].counts, Some(findings(2, 0)));
    assert_eq!((walk.count(reviews), walk.count(replies)), (2, 1));
}

#[test]
fn a8_a_document_whose_end_could_not_be_written_is_not_written_again() {
    let mut walk = Walk::of(blank());
    walk.start();
    walk.facts.documents[0].stamp = Some(STAMP);
    let event = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(event);
    walk.fail_to_save(&effects).start();
    walk.works_on(Step::Write(Document::Design));
    assert!(walk.facts.document(Document::Requirements).approved);
}

#[test]
fn c2_2_late_words_of_a_stopped_agent_start_nothing() {
    let mut walk = Walk::of(written(3));
    walk.start();
    let late = walk.ending(Outcome::Finished);
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(late.clone()).stands(stopped(review(1)));
    walk.start().tell(late).works_on(review(1));
    assert_eq!(walk.launched.len(), 2);
}

#[test]
fn inspection_three_times_nogo_and_a_resume_grants_three_more() {
    let mut walk = Walk::of(implemented());
    walk.start();
    walk.times(2, |walk| {
        walk.agent_inspects(Verdict::Nogo).agent_finishes();
    });
    walk.agent_inspects(Verdict::Nogo);
    let next = Step::Inspect(round(4, 2));
    walk.stands(paused(Pause::InspectionNogo, next));
    let three = ["inspect", "fix", "inspect", "fix", "inspect"];
    assert_eq!(names(&walk), three);
    walk.start().works_on(next).agent_inspects(Verdict::Go);
    walk.stands(done(Finish::AllPhasesDone));
}

#[test]
fn c3_1_runs_of_two_specs_know_nothing_of_each_other() {
    let mut one = Walk::of(written(3));
    let mut other = Walk::of(reviewed());
    one.start();
    other.start();
    one.ends(Outcome::Failed("exit status 1".to_owned()));
    other.works_on(implement(0));
    other
        .checks_boxes(3, 3)
        .agent_finishes()
        .works_on(inspect(1));
    one.stands(failed(Failure::AgentFailed, review(1)));
}

#[test]
fn a4_2_a_review_that_only_its_file_knows_of_is_not_written_again_after_a_stop() {
    let mut known = reviewed_round(1);
    known.recorded = None;
    let mut walk = Walk::of(rounds(&[known]));
    walk.start().works_on(reply(1));
    walk.tell(stop()).ends(Outcome::Killed);
    walk.start().works_on(reply(1));
    Walk::of(walk.facts.clone()).start().works_on(reply(1));
}
