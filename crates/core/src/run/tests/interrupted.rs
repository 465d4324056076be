//! The results of an agent that failed, was stopped or ended unseen: its work is judged, its claims
//! are not believed.

use super::build::*;
use super::files::*;
use super::walk::Walk;
use crate::change::{Change, Fixing};
use crate::facts::{DocumentFacts, Facts, RoundFacts};
use crate::journal::{Event, Order};
use crate::names::Document;
use crate::notice::{NextAction, Notice};
use crate::outcome::Outcome;
use crate::run::{Failure, Pause, Run, State, Step};

const DESIGN: Step = Step::Write(Document::Design);

fn failing() -> Outcome {
    Outcome::Failed("exit status 1".to_owned())
}

/// Every way in which the agent of `step` was interrupted.
fn interrupted(step: Step) -> [State; 4] {
    [
        stopped(step),
        failed(Failure::AgentFailed, step),
        failed(Failure::Timeout, step),
        failed(Failure::AgentHung, step),
    ]
}

/// `number` finished rounds; the last one left these counts, the others fixes.
fn finished_rounds(number: u32, fix_required: u32, needs_discussion: u32) -> Vec<RoundFacts> {
    let mut known: Vec<RoundFacts> = (1..number).map(|it| closed_round(it, 1, 0)).collect();
    known.push(closed_round(number, fix_required, needs_discussion));
    known
}

fn reviews(step: &Step) -> bool {
    matches!(step, Step::Review(_))
}

#[test]
fn a_complete_reply_with_open_fixes_and_no_rounds_left_asks_a_person() {
    let facts = rounds(&finished_rounds(7, 1, 2));
    let after = paused(Pause::RoundsExhausted, Step::Review(round(8, 6)));
    for before in interrupted(reply(7)) {
        let decided = check(before, start(facts.clone()), after.clone());
        decided.saves(&[Change::Replied(7, findings(1, 2))]);
        decided.says(Notice::RoundEnded {
            round: 7,
            findings: findings(1, 2),
            next: NextAction::Paused,
        });
        assert_eq!(decided.launched(), None);
    }
}

#[test]
fn a_complete_reply_with_open_fixes_goes_on_within_its_allowance() {
    let facts = rounds(&finished_rounds(2, 1, 2));
    for before in interrupted(reply(2)) {
        let decided = check(before, start(facts.clone()), begun(review(3)));
        decided.saves(&[Change::Replied(2, findings(1, 2)), Change::ReviewStarted(3)]);
    }
    // The second round of a second allowance: five may follow, and then four.
    let facts = rounds(&finished_rounds(9, 1, 0));
    let before = stopped(Step::Reply(round(9, 5)));
    check(before, start(facts), begun(Step::Review(round(10, 4))));
}

#[test]
fn a_complete_reply_that_leaves_only_discussion_asks_a_person() {
    let facts = rounds(&finished_rounds(2, 0, 3));
    let after = paused(Pause::NeedsDiscussion, Step::Review(round(3, 6)));
    for before in interrupted(reply(2)) {
        let decided = check(before, start(facts.clone()), after.clone());
        decided.saves(&[Change::Replied(2, findings(0, 3))]);
    }
}

#[test]
fn a_complete_reply_that_leaves_nothing_open_approves_the_review() {
    let facts = with(rounds(&finished_rounds(7, 0, 0)), |facts| {
        facts.tasks = boxes(0, 3);
    });
    for before in interrupted(reply(7)) {
        let decided = check(before, start(facts.clone()), begun(implement(0)));
        decided.saves(&[Change::Replied(7, findings(0, 0)), Change::ReviewApproved]);
    }
}

#[test]
fn a_complete_reply_is_judged_also_where_spec_json_is_silent_about_its_round() {
    let silent = RoundFacts {
        recorded: None,
        ..replied_round(7, 1, 0)
    };
    let mut known = finished_rounds(6, 1, 0);
    known.push(silent);
    let after = paused(Pause::RoundsExhausted, Step::Review(round(8, 6)));
    check(stopped(reply(7)), start(rounds(&known)), after);
}

#[test]
fn a_complete_reply_by_hand_is_judged_as_one_round() {
    let order = Order {
        review_once: Some(Fixing::Person),
        ..Order::default()
    };
    let facts = rounds(&finished_rounds(1, 2, 0));
    let after = paused(Pause::NeedsDiscussion, Step::Review(round(2, 6)));
    check(stopped(reply(1)), start_as(order, facts), after);
}

#[test]
fn an_unclear_reply_is_replied_to_again_in_the_same_round() {
    let closed = closed_round(7, 1, 0);
    let differs = RoundFacts {
        counts: Some(findings(0, 0)),
        ..closed
    };
    let says_nothing = RoundFacts {
        table: None,
        counts: None,
        ..closed
    };
    for last in [differs, says_nothing] {
        let mut known = finished_rounds(6, 1, 0);
        known.push(last);
        let after = begun_over(Some(STAMP), reply(7));
        for before in interrupted(reply(7)) {
            check(before, start(rounds(&known)), after.clone());
        }
    }
}

#[test]
fn replies_that_fail_when_they_are_complete_do_not_widen_the_allowance() {
    for outcome in [failing(), Outcome::TimedOut, Outcome::Killed] {
        let mut walk = Walk::of(written(3));
        walk.start();
        for number in 1..=7 {
            walk.agent_finishes().works_on(reply(number));
            walk.facts.review.rounds[number as usize - 1] = closed_round(number, 1, 0);
            if outcome == Outcome::Killed {
                walk.tell(stop());
            }
            walk.ends(outcome.clone()).start();
        }
        walk.stands(paused(Pause::RoundsExhausted, Step::Review(round(8, 6))));
        assert_eq!(walk.count(reviews), 7);
        // A person looked, and asks for more.
        walk.start().works_on(Step::Review(round(8, 6)));
    }
}

/// An agent wrote into spec.json that the review is approved.
fn claimed(known: RoundFacts) -> Facts {
    with(rounds(&[known]), |facts| {
        facts.review.approved = true;
        facts.tasks = boxes(0, 3);
    })
}

/// The writer of the design wrote into spec.json that it is written and approved.
fn claimed_design() -> Facts {
    with(written(1), |facts| {
        facts.documents[1] = DocumentFacts {
            generated: true,
            approved: true,
            stamp: Some(STAMP),
        };
    })
}

/// The run after its agent ended like this while spec.json was unreadable.
fn unseen(before: State, outcome: Outcome) -> Run {
    decided(before, ended_as(OURS, outcome, unreadable())).run
}

#[test]
fn an_approval_of_the_review_by_an_agent_that_did_not_end_well_is_taken_back() {
    for outcome in [failing(), Outcome::TimedOut, Outcome::Killed] {
        for (step, known) in [
            (review(1), begun_round(1)),
            (reply(1), reviewed_round(1)),
            (reply(1), replied_round(1, 0, 2)),
        ] {
            for before in [working(step), stopping(step)] {
                let event = ended(outcome.clone(), claimed(known));
                decided(before, event).saves(&[Change::ReviewStarted(1)]);
            }
        }
    }
}

#[test]
fn an_agent_that_a_stop_ended_is_not_called_lost_whoever_saw_its_end() {
    let lost = Outcome::Lost("an earlier kumite ended it".to_owned());
    let said = |before: State| {
        let decided = decided(before, ended(lost.clone(), written(3)));
        let said = decided.said().into_iter().cloned();
        let mut outcomes = said.filter_map(|notice| match notice {
            Notice::StepEnded { outcome, .. } => Some(outcome),
            _ => None,
        });
        outcomes.next().unwrap()
    };
    assert_eq!(said(stopping(review(1))), Outcome::Killed);
    assert_eq!(said(working(review(1))), lost);
}

#[test]
fn an_agent_in_the_place_of_a_hung_or_lost_one_does_not_inherit_its_word() {
    for outcome in [Outcome::Hung, Outcome::Lost("power cut".to_owned())] {
        let event = ended(outcome.clone(), claimed(reviewed_round(1)));
        let again = decided(working(reply(1)), event);
        again.saves(&[Change::ReviewStarted(1)]);
        let again = decided(working(DESIGN), ended(outcome, claimed_design()));
        again.saves(&[Change::Rejected(Document::Design)]);
    }
}

#[test]
fn a_start_does_not_believe_a_review_that_only_a_stopped_agent_approved() {
    let mut walk = Walk::of(written(3));
    walk.start().agent_finishes().works_on(reply(1));
    walk.facts.review.approved = true;
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(Event::ResetRequested).start().works_on(reply(1));
}

#[test]
fn a_document_by_a_writer_that_did_not_end_well_is_taken_back_and_written_again() {
    for outcome in [failing(), Outcome::TimedOut, Outcome::Killed] {
        for before in [working(DESIGN), stopping(DESIGN)] {
            let event = ended(outcome.clone(), claimed_design());
            let halted = decided(before, event);
            halted.saves(&[Change::Rejected(Document::Design)]);
            let mut facts = claimed_design();
            facts.apply(Change::Rejected(Document::Design));
            check(halted.run, start(facts), begun_over(Some(STAMP), DESIGN));
        }
    }
    // The same for one that approves the review instead.
    let event = ended(failing(), with(written(1), |it| it.review.approved = true));
    decided(working(DESIGN), event).saves(&[Change::Rejected(Document::Design)]);
}

#[test]
fn nothing_is_taken_back_from_an_agent_that_claimed_nothing() {
    let rows = [
        (reply(1), rounds(&[reviewed_round(1)])),
        (DESIGN, wrote(Document::Design)),
        (implement(0), tasks(1, 3)),
        (inspect(1), implemented()),
    ];
    for (step, facts) in rows {
        decided(working(step), ended(failing(), facts)).saves(&[]);
    }
}

#[test]
fn an_approval_of_the_review_by_an_agent_that_ended_unseen_is_taken_back_at_the_start() {
    let facts = claimed(replied_round(1, 0, 2));
    // It succeeded: its reply is judged, and says something else.
    let run = unseen(working(reply(1)), Outcome::Finished);
    assert_eq!(run.debt.unsure, Some(reply(1)));
    let after = paused(Pause::NeedsDiscussion, Step::Review(round(2, 6)));
    let judged = check(run, start(facts.clone()), after);
    judged.saves(&[Change::ReviewStarted(1), Change::Replied(1, findings(0, 2))]);
    assert_eq!(judged.run.debt.unsure, None);
    // It failed or was stopped: the reply is written again.
    for (before, outcome) in [
        (working(reply(1)), failing()),
        (stopping(reply(1)), Outcome::Killed),
    ] {
        let after = begun_over(Some(STAMP), reply(1));
        let again = check(unseen(before, outcome), start(facts.clone()), after);
        assert_eq!(again.saved()[0], Change::ReviewStarted(1));
    }
}

#[test]
fn a_document_by_a_writer_that_ended_unseen_is_believed_only_if_it_ended_well() {
    let failed = unseen(working(DESIGN), failing());
    assert_eq!(failed.debt.unsure, Some(DESIGN));
    let after = begun_over(Some(STAMP), DESIGN);
    let again = check(failed, start(claimed_design()), after);
    again.saves(&[Change::Rejected(Document::Design)]);

    let good = unseen(working(DESIGN), Outcome::Finished);
    assert_eq!(good.debt.unsure, None);
    let judged = check(
        good,
        start(claimed_design()),
        begun(Step::Write(Document::Tasks)),
    );
    let expected = [Change::Generated, Change::Approved].map(|it| it(Document::Design));
    judged.saves(&expected);
}

#[test]
fn the_doubt_outlasts_a_reset_and_a_start_that_cannot_read_spec_json_either() {
    let run = unseen(working(reply(1)), failing());
    let reset = decided(run, Event::ResetRequested).run;
    let blind = Event::StartRequested {
        order: Order::default(),
        look: Some(unreadable()),
        place: None,
    };
    let run = decided(reset, blind).run;
    assert_eq!(run.debt.unsure, Some(reply(1)));
    let started = decided(run, start(claimed(reviewed_round(1))));
    assert_eq!(started.saved()[0], Change::ReviewStarted(1));
    assert_eq!(started.launched().map(|it| it.step), Some(reply(1)));
}
