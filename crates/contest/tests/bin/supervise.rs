//! The binary that supervises the agents of this crate's tests: `__supervise <dir>` is the same as
//! in kumite itself.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["__supervise", "--ahead", _] => kumite_agents::supervise_ahead(),
        ["__supervise", dir] => kumite_agents::supervise(Path::new(dir)),
        _ => ExitCode::from(2),
    }
}
