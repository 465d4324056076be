//! `kumite review`: one round by hand (A5.2).

use clap::Args;
use kumite_core::change::Fixing;
use kumite_host::control::RunRequest;

use super::run;
use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct ReviewArgs {
    /// Name of the spec
    spec: String,
    /// Have the fixes applied too
    #[arg(long)]
    fix: bool,
}

pub fn review(setting: &Setting, args: &ReviewArgs) -> Result {
    let project = setting.project()?;
    let fixing = match args.fix {
        true => Fixing::Person,
        false => Fixing::Nobody,
    };
    let request = RunRequest {
        specs: vec![args.spec.clone()],
        review_once: Some(fixing),
        ..RunRequest::default()
    };
    run::go(setting, &project, request, None, false)
}
