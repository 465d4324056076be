//! `kumite completions` and `kumite man`.

use std::io;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::trouble::Result;

#[derive(Args)]
pub struct CompletionArgs {
    /// The shell
    shell: Shell,
}

pub fn completions(args: &CompletionArgs) -> Result {
    let mut command = Cli::command();
    clap_complete::generate(args.shell, &mut command, "kumite", &mut io::stdout());
    Ok(ExitCode::SUCCESS)
}

pub fn man() -> Result {
    clap_mangen::Man::new(Cli::command()).render(&mut io::stdout())?;
    Ok(ExitCode::SUCCESS)
}
