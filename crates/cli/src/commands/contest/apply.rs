//! `kumite contest apply`.

use clap::Args;
use kumite_contest::apply as changes;
use kumite_contest::report::replayed;
use kumite_core::contest::board::winner;
use serde_json::json;

use super::place::PlaceArgs;
use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

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
    let (charter, contest) = replayed(&home)?;
    let index = match &args.team {
        Some(id) => contest.teams.iter().position(|team| team.id == *id),
        None => winner(&contest).map(|team| team as usize),
    };
    let Some(index) = index else {
        return Err(Trouble::invalid(match &args.team {
            Some(id) => format!("there is no team {id:?} in contest {}", charter.id),
            None => format!(
                "contest {} has no winner; --team names whose changes are meant",
                charter.id
            ),
        }));
    };
    let team = &contest.teams[index];
    let round = args.round.or(team.best().map(|round| round.number));
    let Some(round) = round else {
        return Err(Trouble::invalid(format!(
            "team {} has no good round",
            team.id
        )));
    };
    if team.rounds.iter().all(|it| it.number != round) {
        let played = team.rounds.len();
        return Err(Trouble::invalid(format!(
            "team {} has no round {round}; it played {played}",
            team.id
        )));
    }
    let diff = home.round(index as u32, round).join("changes.diff");
    if !diff.exists() {
        return Err(Trouble::invalid(format!(
            "round {round} of team {} changed no files: only agent teams do",
            team.id
        )));
    }
    let applied = changes::apply(&charter.project, &diff, args.check);
    let applied = applied.map_err(|error| Trouble::failed(error.to_string()))?;
    let file =
        |it: &changes::Change| json!({"path": it.path, "added": it.added, "removed": it.removed});
    let data = json!({
        "execution_id": charter.id, "team_id": team.id, "round": round,
        "applied": !args.check, "files": applied.iter().map(file).collect::<Vec<_>>(),
    });
    setting.answer(&data, || {
        if applied.is_empty() {
            out!("round {round} of team {} changed nothing", team.id);
        }
        let verb = if args.check { "can apply" } else { "applied" };
        for file in &applied {
            match (file.added, file.removed) {
                (Some(added), Some(removed)) => out!("{verb} {} (+{added} -{removed})", file.path),
                _ => out!("{verb} {} (binary)", file.path),
            }
        }
    })
}
