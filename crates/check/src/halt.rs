//! Ends a check early, with its agents, which would otherwise go on.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kumite_agents::Handle;

/// Shared between the check and the code that may end it.
#[derive(Clone, Debug, Default)]
pub struct Halt(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    told: bool,
    /// The directories of all agents that were started.
    agents: Vec<PathBuf>,
}

impl Halt {
    /// Ends all agents, and prevents new ones.
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
