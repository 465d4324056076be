//! Chores of the project. `cargo xtask` lists them.

mod agents;
mod bench;
mod demo;
mod dist;
mod duckdb;
mod fuzz;
mod python;
mod requirements;
mod run;
mod sim;
mod test;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
Chores of the project.

usage: cargo xtask <CHORE> [ARGUMENTS]

  setup                    fetch the DuckDB library that the board is linked with (the other chores do it too)
  dist                     build a release into target/dist: the programs and the library beside them
  demo [ARGUMENTS]         build kumite and watch it play a whole spec (arguments go to `kumite demo`)
  test                     all of CI: format, clippy, all tests
  requirements [--write]   check that every requirement is named by a test and listed
  sim [--contest] [--seeds N] [--from S] | sim [--contest] --seed S [--trace]
                           play simulated worlds, or contests, until one breaks a rule
  fuzz [--seconds N] [TARGET]...
                           fuzz every reader of files, a minute each (needs a nightly toolchain)
  bench [--write] [--cold] [--only PART]...
                           measure: handover, rush, decide, start, ingest, stop, contest, board, size; with ratios.
                           --write puts it into docs/benchmarks.md, --cold builds the demo cold too
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let chore = args.next();
    let args: Vec<String> = args.collect();
    let done = match chore.as_deref() {
        Some("setup") => duckdb::setup(),
        Some("dist") => dist::dist(),
        Some("demo") => demo::demo(&args),
        Some("test") => test::test(&args),
        Some("requirements") => requirements::requirements(&args),
        Some("sim") => sim::sim(&args),
        Some("fuzz") => fuzz::fuzz(&args),
        Some("bench") => bench::bench(&args),
        None | Some("help" | "-h" | "--help") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => {
            eprint!("there is no chore {other:?}\n\n{HELP}");
            Err(run::Stop(2))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(run::Stop(code)) => ExitCode::from(code),
    }
}
