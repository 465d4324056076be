//! The engine without a terminal.

use clap::Args;
use kumite_host::settings::Flags;

use crate::args::Setting;
use crate::attend;
use crate::trouble::Result;

#[derive(Args)]
pub struct EngineArgs {
    /// How many specs work at once
    #[arg(long, value_name = "N")]
    jobs: Option<u32>,
}

pub fn engine(setting: &Setting, args: &EngineArgs) -> Result {
    let project = setting.project()?;
    let loader = setting.loader(&project, Flags { jobs: args.jobs })?;
    attend::be_engine(&project, &loader)
}
