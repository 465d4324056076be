//! What is special to one machine in a simulated story. Everything else exists once: the queue of
//! happenings and the crashes ([`crate::world`]), the loop ([`crate::host`]), the agents
//! ([`crate::processes`]), the trace, and the checkers that hold for every machine
//! ([`crate::check`]).

use std::fmt;

use kumite_core::engine::EffectKey;
use kumite_core::journal;
use kumite_core::machine::Machine;
use kumite_core::outcome::{Ended, Outcome};

use crate::check::{Broken, Checks};
use crate::faults::{Kind, Rates};
use crate::host::Host;
use crate::rng::Rng;
use crate::world::World;

pub type Event<S> = <<S as Story>::Machine as Machine>::Event;
pub type Effect<S> = <<S as Story>::Machine as Machine>::Effect;
pub type Trouble<S> = <<S as Story>::Machine as Machine>::Trouble;
pub type Entry<S> = journal::Entry<Event<S>>;

/// The part of a simulated world that belongs to one kind of machine. It survives every crash.
pub trait Story: Clone + fmt::Debug {
    type Machine: Machine<Event: Clone + fmt::Debug, Effect: Clone + PartialEq + fmt::Debug>
        + PartialEq
        + fmt::Debug;
    type Rules: Clone + fmt::Debug;
    /// The name of an agent, which is never used again.
    type Agent: Copy + Ord + fmt::Display + fmt::Debug;
    /// What an agent is started for.
    type Task: Copy + fmt::Debug;
    /// What an agent will do if nobody interferes.
    type Behaviour;
    /// What happens in no other story.
    type Happening;
    /// What a crash loses, beside the states of the machines.
    type Memory: Default;
    /// What only this story tells.
    type News: Clone + fmt::Debug + fmt::Display;
    type Checks: Checks<Self>;

    /// The flag of the command line.
    const FLAG: &'static str;
    /// What can go wrong, beside [`Kind::BOTH`].
    const KINDS: &'static [Kind];
    const BEGINS_AT_MS: u64;
    /// Whether no two entries of a process may have the same time, wherever they are.
    const TIMES_DIFFER: bool;
    /// How far the clock on the wall is ahead at the beginning.
    const AHEAD_MS: u64;
    /// How often kumite looks for the agents that it waits for.
    const LOOK_AROUND_MS: u64;

    /// The story of a seed, and the source of chance for the rest of it.
    fn draw(seed: u64) -> (Self, Rng);
    fn terms(&self) -> Terms<Self>;
    fn pace(&self) -> Pace;
    /// A machine before its first entry.
    fn fresh(&self) -> Self::Machine;
    /// The spec or team that an agent works for. None of them has two agents at the same time.
    fn spec_or_team(machine: usize, agent: Self::Agent) -> usize;

    fn begin(world: &mut World<Self>);
    /// A new process takes over what its journals tell.
    fn wake(world: &mut World<Self>, host: &mut Host<Self>);
    fn perform(
        world: &mut World<Self>,
        host: &mut Host<Self>,
        origin: EffectOrigin<'_, Self>,
        effect: &Effect<Self>,
    ) -> Result<(), Trouble<Self>>;
    fn happen(world: &mut World<Self>, host: Option<&mut Host<Self>>, happening: Self::Happening);
    /// The end of an agent, by itself or because it was told to. None: it leaves no record.
    fn ends(world: &mut World<Self>, agent: Self::Agent, told: Option<Outcome>) -> Option<Ended>;
    /// A message says that this agent ended.
    fn hear(world: &mut World<Self>, host: &mut Host<Self>, agent: Self::Agent);
    /// The agents that the machines wait for.
    fn awaited(world: &World<Self>, host: &mut Host<Self>) -> Vec<(usize, Self::Agent)>;
    /// An agent was found again, perhaps with its end.
    fn adopt(
        world: &mut World<Self>,
        host: &mut Host<Self>,
        machine: usize,
        agent: Self::Agent,
        has_ended: bool,
    );
    /// How long nothing will happen that is worth a look.
    fn quiet_ms(world: &World<Self>, host: &Host<Self>) -> u64;
    /// A process is over: it has died, or has nothing left to do.
    fn over(world: &mut World<Self>, host: &Host<Self>);
    /// How long nobody starts another one.
    fn absence_ms(world: &mut World<Self>) -> u64;
    fn faults_end(world: &mut World<Self>);
    fn is_over(world: &World<Self>, host: Option<&Host<Self>>) -> bool;

    /// Whether the account can keep this from beginning: a limit, or spent money.
    fn needs_account(_: Self::Task) -> bool {
        true
    }

    /// Whether kumite may die right before this effect.
    fn may_die_before(_: &Effect<Self>) -> bool {
        true
    }

    /// Plays the story again without its crashes, if they must not change its end, and compares.
    /// True if it did.
    fn compare_with_twin(_: &World<Self>) -> Result<bool, Broken> {
        Ok(false)
    }

    /// The loop body is finished.
    fn handled(_: &mut World<Self>, _: &mut Host<Self>, _: usize) {}

    /// An event, for a person.
    fn tell(event: &Event<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{event:?}")
    }

    /// What is worth seeing of a state.
    fn brief(machine: &Self::Machine) -> &dyn fmt::Debug;
}

/// The shape of a story, as its checkers must know it.
#[derive(Clone, Debug)]
pub struct Terms<S: Story> {
    pub machines: usize,
    /// How many agents may work at the same time.
    pub slots: usize,
    pub rules: S::Rules,
}

/// How much goes wrong, and for how long.
pub struct Pace {
    pub rates: Rates,
    pub faults_until_ms: u64,
    /// How many happenings the story may need to end once faults have stopped.
    pub patience: u64,
}

/// Where an effect comes from: its machine, the state of the machine, and the key of the effect.
pub struct EffectOrigin<'a, S: Story> {
    pub machine: usize,
    pub state: &'a S::Machine,
    pub key: EffectKey,
}
