//! A contest whose rules a test can replace with wrong ones.

use std::convert::Infallible;
use std::fmt;

use kumite_core::contest::board::{self, Standing};
use kumite_core::contest::{self, Contest, Effect, Entry, Event, VERSION};
use kumite_core::machine::Machine;

/// The rules of the contest. Some tests use wrong rules, and a checker must notice that.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    pub decide: fn(Contest, &Entry) -> (Contest, Vec<Effect>),
    pub winner: fn(&Contest) -> Option<u32>,
    pub standings: fn(&Contest) -> Vec<Standing>,
}

impl Default for Core {
    fn default() -> Core {
        Core::REAL
    }
}

impl Core {
    pub const REAL: Core = Core {
        decide: contest::decide,
        winner: board::winner,
        standings: board::standings,
    };
}

#[derive(Clone, Default)]
pub struct Played {
    pub contest: Contest,
    pub core: Core,
}

impl PartialEq for Played {
    fn eq(&self, other: &Played) -> bool {
        self.contest == other.contest
    }
}

impl fmt::Debug for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.contest.fmt(f)
    }
}

impl Machine for Played {
    type Event = Event;
    type Effect = Effect;
    type Trouble = Infallible;

    const VERSION: u32 = VERSION;

    fn decide(self, entry: &Entry) -> (Played, Vec<Effect>) {
        let Played { contest, core } = self;
        let (contest, effects) = (core.decide)(contest, entry);
        (Played { contest, core }, effects)
    }

    fn troubled(trouble: Infallible, _: &Entry) -> Event {
        match trouble {}
    }

    fn is_lasting(effects: &[Effect]) -> bool {
        Contest::is_lasting(effects)
    }
}
