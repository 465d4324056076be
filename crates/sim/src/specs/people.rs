//! People who make requests at any moment. The patient one is in [`super::patient`].

use kumite_core::change::Fixing;
use kumite_core::facts::{Facts, Findings, Permitted, TaskFacts, Verdict};
use kumite_core::journal::{By, Event, Order};
use kumite_core::names::{Document, Phase};
use kumite_core::run::{
    Halt, Halted, Pause, Run, State, Step, may_approve, may_approve_deploy, may_reject, may_reset,
};

use super::deed::{Deed, Inspection, Reply};
use super::engine::name;
use super::news::News;
use super::{Host, SpecHappening, What, World, place_people};
use crate::faults::Kind;

/// The files of a spec at the beginning.
pub fn set_up(world: &mut World, spec: usize) {
    let mut permitted = Permitted::by_default();
    permitted.set(Phase::Deploy, world.rng.chance(300));
    if world.rng.chance(150) {
        permitted.set(world.rng.pick(&Phase::ALL), false);
    }
    does(world, spec, Deed::Permit(permitted));
    // Not drawn, so that older stories stay the same.
    if spec.is_multiple_of(2) {
        does(world, spec, Deed::Git);
    }
    let finished = world
        .rng
        .weighed(&[(60, 0), (10, 3), (10, 4), (5, 5), (3, 1)]);
    for phase in Phase::ALL.into_iter().take(finished) {
        does(world, spec, Deed::Earlier(phase));
    }
    if finished >= 3 {
        let total = world.rng.between(1, 4) as u32;
        let done = if finished >= 5 { total } else { 0 };
        does(world, spec, Deed::Boxes(TaskFacts::Counted { done, total }));
    }
    // A round of an older tool, which spec.json does not record.
    if finished == 3 && world.rng.chance(500) {
        does(world, spec, Deed::Review(1));
        if world.rng.chance(500) {
            let fix_required = world.rng.below(3) as u32;
            let table = Findings {
                fix_required,
                needs_discussion: 0,
            };
            let file = Some(Some(table));
            let reply = Reply {
                number: 1,
                file,
                counts: None,
            };
            does(world, spec, Deed::Reply(reply));
        }
    }
    place_people::set_up(world, spec);
}

pub fn does(world: &mut World, spec: usize, deed: Deed) {
    world.story.disks[spec].suffer(deed);
    world.see(spec, What::Own(News::Done(None, deed)));
}

#[derive(Clone, Copy)]
enum Wish {
    Start,
    Stop,
    Interrupt,
    Pause,
    Reset,
    Approve,
    Reject,
    Permit,
    Repair,
    SetRight,
    CutShort,
    Pay,
}

/// A person does something, whether it makes sense or not.
pub fn interfere(world: &mut World, host: Option<&mut Host>, spec: usize) {
    if world.calm {
        return;
    }
    let gap_ms = world.story.drawn.rates.people_gap_ms;
    let after_ms = world.rng.between(1, 2 * gap_ms);
    world.post_own(after_ms, SpecHappening::Person { spec });
    let Some(host) = host else {
        return;
    };
    if place_people::interfere(world, host, spec) {
        return;
    }
    let run = &host.machines[spec];
    let wish = match run.is_at_rest() {
        _ if waits_or_is_broke(run) && world.story.account.luck.chance(400) => match run.state {
            State::Halted(Halted {
                why: Halt::Paused(Pause::Budget),
                ..
            }) => Wish::Pay,
            _ => Wish::CutShort,
        },
        true => world.rng.weighed(&[
            (50, Wish::Start),
            (10, Wish::Reset),
            (16, Wish::Approve),
            (5, Wish::Reject),
            (5, Wish::Permit),
            (8, Wish::Repair),
            (6, Wish::SetRight),
            (2, Wish::Stop),
            (2, Wish::Pause),
        ]),
        false => world.rng.weighed(&[
            (25, Wish::Start),
            (22, Wish::Stop),
            (6, Wish::Interrupt),
            (18, Wish::Pause),
            (4, Wish::Reset),
            (6, Wish::Approve),
            (3, Wish::Reject),
            (6, Wish::Permit),
            (5, Wish::Repair),
        ]),
    };
    grant(world, host, spec, wish);
}

fn grant(world: &mut World, host: &mut Host, spec: usize, wish: Wish) {
    match wish {
        Wish::Start => {
            let order = draw_order(world);
            start(world, host, spec, order);
        }
        Wish::Stop => ask(
            world,
            host,
            spec,
            Kind::PersonStopped,
            Event::StopRequested { by: By::User },
        ),
        Wish::Interrupt => {
            let event = Event::StopRequested { by: By::Interrupt };
            ask(world, host, spec, Kind::PersonInterrupted, event);
        }
        Wish::Pause => ask(world, host, spec, Kind::PersonPaused, Event::PauseRequested),
        Wish::Reset => reset(world, host, spec),
        Wish::Approve => approve(world, host, spec),
        Wish::Reject => reject(world, host, spec),
        Wish::Permit => permit(world, spec),
        Wish::Repair => repair(world, spec),
        Wish::SetRight => set_right(world, host, spec),
        Wish::CutShort => cut_short(world, host, spec),
        Wish::Pay => {
            let micros = world.story.account.luck.between(1, 1_000);
            pay(world, micros);
        }
    }
}

/// Whether there is a wait or an empty budget that a person can end.
fn waits_or_is_broke(run: &Run) -> bool {
    match &run.state {
        State::Limited(_) => true,
        State::Halted(halted) => matches!(
            halted.why,
            Halt::Limited { .. } | Halt::Paused(Pause::Budget)
        ),
        _ => false,
    }
}

pub fn ask(world: &mut World, host: &mut Host, spec: usize, kind: Kind, event: Event) {
    world.tally.note(kind);
    place_people::note_request(world, &host.machines[spec], &event);
    if let State::Limited(_) = host.machines[spec].state {
        match event {
            Event::StopRequested { .. } => world.tally.note(Kind::PersonStoppedWait),
            Event::PauseRequested => world.tally.note(Kind::PersonPausedWait),
            _ => {}
        }
    }
    host.handle(world, spec, event);
}

fn draw_order(world: &mut World) -> Order {
    let mut order = world.story.project.order(world.story.drawn.rules);
    place_people::change_settings(world, &mut order);
    order.rules.limit.wait = world.story.account.is_waited_for();
    match world.rng.below(12) {
        0 | 1 => order.until = Some(world.rng.pick(&Phase::ALL)),
        2 => order.from = Some(world.rng.pick(&Phase::ALL)),
        3 => {
            let fixing = [Fixing::Auto, Fixing::Person, Fixing::Nobody];
            order.review_once = Some(world.rng.pick(&fixing));
        }
        _ => {}
    }
    order
}

pub fn start(world: &mut World, host: &mut Host, spec: usize, order: Order) {
    world.tally.note(match order {
        Order { from: Some(_), .. } => Kind::PersonStartedFrom,
        Order { until: Some(_), .. } => Kind::PersonStartedUntil,
        Order {
            review_once: Some(_),
            ..
        } => Kind::PersonReviewedOnce,
        _ => Kind::PersonStarted,
    });
    let waits = matches!(host.machines[spec].state, State::Limited(_));
    if waits && !order.rules.limit.wait {
        world.tally.note(Kind::PersonDidNotWait);
    }
    let look = match waits || host.memory.pool.ask(&name(spec)) {
        true => Some(world.story.disks[spec].look(&host.machines[spec])),
        false => {
            world.tally.note(Kind::RunQueued);
            None
        }
    };
    let place = host.memory.pool.place(&name(spec));
    host.handle(world, spec, Event::StartRequested { order, look, place });
}

/// A person wants to know now whether the limit is over.
fn cut_short(world: &mut World, host: &mut Host, spec: usize) {
    world.tally.note(Kind::PersonCutWaitShort);
    world.noted_until_ms = 0;
    world.see(spec, What::CutShort);
    let order = world.story.project.order(world.story.drawn.rules);
    start(world, host, spec, order);
    host.wake_up(world, spec);
}

pub fn pay(world: &mut World, micros: u64) {
    world.tally.note(Kind::PersonPaid);
    world.story.account.raise_budget(micros);
}

fn reset(world: &mut World, host: &mut Host, spec: usize) {
    // The refusal is only a courtesy; the rules must hold without it.
    if may_reset(&host.machines[spec]).is_ok() || world.rng.chance(200) {
        ask(world, host, spec, Kind::PersonReset, Event::ResetRequested);
    }
}

fn readable(world: &World, spec: usize) -> Option<Facts> {
    let disk = &world.story.disks[spec];
    (!disk.garbled).then(|| disk.facts())
}

fn approve(world: &mut World, host: &mut Host, spec: usize) {
    if may_approve_deploy(&host.machines[spec]).is_ok() {
        let event = Event::DeployApproved;
        return ask(world, host, spec, Kind::PersonApproved, event);
    }
    let Some(facts) = readable(world, spec) else {
        return;
    };
    let named = world
        .rng
        .chance(200)
        .then(|| world.rng.pick(&Document::ALL));
    if let Ok(document) = may_approve(&host.machines[spec], &facts, named) {
        let event = Event::DocumentApproved { document };
        ask(world, host, spec, Kind::PersonApproved, event);
    }
}

fn reject(world: &mut World, host: &mut Host, spec: usize) {
    let Some(facts) = readable(world, spec) else {
        return;
    };
    let named = world
        .rng
        .chance(500)
        .then(|| world.rng.pick(&Document::ALL));
    if let Ok(document) = may_reject(&host.machines[spec], &facts, named) {
        let remark = Some("once more, please".to_owned());
        let event = Event::DocumentRejected { document, remark };
        ask(world, host, spec, Kind::PersonRejected, event);
    }
}

fn permit(world: &mut World, spec: usize) {
    let Some(facts) = readable(world, spec) else {
        return;
    };
    let mut permitted = facts.permitted;
    let phase = world.rng.pick(&Phase::ALL);
    permitted.set(phase, !permitted.allows(phase));
    world.tally.note(Kind::PersonPermitted);
    does(world, spec, Deed::Permit(permitted));
}

pub fn repair(world: &mut World, spec: usize) {
    if world.story.disks[spec].garbled {
        world.tally.note(Kind::PersonRepaired);
        does(world, spec, Deed::Repair);
    }
}

/// A person clarifies what an agent left unclear.
fn set_right(world: &mut World, host: &mut Host, spec: usize) {
    let (Some(facts), State::Halted(halted)) = (readable(world, spec), &host.machines[spec].state)
    else {
        return;
    };
    let deed = match halted.why {
        Halt::Paused(Pause::NoEvidence | Pause::EvidenceConflict) => match halted.resume.step {
            Some(Step::Reply(round)) => Deed::Reply(Reply {
                number: round.number,
                file: Some(Some(Findings::default())),
                counts: Some(Findings::default()),
            }),
            Some(Step::Inspect(round)) => Deed::Inspection(Inspection {
                number: round.number,
                file: Some(Some(Verdict::Go)),
                recorded: Some(Verdict::Go),
            }),
            Some(Step::Implement(_)) => match no_boxes(&facts) {
                true => Deed::Boxes(TaskFacts::Counted { done: 0, total: 2 }),
                false => return,
            },
            _ => return,
        },
        _ => return,
    };
    world.tally.note(Kind::PersonSetRight);
    does(world, spec, deed);
}

pub fn no_boxes(facts: &Facts) -> bool {
    match facts.tasks {
        TaskFacts::Unreadable => true,
        TaskFacts::Counted { total, .. } => total == 0,
    }
}
