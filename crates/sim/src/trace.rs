//! What happened, line by line. The checkers see nothing else.

use std::fmt;
use std::rc::Rc;

use kumite_core::engine::EffectKey;
use kumite_core::outcome::{Ended, Outcome};

use crate::story::{Effect, Entry, Story, Terms};

#[derive(Clone, Debug)]
pub struct TraceLine<S: Story> {
    pub at_ms: u64,
    /// What the clock on the wall shows.
    pub clock_ms: u64,
    /// The machine that it concerns; 0 if it concerns all of them.
    pub machine: usize,
    pub what: What<S>,
}

#[derive(Clone, Debug)]
pub enum What<S: Story> {
    Began(Terms<S>),
    /// An entry is in the journal.
    Recorded(Rc<Entry<S>>),
    /// An effect is being carried out.
    Performed(EffectKey, Effect<S>),
    /// That was not possible: the effects of this entry end here.
    Refused(EffectKey),
    /// What is decided and not carried out yet is moot.
    Dropped,
    /// The loop body is finished; this is the live state.
    Decided(Rc<S::Machine>),
    /// An agent's process began, perhaps with the session of an earlier one.
    Started(S::Agent, S::Task, Option<String>),
    /// This agent was not started, for this reason.
    HeldBack(S::Agent, S::Task, Option<String>, Outcome),
    /// An agent's process is gone. None: nobody saw how.
    Ended(S::Agent, Option<Ended>),
    /// kumite found the agent that a machine waits for.
    Adopted(S::Agent),
    /// kumite noted a limit for all agents.
    Noted {
        until_ms: u64,
    },
    /// A person does not want to wait for the end of a limit.
    CutShort,
    Crashed {
        computer: bool,
    },
    /// The journal was replayed, with this state as the result.
    Replayed(Rc<S::Machine>),
    FaultsOver,
    /// The story ends here: everything is done, or the simulation gave up.
    Over {
        out_of_patience: bool,
    },
    Own(S::News),
}

impl<S: Story> fmt::Display for TraceLine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8} ms  {}  {}", self.at_ms, self.machine, self.what)
    }
}

impl<S: Story> fmt::Display for What<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Began(Terms {
                machines,
                slots,
                rules,
            }) => write!(f, "{machines} share {slots} slots; {rules:?}"),
            What::Recorded(entry) => {
                write!(f, "entry {} at {}: ", entry.seq, entry.at_ms)?;
                S::tell(&entry.event, f)
            }
            What::Performed(key, effect) => write!(f, "  do {}.{} {effect:?}", key.seq, key.index),
            What::Refused(key) => write!(f, "  {}.{} is not possible", key.seq, key.index),
            What::Dropped => write!(f, "  the rest is moot"),
            What::Decided(machine) => write!(f, "  now {:?}", S::brief(machine)),
            What::Started(agent, task, None) => write!(f, "  {agent} starts: {task:?}"),
            What::Started(agent, task, Some(session)) => {
                write!(f, "  {agent} starts: {task:?} in {session}")
            }
            What::HeldBack(agent, task, session, why) => {
                write!(
                    f,
                    "  {agent} is not started: {task:?} in {session:?}: {why:?}"
                )
            }
            What::Ended(agent, Some(ended)) => {
                let (outcome, session) = (&ended.outcome, &ended.session);
                write!(f, "{agent} is gone: {outcome:?} in {session:?}")
            }
            What::Ended(agent, None) => write!(f, "{agent} is gone without a word"),
            What::Adopted(agent) => write!(f, "{agent} was found again"),
            What::Noted { until_ms } => write!(f, "  all know of a limit until {until_ms} ms"),
            What::CutShort => write!(f, "a person does not want to wait"),
            What::Crashed { computer: false } => write!(f, "*** kumite died"),
            What::Crashed { computer: true } => write!(f, "*** the computer died"),
            What::Replayed(machine) => write!(f, "replayed to {:?}", S::brief(machine)),
            What::FaultsOver => write!(f, "=== no more faults"),
            What::Over { out_of_patience } => {
                let word = if *out_of_patience { "stuck" } else { "the end" };
                write!(f, "=== {word}")
            }
            What::Own(news) => write!(f, "{news}"),
        }
    }
}
