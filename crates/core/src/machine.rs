//! What a run and a contest have in common: a state, what can happen to it, and what follows.

use std::convert::Infallible;

use crate::contest::{self, Contest};
use crate::effect::Effect;
use crate::engine::Trouble;
use crate::journal::{self, Entry, Event};
use crate::run::{self, Run};

pub trait Machine: Clone + Default {
    type Event;
    type Effect;
    /// An effect that could not be carried out, so that nothing after it may be.
    type Trouble;

    /// The version of the entries that this code writes.
    const VERSION: u32;

    /// The version of the snapshots that this code writes and reads. It is another one whenever the
    /// fields of the state change: a snapshot of any other version is ignored.
    const SNAPSHOT: u32 = Self::VERSION;

    /// An event that does not fit changes nothing.
    fn decide(self, entry: &Entry<Self::Event>) -> (Self, Vec<Self::Effect>);

    /// What trouble with an effect of `entry` means.
    fn troubled(trouble: Self::Trouble, entry: &Entry<Self::Event>) -> Self::Event;

    /// Whether the journal must survive a crash of the machine before these are carried out.
    fn is_lasting(effects: &[Self::Effect]) -> bool;
}

impl Machine for Run {
    type Event = Event;
    type Effect = Effect;
    type Trouble = Trouble;

    const VERSION: u32 = journal::VERSION;
    /// Versions 1 and 2 had the same number as the entries.
    const SNAPSHOT: u32 = 4;

    fn decide(self, entry: &Entry) -> (Run, Vec<Effect>) {
        run::decide(self, entry)
    }

    fn troubled(trouble: Trouble, entry: &Entry) -> Event {
        trouble.into_event(entry)
    }

    /// An agent may begin with any entry, and what it does cannot be taken back.
    fn is_lasting(_: &[Effect]) -> bool {
        true
    }
}

impl Machine for Contest {
    type Event = contest::Event;
    type Effect = contest::Effect;
    /// What cannot be begun has failed, and says so with an event of its own: the other teams go on.
    type Trouble = Infallible;

    const VERSION: u32 = contest::VERSION;

    fn decide(self, entry: &contest::Entry) -> (Contest, Vec<contest::Effect>) {
        contest::decide(self, entry)
    }

    fn troubled(trouble: Infallible, _: &contest::Entry) -> contest::Event {
        match trouble {}
    }

    /// A row of the database never knows more than the journal. What else a crash of the machine
    /// costs is an answer that is asked for again.
    fn is_lasting(effects: &[contest::Effect]) -> bool {
        effects.iter().any(contest::Effect::is_save)
    }
}
