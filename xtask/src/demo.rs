//! `cargo xtask demo`: from a fresh clone to a running spec, a contest, and the page that shows
//! both.

use std::process::Command;

use crate::duckdb;
use crate::run::{Done, cargo, run, target};

/// Quick to build; `docs/benchmarks.md` measures this as the cold demo.
pub const BUILD: [&str; 3] = ["build", "--package", "kumite"];

pub fn demo(args: &[String]) -> Done {
    duckdb::setup()?;
    run(&mut cargo(&BUILD))?;
    run(Command::new(target().join("debug/kumite"))
        .args(["demo", "--contest", "--page"])
        .args(args))
}
