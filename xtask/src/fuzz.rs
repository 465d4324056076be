//! `cargo xtask fuzz`: runs every reader of files on random bytes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::run::{Done, Stop, cache, cargo, fail, root, run, works};

const SECONDS: u32 = 60;

pub fn fuzz(args: &[String]) -> Done {
    let known = targets()?;
    let (seconds, mut wanted) = parse(args, &known)?;
    if wanted.is_empty() {
        wanted = known;
    }
    if !works(Command::new("cargo").args(["+nightly", "--version"])) {
        return fail(
            "fuzzing needs a nightly toolchain (the sanitizers are not in stable Rust); \
             run `rustup toolchain install nightly --profile minimal`",
        );
    }
    let tool = cargo_fuzz()?;
    for target in &wanted {
        run(&mut fuzzer(&tool, target, seconds)?)?;
    }
    eprintln!("{} targets, {seconds} s each: nothing found", wanted.len());
    Ok(())
}

/// The targets are the files in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>, Stop> {
    let dir = root().join("fuzz/fuzz_targets");
    let Ok(entries) = fs::read_dir(&dir) else {
        return fail(&format!("cannot read {}", dir.display()));
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn parse(args: &[String], known: &[String]) -> Result<(u32, Vec<String>), Stop> {
    let usage = |why: String| {
        eprintln!("xtask: {why}");
        Stop(2)
    };
    let (mut seconds, mut wanted) = (SECONDS, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--seconds" {
            let given = args.next().and_then(|given| given.parse().ok());
            seconds = given.ok_or_else(|| usage("--seconds needs a number".to_owned()))?;
        } else if known.contains(arg) {
            wanted.push(arg.clone());
        } else {
            let known = known.join(", ");
            return Err(usage(format!(
                "there is no target {arg:?}; they are {known}"
            )));
        }
    }
    Ok((seconds, wanted))
}

/// The program on this machine, or one that is installed once into the cache.
fn cargo_fuzz() -> Result<PathBuf, Stop> {
    if works(Command::new("cargo-fuzz").arg("--version")) {
        return Ok("cargo-fuzz".into());
    }
    let cache = cache();
    let tool = cache.join("bin/cargo-fuzz");
    if !works(Command::new(&tool).arg("--version")) {
        eprintln!(
            "cargo-fuzz is not there; installing it into {}",
            cache.display()
        );
        let install = cargo(&["install", "--locked", "cargo-fuzz", "--root"])
            .arg(&cache)
            .status();
        if !install.is_ok_and(|status| status.success()) {
            return fail("cannot install cargo-fuzz; is crates.io within reach?");
        }
    }
    Ok(tool)
}

/// New inputs are added to `fuzz/corpus`; the seeds are only read.
fn fuzzer(tool: &PathBuf, target: &str, seconds: u32) -> Result<Command, Stop> {
    let corpus = root().join("fuzz/corpus").join(target);
    if let Err(error) = fs::create_dir_all(&corpus) {
        return fail(&format!("cannot make {}: {error}", corpus.display()));
    }
    let mut command = Command::new(tool);
    command.current_dir(root());
    // Our own cargo is pinned to its toolchain; cargo-fuzz needs the nightly one.
    command
        .env_remove("CARGO")
        .env("RUSTUP_TOOLCHAIN", "nightly");
    command.args(["run", target]).arg(corpus);
    let seeds = root().join("fuzz/seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    command.args(["--", &format!("-max_total_time={seconds}")]);
    Ok(command)
}
