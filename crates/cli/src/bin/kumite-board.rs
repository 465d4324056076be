//! The program `kumite-board`: the only one that is linked with DuckDB.

fn main() -> std::process::ExitCode {
    kumite_board::main()
}
