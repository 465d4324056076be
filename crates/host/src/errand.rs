//! Starts what kumite does itself: its own step processes, and the project's commands.

use std::path::Path;

use kumite_agents::{Handle, Launcher};
use kumite_core::effect::Launch;
use kumite_core::run::{Run, Step};
use kumite_project::announce::verify_log;
use kumite_project::job::{Errand, own_binary};
use kumite_project::project::Spec;
use kumite_project::{crash, place};

use crate::launch::{Error, LaunchSettings, known, make_dir};

pub fn start(
    spec: &Spec,
    run: &Run,
    launch_settings: &LaunchSettings,
    launch: &Launch,
    launcher: &Launcher,
) -> Result<Handle, Error> {
    let binary = own_binary().map_err(Error::Binary)?;
    let dir = spec.agent_dir(launch.agent);
    make_dir(&dir)?;
    make_dir(&spec.logs())?;
    let errand = errand(spec, run, launch_settings, launch, &binary)?;
    let request = errand.request(&launch_settings.project);
    crash::point(format_args!("prepared {}", spec.name));
    Ok(launcher.launch(&binary, &dir, &request)?)
}

fn errand(
    spec: &Spec,
    run: &Run,
    launch_settings: &LaunchSettings,
    launch: &Launch,
    binary: &Path,
) -> Result<Errand, Error> {
    let settings = &launch_settings.project;
    let own = |step: &str, more: &[&str]| {
        let program = binary.to_string_lossy();
        let words = [&program, "step", step, &spec.name];
        words.iter().chain(more).map(|&it| it.to_owned()).collect()
    };
    let errand = Errand {
        agent: launch.agent.to_string(),
        argv: Vec::new(),
        workplace: spec.project_root().to_owned(),
        log: spec.log_file(&launch.agent.to_string()),
        known: known(spec, launch),
        env: Vec::new(),
        timeout: settings.run.step_timeout.duration(),
    };
    Ok(match launch.step {
        Step::Prepare(_) => Errand {
            argv: own("prepare", &["--base", &run.order.base]),
            ..errand
        },
        Step::Baseline => Errand {
            argv: own("baseline", &["--base", &run.order.base]),
            ..errand
        },
        Step::Undo(to) => Errand {
            argv: own("undo", &["--to", &to.to_string()]),
            ..errand
        },
        Step::Verify(verify) => {
            let name = run.order.command(verify);
            let mut commands = settings.verify.commands.iter();
            let command = commands.find(|command| command.name == name);
            let command = command.ok_or_else(|| Error::NoCommand { name: name.clone() })?;
            Errand {
                argv: command.run.clone(),
                workplace: spec.workplace().join(&command.dir),
                log: spec.main_dir().join(verify_log(&name, launch.agent)),
                env: place::env(spec),
                timeout: settings.verify.timeout.duration(),
                ..errand
            }
        }
        Step::Write(_)
        | Step::Review(_)
        | Step::Reply(_)
        | Step::Implement(_)
        | Step::Inspect(_)
        | Step::Fix(_)
        | Step::Merge => errand,
    })
}
