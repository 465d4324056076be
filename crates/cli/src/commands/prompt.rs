//! `kumite prompt`: what kumite asks of an agent.

use clap::Args;
use kumite_core::run::Step;
use kumite_prompts::Command;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct PromptArgs {
    /// A step (requirements, review, impl, ...) or a command (spec-requirements, ...)
    step: String,
    /// Arguments to insert, such as a spec's name
    arguments: Vec<String>,
}

pub fn prompt(setting: &Setting, args: &PromptArgs) -> Result {
    let command = Command::from_name(&args.step).ok_or_else(|| {
        let names: Vec<&str> = Command::ALL.iter().map(|command| command.name()).collect();
        Trouble::invalid(format!(
            "there is no step {:?}; known are the steps {} and the commands {}",
            args.step,
            Step::NAMES.join(", "),
            names.join(", ")
        ))
    })?;
    let text = match args.arguments.is_empty() {
        true => command.text().to_owned(),
        false => kumite_prompts::whole(command, &args.arguments.join(" ")),
    };
    let data = serde_json::json!({"step": args.step, "prompt": text});
    setting.answer(&data, || out!("{text}"))
}
