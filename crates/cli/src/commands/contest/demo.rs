//! `kumite contest demo`: five built-in teams, five rounds, the rule-based judge.

use std::path::{Path, PathBuf};

use clap::Args;
use kumite_contest::place::Workspace;
use kumite_contest::{demo, prepare};

use super::play::{Summary, play as follow};
use crate::args::Setting;
use crate::commands::demo::temporary;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct DemoArgs {
    /// Where to keep it; by default a temporary directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn demo(setting: &Setting, args: &DemoArgs) -> Result {
    let root = match &args.dir {
        Some(dir) => {
            let dir = setting.place()?.join(dir);
            std::fs::create_dir_all(&dir).map_err(|error| {
                Trouble::failed(format!("cannot create {}: {error}", dir.display()))
            })?;
            dir
        }
        None => temporary("kumite-contest-")?,
    };
    let code = play(setting, &root, 0)?;
    if !setting.json() && !setting.global.quiet {
        eprintln!("\nLook around: cd {}", root.display());
        look_around();
    }
    Ok(code)
}

pub fn look_around() {
    eprintln!("  kumite contest board           the leader board");
    eprintln!("  kumite contest show            rounds, feedback and judgments");
    eprintln!("  kumite contest board --sql \"SELECT team_name, score FROM leader_board\"");
}

/// The contest of the demo, in its own directory.
pub fn play(setting: &Setting, root: &Path, pace_ms: u64) -> Result {
    let place = Workspace {
        named: None,
        database: root.join(".kiro/runtime/kumite/board.duckdb"),
        workspace: root.to_owned(),
        project: root.to_owned(),
    };
    if !setting.json() && !setting.global.quiet {
        eprintln!("Five built-in teams write the same guide: no key, no server.\n");
    }
    let home = prepare::begin(&place, demo::plan(pace_ms))?;
    follow(setting, home, Summary::Kumite)
}
