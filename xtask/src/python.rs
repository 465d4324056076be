//! DuckDB's Python package in two versions, each in its own environment in the cache: users read
//! the leader board with such versions.

use std::env::join_paths;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Done, Stop, cache, fail, root, run};
use crate::tools::python;

/// The oldest first: a version from mixseek's time, and the newest.
const PINNED: [&str; 2] = ["duckdb-1.4.5.txt", "duckdb-2.0.0.txt"];

/// The Python programs. The tests find them in `KUMITE_PYTHONS`.
pub fn programs() -> Result<OsString, Stop> {
    let mut programs = Vec::new();
    for name in PINNED {
        programs.push(environment(&root().join("xtask/python").join(name))?);
    }
    join_paths(programs).or_else(|error| fail(&error.to_string()))
}

fn environment(pinned: &Path) -> Result<PathBuf, Stop> {
    let Ok(text) = fs::read(pinned) else {
        return fail(&format!("cannot read {}", pinned.display()));
    };
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // Other pins give another directory, so that no environment is ever half old.
    let dir = cache().join(format!("python-{:016x}", hasher.finish()));
    let done = dir.join("installed");
    if !done.exists() {
        install(pinned, &dir)?;
        if let Err(error) = fs::write(&done, "") {
            return fail(&format!("cannot write {}: {error}", done.display()));
        }
    }
    Ok(dir.join("bin/python"))
}

fn install(pinned: &Path, dir: &Path) -> Done {
    python("the tests read the leader board from Python: install Python 3.11 or newer, with venv")?;
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(dir))?;
    let options = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--only-binary=:all:",
        "-r",
    ];
    run(Command::new(dir.join("bin/python"))
        .args(options)
        .arg(pinned))
}
