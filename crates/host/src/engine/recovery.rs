//! What an engine takes over from an earlier one.

use kumite_core::run::State;

use super::{Engine, say};
use crate::launch::LaunchSettings;
use kumite_project::{journal, spec_file};

impl Engine {
    /// Finds all agents that an earlier engine left running, and continues their runs. Then the
    /// runs that waited for a slot ask for it again. `asked`: the specs that are about to be run.
    /// That request reports what is wrong with them, so this function does not.
    pub fn recover(&mut self, asked: &[String]) {
        let complain = |name: &str, why: &dyn std::error::Error| {
            if !asked.iter().any(|asked| asked == name) {
                say(&format!("{name}: {}", spec_file::sentence(why)));
            }
        };
        let mut queued = Vec::new();
        let known = self.project.known_runs().into_iter().filter_map(|name| {
            let spec = self.project.spec_place(&name);
            let run = journal::peek(spec.run_dir()).unwrap_or_else(|error| {
                complain(name.as_str(), &error);
                None
            });
            Some((name, run.filter(|run| !run.is_at_rest())?))
        });
        let known: Vec<_> = known.collect();
        // Reserve money for all running agents before a new agent can start and spend it. `open`
        // reserves it again for the agent that it finds, so the loop below first gives it back.
        let launch_settings = LaunchSettings::new(self.loader.loaded.settings.clone(), None);
        for work in known.iter().filter_map(|(_, run)| run.work()) {
            self.shared
                .purse
                .hold(work.agent, work.step, &launch_settings);
        }
        for (name, run) in known {
            if let Some(work) = run.work() {
                self.shared.purse.leave(work.agent);
            }
            match self.open(name.as_str()) {
                // The run has its slot, or waits for the end of a usage limit.
                Ok(()) if run.holds_slot() || matches!(run.state, State::Limited(_)) => {}
                Ok(()) => queued.push(name.to_string()),
                Err(error) => complain(name.as_str(), &error),
            }
        }
        for name in queued {
            if self.pool.ask(&name) {
                self.admit(&name);
            }
        }
        self.recover_contests();
    }
}
