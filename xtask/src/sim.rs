//! `cargo xtask sim`: more seeds than the tests play.

use crate::run::{Done, cargo, run};

/// Optimised: a million seeds are worth the longer build.
pub fn sim(args: &[String]) -> Done {
    let build = [
        "run",
        "--quiet",
        "--release",
        "--package",
        "kumite-sim",
        "--bin",
        "sim",
        "--",
    ];
    run(cargo(&build).args(args))
}
