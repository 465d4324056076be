//! `kumite config show`.

use clap::{Args, Subcommand};
use console::style;
use kumite_project::settings::Flags;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

#[derive(Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Every setting and its value
    Show {
        /// Where each value comes from
        #[arg(long)]
        origin: bool,
    },
}

pub fn config(setting: &Setting, args: &ConfigArgs) -> Result {
    let ConfigCommand::Show { origin } = args.command;
    let project = setting.project()?;
    let loader = setting.loader(&project, Flags::default())?;
    let rows = loader.loaded.rows();
    setting.answer(&serde_json::json!({ "settings": rows }), || {
        let widths = rows.iter().map(|row| row.key.len() + row.value.len() + 3);
        let width = widths.max().unwrap_or(0).min(60);
        for row in &rows {
            let text = format!("{} = {}", row.key, row.value);
            match origin {
                true => out!(
                    "{text:width$}  {}",
                    style(format!("# {}", row.origin)).dim()
                ),
                false => out!("{text}"),
            }
        }
    })
}
