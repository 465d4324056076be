//! Where impl begins, and what is kept of it (E2, E3).

use super::build::*;
use super::files::*;
use super::trust::*;
use super::walk::Walk;
use crate::effect::Effect;
use crate::facts::{Facts, TaskFacts, Verdict};
use crate::journal::Event;
use crate::names::Phase;
use crate::notice::Notice;
use crate::outcome::Outcome;
use crate::place::Prepared;
use crate::run::{Reason, Site, State, Step, may_undo};

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
