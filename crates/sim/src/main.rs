//! `sim`: plays seeds until one breaks a rule. `cargo xtask sim` calls it.

use std::process::ExitCode;

fn main() -> ExitCode {
    kumite_sim::run(std::env::args().skip(1))
}
