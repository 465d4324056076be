//! The agents of a round, and everything that one of them said.

use kumite_contest::home::Home;
use kumite_project::project::contest_agents;
use maud::{Markup, html};

use super::seen::SeenContest;
use crate::api::Refusal;
use crate::app::App;
use crate::pages::agent::{Log, log_of};

/// An agent of a team's round. Its name is that of its directory, such as `agent-1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentAt {
    pub team: usize,
    pub round: u32,
    pub name: String,
}

/// The names of the agents of a round, in the order in which they began.
pub fn names(home: &Home, team: usize, round: u32) -> Vec<String> {
    let Ok(team) = u32::try_from(team) else {
        return Vec::new();
    };
    let place = home.round(team, round);
    let dirs = contest_agents(home.dir()).into_iter();
    let dirs = dirs.filter(|dir| dir.parent() == Some(place.as_path()));
    let names = dirs.filter_map(|dir| Some(dir.file_name()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    names
}

/// Links to the logs of a round's agents.
pub fn links(seen: &SeenContest, team: usize, round: u32) -> Markup {
    let agents = seen.home.iter().flat_map(|home| names(home, team, round));
    html! {
        @for name in agents {
            a.small href={ (seen.path()) "/teams/" (team) "/rounds/" (round) "/agents/" (name) } {
                "Log of " (name)
            }
        }
    }
}

pub fn page(
    app: &App,
    id: &str,
    at: &AgentAt,
    from: Option<u64>,
) -> Result<(String, Markup), Refusal> {
    let seen = SeenContest::read(app, id)?;
    let none = || {
        let AgentAt { team, round, name } = at;
        Refusal::not_found(format!(
            "round {round} of team {team} has no agent {name:?}"
        ))
    };
    let home = seen.home.as_ref().ok_or_else(none)?;
    // Only an existing name leads to a file.
    if !names(home, at.team, at.round).contains(&at.name) {
        return Err(none());
    }
    let team = seen.teams.get(at.team).ok_or_else(none)?;
    let place = home.round(u32::try_from(at.team).map_err(|_| none())?, at.round);
    let log: Option<Log> = app.logs.look_in(home.dir(), &place.join(&at.name))?;
    let title = format!("{team}, round {}, {}", at.round, at.name);
    let body = html! {
        nav.row.small aria-label="Where this is" {
            a href={ (seen.path()) "#round-" (at.team) "-" (at.round) } { "← contest" }
        }
        h1 { (title) }
        (log_of(log, from)?)
    };
    Ok((title, body))
}
