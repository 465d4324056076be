//! The inspection loop: NOGO never passes.

use super::build::*;
use super::files::*;
use crate::change::Change;
use crate::facts::{Facts, InspectionFacts, Stamp, Verdict};
use crate::journal::{INSPECTIONS_MAX, Order};
use crate::names::Phase;
use crate::notice::Notice;
use crate::run::{Finish, Pause, Round, State, Step, Work};

const GO: Verdict = Verdict::Go;
const NOGO: Verdict = Verdict::Nogo;

fn nogo(number: u32) -> InspectionFacts {
    inspected(number, NOGO)
}

fn fixed(number: u32) -> InspectionFacts {
    InspectionFacts {
        fixed: true,
        ..nogo(number)
    }
}

fn deployable(facts: Facts) -> Facts {
    with(facts, |facts| facts.permitted.set(Phase::Deploy, true))
}

#[test]
fn inspection_go_passes_and_ends_the_walk() {
    let facts = inspections(&[inspected(1, GO)]);
    let decided = check(
        working(inspect(1)),
        finished(facts),
        done(Finish::AllPhasesDone),
    );
    decided.says(Notice::InspectionEnded {
        round: 1,
        verdict: GO,
    });
}

#[test]
fn inspection_nogo_is_fixed_while_inspections_are_left() {
    for number in [1, 2] {
        let facts = deployable(inspections(&[nogo(number)]));
        let decided = check(
            working(inspect(number)),
            finished(facts),
            begun(fix(number)),
        );
        decided.saves(&[Change::Inspected(number, NOGO)]);
    }
}

#[test]
fn inspection_a_fix_is_judged_by_the_next_inspection() {
    let facts = inspections(&[nogo(1)]);
    let decided = check(working(fix(1)), finished(facts), begun(inspect(2)));
    decided.saves(&[Change::Fixed(1)]);
}

#[test]
fn inspection_the_third_nogo_pauses_the_run() {
    assert_eq!(INSPECTIONS_MAX, 3);
    let facts = deployable(inspections(&[fixed(1), fixed(2), nogo(3)]));
    let next = Step::Inspect(round(4, 2));
    let decided = check(
        working(inspect(3)),
        finished(facts),
        paused(Pause::InspectionNogo, next),
    );
    assert_eq!(decided.launched(), None);
}

#[test]
fn inspection_a_resume_after_the_last_nogo_inspects_again() {
    let next = Step::Inspect(round(4, 2));
    let before = paused(Pause::InspectionNogo, next);
    let facts = inspections(&[fixed(1), fixed(2), nogo(3)]);
    check(before, start(facts), begun(next));
}

#[test]
fn inspection_a_nogo_is_not_passed_by_a_start() {
    let start_with = |known: &[InspectionFacts]| start(deployable(inspections(known)));
    check(State::Idle, start_with(&[nogo(1)]), begun(fix(1)));
    check(State::Idle, start_with(&[fixed(1)]), begun(inspect(2)));
    let known = [fixed(1), fixed(2), nogo(3)];
    check(
        State::Idle,
        start_with(&known),
        begun(Step::Fix(round(3, 3))),
    );
}

#[test]
fn inspection_an_old_go_says_nothing_about_newer_work() {
    let facts = with(inspections(&[inspected(1, GO)]), |facts| {
        facts.tasks = boxes(4, 4);
    });
    let next = Step::Inspect(Round::fresh(2, INSPECTIONS_MAX));
    let event = finished(facts.clone());
    check(working(implement(0)), event, begun(next));
    // It stays due after a stop.
    check(stopped(next), start(facts), begun(next));
}

#[test]
fn inspection_a_start_goes_on_with_the_step_that_was_interrupted() {
    let rows: [(&[InspectionFacts], Step); 4] = [
        (&[], inspect(1)),
        (&[nogo(1)], fix(1)),
        (&[fixed(1)], inspect(2)),
        (&[fixed(1), nogo(2)], fix(2)),
    ];
    for (known, step) in rows {
        check(stopped(step), start(inspections(known)), begun(step));
        check(State::Idle, start(inspections(known)), begun(step));
    }
}

#[test]
fn inspection_one_clear_verdict_is_enough() {
    for (report, recorded) in [(Some(GO), None), (None, Some(GO))] {
        let known = InspectionFacts {
            report,
            recorded,
            ..inspected(1, GO)
        };
        let facts = inspections(&[known]);
        check(
            working(inspect(1)),
            finished(facts),
            done(Finish::AllPhasesDone),
        );
    }
}

#[test]
fn inspection_verdicts_that_differ_never_pass() {
    for (report, recorded) in [(GO, NOGO), (NOGO, GO)] {
        let known = InspectionFacts {
            report: Some(report),
            recorded: Some(recorded),
            ..inspected(1, GO)
        };
        let facts = deployable(inspections(&[known]));
        let after = unjudged(Pause::EvidenceConflict, work(inspect(1)));
        let decided = check(working(inspect(1)), finished(facts.clone()), after.clone());
        decided.saves(&[]);
        // A person who only resumes gets a new inspection, not a pass.
        check(after, start(facts), begun_over(Some(STAMP), inspect(1)));
    }
}

#[test]
fn inspection_without_a_verdict_never_passes() {
    let after = unjudged(Pause::NoEvidence, work(inspect(1)));
    check(working(inspect(1)), finished(implemented()), after.clone());
    let begun = InspectionFacts {
        number: 1,
        stamp: Some(STAMP),
        ..InspectionFacts::default()
    };
    let facts = inspections(&[begun]);
    check(working(inspect(1)), finished(facts), after);
}

#[test]
fn inspection_an_old_report_is_no_evidence_of_a_new_one() {
    let old = Work {
        before: Some(STAMP),
        ..work(inspect(1))
    };
    let facts = inspections(&[inspected(1, GO)]);
    let after = unjudged(Pause::NoEvidence, old.clone());
    check(State::Working(old.clone()), finished(facts), after);
    let rewritten = InspectionFacts {
        stamp: Some(Stamp::Fnv(2)),
        ..inspected(1, GO)
    };
    let facts = inspections(&[rewritten]);
    check(
        State::Working(old),
        finished(facts),
        done(Finish::AllPhasesDone),
    );
}

#[test]
fn inspection_rounds_max_is_a_setting() {
    let mut order = Order::default();
    order.rules.inspections_max = 1;
    let step = Step::Inspect(round(1, 0));
    check(
        State::Idle,
        start_as(order.clone(), implemented()),
        begun(step),
    );
    let before = ordered(order, working(step));
    let next = Step::Inspect(round(2, 0));
    check(
        before,
        finished(inspections(&[nogo(1)])),
        paused(Pause::InspectionNogo, next),
    );
}

#[test]
fn inspection_the_last_verdict_of_an_agent_that_inspected_again_by_itself_counts() {
    let facts = inspections(&[fixed(1), inspected(2, GO)]);
    let decided = check(
        working(inspect(1)),
        finished(facts),
        done(Finish::AllPhasesDone),
    );
    decided.says(Notice::InspectionEnded {
        round: 2,
        verdict: GO,
    });
    // All three at once: the allowance is used up.
    let facts = deployable(inspections(&[fixed(1), fixed(2), nogo(3)]));
    let next = Step::Inspect(round(4, 2));
    check(
        working(inspect(1)),
        finished(facts),
        paused(Pause::InspectionNogo, next),
    );
}
