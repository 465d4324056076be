//! Simulated contests: teams, rules, answers good and bad, a database that fails for a while,
//! clocks that jump, a cancel.
//!
//! The answers of a team, a metric, the judge and the database depend only on the seed and on the
//! question. So a story without limits of time and money is also played without its crashes:
//! the board must be the same.

use std::convert::Infallible;
use std::fmt;

use kumite_core::contest::{self, By, Effect, Entrant, Event, Rules};
use kumite_core::outcome::{Ended, Outcome};

use crate::check::Broken;
use crate::faults::Kind;
use crate::processes::Start;
use crate::rng::Rng;
use crate::story::{Pace, Story, Terms};
use crate::world::Happening;

mod agents;
mod answers;
mod ask;
pub mod check;
mod database;
mod disturb;
mod drawn;
mod perform;
mod played;
mod twin;

#[cfg(test)]
mod tests;

use agents::{TeamAgent, TimeLimit};
use database::{Write, Writer, Wrote};
use drawn::DrawnContest;
use perform::{Job, Memory};
use played::{Core, Played};

type World = crate::world::World<ContestStory>;
type Host = crate::host::Host<ContestStory>;
type What = crate::trace::What<ContestStory>;
type TraceLine = crate::trace::TraceLine<ContestStory>;
type Replica = crate::check::Replica<ContestStory>;
type EffectOrigin<'a> = crate::story::EffectOrigin<'a, ContestStory>;

/// The contest of a seed, its database, and a person who may cancel it.
#[derive(Clone, Debug)]
pub struct ContestStory {
    core: Core,
    drawn: DrawnContest,
    writer: Writer,
    wants_cancel: bool,
    /// It is over and saved, and the last process has left in peace.
    is_closed: bool,
}

/// What happens only in contests.
pub enum ContestHappening {
    /// A job of a process gets its answer.
    Answer {
        job: Job,
        event: Event,
    },
    /// A message that nobody may be waiting for.
    Stray(Event),
    /// An agent has waited, and begins.
    AgentBegins {
        job: Job,
        start: Start<ContestStory>,
    },
    /// A job of a process has waited, and passes its rows on.
    HandOver {
        job: Job,
        write: Write,
    },
    /// The next transaction of this process's writer is due.
    Write {
        epoch: u64,
    },
    Cancel,
    Jump,
    Outage,
    OutageEnds,
}

const DAY_MS: u64 = 86_400_000;
/// How many happenings a contest may need once faults have stopped.
const PATIENCE: u64 = 50_000;

impl ContestStory {
    fn new(core: Core, drawn: DrawnContest) -> (ContestStory, Rng) {
        let rng = Rng::new(drawn.seed ^ 0x636f_6e74_6573_7400);
        let story = ContestStory {
            core,
            drawn,
            writer: Writer::default(),
            wants_cancel: false,
            is_closed: false,
        };
        (story, rng)
    }

    /// The event that begins the contest.
    fn start(&self) -> Event {
        let enter = |(index, retries): (usize, &Option<u32>)| Entrant {
            id: format!("t{index}"),
            name: format!("team {index}"),
            retries: *retries,
        };
        Event::Started {
            rules: self.drawn.rules.clone(),
            teams: self.drawn.teams.iter().enumerate().map(enter).collect(),
        }
    }

    /// Whether a cancel is wanted and would change something.
    fn may_cancel(&self, contest: &contest::Contest) -> bool {
        self.wants_cancel && contest.stage == contest::Stage::Running
    }
}

const CANCEL: Event = Event::CancelRequested { by: By::User };

impl Story for ContestStory {
    type Machine = Played;
    type Rules = Rules;
    type Agent = TeamAgent;
    type Task = TimeLimit;
    type Behaviour = Ended;
    type Happening = ContestHappening;
    type Memory = Memory;
    type News = Wrote;
    type Checks = check::ContestChecks;

    const FLAG: &'static str = "--contest ";
    const KINDS: &'static [Kind] = Kind::CONTESTS;
    const BEGINS_AT_MS: u64 = 0;
    const TIMES_DIFFER: bool = false;
    /// Enough that the clock can be set back.
    const AHEAD_MS: u64 = 100 * DAY_MS;
    const LOOK_AROUND_MS: u64 = 5_000;

    fn draw(seed: u64) -> (ContestStory, Rng) {
        ContestStory::new(Core::REAL, DrawnContest::draw(seed))
    }

    fn terms(&self) -> Terms<ContestStory> {
        let places = self.drawn.rules.teams_max.unwrap_or(u32::MAX).max(1);
        Terms {
            machines: 1,
            slots: places as usize,
            rules: self.drawn.rules.clone(),
        }
    }

    fn pace(&self) -> Pace {
        Pace {
            rates: self.drawn.rates_of_world(),
            faults_until_ms: self.drawn.faults_until_ms,
            patience: PATIENCE,
        }
    }

    fn fresh(&self) -> Played {
        Played {
            core: self.core,
            ..Played::default()
        }
    }

    fn spec_or_team(_: usize, agent: TeamAgent) -> usize {
        agent.team as usize
    }

    fn begin(world: &mut World) {
        disturb::begin(world);
    }

    fn wake(world: &mut World, host: &mut Host) {
        world.story.writer.free_at_ms = world.now_ms;
        let contest = &host.machines[0].contest;
        if contest.is_saved() {
            // A contest that is over needs nobody.
            host.close(world);
        } else if world.journals[0].is_empty() {
            host.take(world, 0, world.story.start());
        } else if world.story.may_cancel(contest) {
            world.tally.note(Kind::CancelledWhileAway);
            // Nothing is started again only to be ended.
            host.record_only(world, 0, Event::Resumed);
            host.take(world, 0, CANCEL);
        } else {
            host.take(world, 0, Event::Resumed);
        }
    }

    fn perform(
        world: &mut World,
        host: &mut Host,
        origin: EffectOrigin<'_>,
        effect: &Effect,
    ) -> Result<(), Infallible> {
        host.perform(world, &origin.state.contest, effect);
        Ok(())
    }

    fn happen(world: &mut World, host: Option<&mut Host>, happening: ContestHappening) {
        disturb::happen(world, host, happening);
    }

    fn ends(world: &mut World, agent: TeamAgent, told: Option<Outcome>) -> Option<Ended> {
        agents::ends(world, agent, told)
    }

    fn hear(world: &mut World, host: &mut Host, agent: TeamAgent) {
        if let Some(event) = agents::heard(world, host, agent) {
            host.take_together(world, vec![event]);
        }
    }

    fn awaited(world: &World, host: &mut Host) -> Vec<(usize, TeamAgent)> {
        agents::awaited(world, host)
    }

    fn adopt(world: &mut World, _: &mut Host, _: usize, agent: TeamAgent, has_ended: bool) {
        if has_ended {
            world.post(0, Happening::Message { agent });
        }
    }

    fn quiet_ms(world: &World, _: &Host) -> u64 {
        world.idle_ms()
    }

    fn over(world: &mut World, host: &Host) {
        disturb::over(world, host);
    }

    fn absence_ms(world: &mut World) -> u64 {
        match world.strikes(100, Kind::LongAbsence) {
            true => world.rng.between(1_000, DAY_MS),
            false => world.rng.between(0, 2_000),
        }
    }

    fn faults_end(world: &mut World) {
        world.story.writer.is_down = false;
    }

    fn is_over(world: &World, _: Option<&Host>) -> bool {
        world.story.is_closed
    }

    fn compare_with_twin(world: &World) -> Result<bool, Broken> {
        let is_twin = world.story.drawn.is_repeatable && world.watch.counts.crashes > 0;
        if is_twin {
            twin::compare(world)?;
        }
        Ok(is_twin)
    }

    fn brief(played: &Played) -> &dyn fmt::Debug {
        &played.contest.stage
    }
}
