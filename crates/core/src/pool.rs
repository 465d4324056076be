//! Limits how many specs work at the same time: `jobs` slots, and a queue in the order of requests.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use serde::{Deserialize, Serialize};

/// The place of a run in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePlace {
    /// From 1, which is the next one that gets a slot.
    pub number: usize,
    /// How many are waiting in total.
    pub of: usize,
    /// How many may work at the same time.
    pub jobs: usize,
}

impl fmt::Display for QueuePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QueuePlace { number, of, jobs } = self;
        let work = if *jobs == 1 { "works" } else { "work" };
        write!(f, "number {number} of {of}; {jobs} {work} at once")
    }
}

/// The slots of one project. They are not in the journal: they follow from the runs.
#[derive(Clone, Debug)]
pub struct Pool {
    jobs: usize,
    busy: BTreeSet<String>,
    queue: VecDeque<String>,
}

impl Pool {
    pub fn new(jobs: usize) -> Pool {
        Pool {
            jobs: jobs.max(1),
            busy: BTreeSet::new(),
            queue: VecDeque::new(),
        }
    }

    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Takes a slot, or a place in the queue. True: it may work now.
    pub fn ask(&mut self, spec: &str) -> bool {
        if self.busy.contains(spec) {
            return true;
        }
        if self.busy.len() < self.jobs && self.queue.is_empty() {
            self.busy.insert(spec.to_owned());
            return true;
        }
        if !self.queue.iter().any(|waiting| waiting == spec) {
            self.queue.push_back(spec.to_owned());
        }
        false
    }

    /// Whether it has a slot.
    pub fn is_busy(&self, spec: &str) -> bool {
        self.busy.contains(spec)
    }

    /// All waiting specs, the next one first.
    pub fn queue(&self) -> &VecDeque<String> {
        &self.queue
    }

    pub fn place(&self, spec: &str) -> Option<QueuePlace> {
        let before = self.queue.iter().position(|waiting| waiting == spec)?;
        Some(QueuePlace {
            number: before + 1,
            of: self.queue.len(),
            jobs: self.jobs,
        })
    }

    /// Takes a slot for an agent that already works: one that was found again after a crash.
    pub fn occupy(&mut self, spec: &str) {
        self.busy.insert(spec.to_owned());
    }

    /// Gives back the slot or the place in the queue.
    pub fn leave(&mut self, spec: &str) {
        self.busy.remove(spec);
        self.queue.retain(|waiting| waiting != spec);
    }

    /// The next spec in the queue, if a slot is free. It then has the slot.
    pub fn admit(&mut self) -> Option<String> {
        if self.busy.len() >= self.jobs {
            return None;
        }
        let spec = self.queue.pop_front()?;
        self.busy.insert(spec.clone());
        Some(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c3_4_the_sixth_spec_waits_for_a_slot_and_gets_the_first_free_one() {
        let mut pool = Pool::new(5);
        let specs = ["a", "b", "c", "d", "e", "f"];
        let granted: Vec<bool> = specs.iter().map(|spec| pool.ask(spec)).collect();
        assert_eq!(granted, [true, true, true, true, true, false]);
        assert_eq!(pool.admit(), None);
        pool.leave("c");
        assert_eq!(pool.admit().as_deref(), Some("f"));
    }

    #[test]
    fn each_one_that_waits_has_a_place() {
        let mut pool = Pool::new(1);
        for spec in ["a", "b", "c"] {
            pool.ask(spec);
        }
        let place = |pool: &Pool, spec| pool.place(spec).map(|place| place.to_string());
        assert_eq!(place(&pool, "a"), None, "it works");
        let words = "number 2 of 2; 1 works at once";
        assert_eq!(place(&pool, "c").as_deref(), Some(words));
        pool.leave("b");
        let words = "number 1 of 1; 1 works at once";
        assert_eq!(place(&pool, "c").as_deref(), Some(words));
    }

    #[test]
    fn a_newcomer_does_not_overtake_the_queue() {
        let mut pool = Pool::new(1);
        assert!(pool.ask("a"));
        assert!(!pool.ask("b"));
        pool.leave("a");
        assert!(!pool.ask("c"));
        assert_eq!(pool.admit().as_deref(), Some("b"));
    }

    #[test]
    fn asking_twice_takes_one_place() {
        let mut pool = Pool::new(1);
        assert!(pool.ask("a"));
        assert!(pool.ask("a"));
        assert!(!pool.ask("b"));
        assert!(!pool.ask("b"));
        pool.leave("a");
        assert_eq!(pool.admit().as_deref(), Some("b"));
        pool.leave("b");
        assert_eq!(pool.admit(), None);
    }

    #[test]
    fn a_stop_while_queued_gives_the_place_up() {
        let mut pool = Pool::new(1);
        assert!(pool.ask("a"));
        assert!(!pool.ask("b"));
        pool.leave("b");
        pool.leave("a");
        assert_eq!(pool.admit(), None);
    }
}
