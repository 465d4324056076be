//! `kumite diff`: what a step, or the whole spec, has changed.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use kumite_formats::patch::{self, FileChange, How};
use kumite_project::journal;
use kumite_project::place::{self, Changes};
use serde_json::json;

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct DiffArgs {
    /// Name of the spec
    spec: String,
    /// Only what the step that ended with this checkpoint changed
    #[arg(long, value_name = "N", conflicts_with = "since")]
    step: Option<u64>,
    /// Everything since this checkpoint
    #[arg(long, value_name = "N")]
    since: Option<u64>,
    /// Only the names of the files, with the number of changed lines
    #[arg(long)]
    stat: bool,
}

pub fn diff(setting: &Setting, args: &DiffArgs) -> Result {
    let spec = setting.project()?.spec(&args.spec.parse()?)?;
    let run = journal::peek(spec.run_dir())?.unwrap_or_default();
    let changes = match (args.step, args.since) {
        (Some(number), _) => Changes::Step(number),
        (None, Some(number)) => Changes::Since(number),
        (None, None) => Changes::All,
    };
    let refused = |why| Trouble::invalid(format!("{}: {why}", spec.name));
    let bytes = place::diff(&spec, &run, changes).map_err(refused)?;
    let files = patch::parse(&bytes);
    if setting.json() {
        let mut answer = json!({ "spec": spec.name, "files": files });
        if !args.stat {
            answer["patch"] = String::from_utf8_lossy(&bytes).into();
        }
        out!("{answer}");
    } else if args.stat {
        files.iter().for_each(|file| out!("{}", line(file)));
        if files.is_empty() && !setting.global.quiet {
            out!("nothing has changed");
        }
    } else {
        // A patch is bytes: it may be applied elsewhere.
        std::io::stdout()
            .write_all(&bytes)
            .map_err(|error| Trouble::failed(format!("cannot write the patch: {error}")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(file: &FileChange) -> String {
    let how = match (file.how, &file.renamed_from) {
        (How::Renamed, Some(from)) => format!(" (was {from})"),
        (How::Added, _) => " (new)".to_owned(),
        (How::Removed, _) => " (removed)".to_owned(),
        (How::Renamed | How::Changed, _) => String::new(),
    };
    match file.binary {
        true => format!("{:>12}  {}{how}", "binary", file.path),
        false => {
            let lines = format!("+{} -{}", file.added, file.removed);
            format!("{lines:>12}  {}{how}", file.path)
        }
    }
}
