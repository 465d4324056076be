//! `kumite review`: one round by hand (A5.2).

use clap::Args;
use kumite_host::RunRequest;

use super::run;
use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct ReviewArgs {
    /// Name of the spec
    spec: String,
    /// Apply the fixes too
    #[arg(long)]
    fix: bool,
}

pub fn review(setting: &Setting, args: &ReviewArgs) -> Result {
    let project = setting.project()?;
    let request = RunRequest::review(&args.spec, args.fix);
    run::go(setting, &project, request, None, false)
}
