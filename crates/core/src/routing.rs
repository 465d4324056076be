//! Finds the run of an agent: events of agents find their run by the agent's id (C2).
//!
//! An event can arrive before its agent is registered. It is kept for a moment and delivered
//! when the agent is registered; an event that nobody claims is dropped with a warning.

use std::collections::{BTreeMap, VecDeque};

use crate::journal::AgentId;

/// How many events of unknown agents are kept.
pub const EARLY_MAX: usize = 256;
/// How long they are kept.
pub const EARLY_FOR_MS: u64 = 10_000;

#[derive(Debug)]
pub struct Routing<E> {
    owners: BTreeMap<AgentId, String>,
    early: VecDeque<Early<E>>,
}

#[derive(Debug)]
struct Early<E> {
    agent: AgentId,
    at_ms: u64,
    event: E,
}

/// What happened to an event.
#[derive(Debug, PartialEq, Eq)]
pub enum Routed<E> {
    /// It belongs to this spec.
    To(String, E),
    /// Its agent is not registered yet; the event is kept.
    Kept,
}

impl<E> Default for Routing<E> {
    fn default() -> Routing<E> {
        Routing {
            owners: BTreeMap::new(),
            early: VecDeque::new(),
        }
    }
}

impl<E> Routing<E> {
    /// Registers the spec of an agent, before the agent is started. Returns the events that came
    /// too early.
    pub fn register(&mut self, agent: AgentId, spec: &str) -> Vec<E> {
        self.owners.insert(agent, spec.to_owned());
        let (mine, others) = std::mem::take(&mut self.early)
            .into_iter()
            .partition(|early| early.agent == agent);
        self.early = others;
        mine.into_iter().map(|early| early.event).collect()
    }

    /// Forgets an agent that ended or was stopped (C2.5).
    pub fn forget(&mut self, agent: AgentId) {
        self.owners.remove(&agent);
    }

    pub fn route(&mut self, agent: AgentId, event: E, now_ms: u64) -> Routed<E> {
        if let Some(spec) = self.owners.get(&agent) {
            return Routed::To(spec.clone(), event);
        }
        if self.early.len() == EARLY_MAX {
            self.early.pop_front();
        }
        self.early.push_back(Early {
            agent,
            at_ms: now_ms,
            event,
        });
        Routed::Kept
    }

    /// Drops events that nobody claimed in time, and returns their agents.
    pub fn expire(&mut self, now_ms: u64) -> Vec<AgentId> {
        let (keep, old) = std::mem::take(&mut self.early)
            .into_iter()
            .partition(|early| now_ms.saturating_sub(early.at_ms) < EARLY_FOR_MS);
        self.early = keep;
        old.into_iter().map(|early| early.agent).collect()
    }

    pub fn agents(&self) -> usize {
        self.owners.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(seq: u64) -> AgentId {
        AgentId { at_ms: 1, seq }
    }

    #[test]
    fn c2_1_an_event_goes_to_the_spec_that_owns_its_agent() {
        let mut routing = Routing::default();
        assert!(routing.register(agent(1), "a").is_empty());
        assert!(routing.register(agent(2), "b").is_empty());
        assert_eq!(
            routing.route(agent(2), "end", 0),
            Routed::To("b".to_owned(), "end")
        );
        assert_eq!(
            routing.route(agent(1), "end", 0),
            Routed::To("a".to_owned(), "end")
        );
    }

    #[test]
    fn c2_4_an_event_before_its_registration_is_delivered_with_it() {
        let mut routing = Routing::default();
        assert_eq!(routing.route(agent(1), "early", 0), Routed::Kept);
        assert_eq!(routing.register(agent(2), "b"), Vec::<&str>::new());
        assert_eq!(routing.register(agent(1), "a"), ["early"]);
        assert_eq!(routing.register(agent(1), "a"), Vec::<&str>::new());
    }

    #[test]
    fn c2_4_what_nobody_claims_is_dropped_in_time_and_named() {
        let mut routing = Routing::default();
        routing.route(agent(1), "early", 0);
        assert_eq!(routing.expire(EARLY_FOR_MS - 1), []);
        assert_eq!(routing.expire(EARLY_FOR_MS), [agent(1)]);
        assert_eq!(routing.register(agent(1), "a"), Vec::<&str>::new());
    }

    #[test]
    fn c2_4_no_more_than_256_early_events_are_kept() {
        let mut routing = Routing::default();
        for seq in 0..=EARLY_MAX as u64 {
            routing.route(agent(seq), seq, 0);
        }
        assert_eq!(routing.register(agent(0), "a"), Vec::<u64>::new());
        assert_eq!(routing.register(agent(1), "a"), [1]);
    }

    #[test]
    fn c2_5_a_stop_forgets_the_agent() {
        let mut routing = Routing::default();
        routing.register(agent(1), "a");
        routing.forget(agent(1));
        assert_eq!(routing.agents(), 0);
        assert_eq!(routing.route(agent(1), "late", 0), Routed::Kept);
    }
}
