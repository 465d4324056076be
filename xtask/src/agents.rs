//! The real agent programs for the tests: pinned versions from npm, installed once into the cache.
//! They are not part of the project.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Done, Stop, cache, fail, root, run};
use crate::tools::npm;

/// The directory of the programs. The tests find it in `KUMITE_REAL_AGENTS`.
pub fn programs() -> Result<PathBuf, Stop> {
    let pinned = root().join("xtask/agents");
    let lock = pinned.join("package-lock.json");
    let Ok(text) = fs::read(&lock) else {
        return fail(&format!("cannot read {}", lock.display()));
    };
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // Another lock file gives another directory, so that no installation is ever half old.
    let dir = cache().join(format!("agents-{:016x}", hasher.finish()));
    let done = dir.join("installed");
    if !done.exists() {
        install(&pinned, &dir)?;
        if let Err(error) = fs::write(&done, "") {
            return fail(&format!("cannot write {}: {error}", done.display()));
        }
    }
    Ok(dir.join("node_modules/.bin"))
}

fn install(pinned: &Path, dir: &Path) -> Done {
    npm(
        "the tests need the real agent programs, which come from npm: install Node.js 20 or newer",
    )?;
    eprintln!("installing the agent programs into {}", dir.display());
    let copied = fs::create_dir_all(dir).and_then(|()| {
        for file in ["package.json", "package-lock.json"] {
            fs::copy(pinned.join(file), dir.join(file))?;
        }
        Ok(())
    });
    if let Err(error) = copied {
        return fail(&format!("cannot prepare {}: {error}", dir.display()));
    }
    // The lock file has the hash of every package. Only one of their scripts is needed.
    let options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(Command::new("npm").args(options).current_dir(dir))?;
    let script = "node_modules/@anthropic-ai/claude-code/install.cjs";
    run(Command::new("node").arg(script).current_dir(dir))
}
