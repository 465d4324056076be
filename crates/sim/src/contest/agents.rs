//! The agents of teams: processes that live on when kumite dies, unless they die with it.

use std::collections::BTreeMap;

use kumite_core::contest::{Event, Over};
use kumite_core::outcome::{Ended, Limit, LimitKind, Outcome, Usage};

use super::answers::{self, Asked};
use super::faults::Kind;
use super::host::Engine;
use super::world::{Happening, World};

/// Team, round, attempt, number.
pub type Name = (u32, u32, u32, u32);

#[derive(Default)]
pub struct Agents {
    started: BTreeMap<Name, Process>,
    /// How many of a try died with their kumite.
    lost: BTreeMap<(u32, u32, u32), u32>,
}

struct Process {
    /// The kumite that started it.
    epoch: u64,
    ends_at_ms: u64,
    worked_ms: u64,
    ended: Ended,
}

/// An agent that is to begin.
#[derive(Clone)]
pub struct Start {
    pub asked: Asked,
    pub number: u32,
    pub is_resumed: bool,
    pub timeout_ms: u64,
}

impl Start {
    fn name(&self) -> Name {
        let Asked {
            team,
            round,
            attempt,
        } = self.asked;
        (team, round, attempt, self.number)
    }

    fn event(&self, over: Over) -> Event {
        let (team, round, attempt, number) = self.name();
        Event::AgentEnded {
            team,
            round,
            attempt,
            number,
            over,
        }
    }
}

/// One that exists is waited for; another one begins after its wait.
pub fn launch(engine: &mut Engine, world: &mut World, start: Start, wait_ms: u64) {
    let job = engine.job(world, Some(start.asked.team));
    match world.agents.started.contains_key(&start.name()) {
        true => attend(engine, world, job, &start),
        false => world.post(wait_ms, Happening::AgentBegins { job, start }),
    }
}

pub fn begin(engine: &mut Engine, world: &mut World, job: u64, start: Start) {
    let wall_ms = world.now_ms + world.ahead_ms;
    if world.strikes(world.plan.rates.team / 4, Kind::AgentHeld) {
        let until_ms = Some(wall_ms + world.rng.below(5_000));
        let outcome = Outcome::Limited(Limit {
            kind: LimitKind::Held,
            until_ms,
            words: String::new(),
        });
        let event = start.event(Over {
            ended: ended(outcome, None, Usage::default()),
            is_found: false,
            worked_ms: 0,
            why: String::new(),
        });
        return world.post(0, Happening::Answer { job, event });
    }
    let (team, round, attempt, number) = start.name();
    let lost = world.agents.lost.get(&(team, round, attempt));
    let turn = number - lost.copied().unwrap_or(0).min(number - 1);
    let agent = answers::agent(&world.plan, start.asked, turn, start.is_resumed, wall_ms);
    let (outcome, worked_ms) = match agent.takes_ms > start.timeout_ms {
        true => (Outcome::TimedOut, start.timeout_ms),
        false => (agent.outcome, agent.takes_ms),
    };
    note(world, &outcome);
    let process = Process {
        epoch: engine.epoch,
        ends_at_ms: world.now_ms + worked_ms,
        worked_ms,
        ended: ended(outcome, agent.session, agent.usage),
    };
    world.agents.started.insert(start.name(), process);
    attend(engine, world, job, &start);
}

fn attend(engine: &Engine, world: &mut World, job: u64, start: &Start) {
    let Some(process) = world.agents.started.get(&start.name()) else {
        return;
    };
    let is_found = process.epoch != engine.epoch;
    let mut ended = process.ended.clone();
    // As the host has it: what ended that kumite ended its agent.
    if is_found && ended.outcome == Outcome::Killed {
        ended.outcome = Outcome::Lost(String::new());
    }
    let left_ms = process.ends_at_ms.saturating_sub(world.now_ms);
    let event = start.event(Over {
        ended,
        is_found,
        worked_ms: process.worked_ms,
        why: String::new(),
    });
    if is_found {
        world.tally.note(Kind::AgentFound);
    }
    world.post(left_ms, Happening::Answer { job, event });
}

/// Whoever works for this team is ended.
pub fn end(world: &mut World, team: u32) {
    world.agents.started.retain(|name, _| name.0 != team);
}

/// kumite has died, and takes some of its agents along.
pub fn crash(world: &mut World) {
    if world.plan.is_repeatable {
        return;
    }
    let now_ms = world.now_ms;
    let at_work = world.agents.started.iter();
    let at_work = at_work.filter(|(_, process)| process.ends_at_ms > now_ms);
    let names: Vec<Name> = at_work.map(|(name, _)| *name).collect();
    for name in names {
        if !world.strikes(300, Kind::AgentLost) {
            continue;
        }
        let (team, round, attempt, _) = name;
        *world.agents.lost.entry((team, round, attempt)).or_default() += 1;
        if let Some(process) = world.agents.started.get_mut(&name) {
            process.worked_ms -= process.ends_at_ms - now_ms;
            process.ends_at_ms = now_ms;
            process.ended.outcome = Outcome::Lost(String::new());
        }
    }
}

fn ended(outcome: Outcome, session: Option<String>, usage: Usage) -> Ended {
    Ended {
        outcome,
        session,
        usage,
        last_words: String::new(),
    }
}

fn note(world: &mut World, outcome: &Outcome) {
    let kind = match outcome {
        Outcome::Finished => return,
        Outcome::Limited(limit) if limit.kind == LimitKind::Overload => Kind::AgentBusy,
        Outcome::Limited(_) => Kind::AgentLimited,
        Outcome::SessionGone(_) => Kind::SessionGone,
        Outcome::Hung => Kind::AgentHung,
        Outcome::TimedOut => Kind::AgentSlow,
        Outcome::Failed(_)
        | Outcome::Missing(_)
        | Outcome::Killed
        | Outcome::Lost(_)
        | Outcome::OverBudget(_) => Kind::AgentBroke,
    };
    world.tally.note(kind);
}
