//! `kumite contest apply`.

use clap::Args;
use kumite_contest::apply::{Ask, apply_round};

use super::place::PlaceArgs;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::Result;

#[derive(Args)]
pub struct ApplyArgs {
    /// The beginning of its id; by default the newest one
    id: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// The changes of this team, not of the winner
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// The changes of this round, not of the team's best
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// Only check whether they can be applied
    #[arg(long)]
    check: bool,
}

pub fn apply(setting: &Setting, args: &ApplyArgs) -> Result {
    let place = args.place.find(setting)?;
    let home = place.pick_own(args.id.as_deref())?;
    let ask = Ask {
        team: args.team.clone(),
        round: args.round,
        check: args.check,
    };
    let applied = apply_round(&home, &ask)?;
    setting.answer(&serde_json::json!(applied), || {
        if applied.files.is_empty() {
            let (round, team) = (applied.round, &applied.team_id);
            out!("round {round} of team {team} changed nothing");
        }
        let verb = if args.check { "can apply" } else { "applied" };
        for file in &applied.files {
            match (file.added, file.removed) {
                (Some(added), Some(removed)) => out!("{verb} {} (+{added} -{removed})", file.path),
                _ => out!("{verb} {} (binary)", file.path),
            }
        }
    })
}
