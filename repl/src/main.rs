//! The program `situ`.

fn main() -> std::process::ExitCode {
    situ_repl::command::main()
}
