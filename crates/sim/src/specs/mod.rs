//! Simulated specs: several runs share slots, an account and the patience of people.
//!
//! All agents of a story share an account: a plan that is used up for a while, a service that is
//! too busy, a purse. Half of the stories use this. An agent then ends at a limit, which it
//! reports well, badly or not at all; kumite notes it, holds the others back, and each run goes on
//! by its timer, which jumps over days. The account has its own source of chance, so a seed
//! without limits is still the same story as before limits existed.
//!
//! The project has one, too: in half of the stories, specs have worktrees and the project has
//! commands that check what the agents have made. Then agents write good and bad code, tick boxes
//! without a change, remove tasks, change protected files and damage worktrees.

use std::fmt;
use std::rc::Rc;

use kumite_core::effect::Effect;
use kumite_core::engine::Trouble;
use kumite_core::journal::{AgentId, Event, Rules};
use kumite_core::outcome::{Ended, Outcome};
use kumite_core::run::{Finish, Run, State, Step};

use crate::faults::Kind;
use crate::rng::Rng;
use crate::story::{Pace, Story, Terms};

mod account;
mod agents;
pub mod check;
mod craft;
mod deed;
mod disk;
mod drawn;
mod engine;
mod errands;
mod news;
mod patient;
mod people;
mod perform;
mod place;
mod place_people;
mod project;
mod truth;
mod waits;

use account::Account;
use disk::Disk;
use drawn::DrawnSpecs;
use project::Project;

type World = crate::world::World<SpecStory>;
type Host = crate::host::Host<SpecStory>;
type What = crate::trace::What<SpecStory>;
type TraceLine = crate::trace::TraceLine<SpecStory>;
type Replica = crate::check::Replica<SpecStory>;
type EffectOrigin<'a> = crate::story::EffectOrigin<'a, SpecStory>;

/// The files of the specs, the account of the agents, and the people.
#[derive(Clone, Debug)]
pub struct SpecStory {
    drawn: DrawnSpecs,
    disks: Vec<Disk>,
    account: Account,
    project: Project,
}

/// What happens only to specs.
#[derive(Clone, Copy, Debug)]
pub enum SpecHappening {
    /// An agent writes its results.
    Writes {
        agent: AgentId,
    },
    /// The spec gets its message.
    Inbox {
        epoch: u64,
        spec: usize,
        agent: AgentId,
    },
    /// A usage limit should be over for this spec.
    WaitEnds {
        epoch: u64,
        spec: usize,
        wake_ms: u64,
    },
    Person {
        spec: usize,
    },
    /// A patient person makes everything go on.
    Patience,
}

/// How many happenings a spec may need to end once faults have stopped.
const PATIENCE: u64 = 900;

impl Story for SpecStory {
    type Machine = Run;
    type Rules = Rules;
    type Agent = AgentId;
    type Task = Step;
    type Behaviour = agents::Behaviour;
    type Happening = SpecHappening;
    type Memory = engine::Memory;
    type News = news::News;
    type Checks = check::SpecChecks;

    const FLAG: &'static str = "";
    const KINDS: &'static [Kind] = Kind::SPECS;
    const BEGINS_AT_MS: u64 = 1_000;
    /// Agents are named after the time and number of an entry, and the journals of two specs have the
    /// same numbers.
    const TIMES_DIFFER: bool = true;
    const AHEAD_MS: u64 = 0;
    const LOOK_AROUND_MS: u64 = 700;

    fn draw(seed: u64) -> (SpecStory, Rng) {
        let mut rng = Rng::new(seed);
        let (account, limit) = Account::draw(seed);
        let mut drawn = DrawnSpecs::draw(seed, &mut rng, limit);
        let project = Project::draw(seed, &mut drawn.rules);
        let story = SpecStory {
            project,
            disks: vec![Disk::default(); drawn.specs],
            account,
            drawn,
        };
        (story, rng)
    }

    fn terms(&self) -> Terms<SpecStory> {
        Terms {
            machines: self.drawn.specs,
            slots: self.drawn.jobs,
            rules: self.drawn.rules,
        }
    }

    fn pace(&self) -> Pace {
        Pace {
            rates: self.drawn.rates.world,
            faults_until_ms: self.drawn.faults_until_ms,
            patience: PATIENCE * self.drawn.specs as u64,
        }
    }

    fn fresh(&self) -> Run {
        Run::default()
    }

    fn spec_or_team(spec: usize, _: AgentId) -> usize {
        spec
    }

    fn begin(world: &mut World) {
        for spec in 0..world.story.drawn.specs {
            people::set_up(world, spec);
            let after_ms = world.rng.between(0, 300);
            world.post_own(after_ms, SpecHappening::Person { spec });
        }
    }

    fn wake(world: &mut World, host: &mut Host) {
        host.take_over(world);
    }

    fn perform(
        world: &mut World,
        host: &mut Host,
        origin: EffectOrigin<'_>,
        effect: &Effect,
    ) -> Result<(), Trouble> {
        perform::perform(world, host, origin, effect)
    }

    /// Always the first effect: a crash before it is a crash after the record. Older stories stay
    /// the same.
    fn may_die_before(effect: &Effect) -> bool {
        !matches!(effect, Effect::Settle(_))
    }

    fn handled(world: &mut World, host: &mut Host, spec: usize) {
        host.set_clock(world, spec);
    }

    fn happen(world: &mut World, host: Option<&mut Host>, happening: SpecHappening) {
        fn of(host: Option<&mut Host>, epoch: u64) -> Option<&mut Host> {
            host.filter(|host| host.epoch == epoch)
        }
        match happening {
            SpecHappening::Writes { agent } => agents::writes(world, agent),
            SpecHappening::Inbox { epoch, spec, agent } => {
                if let Some(host) = of(host, epoch) {
                    host.hear(world, spec, agent);
                }
            }
            SpecHappening::WaitEnds {
                epoch,
                spec,
                wake_ms,
            } => {
                if let Some(host) = of(host, epoch) {
                    host.wait_ends(world, spec, wake_ms);
                }
            }
            SpecHappening::Person { spec } => people::interfere(world, host, spec),
            SpecHappening::Patience => patient::be_patient(world, host),
        }
    }

    fn ends(world: &mut World, agent: AgentId, told: Option<Outcome>) -> Option<Ended> {
        agents::ends(world, agent, told)
    }

    fn hear(world: &mut World, host: &mut Host, agent: AgentId) {
        host.deliver(world, agent);
    }

    fn awaited(world: &World, host: &mut Host) -> Vec<(usize, AgentId)> {
        host.memory.routing.expire(world.now_ms);
        let runs = host.machines.iter().enumerate();
        runs.filter_map(|(spec, run)| Some((spec, run.work()?.agent)))
            .collect()
    }

    fn needs_account(step: Step) -> bool {
        !step.is_errand()
    }

    fn adopt(world: &mut World, host: &mut Host, spec: usize, agent: AgentId, has_ended: bool) {
        host.register(world, spec, agent);
        if has_ended {
            let work = host.machines[spec].work();
            if work.is_some_and(|work| work.step.is_errand()) {
                world.tally.note(Kind::ErrandAdopted);
            }
            host.write_to(world, 0, spec, agent);
        }
    }

    fn quiet_ms(world: &World, host: &Host) -> u64 {
        waits::quiet_ms(world, host)
    }

    fn over(world: &mut World, host: &Host) {
        let waits = |run: &Rc<Run>| matches!(run.state, State::Limited(_));
        if host.machines.iter().any(waits) {
            world.tally.note(Kind::CrashInWait);
        }
    }

    fn absence_ms(world: &mut World) -> u64 {
        world.rng.between(0, 200)
    }

    fn faults_end(world: &mut World) {
        world.post_own(1, SpecHappening::Patience);
    }

    fn is_over(world: &World, host: Option<&Host>) -> bool {
        let is_done = |run: &Rc<Run>| run.state == State::Done(Finish::AllPhasesDone);
        world.calm && host.is_some_and(|host| host.machines.iter().all(is_done))
    }

    fn tell(event: &Event, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        news::tell(event, f)
    }

    fn brief(run: &Run) -> &dyn fmt::Debug {
        &run.state
    }
}
