//! The agents of teams: one try may need several, one after the other.

use std::fmt;

use kumite_core::contest::{AgentEnd, Event, Phase, Team};
use kumite_core::outcome::{Ended, LimitKind, Outcome, Usage};

use super::answers::{self, Asked};
use super::{ContestHappening, ContestStory, Host, World};
use crate::faults::Kind;
use crate::processes::{Life, Start, ended};

/// The name of an agent. They are ordered by their tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TeamAgent {
    pub team: u32,
    pub round: u32,
    pub attempt: u32,
    /// Which agent of the try: they count from 1.
    pub number: u32,
}

/// The time that an agent may take.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    pub timeout_ms: u64,
}

impl fmt::Display for TeamAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TeamAgent {
            team,
            round,
            attempt,
            number,
        } = self;
        write!(f, "agent {team}.{round}.{attempt}.{number}")
    }
}

impl TeamAgent {
    pub fn new(asked: Asked, number: u32) -> TeamAgent {
        TeamAgent {
            team: asked.team,
            round: asked.round,
            attempt: asked.attempt,
            number,
        }
    }

    fn asked(self) -> Asked {
        Asked::new(self.team, self.round, self.attempt)
    }

    fn event(self, over: AgentEnd) -> Event {
        Event::AgentEnded {
            team: self.team,
            round: self.round,
            attempt: self.attempt,
            number: self.number,
            over,
        }
    }
}

/// One that exists is found when kumite looks around; another one begins after its wait.
pub fn launch(
    world: &mut World,
    host: &mut Host,
    agent: TeamAgent,
    session: Option<String>,
    (wait_ms, timeout_ms): (u64, u64),
) {
    if world.processes.contains_key(&agent) {
        return;
    }
    let start = Start {
        machine: 0,
        agent,
        task: TimeLimit { timeout_ms },
        session,
    };
    let job = host.job(Some(agent.team));
    world.post_own(wait_ms, ContestHappening::AgentBegins { job, start });
}

pub fn begin(world: &mut World, host: &mut Host, start: Start<ContestStory>) -> Option<Event> {
    if world.strikes(world.story.drawn.rates.team / 4, Kind::OthersLimited) {
        let until_ms = world.clock_ms() + world.rng.below(5_000);
        world.note_limit(0, until_ms);
    }
    let agent = start.agent;
    if let Some(limited) = world.limit_noted() {
        world.hold_back(start, Kind::AgentHeld, limited.clone());
        return Some(agent.event(AgentEnd {
            ended: ended(limited, None, Usage::default()),
            is_found: false,
            worked_ms: 0,
            why: String::new(),
        }));
    }
    let nth = agent.number - lost_before(world, agent);
    let (clock_ms, is_resumed) = (world.clock_ms(), start.session.is_some());
    let drawn = answers::agent(&world.story.drawn, agent.asked(), nth, is_resumed, clock_ms);
    let timeout_ms = start.task.timeout_ms;
    let (outcome, works_ms) = match drawn.takes_ms > timeout_ms {
        true => (Outcome::TimedOut, timeout_ms),
        false => (drawn.outcome, drawn.takes_ms),
    };
    note(world, &outcome);
    let session = drawn.session.clone();
    let behaviour = ended(outcome, drawn.session, drawn.usage);
    world.spawn(start, host.epoch, behaviour, session, works_ms);
    None
}

/// How many agents of the same try died with their kumite.
fn lost_before(world: &World, agent: TeamAgent) -> u32 {
    let first = TeamAgent { number: 0, ..agent };
    let before = world.processes.range(first..agent);
    let lost = before.filter(|(_, process)| matches!(process.life, Life::Gone));
    lost.count() as u32
}

pub fn ends(world: &mut World, agent: TeamAgent, told: Option<Outcome>) -> Option<Ended> {
    let planned = world.living(agent)?.behaviour.clone();
    Some(Ended {
        outcome: told.unwrap_or(planned.outcome),
        ..planned
    })
}

/// What an agent's record says.
pub fn heard(world: &mut World, host: &Host, agent: TeamAgent) -> Option<Event> {
    let process = world.processes.get(&agent)?;
    let is_found = process.epoch != host.epoch;
    let (mut ended, worked_ms) = (process.ended()?, process.worked_ms);
    // As the host has it: what ended that kumite ended its agent.
    if is_found && ended.outcome == Outcome::Killed {
        ended.outcome = Outcome::Lost(String::new());
    }
    if is_found {
        world.tally.note(Kind::AgentFound);
    }
    Some(agent.event(AgentEnd {
        ended,
        is_found,
        worked_ms,
        why: String::new(),
    }))
}

/// The agents that the teams wait for, except those that have not begun.
pub fn awaited(world: &World, host: &Host) -> Vec<(usize, TeamAgent)> {
    let teams = (0u32..).zip(&host.machines[0].contest.teams);
    let awaited = teams.filter_map(|(index, team)| {
        let works = world.story.drawn.with_agents[index as usize] && !host.works_for(index);
        works.then(|| agent_of(index, team)).flatten()
    });
    awaited.map(|agent| (0, agent)).collect()
}

fn agent_of(index: u32, team: &Team) -> Option<TeamAgent> {
    match &team.phase {
        Phase::Submitting {
            attempt, agents, ..
        } if !agents.is_done => {
            let asked = Asked::new(index, team.round(), *attempt);
            Some(TeamAgent::new(asked, agents.number))
        }
        _ => None,
    }
}

/// These are ended.
pub fn end(world: &mut World, which: impl Fn(&TeamAgent) -> bool) {
    let all = world.processes.iter();
    let living = all.filter(|(agent, process)| which(agent) && process.is_alive());
    let living: Vec<TeamAgent> = living.map(|(agent, _)| *agent).collect();
    for agent in living {
        world.ends(agent, Some(Outcome::Killed));
    }
}

fn note(world: &mut World, outcome: &Outcome) {
    let kind = match outcome {
        Outcome::Finished => return,
        Outcome::Limited(limit) if limit.kind == LimitKind::Overload => Kind::AgentBusy,
        Outcome::Limited(_) => Kind::AgentLimited,
        Outcome::SessionGone(_) => Kind::SessionGone,
        Outcome::Hung => Kind::AgentHung,
        Outcome::TimedOut => Kind::AgentTimedOut,
        Outcome::Failed(_)
        | Outcome::Missing(_)
        | Outcome::Killed
        | Outcome::Lost(_)
        | Outcome::OverBudget(_) => Kind::AgentBroke,
    };
    world.tally.note(kind);
}
