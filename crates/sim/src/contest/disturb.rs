//! What happens to a contest: answers, the database, the clock, a person who cancels.

use kumite_core::contest::{Event, Failure};

use super::database::{Answer, Write, Wrote};
use super::{CANCEL, ContestHappening, DAY_MS, Host, Job, What, World, agents, answers};
use crate::faults::Kind;
use crate::world::Happening;

pub fn begin(world: &mut World) {
    if let Some(at_ms) = world.story.drawn.cancel_at_ms {
        world.post_own(at_ms, ContestHappening::Cancel);
    }
    let rates = world.story.drawn.rates;
    world.post_some(
        rates.outage_gap_ms,
        Happening::Own(ContestHappening::Outage),
    );
    world.post_some(rates.jump_gap_ms, Happening::Own(ContestHappening::Jump));
}

pub fn happen(world: &mut World, host: Option<&mut Host>, happening: ContestHappening) {
    match happening {
        ContestHappening::Cancel => cancel(world, host),
        ContestHappening::Jump => jump(world),
        ContestHappening::Outage => outage(world),
        ContestHappening::OutageEnds => world.story.writer.is_down = false,
        // A message is lost if no process is alive to receive it.
        told => {
            if let Some(host) = host {
                hear(world, host, told);
            }
        }
    }
}

fn hear(world: &mut World, host: &mut Host, told: ContestHappening) {
    match told {
        ContestHappening::Answer { job, event } => {
            let events = accept(world, host, job, event);
            host.take_together(world, events.into_iter().collect());
        }
        ContestHappening::Stray(event) => host.take(world, 0, event),
        ContestHappening::AgentBegins { job, start } if host.finish(job) => {
            if let Some(event) = agents::begin(world, host, start) {
                host.take(world, 0, event);
            }
        }
        ContestHappening::HandOver { job, write } if host.finish(job) => {
            host.hand_over(world, write);
        }
        ContestHappening::Write { epoch } if host.epoch == epoch => next_write(world, host),
        _ => {}
    }
}

impl Host {
    /// Handles `events`, together with all answers that arrive in the same moment.
    pub fn take_together(&mut self, world: &mut World, mut events: Vec<Event>) {
        let is_answer = |own: &ContestHappening| matches!(own, ContestHappening::Answer { .. });
        while let Some(ContestHappening::Answer { job, event }) = world.also_now(is_answer) {
            events.extend(accept(world, self, job, event));
        }
        if events.len() > 1 {
            world.tally.note(Kind::AnswersTogether);
        }
        self.take_all(world, 0, events);
    }
}

/// An answer to a process that is gone is lost, or goes to the next one.
fn accept(world: &mut World, host: &mut Host, job: Job, event: Event) -> Option<Event> {
    if host.finish(job) {
        maybe_double(world, &event);
        return Some(event);
    }
    let rate = world.story.drawn.rates.message;
    let comes = job.epoch < host.epoch
        && !is_timeout(&event)
        && world.strikes(rate, Kind::AnswerFromLastProcess);
    comes.then_some(event)
}

/// A timeout is noticed by the process that waits, so it is lost together with that process.
fn is_timeout(event: &Event) -> bool {
    match event {
        Event::SubmitFailed { failed, .. }
        | Event::MeasureFailed { failed, .. }
        | Event::JudgeFailed { failed, .. } => failed.failure == Failure::TimedOut,
        _ => false,
    }
}

fn maybe_double(world: &mut World, event: &Event) {
    if world.strikes(world.story.drawn.rates.message, Kind::AnswerDoubled) {
        let after_ms = world.rng.between(0, 1_500);
        let again = ContestHappening::Stray(event.clone());
        world.post_own(after_ms, again);
    }
}

/// Writes the writer's next transaction.
fn next_write(world: &mut World, host: &mut Host) {
    let Some(write) = world.story.writer.queue.pop_front() else {
        return;
    };
    let fails = write_fails(world, &write);
    let lands = !fails || world.strikes(150, Kind::SaveFailedButLanded);
    if lands {
        world.see(0, What::Own(Wrote(write.rows.into())));
    }
    let event = match fails {
        true => write.answer.failed(),
        false => write.answer.saved(),
    };
    event.iter().for_each(|event| maybe_double(world, event));
    host.take_all(world, 0, event.into_iter().collect());
}

fn write_fails(world: &mut World, write: &Write) -> bool {
    let rate = world.story.drawn.rates.save;
    let fails = match &write.answer {
        Answer::Nobody => world.strikes(rate, Kind::StartLost),
        Answer::Summary { .. } => world.strikes(rate, Kind::SummaryFailed),
        // Also after faults have stopped: whether it fails must not depend on the time.
        Answer::Save(asked) => answers::save_fails(&world.story.drawn, *asked),
    };
    if fails && matches!(write.answer, Answer::Save(_)) {
        world.tally.note(Kind::SaveFailed);
    }
    fails || world.story.writer.is_down
}

/// A process that ends lets its writer finish; one that dies does not.
pub fn over(world: &mut World, host: &Host) {
    let handed_over = world.story.writer.queue.len() as u64;
    let landed = match host.dying {
        true => world.rng.between(0, handed_over),
        false => handed_over,
    };
    let queue = std::mem::take(&mut world.story.writer.queue);
    for write in queue.into_iter().take(landed as usize) {
        if !world.story.writer.is_down {
            world.see(0, What::Own(Wrote(write.rows.into())));
        }
    }
    if host.dying {
        return;
    }
    world.story.is_closed = host.machines[0].contest.is_saved();
    if !world.story.is_closed {
        world.tally.note(Kind::EndedUnsaved);
    }
}

fn cancel(world: &mut World, host: Option<&mut Host>) {
    world.story.wants_cancel = true;
    if let Some(host) = host
        && world.story.may_cancel(&host.machines[0].contest)
    {
        world.tally.note(Kind::Cancelled);
        host.take(world, 0, CANCEL);
    }
}

fn jump(world: &mut World) {
    if world.calm {
        return;
    }
    let by_ms = world.rng.pick(&[500, 30_000, 3_600_000]);
    if world.rng.chance(500) {
        world.tally.note(Kind::ClockForward);
        world.ahead_ms += by_ms;
    } else {
        world.tally.note(Kind::ClockBack);
        world.ahead_ms -= by_ms;
    }
    let gap_ms = world.story.drawn.rates.jump_gap_ms;
    world.post_some(gap_ms, Happening::Own(ContestHappening::Jump));
}

fn outage(world: &mut World) {
    if world.calm {
        return;
    }
    world.tally.note(Kind::DatabaseDown);
    world.story.writer.is_down = true;
    let lasts_ms = world.rng.pick(&[500, 2_500, 6_000, 60_000, DAY_MS]);
    world.post_own(lasts_ms, ContestHappening::OutageEnds);
    let gap_ms = world.story.drawn.rates.outage_gap_ms;
    world.post_some(gap_ms, Happening::Own(ContestHappening::Outage));
}
