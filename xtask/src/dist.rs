//! `cargo xtask dist`: a release that can be copied elsewhere. The library is beside the programs,
//! which look for it there first.

use std::fs;
use std::process::Command;

use crate::duckdb;
use crate::run::{Done, cargo, fail, run, target};

const BUILD: [&str; 4] = ["build", "--release", "--package=kumite", "--bins"];
const PROGRAMS: [&str; 3] = ["kumite", "kumite-board", "kumite-check"];

pub fn dist() -> Done {
    duckdb::setup()?;
    // Keeps the path of this checkout out of the program.
    run(cargo(&BUILD).env("KUMITE_DIST", "1"))?;
    let dir = target().join("dist");
    let built = PROGRAMS.map(|name| target().join("release").join(name));
    let put = fs::create_dir_all(&dir).and_then(|()| {
        for file in built.iter().chain([&duckdb::library()]) {
            let name = file.file_name().unwrap_or_default();
            fs::copy(file, dir.join(name))?;
        }
        if let Some(license) = duckdb::license() {
            fs::copy(license, dir.join("LICENSE-duckdb"))?;
        }
        Ok(())
    });
    if let Err(error) = put {
        return fail(&format!("cannot fill {}: {error}", dir.display()));
    }
    for name in PROGRAMS {
        run(Command::new(dir.join(name)).arg("--version"))?;
    }
    eprintln!("{} is complete", dir.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the feature `crash-points`, a variable can kill kumite at any point.
    #[test]
    fn house_7_18_only_the_tests_have_crash_points() {
        let features = |edges: &str| {
            let args = ["tree", "--package=kumite", "--offline", "--edges", edges];
            let output = cargo(&args).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let with_tests = features("features");
        assert!(with_tests.contains("crash-points"), "{with_tests}");
        let released = features("features,no-dev");
        assert!(released.contains("kumite-files"), "{released}");
        assert!(!released.contains("crash-points"), "{released}");
    }
}
