//! `kumite config show`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use console::style;
use kumite_formats::settings::Origin;
use kumite_host::settings::Flags;

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
    let rows = &loader.loaded.origins;
    if setting.json() {
        let rows: Vec<_> = rows
            .iter()
            .map(|(key, value, from)| {
                serde_json::json!({"key": key, "value": value, "origin": origin_words(from)})
            })
            .collect();
        out!("{}", serde_json::json!({ "settings": rows }));
        return Ok(ExitCode::SUCCESS);
    }
    let width = rows
        .iter()
        .map(|(key, value, _)| key.len() + value.len() + 3)
        .max();
    for (key, value, from) in rows {
        let text = format!("{key} = {value}");
        match origin {
            true => out!(
                "{text:width$}  {}",
                style(format!("# {}", origin_words(from))).dim(),
                width = width.unwrap_or(0).min(60)
            ),
            false => out!("{text}"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn origin_words(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::Person(path) | Origin::Project(path) => path.display().to_string(),
        Origin::Env(name) => format!("environment {name}"),
        Origin::Flag(name) => format!("flag {name}"),
    }
}
