//! The patient person who completes everything once faults have stopped.

use kumite_core::facts::Permitted;
use kumite_core::facts::TaskFacts;
use kumite_core::journal::{Event, Guard};
use kumite_core::names::{Document, Phase};
use kumite_core::run::{Failure, Finish, Halt, Halted, Pause, State};

use super::deed::Deed;
use super::people::{ask, does, no_boxes, pay, repair, start};
use super::waits::quiet_ms;
use super::{Host, SpecHappening, World, place_people};
use crate::faults::Kind;

/// Looks at every spec that rests, and does what its halt requires.
pub fn be_patient(world: &mut World, host: Option<&mut Host>) {
    let quiet_ms = host.as_ref().map_or(0, |host| quiet_ms(world, host));
    world.post_own(quiet_ms.max(150), SpecHappening::Patience);
    let Some(host) = host else {
        return;
    };
    for spec in 0..world.story.drawn.specs {
        if host.machines[spec].is_at_rest() {
            see_through(world, host, spec);
        }
    }
}

fn see_through(world: &mut World, host: &mut Host, spec: usize) {
    if host.machines[spec].state == State::Done(Finish::AllPhasesDone) {
        return;
    }
    repair(world, spec);
    permit_all(world, spec);
    place_people::see_through(world, host, spec);
    match &host.machines[spec].state {
        State::Halted(Halted {
            why: Halt::Waiting(document),
            ..
        }) => {
            let document = *document;
            let event = Event::DocumentApproved { document };
            ask(world, host, spec, Kind::PersonApproved, event);
        }
        State::Halted(Halted {
            why: Halt::DeployDoubted,
            ..
        }) => {
            let event = Event::DeployApproved;
            ask(world, host, spec, Kind::PersonApproved, event);
        }
        State::Halted(Halted {
            why: Halt::Failed(Failure::RetriesExhausted),
            ..
        }) => {
            ask(world, host, spec, Kind::PersonReset, Event::ResetRequested);
        }
        State::Halted(Halted {
            why: Halt::Paused(Pause::Budget),
            ..
        }) => pay(world, u64::MAX),
        _ => {}
    }
    let strict = world.story.drawn.rules.guard == Guard::Strict;
    let facts = world.story.disks[spec].facts();
    if strict && no_boxes(&facts) && facts.document(Document::Tasks).stamp.is_some() {
        let boxes = TaskFacts::Counted { done: 0, total: 2 };
        does(world, spec, Deed::Boxes(boxes));
    }
    let order = world.story.project.order(world.story.drawn.rules);
    start(world, host, spec, order);
}

fn permit_all(world: &mut World, spec: usize) {
    let now = world.story.disks[spec].facts().permitted;
    let mut all = Permitted::by_default();
    all.set(Phase::Deploy, now.allows(Phase::Deploy));
    if all != now {
        does(world, spec, Deed::Permit(all));
    }
}
