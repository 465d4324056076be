//! The binary that the tests of this crate start. `__supervise <dir>` is the same as in kumite
//! itself;
//! `launch <dir> <request>` plays the kumite that dies.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["__supervise", "--ahead", _] => kumite_agents::supervise_ahead(),
        ["__supervise", dir] => kumite_agents::supervise(Path::new(dir)),
        ["launch", dir, request] => launch(Path::new(dir), Path::new(request)),
        _ => ExitCode::from(2),
    }
}

fn launch(dir: &Path, request: &Path) -> ExitCode {
    let binary = std::env::current_exe().expect("this binary has a path");
    let request = std::fs::read(request).expect("the test has written a request");
    let request = serde_json::from_slice(&request).expect("the test has written a request");
    kumite_agents::launch(&binary, dir, &request)
        .expect("the supervisor starts")
        .wait();
    ExitCode::SUCCESS
}
