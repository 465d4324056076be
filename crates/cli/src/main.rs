//! The binary `kumite`.

mod args;
mod browse;
mod commands;
mod exit;
mod follow;
mod logging;
mod out;
mod progress;
mod render;
mod signals;
mod transcript;
mod trouble;

use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // kumite as the supervisor of an agent, as the bridge to one, or as the built-in agent: these
    // must start in a millisecond, so they come before everything else.
    match words.next().as_deref().and_then(OsStr::to_str) {
        Some("__supervise") => match words.next() {
            Some(dir) if dir == "--ahead" => kumite_agents::supervise_ahead(),
            Some(dir) => kumite_agents::supervise(Path::new(&dir)),
            None => ExitCode::from(2),
        },
        Some("__acp") => kumite_acp::bridge(words),
        Some("__scripted") => kumite_scripted::main(),
        _ => {
            kumite_agents::survive_file_size_limit();
            args::run()
        }
    }
}
