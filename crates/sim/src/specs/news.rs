//! What only the story of specs tells.

use std::fmt;

use kumite_core::change::Change;
use kumite_core::engine::EffectKey;
use kumite_core::facts::{Facts, Look};
use kumite_core::journal::{AgentId, Event};
use kumite_core::notice::Notice;
use kumite_core::outcome::Usage;

use super::deed::Deed;

#[derive(Clone, Debug)]
pub enum News {
    /// kumite wrote to spec.json.
    Saved(EffectKey, Vec<Change>),
    Announced(EffectKey, Notice),
    /// kumite recorded what an agent used.
    Settled(AgentId, Usage),
    /// An agent or a person did this.
    Done(Option<AgentId>, Deed),
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            News::Saved(key, changes) => write!(f, "  save {}.{} {changes:?}", key.seq, key.index),
            News::Announced(key, notice) => write!(f, "  say {}.{} {notice:?}", key.seq, key.index),
            News::Settled(agent, usage) => write!(f, "  {agent} used {usage:?}"),
            News::Done(Some(agent), deed) => write!(f, "{agent} did: {deed:?}"),
            News::Done(None, deed) => write!(f, "a person did: {deed:?}"),
        }
    }
}

/// An event without the empty parts of its look.
pub fn tell(event: &Event, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match event {
        Event::StartRequested { order, look, .. } => write!(
            f,
            "start requested (until {:?}, from {:?}, once {:?}) {}",
            order.until,
            order.from,
            order.review_once,
            LookInShort(look.as_ref())
        ),
        Event::Admitted { look } => write!(f, "admitted {}", LookInShort(Some(look))),
        Event::WaitOver { look } => write!(f, "wait over {}", LookInShort(Some(look))),
        Event::AgentEnded { agent, ended, look } => write!(
            f,
            "{agent} ended: {:?} session {:?} {}",
            ended.outcome,
            ended.session,
            LookInShort(Some(look))
        ),
        other => write!(f, "{other:?}"),
    }
}

struct LookInShort<'a>(Option<&'a Look>);

impl fmt::Display for LookInShort<'_> {
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
