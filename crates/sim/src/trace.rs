//! What happened, line by line. The checkers see nothing else.

use std::fmt;
use std::rc::Rc;

use kumite_core::change::Change;
use kumite_core::engine::EffectKey;
use kumite_core::facts::{Facts, Look};
use kumite_core::journal::{AgentId, Entry, Event, Rules};
use kumite_core::notice::Notice;
use kumite_core::outcome::{Ended, Outcome, Usage};
use kumite_core::run::{Run, Step};

use crate::deed::Deed;

#[derive(Clone, Debug)]
pub struct Line {
    pub at_ms: u64,
    /// The spec that it concerns; 0 if it concerns all of them.
    pub spec: usize,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Began {
        specs: usize,
        jobs: usize,
        rules: Rules,
    },
    /// An entry is in the journal.
    Recorded(Rc<Entry>),
    /// The loop body is finished; this is the live state.
    Decided(Box<Run>),
    /// kumite wrote to spec.json.
    Saved(EffectKey, Vec<Change>),
    Announced(EffectKey, Notice),
    /// An agent's process began, perhaps with the session of an earlier one.
    Started(AgentId, Step, Option<String>),
    /// This agent was not started, for this reason.
    HeldBack(AgentId, Step, Option<String>, Outcome),
    /// An agent's process is gone. None: nobody saw how.
    Ended(AgentId, Option<Ended>),
    /// kumite noted a limit for all runs.
    Noted {
        until_ms: u64,
    },
    /// kumite recorded what an agent used.
    Settled(AgentId, Usage),
    /// A person does not want to wait for the end of a limit.
    CutShort,
    /// The engine found the agent that a run waits for.
    Adopted(AgentId),
    /// An agent or a person did this.
    Done(Option<AgentId>, Deed),
    Crashed {
        machine: bool,
    },
    /// The journal was replayed, with this state as the result.
    Replayed(Box<Run>),
    FaultsOver,
    /// The story ends here: everything is done, or the simulation gave up.
    Over {
        out_of_patience: bool,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} ms  s{}  {}", self.at_ms, self.spec, self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Began { specs, jobs, rules } => {
                write!(f, "{specs} specs share {jobs} slots; {rules:?}")
            }
            What::Recorded(entry) => write!(f, "entry {}: {}", entry.seq, Told(&entry.event)),
            What::Decided(run) => write!(f, "  now {:?}", run.state),
            What::Saved(key, changes) => write!(f, "  save {}.{} {changes:?}", key.seq, key.index),
            What::Announced(key, notice) => write!(f, "  say {}.{} {notice:?}", key.seq, key.index),
            What::Started(agent, step, None) => write!(f, "  {agent} starts: {step:?}"),
            What::Started(agent, step, Some(session)) => {
                write!(f, "  {agent} starts: {step:?} in {session}")
            }
            What::HeldBack(agent, step, session, why) => {
                write!(
                    f,
                    "  {agent} is not started: {step:?} in {session:?}: {why:?}"
                )
            }
            What::Ended(agent, Some(ended)) => {
                let (outcome, session) = (&ended.outcome, &ended.session);
                write!(f, "{agent} is gone: {outcome:?} in {session:?}")
            }
            What::Noted { until_ms } => write!(f, "  all know of a limit until {until_ms} ms"),
            What::Settled(agent, usage) => write!(f, "  {agent} used {usage:?}"),
            What::CutShort => write!(f, "a person does not want to wait"),
            What::Ended(agent, None) => write!(f, "{agent} is gone without a word"),
            What::Adopted(agent) => write!(f, "{agent} was found again"),
            What::Done(Some(agent), deed) => write!(f, "{agent} did: {deed:?}"),
            What::Done(None, deed) => write!(f, "a person did: {deed:?}"),
            What::Crashed { machine: false } => write!(f, "*** kumite died"),
            What::Crashed { machine: true } => write!(f, "*** the machine died"),
            What::Replayed(run) => write!(f, "replayed to {:?}", run.state),
            What::FaultsOver => write!(f, "=== no more faults"),
            What::Over { .. } => write!(f, "=== the end"),
        }
    }
}

/// An event without the empty parts of its look.
struct Told<'a>(&'a Event);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Event::StartRequested { order, look, .. } => write!(
                f,
                "start requested (until {:?}, from {:?}, once {:?}) {}",
                order.until,
                order.from,
                order.review_once,
                Seen(look.as_ref())
            ),
            Event::Admitted { look } => write!(f, "admitted {}", Seen(Some(look))),
            Event::WaitOver { look } => write!(f, "wait over {}", Seen(Some(look))),
            Event::AgentEnded { agent, ended, look } => write!(
                f,
                "{agent} ended: {:?} session {:?} {}",
                ended.outcome,
                ended.session,
                Seen(Some(look))
            ),
            other => write!(f, "{other:?}"),
        }
    }
}

struct Seen<'a>(Option<&'a Look>);

impl fmt::Display for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = match self.0 {
            None => return write!(f, "no slot"),
            Some(Look::Unreadable(_)) => return write!(f, "unreadable"),
            Some(Look::Nobody) => return write!(f, "nobody"),
            Some(Look::Seen(facts)) => facts,
        };
        documents(facts, f)?;
        write!(f, " approved={}", facts.review.approved)?;
        for round in &facts.review.rounds {
            let (table, counts) = (round.table.map(pair), round.counts.map(pair));
            let file = round.review;
            write!(f, " r{}:{:?}", round.number, round.recorded)?;
            write!(f, "/{file:?}/{table:?}/{counts:?}")?;
        }
        write!(f, " {:?}", facts.tasks)?;
        for known in &facts.inspections {
            let (report, recorded) = (known.report, known.recorded);
            write!(f, " i{}:{report:?}/{recorded:?}", known.number)?;
            write!(f, "{}", if known.fixed { "/fixed" } else { "" })?;
        }
        write!(f, " completed={:?}", facts.completed)
    }
}

fn pair(found: kumite_core::facts::Findings) -> (u32, u32) {
    (found.fix_required, found.needs_discussion)
}

fn documents(facts: &Facts, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for known in facts.documents {
        let word = match (known.stamp, known.generated, known.approved) {
            (_, _, true) => "A",
            (_, true, false) => "g",
            (Some(_), false, false) => "f",
            (None, false, false) => "-",
        };
        write!(f, "{word}")?;
    }
    Ok(())
}
