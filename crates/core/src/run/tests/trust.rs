//! What the rows about places and evidence have in common (E).

use super::build::*;
use super::files::*;
use super::walk::Walk;
use crate::facts::Stamp;
use crate::journal::Order;
use crate::outcome::Outcome;
use crate::place::{
    Baseline, Check, CheckOutcome, Content, Measured, Place, PlaceFacts, PlaceLook, Prepared,
};
use crate::run::{Gate, Halt, State, Step, Verify};

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

pub(super) fn measuring(baseline: Baseline) -> Walk {
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

/// Verified, and the inspection works.
pub(super) fn inspecting() -> Walk {
    let mut walk = in_place();
    ticked(&mut walk, 1);
    walk.ends(Outcome::Finished).ends(Outcome::Finished);
    walk.works_on(inspect(1));
    walk
}
