//! The bridge alone, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    kumite_acp::bridge(std::env::args_os().skip(1))
}
