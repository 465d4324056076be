//! `cargo xtask test`: all of CI.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::agents;
use crate::duckdb;
use crate::python;
use crate::requirements::requirements;
use crate::run::{Done, Stop, cargo, fail, root, timed, works};
use crate::tools::chromium;

/// In this order: fast and informative parts first.
const PARTS: [(&str, &[&str]); 4] = [
    ("format", &["fmt", "--all", "--check"]),
    (
        "clippy",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    // The tests of the binary start it.
    ("fake agent", &["build", "--package", "kumite-fake-agent"]),
    ("tests", &["test", "--workspace"]),
];

/// What plain `cargo test` leaves out, because it needs programs that are not ours.
const REAL: [&str; 7] = [
    "test",
    "--package",
    "kumite",
    "--test",
    "real",
    "--",
    "--ignored",
];

/// The same for readers of the leader board.
const PYTHON: [&str; 7] = [
    "test",
    "--package",
    "kumite",
    "--test",
    "board",
    "--",
    "--ignored",
];

/// The same for the page in a real browser, in any crate.
const BROWSER: [&str; 6] = [
    "test",
    "--workspace",
    "--test",
    "browser",
    "--",
    "--ignored",
];

pub fn test(args: &[String]) -> Done {
    if let Some(arg) = args.first() {
        eprintln!("xtask: test takes no arguments, not {arg:?}");
        return Err(Stop(2));
    }
    check_tools()?;
    requirements(&[])?;
    duckdb::setup()?;
    chromium(
        "the tests look at the page with Chromium: install it, or name it in KUMITE_CHROMIUM",
    )?;
    let mut took = Vec::new();
    let skipped = root().join("target/skipped-tests");
    if let Err(error) = fs::create_dir_all(root().join("target")).and(fs::write(&skipped, "")) {
        return fail(&format!("cannot write {}: {error}", skipped.display()));
    }
    for (name, args) in PARTS {
        let mut part = cargo(args);
        part.env("XTASK_TESTS_SKIPPED", &skipped);
        took.push((name, timed(&mut part)?));
    }
    let began = Instant::now();
    let programs = agents::programs()?;
    took.push(("npm", began.elapsed()));
    let mut real = cargo(&REAL);
    real.env("KUMITE_REAL_AGENTS", programs);
    took.push(("real agents", timed(&mut real)?));
    let began = Instant::now();
    let pythons = python::programs()?;
    took.push(("pip", began.elapsed()));
    let mut readers = cargo(&PYTHON);
    readers.env("KUMITE_PYTHONS", pythons);
    took.push(("python", timed(&mut readers)?));
    took.push(("browser", timed(&mut cargo(&BROWSER))?));
    eprintln!();
    for (name, time) in took {
        eprintln!("{name:<12}{:>7.1} s", time.as_secs_f64());
    }
    say_skipped(&skipped);
    eprintln!("all is well");
    Ok(())
}

/// The tests that did nothing because they need root, by name.
fn say_skipped(list: &Path) {
    let names = fs::read_to_string(list).unwrap_or_default();
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        eprintln!("skipped, needs root: {name}");
    }
}

fn check_tools() -> Done {
    let missing = |tool: &&str| !works(&mut cargo(&[tool, "--version"]));
    let missing: Vec<&str> = ["fmt", "clippy"].into_iter().filter(missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let components = missing.join(" ").replace("fmt", "rustfmt");
    match works(Command::new("rustup").arg("--version")) {
        true => fail(&format!(
            "{components} missing; run `rustup component add {components}`"
        )),
        false => fail(&format!(
            "{components} missing; install it with the package manager that Rust came with"
        )),
    }
}
