//! `kumite new`: creates a spec.

use std::fs;
use std::process::ExitCode;

use clap::Args;
use kumite_formats::spec_name::SpecName;
use kumite_host::clock::{now_ms, rfc3339};

use super::run::say;
use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct NewArgs {
    /// Name of the spec: small letters, digits and hyphens
    spec: String,
    /// What it should do
    description: Vec<String>,
    /// Language of the documents
    #[arg(long, default_value = "en")]
    language: String,
}

pub fn new(setting: &Setting, args: &NewArgs) -> Result<ExitCode> {
    let project = setting.project()?;
    let name: SpecName = args.spec.parse()?;
    let spec = project.spec_place(&name);
    let dir = spec.main_dir();
    if dir.join("spec.json").exists() {
        return Err(Trouble::invalid(format!(
            "{} exists already; nothing was changed",
            dir.display()
        )));
    }
    let description = args.description.join(" ");
    fs::create_dir_all(dir)?;
    let json = kumite_prompts::init_spec_json(
        name.as_str(),
        &args.language,
        &description,
        &rfc3339(now_ms()),
    );
    let requirements = dir.join("requirements.md");
    if !requirements.exists() {
        fs::write(
            &requirements,
            kumite_prompts::requirements_stub(name.as_str(), &description),
        )?;
    }
    fs::write(dir.join("spec.json"), json)?;
    Ok(say(
        setting,
        &format!("created {}; next: kumite run {name}", dir.display()),
    ))
}
