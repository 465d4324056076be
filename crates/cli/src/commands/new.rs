//! `kumite new`: creates a spec.

use std::process::ExitCode;

use clap::Args;
use kumite_project::new_spec;

use super::run::say;
use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct NewArgs {
    /// Name of the spec: small letters, digits and hyphens
    spec: String,
    /// What it should do
    description: Vec<String>,
    /// Language of the documents
    #[arg(long, default_value = new_spec::LANGUAGE)]
    language: String,
}

pub fn new(setting: &Setting, args: &NewArgs) -> Result<ExitCode> {
    let project = setting.project()?;
    let description = args.description.join(" ");
    let (name, dir) = new_spec::create(&project, &args.spec, &description, &args.language)?;
    Ok(say(
        setting,
        &format!("created {}; next: kumite run {name}", dir.display()),
    ))
}
