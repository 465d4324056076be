//! The program `kumite-check`: the conformance kit and its fake model.

fn main() -> std::process::ExitCode {
    kumite_check::main()
}
