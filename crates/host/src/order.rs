//! From a request and the settings to the order that the rules get.

use std::path::Path;

use kumite_core::journal::{Order, Rules};
use kumite_formats::settings::{SandboxMode, Settings, WorktreeMode};
use kumite_project::{limits, place};

use crate::run_request::RunRequest;

pub fn of(asked: &RunRequest, settings: &Settings, root: &Path) -> Order {
    let mut rules = rules(settings);
    rules.limit.wait &= !asked.no_wait;
    let commands = settings.verify.commands.iter();
    let commands = commands.filter(|command| command.at_impl);
    let begin = match rules.worktree {
        true => place::begin(root),
        false => Ok(String::new()),
    };
    let (branch, no_worktree) = match begin {
        Ok(branch) => (branch, None),
        Err(why) => (String::new(), Some(why)),
    };
    Order {
        rules,
        until: asked.until,
        from: asked.from,
        review_once: asked.review_once,
        verify: commands.map(|command| command.name.clone()).collect(),
        no_worktree,
        base: match settings.worktree.base.as_str() {
            "" => branch,
            base => base.to_owned(),
        },
    }
}

/// Settings that are read, but that nothing acts on yet, are refused: an agent that a person believes
/// to be in a sandbox must not run without one.
pub fn is_supported(settings: &Settings) -> Result<(), String> {
    let unsupported = |what: &str| {
        Err(format!(
            "{what} does not work in this version of kumite; take it out of the settings"
        ))
    };
    match (settings.sandbox.mode, settings.review.stall_rounds) {
        (SandboxMode::Off, 0) => Ok(()),
        (SandboxMode::Off, _) => unsupported("[review] stall_rounds"),
        (SandboxMode::Agent | SandboxMode::Bwrap, _) => unsupported("[sandbox] mode"),
    }
}

fn rules(settings: &Settings) -> Rules {
    Rules {
        rounds_max: settings.review.rounds_max,
        retries_max: settings.implementation.retries_max,
        inspections_max: settings.inspection.rounds_max,
        auto_approve: settings.run.auto_approve,
        guard: settings.implementation.guard,
        limit: limits::rules(settings),
        worktree: settings.worktree.mode == WorktreeMode::Auto,
        baseline: settings.verify.baseline,
        flaky: settings.verify.flaky,
    }
}
