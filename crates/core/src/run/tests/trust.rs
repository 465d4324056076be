//! Places and evidence (E): what impl begins with, and what must be shown before it is complete.

use super::build::*;
use super::files::*;
use super::walk::Walk;
use crate::effect::Effect;
use crate::facts::{Facts, Stamp, TaskFacts, Verdict};
use crate::journal::{Event, Order};
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::place::{
    Baseline, Check, CheckOutcome, Content, Measured, Place, PlaceFacts, PlaceLook, Prepared,
};
use crate::run::{
    Because, Failure, Finish, Gate, Halt, Pause, Reason, Site, State, Step, Verify,
    may_approve_impl, may_undo,
};

/// Two commands, one rerun of a failed one, worktrees, no baseline.
pub(super) fn order() -> Order {
    let mut order = Order {
        verify: vec!["tests".to_owned(), "lint".to_owned()],
        ..Order::default()
    };
    order.rules.worktree = true;
    order.rules.flaky = 1;
    order.rules.baseline = Baseline::Off;
    order
}

pub(super) fn content(code: u64) -> Content {
    Content {
        commit: format!("commit-{code}"),
        tree: format!("tree-{code}"),
        code: Stamp::Fnv(code),
    }
}

pub(super) fn seen(code: u64) -> PlaceLook {
    PlaceLook::Seen(PlaceFacts {
        content: content(code),
        protected: Vec::new(),
    })
}

pub(super) fn ready() -> Prepared {
    Prepared::Ready(Place {
        path: ".kiro/worktrees/specs/login".to_owned(),
        branch: "feature/login".to_owned(),
        base: "main".to_owned(),
        made: true,
        begin: content(0),
    })
}

pub(super) fn verify(command: u8, left: u8, gate: Gate) -> Step {
    Step::Verify(Verify {
        command,
        left,
        gate,
    })
}

pub(super) fn gate(retry: u8) -> Gate {
    match implement(retry) {
        Step::Implement(attempt) => Gate::Impl(attempt),
        other => panic!("{other:?}"),
    }
}

pub(super) fn prepare() -> Step {
    match implement(0) {
        Step::Implement(attempt) => Step::Prepare(attempt),
        other => panic!("{other:?}"),
    }
}

/// The place is made and impl works in it.
pub(super) fn in_place() -> Walk {
    let mut walk = Walk::of(reviewed());
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(prepare());
    walk.facts.prepared = Some(ready());
    walk.facts.place = seen(0);
    walk.ends(Outcome::Finished);
    walk.facts.prepared = None;
    walk.works_on(implement(0));
    walk
}

/// The agent has ticked all boxes, and the code is `code`.
pub(super) fn ticked(walk: &mut Walk, code: u64) -> &mut Walk {
    walk.facts.place = seen(code);
    walk.checks_boxes(3, 3).ends(Outcome::Finished)
}

pub(super) fn failed_command() -> Outcome {
    Outcome::Failed("exit code 1".to_owned())
}

#[track_caller]
pub(super) fn halted_as(walk: &Walk) -> Halt {
    match &walk.run.state {
        State::Halted(halted) => halted.why,
        other => panic!("{other:?} is no halt"),
    }
}

#[test]
fn e2_1_impl_begins_with_a_place() {
    let walk = in_place();
    assert_eq!(walk.launched, [prepare(), implement(0)]);
    assert!(matches!(walk.run.memory.trust.site, Site::Worktree(_)));
}

#[test]
fn e2_3_without_a_worktree_the_run_works_in_the_checkout_and_says_so_once() {
    let mut walk = Walk::of(reviewed());
    walk.tell(start_as(order(), walk.facts.clone()));
    let why = "there is no git repository".to_owned();
    walk.facts.prepared = Some(Prepared::Checkout(why));
    let ending = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    let why = "there is no git repository".to_owned();
    let said = Notice::NoWorktree { why };
    assert!(effects.contains(&Effect::Announce(said)), "{effects:?}");
    walk.perform(effects).works_on(implement(0));
    assert_eq!(walk.run.memory.trust.site, Site::Checkout);
    // The next attempt does not ask again.
    walk.facts.prepared = None;
    walk.checks_boxes(1, 3).ends(Outcome::Finished);
    walk.works_on(implement(1));
}

#[test]
fn e2_5_what_keeps_a_place_from_being_made_has_a_reason() {
    let rows = [
        (
            Some(Prepared::Conflict("a".into())),
            Reason::WorktreeConflict,
        ),
        (Some(Prepared::SetupFailed("b".into())), Reason::SetupFailed),
        (None, Reason::NoEvidence),
    ];
    for (prepared, reason) in rows {
        let mut walk = Walk::of(reviewed());
        walk.tell(start_as(order(), walk.facts.clone()));
        walk.facts.prepared = prepared;
        walk.ends(Outcome::Finished);
        assert_eq!(Reason::of_halt(halted_as(&walk)), reason);
        // Going on makes the place, and nothing else.
        walk.facts.prepared = None;
        walk.tell(start_as(order(), walk.facts.clone()));
        walk.works_on(prepare());
    }
}

#[test]
fn e2_18_a_spec_that_was_begun_in_the_checkout_goes_on_there() {
    for facts in [
        tasks(1, 3),
        with(tasks(0, 3), |it| it.completed = Some(Phase::Impl)),
    ] {
        let mut walk = Walk::of(facts);
        let resumed = start_as(order(), walk.facts.clone());
        walk.tell(resumed);
        assert!(!walk.launched.contains(&prepare()), "{:?}", walk.launched);
    }
    // Whatever has begun in a worktree goes on in it.
    let mut walk = Walk::of(with(tasks(1, 3), |it| it.place = seen(4)));
    walk.tell(start_as(order(), walk.facts.clone()));
    walk.works_on(prepare());
}

#[test]
fn e2_3_a_project_without_git_needs_no_step_to_find_that_out() {
    let mut none = order();
    none.no_worktree = Some("there is no git repository".to_owned());
    let mut walk = Walk::of(reviewed());
    let start = start_as(none.clone(), walk.facts.clone());
    let effects = walk.tell_only(start);
    let why = "there is no git repository".to_owned();
    let said = Effect::Announce(Notice::NoWorktree { why });
    assert!(effects.contains(&said), "{effects:?}");
    walk.perform(effects).works_on(implement(0));
    assert_eq!(walk.run.memory.trust.site, Site::Checkout);
    // It is said once.
    let ending = walk.checks_boxes(1, 3).ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    assert!(!effects.contains(&said), "{effects:?}");
}

#[test]
fn e2_19_a_run_whose_checkout_is_busy_queues_and_goes_on_with_the_same_attempt() {
    let mut walk = in_place();
    let agent = walk.run.work().unwrap().agent;
    let with = "other".to_owned();
    walk.tell(Event::CheckoutBusy { agent, with });
    assert!(matches!(walk.run.state, State::Queued { .. }));
    walk.tell(admitted(walk.facts.clone()))
        .works_on(implement(0));
}

#[test]
fn e2_18_without_worktrees_nothing_is_prepared() {
    let mut off = order();
    off.rules.worktree = false;
    let mut walk = Walk::of(reviewed());
    walk.tell(start_as(off, walk.facts.clone()))
        .works_on(implement(0));
}

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

/// Verified, and the inspection works.
pub(super) fn inspecting() -> Walk {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    walk.works_on(inspect(1));
    walk
}

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
fn e2_15_a_merged_spec_leaves_its_worktree() {
    let mut walk = inspecting();
    walk.facts.permitted.set(Phase::Deploy, true);
    walk.run.memory.deploy = crate::run::Deploy::ByPerson;
    walk.agent_inspects(Verdict::Go).works_on(Step::Merge);
    let ending = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    let leave = effects.iter().position(|it| *it == Effect::Leave);
    let save = effects.iter().position(|it| matches!(it, Effect::Save(_)));
    assert!(leave.is_some() && leave < save, "{effects:?}");
    assert_eq!(walk.run.memory.trust.site, Site::Unknown);
}

#[test]
fn e3_1_every_writing_step_is_between_two_checkpoints() {
    let mut walk = in_place();
    let first = walk.run.memory.trust.kept.clone().unwrap();
    assert_eq!(first.tree, "tree-0");
    walk.facts.place = seen(1);
    let ending = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    let kept = walk.run.memory.trust.kept.clone().unwrap();
    assert_eq!(kept.tree, "tree-1");
    let keep = Effect::Keep {
        seq: kept.seq,
        commit: "commit-1".to_owned(),
    };
    assert_eq!(effects.iter().filter(|it| **it == keep).count(), 1);
    assert!(effects.contains(&Effect::Announce(Notice::Checkpoint { seq: kept.seq })));
    // The same content costs nothing.
    walk.perform(effects);
    let ending = walk.ending(Outcome::Finished);
    let effects = walk.tell_only(ending);
    assert!(!effects.iter().any(|it| matches!(it, Effect::Keep { .. })));
}

#[test]
fn e3_2_an_undo_is_a_checkpoint_itself_and_returns_to_where_the_run_was() {
    let mut walk = in_place();
    assert!(may_undo(&walk.run).is_err(), "an agent works");
    walk.tell(stop()).ends(Outcome::Killed);
    let rested = walk.run.state.clone();
    assert!(may_undo(&walk.run).is_ok());
    let undo = Event::UndoRequested {
        to: 2,
        content: content(5),
    };
    walk.tell(undo).works_on(Step::Undo(2));
    assert_eq!(walk.run.memory.trust.kept.as_ref().unwrap().tree, "tree-5");
    walk.facts.place = seen(0);
    walk.ends(Outcome::Finished);
    assert_eq!(walk.run.state, rested);
    assert_eq!(walk.run.memory.trust.kept.as_ref().unwrap().tree, "tree-0");
}

fn measuring(baseline: Baseline) -> Walk {
    let mut order = order();
    order.rules.baseline = baseline;
    let mut walk = Walk::of(blank());
    walk.tell(start_as(order, walk.facts.clone()));
    walk
}

pub(super) fn measured(outcome: CheckOutcome) -> Option<Measured> {
    Some(Measured {
        tree: "base".to_owned(),
        checks: vec![Check {
            name: "tests".to_owned(),
            outcome,
            ms: 1,
        }],
        trouble: String::new(),
    })
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

#[test]
fn e7_1_without_a_place_and_without_commands_a_run_is_as_it_was() {
    let mut walk = Walk::of(reviewed());
    walk.start().works_on(implement(0));
    walk.checks_boxes(3, 3)
        .ends(Outcome::Finished)
        .works_on(inspect(1));
    let facts: &Facts = &walk.facts;
    assert!(facts.place.is_none() && facts.tasks == TaskFacts::Counted { done: 3, total: 3 });
}
