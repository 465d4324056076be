//! `kumite mcp`: the Model Context Protocol on stdin and stdout, for agents that steer kumite.

use std::process::ExitCode;

use clap::Args;
use kumite_mcp::Options;
use kumite_project::spec_file::sentence;

use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct McpArgs {
    /// Offer and answer only tools that change nothing
    #[arg(long)]
    read_only: bool,
}

pub fn mcp(setting: &Setting, args: &McpArgs) -> Result {
    let options = Options {
        place: setting.place()?,
        kumite: std::env::current_exe()?,
        read_only: args.read_only,
    };
    kumite_mcp::serve(options).map_err(|error| Trouble::failed(sentence(&error)))?;
    Ok(ExitCode::SUCCESS)
}
