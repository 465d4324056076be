//! `kumite completions` and `kumite man`.

use std::io::{self, Write};
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
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kumite", &mut text);
    let _ = io::stdout().write_all(&text);
    Ok(ExitCode::SUCCESS)
}

pub fn man() -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    // Who stops reading has read enough.
    let _ = io::stdout().write_all(&page);
    Ok(ExitCode::SUCCESS)
}
