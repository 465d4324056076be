//! `kumite contest resume`.

use clap::Args;
use kumite_contest::home::{self, Home};
use kumite_core::contest::Contest;
use kumite_project::journal;

use super::place::PlaceArgs;
use super::play::{Summary, play};
use crate::args::Setting;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct ResumeArgs {
    /// The beginning of its id; by default the newest unfinished one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// What is printed at the end
    #[arg(long, value_name = "FORM", default_value = "kumite")]
    summary: Summary,
}

pub fn resume(setting: &Setting, args: &ResumeArgs) -> Result {
    let place = args.place.find(setting)?;
    let home = match &args.id {
        Some(id) => place.pick_own(Some(id))?,
        None => {
            let all = home::all(&place.workspace)?;
            let open = all.iter().find(|home| is_open(home)).cloned();
            // Nothing is unfinished: show how the newest one ended.
            let newest = open.or_else(|| all.into_iter().next());
            newest.ok_or_else(|| {
                let workspace = place.workspace.display();
                Trouble::invalid(format!("there is no contest in {workspace} to resume"))
            })?
        }
    };
    play(setting, home, args.summary)
}

/// Whether it can go on: not ended, and nobody plays it. A contest with a damaged
/// journal is skipped with a message; named by its id, it is resumed as far as possible.
fn is_open(home: &Home) -> bool {
    if home.is_played() {
        return false;
    }
    match journal::replay(home.dir(), |_, _: &Contest, _| {}) {
        Ok(contest) => !contest.is_saved(),
        Err(error) => {
            eprintln!("kumite: warning: {error}");
            false
        }
    }
}
