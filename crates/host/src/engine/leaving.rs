//! The end of an engine. If its process is told to end, the runs that this process asked for end,
//! and those of other processes go on in another engine.

use std::sync::mpsc;
use std::time::Duration;

use kumite_core::journal::{By, Event};

use super::{Engine, Until, say};
use crate::contests::Hosted;
use crate::feed::Feed;

/// What goes on without this engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    Run {
        spec: String,
        /// The agent for all its phases, if the settings do not choose it.
        agent: Option<String>,
    },
    Contest {
        id: String,
    },
}

impl Left {
    pub fn name(&self) -> &str {
        match self {
            Left::Run { spec: name, .. } | Left::Contest { id: name } => name,
        }
    }
}

/// How an engine is being ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    #[default]
    No,
    /// Everything ends.
    All,
    /// The runs of this process end; `said`: it was reported why the rest cannot go on elsewhere.
    Own { said: bool },
}

impl Ending {
    /// Whether it ends what this process asked for.
    fn is_end_of(self, by: Option<u32>) -> bool {
        match self {
            Ending::No | Ending::All => true,
            Ending::Own { .. } => by == Some(std::process::id()),
        }
    }
}

impl Engine {
    /// Notes that a process asked for a spec, and returns whether the run belongs to it: a run that
    /// already works belongs to the process that asked first. If no process is known (an earlier
    /// engine was killed), it belongs to the next one that asks.
    pub(crate) fn claim(&mut self, name: &str, by: Option<u32>) -> bool {
        let rests = self.contexts.get(name).is_none_or(|it| it.run.is_at_rest());
        if rests || (by.is_some() && !self.owners.contains_key(name)) {
            self.owners.insert(name.to_owned(), by);
        }
        self.owners.get(name) == Some(&by)
    }

    pub(super) fn interrupt(&mut self, ending: Ending) {
        if self.ending != Ending::No {
            return;
        }
        self.ending = ending;
        for name in self.contexts.keys().cloned().collect::<Vec<_>>() {
            if self.ends_with_us(&name) {
                let _ = self.handle(&name, Event::StopRequested { by: By::Interrupt });
            }
        }
        let own = |hosted: &&mut Hosted| ending.is_end_of(hosted.by);
        self.contests
            .values_mut()
            .filter(own)
            .for_each(Hosted::stop);
    }

    /// The person is in a hurry: no grace.
    pub(super) fn kill(&self) {
        for (name, context) in &self.contexts {
            if self.ends_with_us(name) {
                context.kill();
            }
        }
        let own = |hosted: &&Hosted| self.ending.is_end_of(hosted.by);
        self.contests.values().filter(own).for_each(Hosted::kill);
    }

    fn ends_with_us(&self, name: &str) -> bool {
        self.ending
            .is_end_of(self.owners.get(name).copied().flatten())
    }

    /// How long to wait before the next check.
    pub(super) fn patience(&self) -> Duration {
        let mut contexts = self.contexts.values();
        let is_calm = contexts.all(|context| context.force_at.is_none());
        if !self.contests.is_empty() {
            // A request to cancel a contest is a file.
            return Duration::from_millis(100);
        }
        // An engine that ends by itself does so without delay.
        match is_calm && (self.is_busy() || self.until == Until::Told) {
            true => Duration::from_millis(250),
            false => Duration::from_millis(50),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        let mut contexts = self.contexts.values();
        !self.contests.is_empty() || contexts.any(|context| !context.run.is_at_rest())
    }

    pub(super) fn may_end(&mut self) -> bool {
        let answered = self
            .contexts
            .values()
            .all(|context| context.waiting.is_empty());
        match self.until {
            Until::Answered => self.asked && answered,
            _ if self.is_busy() => self.may_leave(),
            _ if self.ending != Ending::No => true,
            Until::AtRest => self.asked,
            Until::Told => false,
            Until::Quiet(time) => self.quiet_since.elapsed() >= time,
        }
    }

    /// Whether all running work can be left to another engine, which needs readable settings.
    fn may_leave(&mut self) -> bool {
        let Ending::Own { said } = self.ending else {
            return false;
        };
        let mut working = self.contexts.iter().filter(|(_, it)| !it.run.is_at_rest());
        let mut contests = self.contests.values();
        if working.any(|(name, _)| self.ends_with_us(name))
            || contests.any(|it| self.ending.is_end_of(it.by))
        {
            return false;
        }
        match self.loader.clone().reload() {
            Ok(()) => {
                self.contests.values_mut().for_each(Hosted::leave);
                self.contests.is_empty()
            }
            Err(error) => {
                if !said {
                    let why = kumite_project::spec_file::sentence(&error);
                    let left = self.left();
                    let names: Vec<&str> = left.iter().map(Left::name).collect();
                    let names = names.join(", ");
                    say(&format!(
                        "{names}, started elsewhere, works here until it ends: no other kumite can \
                         take it over, because {why}"
                    ));
                }
                self.ending = Ending::Own { said: true };
                false
            }
        }
    }

    /// What goes on when this engine ends now.
    pub(super) fn left(&self) -> Vec<Left> {
        let working = self.contexts.iter().filter(|(_, it)| !it.run.is_at_rest());
        let runs = working.map(|(name, context)| Left::Run {
            spec: name.clone(),
            agent: context.launch_settings.agent_for_all().map(str::to_owned),
        });
        let contests = self.contests.keys().chain(&self.left_contests);
        let contests = contests.map(|id| Left::Contest { id: id.clone() });
        runs.chain(contests).collect()
    }
}

impl Drop for Engine {
    /// The last reply is sent before the lock is free for another engine.
    fn drop(&mut self) {
        // Unanswered requests are sent again to the next engine.
        self.messages = mpsc::channel().1;
        self.contexts.clear();
        self.shared.feed = Feed::default();
        if let Some(control) = self.control.take() {
            control.close();
        }
    }
}
