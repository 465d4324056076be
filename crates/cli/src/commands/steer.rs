//! `kumite stop`, `pause`, `reset`, `approve`, `reject`: from any terminal, at any time.

use clap::Args;
use kumite_core::names::{Document, Phase};
use kumite_formats::spec_name::SpecName;
use kumite_host::Request;
use kumite_host::client;

use super::run::say;
use crate::args::Setting;
use crate::trouble::Result;

#[derive(Args)]
pub struct Spec {
    /// Name of the spec
    pub spec: String,
}

#[derive(Args)]
pub struct ResetArgs {
    /// Name of the spec
    spec: String,
    /// Remove its checkpoints too
    #[arg(long)]
    hard: bool,
}

#[derive(Args)]
pub struct UndoArgs {
    /// Name of the spec
    spec: String,
    /// The checkpoint, as `kumite events` shows it
    #[arg(long)]
    to: u64,
}

#[derive(Args)]
pub struct ApproveArgs {
    /// Name of the spec
    spec: String,
    /// requirements, design, tasks, impl or deploy; by default the one that waits
    #[arg(value_parser = approvable)]
    document: Option<Phase>,
}

#[derive(Args)]
pub struct RejectArgs {
    /// Name of the spec
    spec: String,
    /// requirements, design or tasks; by default the one that waits
    #[arg(value_parser = document)]
    document: Option<Document>,
    /// What is wrong with it: the agent that writes it again gets this text
    #[arg(short, long)]
    message: Option<String>,
}

fn document(name: &str) -> std::result::Result<Document, String> {
    Document::from_name(name).ok_or_else(|| "documents are requirements, design, tasks".to_owned())
}

fn approvable(name: &str) -> std::result::Result<Phase, String> {
    let phase = Phase::from_name(name).filter(|phase| {
        matches!(phase, Phase::Impl | Phase::Deploy)
            || Document::ALL.iter().any(|it| it.phase() == *phase)
    });
    phase.ok_or_else(|| "requirements, design, tasks, impl and deploy can be approved".to_owned())
}

pub fn reset(setting: &Setting, args: &ResetArgs) -> Result {
    let request = Request::Reset {
        spec: args.spec.clone(),
        hard: args.hard,
    };
    ask(setting, &args.spec, request)
}

pub fn undo(setting: &Setting, args: &UndoArgs) -> Result {
    let request = Request::Undo {
        spec: args.spec.clone(),
        to: args.to,
    };
    ask(setting, &args.spec, request)
}

/// Stop or pause.
pub fn steer(setting: &Setting, args: &Spec, request: fn(String) -> Request) -> Result {
    ask(setting, &args.spec, request(args.spec.clone()))
}

pub fn approve(setting: &Setting, args: &ApproveArgs) -> Result {
    let request = Request::Approve {
        spec: args.spec.clone(),
        document: args.document,
    };
    ask(setting, &args.spec, request)
}

pub fn reject(setting: &Setting, args: &RejectArgs) -> Result {
    let request = Request::Reject {
        spec: args.spec.clone(),
        document: args.document,
        remark: args.message.clone(),
    };
    ask(setting, &args.spec, request)
}

fn ask(setting: &Setting, spec: &str, request: Request) -> Result {
    let project = setting.project()?;
    let name: SpecName = spec.parse()?;
    project.spec(&name)?;
    let answer = client::ask(&project, &request, None)?;
    Ok(say(setting, &answer))
}
