//! Waits until a spec that was asked to run is at rest.

use std::thread;
use std::time::{Duration, Instant};

use kumite_core::journal::Event;
use kumite_project::news::{Item, Reader, entry_of};
use kumite_project::project::{Project, Spec};
use kumite_project::{journal, lock};

use crate::refusal::Result;

/// How often we look.
const LOOK: Duration = Duration::from_millis(50);
/// An engine that was not seen in this many consecutive looks is gone.
const LOOKS: u32 = 40;

pub struct Watch<'a> {
    project: &'a Project,
    spec: &'a Spec,
    news: Reader,
    /// The last journal entry before the request.
    before: u64,
    /// The entry of the request.
    start: Option<u64>,
    /// The last entry that ended a run.
    end: u64,
}

impl Watch<'_> {
    /// Created before the spec is asked to run, so that nothing is missed, and the end of an
    /// earlier run is not taken for the end of this one.
    pub fn new<'a>(project: &'a Project, spec: &'a Spec) -> Result<Watch<'a>> {
        let last = journal::history(spec.run_dir())?.pop();
        Ok(Watch {
            news: Reader::at_end(&project.runtime())?,
            before: last.map_or(0, |(entry, _, _)| entry.seq),
            start: None,
            end: 0,
            project,
            spec,
        })
    }

    /// Returns true if the spec is at rest, or no engine works on it any more.
    pub fn until_rest(mut self, deadline: Instant, is_over: &dyn Fn() -> bool) -> Result<bool> {
        let mut unseen = 0;
        while Instant::now() < deadline && !is_over() {
            if self.has_ended()? {
                return Ok(true);
            }
            unseen = match lock::is_held(self.project) {
                true => 0,
                false => unseen + 1,
            };
            // The engine was killed, and no other took its place.
            if unseen == LOOKS {
                return Ok(true);
            }
            thread::park_timeout(LOOK);
        }
        Ok(false)
    }

    fn has_ended(&mut self) -> Result<bool> {
        let ends = self
            .news
            .read()?
            .into_iter()
            .filter_map(|it| self.end_in(&it));
        self.end = ends.max().unwrap_or(0).max(self.end);
        if self.end <= self.before {
            return Ok(false);
        }
        let mut history = journal::history(self.spec.run_dir())?;
        if self.start.is_none() {
            let mut new = history
                .iter()
                .filter(|(entry, _, _)| entry.seq > self.before);
            let start =
                new.find(|(entry, _, _)| matches!(entry.event, Event::StartRequested { .. }));
            self.start = start.map(|(entry, _, _)| entry.seq);
        }
        let rests = history.pop().is_some_and(|(_, run, _)| run.is_at_rest());
        Ok(rests && self.start.is_some_and(|start| start <= self.end))
    }

    /// The entry that ended a run of our spec, if this news item reports one.
    fn end_in(&self, item: &Item) -> Option<u64> {
        let is_end = item.news["type"] == "run_ended" && item.news["spec"] == self.spec.name;
        entry_of(&item.news).filter(|_| is_end)
    }
}
