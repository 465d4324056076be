//! The money of a project: the ledger of the core, with `usage.jsonl` as its record.

use std::io;
use std::path::Path;

use kumite_agents::Adopted;
use kumite_core::budget::{Ask, Budget, Ledger, Refused};
use kumite_core::effect::{Launch, Settled};
use kumite_core::journal::AgentId;
use kumite_core::outcome::{Ended, Outcome};
use kumite_core::run::Step;
use kumite_formats::settings::{AgentKind, Settings};

use crate::launch::LaunchSettings;
use kumite_project::books::{Follower, Found};
use kumite_project::clock::{local_day, now_ms};
use kumite_project::program;
use kumite_project::project::{Project, Spec};
use kumite_project::usage_log::{EndedAgent, Program, UsageLine, UsageLog};

#[derive(Debug)]
pub struct Purse {
    log: UsageLog,
    /// What the ledger has counted. Contests write into the same file, from their own processes.
    lines: Follower,
    ledger: Ledger,
}

impl Purse {
    pub fn of(project: &Project) -> Purse {
        Purse {
            log: UsageLog::at(project.usage_file()),
            lines: Follower::at(project.usage_file()),
            ledger: Ledger::default(),
        }
    }

    /// Reserves the cost of an agent. Returns the most it may spend, if there is a budget.
    pub fn admit(
        &mut self,
        launch: &Launch,
        launch_settings: &LaunchSettings,
    ) -> Result<Option<u64>, Refused> {
        let budget = budget(&launch_settings.project);
        if budget.day > 0 {
            self.count_file().map_err(|error| {
                let path = self.log.path().display();
                Refused(format!(
                    "what was spent today is in {path}, which cannot be read ({error}); see to it"
                ))
            })?;
        }
        // Not before the entry that asks for it, in case the clock was set back.
        let now_ms = now_ms().max(launch.agent.at_ms);
        let ask = Ask {
            agent: launch.agent,
            step: launch.step.name(),
            day: &local_day(now_ms),
            run_spent: launch.spent,
            priced: is_priced(launch_settings, launch.step),
        };
        self.ledger.admit(budget, &ask).map(|granted| granted.cap)
    }

    /// Reserves for an agent that already works.
    pub fn hold(&mut self, agent: AgentId, step: Step, launch_settings: &LaunchSettings) {
        if budget(&launch_settings.project).day > 0 {
            // The next start will report why it cannot be counted.
            let _ = self.count_file();
        }
        self.ledger
            .hold(agent, step.name(), is_priced(launch_settings, step));
    }

    /// The agent was not started, or is no longer ours.
    pub fn leave(&mut self, agent: AgentId) {
        self.ledger.leave(agent);
    }

    /// Records the usage of an agent, and counts it. An agent that was never started has used
    /// nothing.
    /// `again`: that may have been done before a crash.
    pub fn settle(
        &mut self,
        spec: &Spec,
        launch_settings: &LaunchSettings,
        settled: &Settled,
        at_ms: u64,
        again: bool,
    ) -> io::Result<()> {
        let agent = settled.agent;
        let dir = spec.agent_dir(agent);
        if !was_started(&dir, &settled.outcome) {
            self.leave(agent);
            return Ok(());
        }
        let place = EndedAgent {
            spec: &spec.name,
            run: settled.run,
            step: settled.step,
            agent: &agent.to_string(),
            program: &program::read(&dir).unwrap_or_else(|| program(launch_settings, settled.step)),
        };
        let line = UsageLine::new(place, at_ms, &settled.outcome, settled.usage);
        let written = self.log.append(&line, again);
        match written {
            // It is counted when the file is read.
            Ok(_) => self.leave(agent),
            // A cost that cannot be recorded is spent nevertheless.
            Err(_) => {
                let cost = settled.usage.usd_micros;
                self.ledger.settle(agent, &line.day, &line.step, cost);
            }
        }
        written.map(|_| ())
    }

    #[cfg(test)]
    pub fn reserved(&self) -> u64 {
        self.ledger.reserved()
    }

    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Counts what is new in the file. Only a budget per day needs that.
    fn count_file(&mut self) -> io::Result<()> {
        let ledger = &mut self.ledger;
        self.lines.read(|found| match found {
            Found::Begin => ledger.forget_past(),
            Found::Line(line) => {
                ledger.count(&line.day, &line.step, line.usd_micros().unwrap_or(0));
            }
            Found::Nonsense => {}
        })
    }
}

fn budget(settings: &Settings) -> Budget {
    Budget {
        run: settings.budget.usd_per_run.micros(),
        day: settings.budget.usd_per_day.micros(),
    }
}

fn is_priced(launch_settings: &LaunchSettings, step: Step) -> bool {
    match launch_settings.agent(step).map(|agent| &agent.kind) {
        Ok(AgentKind::Program { kind, .. }) => kind.info().tells_price,
        Ok(AgentKind::Acp { .. } | AgentKind::Command { .. } | AgentKind::Scripted { .. }) => true,
        Err(_) => false,
    }
}

fn was_started(dir: &Path, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Finished => true,
        Outcome::Missing(_) => false,
        _ => !matches!(kumite_agents::adopt(dir), Ok(Adopted::NeverStarted)),
    }
}

fn program(launch_settings: &LaunchSettings, step: Step) -> Program {
    let agent = launch_settings.agent(step);
    Program {
        program: launch_settings.agent_name(step).to_owned(),
        kind: agent.map_or("", |agent| agent.kind.name()).to_owned(),
    }
}

/// Notes the program that an agent is started with.
pub fn note_program(dir: &Path, launch_settings: &LaunchSettings, step: Step) -> io::Result<()> {
    program::note(dir, &program(launch_settings, step))
}

/// A program that stops at a cap has its own message, which does not tell what a person can do.
pub fn explain(ended: &mut Ended, settings: &Settings) {
    if let Outcome::OverBudget(words) = &mut ended.outcome {
        *words = match budget(settings) == Budget::default() {
            true => format!("the agent stopped at a cap of its own ({words}); raise that"),
            false => format!(
                "the agent stopped at what was left for it ({words}); raise budget.usd_per_run or \
                 budget.usd_per_day"
            ),
        };
    }
}
