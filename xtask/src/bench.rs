//! `cargo xtask bench`: builds the programs, then lets `crates/bench` measure.

use std::fs;
use std::process::Command;

use crate::demo;
use crate::duckdb;
use crate::run::{Done, Stop, cargo, fail, root, run, target, timed};
use crate::tools;

const PACKAGES: [&str; 5] = [
    "build",
    "--release",
    "--package=kumite",
    "--package=kumite-bench",
    "--bins",
];
const PAGE: &str = "docs/benchmarks.md";

pub fn bench(args: &[String]) -> Done {
    let (mut write, mut cold, mut only) = (false, false, Vec::new());
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        match (arg.as_str(), words.as_slice().first()) {
            ("--write", _) => write = true,
            ("--cold", _) => cold = true,
            ("--only", Some(_)) => only.extend(words.next().cloned()),
            _ => {
                eprintln!("xtask: {arg:?} is not known; bench [--write] [--cold] [--only PART]...");
                return Err(Stop(2));
            }
        }
    }
    tools::chromium("the page is measured in Chromium; install it, or set KUMITE_CHROMIUM")?;
    duckdb::setup()?;
    run(&mut cargo(&PACKAGES))?;
    let mut measure = Command::new(target().join("release/bench"));
    measure.args(only);
    if cold {
        measure.arg(format!("--cold-seconds={:.0}", cold_seconds()?));
    }
    if write {
        let said = std::iter::once("cargo xtask bench".to_owned()).chain(args.iter().cloned());
        let said: Vec<String> = said.collect();
        measure.arg("--write").arg(root().join(PAGE));
        measure.arg(format!("--command={}", said.join(" ")));
    }
    run(measure.current_dir(root()))
}

/// The time of a build for `cargo xtask demo` from scratch, without the downloads.
fn cold_seconds() -> Result<f64, Stop> {
    let dir = std::env::temp_dir().join(format!("kumite-cold-{}", std::process::id()));
    // Downloads do not count: networks cannot be compared.
    run(&mut cargo(&["fetch", "--locked"]))?;
    let built = timed(cargo(&demo::BUILD).env("CARGO_TARGET_DIR", &dir));
    let xtask = timed(cargo(&["build", "--package", "xtask"]).env("CARGO_TARGET_DIR", &dir));
    if let Err(error) = fs::remove_dir_all(&dir) {
        return fail(&format!("cannot remove {}: {error}", dir.display()));
    }
    Ok((built? + xtask?).as_secs_f64())
}
