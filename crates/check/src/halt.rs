//! Ending a check before its end: its agents would live on without it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kumite_agents::Handle;

/// Shared by whoever checks and whoever may end that.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    told: bool,
    /// The directories of all agents that were launched.
    agents: Vec<PathBuf>,
}

impl Halt {
    /// Ends all agents, and has no more started.
    pub fn now(&self) {
        let mut state = self.state();
        state.told = true;
        for dir in &state.agents {
            Handle::of(dir).kill();
        }
    }

    pub fn is_told(&self) -> bool {
        self.state().told
    }

    pub(crate) fn note(&self, dir: PathBuf) {
        self.state().agents.push(dir);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
