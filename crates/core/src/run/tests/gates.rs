//! What else waits for the commands, and the baseline (E4).

use super::build::*;
use super::files::*;
use super::trust::*;
use super::walk::Walk;
use crate::effect::Effect;
use crate::facts::Verdict;
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::place::{Baseline, CheckOutcome};
use crate::run::{Failure, Finish, Gate, Halt, Pause, Step};

#[test]
fn e4_10_a_fix_is_verified_before_the_next_inspection() {
    let mut walk = inspecting();
    walk.agent_inspects(Verdict::Nogo).works_on(fix(1));
    walk.facts.place = seen(2);
    walk.ends(Outcome::Finished);
    let Step::Inspect(next) = inspect(2) else {
        panic!("no inspection");
    };
    walk.works_on(verify(0, 1, Gate::Inspect(next)));
    // What fails is the next attempt of impl, in the same count.
    walk.ends(failed_command()).ends(failed_command());
    walk.works_on(implement(1));
    ticked(&mut walk, 3).works_on(verify(0, 1, gate(1)));
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    assert!(matches!(walk.run.work().unwrap().step, Step::Inspect(_)));
}

#[test]
fn e4_10_a_go_counts_only_for_verified_code() {
    let mut walk = inspecting();
    // The inspector changed the code.
    walk.facts.place = seen(2);
    walk.agent_inspects(Verdict::Go);
    let Step::Inspect(round) = inspect(1) else {
        panic!("no inspection");
    };
    walk.works_on(verify(0, 1, Gate::Judge(round)));
    assert_eq!(walk.facts.completed, Some(Phase::Impl));
    // A stop here does not pay for another inspection.
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(verify(0, 1, Gate::Judge(round)));
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    walk.stands(done(Finish::AllPhasesDone));
    assert_eq!(walk.facts.completed, Some(Phase::Inspection));
}

#[test]
fn e4_11_without_commands_the_run_goes_on_and_says_that_nothing_is_verified() {
    let mut plain = order();
    plain.verify.clear();
    let mut walk = Walk::of(implemented());
    walk.tell(start_as(plain, walk.facts.clone()))
        .works_on(inspect(1));
    walk.agent_inspects(Verdict::Go)
        .stands(done(Finish::AllPhasesDone));
    let Notice::RunEnded { message, .. } = crate::run::run_ended(&walk.run) else {
        panic!("no end");
    };
    assert!(message.contains("not verified"), "{message}");
}

#[test]
fn e4_12_a_stop_during_a_command_goes_on_with_the_commands() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished).works_on(verify(1, 1, gate(0)));
    walk.tell(stop()).ends(Outcome::Killed);
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(verify(0, 1, gate(0)));
}

#[test]
fn e4_13_a_command_that_cannot_be_started_pays_no_agent() {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Missing("no npm".to_owned()));
    assert_eq!(halted_as(&walk), Halt::Failed(Failure::AgentMissing));
}

#[test]
fn e4_14_the_baseline_is_measured_before_an_agent_is_paid() {
    let requirements = Step::Write(crate::names::Document::Requirements);
    for baseline in [Baseline::Pause, Baseline::Warn] {
        let mut walk = measuring(baseline);
        walk.works_on(Step::Baseline);
        walk.facts.measured = measured(CheckOutcome::Passed);
        walk.ends(Outcome::Finished).works_on(requirements);
        assert_eq!(walk.launched, [Step::Baseline, requirements]);
    }
    measuring(Baseline::Off).works_on(requirements);
}

#[test]
fn e4_15_a_red_baseline_pauses_or_warns() {
    let requirements = Step::Write(crate::names::Document::Requirements);
    let mut walk = measuring(Baseline::Pause);
    walk.facts.measured = measured(CheckOutcome::Failed);
    walk.ends(Outcome::Finished);
    assert_eq!(halted_as(&walk), Halt::Paused(Pause::BaselineFailed));
    // Going on measures again.
    let mut order = order();
    order.rules.baseline = Baseline::Pause;
    walk.facts.measured = None;
    walk.tell(start_as(order, walk.facts.clone()))
        .works_on(Step::Baseline);
    walk.facts.measured = measured(CheckOutcome::Passed);
    walk.ends(Outcome::Finished).works_on(requirements);

    let mut walk = measuring(Baseline::Warn);
    walk.facts.measured = measured(CheckOutcome::Timeout);
    let ending = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    assert!(
        effects
            .iter()
            .any(|it| matches!(it, Effect::Announce(Notice::Warned(_))))
    );
    walk.perform(effects).works_on(requirements);
}

#[test]
fn e4_15_a_stop_during_the_baseline_rests_where_the_run_was() {
    let mut walk = measuring(Baseline::Pause);
    walk.tell(stop()).ends(Outcome::Killed);
    assert!(matches!(halted_as(&walk), Halt::Stopped(_)));
    let mut order = order();
    order.rules.baseline = Baseline::Pause;
    walk.tell(start_as(order, walk.facts.clone()))
        .works_on(Step::Baseline);
}
