//! The program `situ`, as the tests run it.

fn main() -> std::process::ExitCode {
    situ_repl::command::main()
}
