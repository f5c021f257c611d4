//! `situ completions SHELL`: what a shell needs to complete situ's command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::command::{CommandLine, Outcome, Streams};

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ completions bash > ~/.local/share/bash-completion/completions/situ
  situ completions fish > ~/.config/fish/completions/situ.fish")]
pub(in crate::command) struct Completions {
    /// The shell
    shell: Shell,
}

pub(in crate::command) fn run(command: &Completions, streams: &mut Streams) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(
        command.shell,
        &mut CommandLine::command(),
        "situ",
        &mut script,
    );
    streams.print_bytes(&script)
}
