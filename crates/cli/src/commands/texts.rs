//! `kumite completions` and `kumite man`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::out;
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
    out::print(format_args!("{}", String::from_utf8_lossy(&text)));
    Ok(ExitCode::SUCCESS)
}

pub fn man() -> Result {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    out::print(format_args!("{}", String::from_utf8_lossy(&page)));
    Ok(ExitCode::SUCCESS)
}
