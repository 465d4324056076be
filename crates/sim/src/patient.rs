//! The patient person who completes everything once faults have stopped.

use kumite_core::facts::Permitted;
use kumite_core::facts::TaskFacts;
use kumite_core::journal::{Event, Guard, Order};
use kumite_core::names::{Document, Phase};
use kumite_core::run::{Failure, Finish, Halt, Halted, Pause, State};

use crate::deed::Deed;
use crate::faults::Kind;
use crate::host::Engine;
use crate::people::{ask, does, no_boxes, pay, repair, start};
use crate::world::{Happening, World};

/// Looks at every spec that rests, and does what its halt requires.
pub fn be_patient(world: &mut World, engine: Option<&mut Engine>) {
    let quiet_ms = engine.as_ref().map_or(0, |engine| world.quiet_ms(engine));
    world.post(quiet_ms.max(150), Happening::Patience);
    let Some(engine) = engine else {
        return;
    };
    for spec in 0..world.plan.specs {
        if engine.runs[spec].is_at_rest() {
            see_through(world, engine, spec);
        }
    }
}

fn see_through(world: &mut World, engine: &mut Engine, spec: usize) {
    if engine.runs[spec].state == State::Done(Finish::AllPhasesDone) {
        return;
    }
    repair(world, spec);
    permit_all(world, spec);
    match &engine.runs[spec].state {
        State::Halted(Halted {
            why: Halt::Waiting(document),
            ..
        }) => {
            let document = *document;
            let event = Event::DocumentApproved { document };
            ask(world, engine, spec, Kind::PersonApproved, event);
        }
        State::Halted(Halted {
            why: Halt::DeployDoubted,
            ..
        }) => {
            let event = Event::DeployApproved;
            ask(world, engine, spec, Kind::PersonApproved, event);
        }
        State::Halted(Halted {
            why: Halt::Failed(Failure::RetriesExhausted),
            ..
        }) => {
            ask(
                world,
                engine,
                spec,
                Kind::PersonReset,
                Event::ResetRequested,
            );
        }
        State::Halted(Halted {
            why: Halt::Paused(Pause::Budget),
            ..
        }) => pay(world, u64::MAX),
        _ => {}
    }
    let strict = world.plan.rules.guard == Guard::Strict;
    let facts = world.disks[spec].facts();
    if strict && no_boxes(&facts) && facts.document(Document::Tasks).stamp.is_some() {
        let boxes = TaskFacts::Counted { done: 0, total: 2 };
        does(world, spec, Deed::Boxes(boxes));
    }
    let order = Order {
        rules: world.plan.rules,
        ..Order::default()
    };
    start(world, engine, spec, order);
}

fn permit_all(world: &mut World, spec: usize) {
    let now = world.disks[spec].facts().permitted;
    let mut all = Permitted::by_default();
    all.set(Phase::Deploy, now.allows(Phase::Deploy));
    if all != now {
        does(world, spec, Deed::Permit(all));
    }
}
