//! The engine without a terminal.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use kumite_host::{Engine, Message, Until};
use kumite_project::lock;
use kumite_project::project::Project;
use kumite_project::settings::Flags;

use crate::args::Setting;
use crate::trouble::Result;
use crate::{exit, signals};

/// How long a detached engine stays after its last run.
const QUIET: Duration = Duration::from_secs(3);

#[derive(Args)]
pub struct EngineArgs {
    /// How many specs work at the same time
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,
    /// The agent for all phases of a spec that an earlier engine left
    #[arg(long, value_name = "SPEC=NAME", value_parser = chosen)]
    agent: Vec<(String, String)>,
}

fn chosen(text: &str) -> std::result::Result<(String, String), String> {
    let (spec, agent) = text.split_once('=').ok_or("SPEC=NAME")?;
    Ok((spec.to_owned(), agent.to_owned()))
}

pub fn engine(setting: &Setting, args: &EngineArgs) -> Result {
    // A contest needs no project: without one it uses the current directory.
    let place = setting.place()?;
    let project = setting.project().unwrap_or_else(|_| Project::at(&place));
    let loader = setting.loader(&project, Flags { jobs: args.jobs })?;
    // Its terminal may go away; it stays.
    let _ = rustix::process::setsid();
    let Some(lock) = lock::take(&project)? else {
        return Ok(ExitCode::SUCCESS);
    };
    kumite_agents::inherit_orphans();
    let mut engine = Engine::new(project, lock, loader, Until::Quiet(QUIET));
    engine.agents = args.agent.iter().cloned().collect();
    engine.listen()?;
    let inbox = engine.inbox();
    let caught = signals::catch(move |count| {
        let message = match count {
            1 => Message::Interrupt,
            _ => Message::Kill,
        };
        let _ = inbox.send(message);
    })?;
    engine.recover(&[]);
    engine.run();
    Ok(ExitCode::from(caught.code().unwrap_or(exit::DONE)))
}
