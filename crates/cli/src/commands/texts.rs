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
    let man = clap_mangen::Man::new(Cli::command());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    // There is one page: commands are described here, not in separate pages.
    page.extend(commands().into_bytes());
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    out::print(format_args!("{}", String::from_utf8_lossy(&page)));
    Ok(ExitCode::SUCCESS)
}

/// The commands and their descriptions, as roff.
fn commands() -> String {
    let roff = |text: &str| text.replace('\\', "\\\\").replace('-', "\\-");
    let mut text = ".SH COMMANDS\n".to_owned();
    let command = Cli::command();
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let about = command.get_about().map(ToString::to_string);
        let about = roff(&about.unwrap_or_default());
        let name = roff(command.get_name());
        text += &format!(".TP\n\\fBkumite {name}\\fR\n{about}\n");
    }
    text + ".PP\n\\fBkumite COMMAND \\-\\-help\\fR says more about one.\n"
}
