fn main() -> std::process::ExitCode {
    kumite_board::main()
}
