//! The players of a plan: the teams, the metrics and the judge.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use kumite_agents::Launcher;
use kumite_core::journal::LimitRules;
use kumite_formats::contest::{self as formats, Plan, TeamKind};
use kumite_models::Client;
use kumite_project::job::own_binary;
use kumite_project::limits;
use kumite_project::project::Project;
use kumite_project::settings::{self, Flags, Loader};

use crate::evaluate::{self, ModelMeans};
use crate::home::{Charter, Home};
use crate::prompts::{self, Templates};
use crate::teams::agent::{self, AgentTeam};
use crate::teams::model::ModelTeam;
use crate::teams::scripted::Scripted;
use crate::work::{Judge, Metric, Player};
use crate::worktree;
use crate::{judge, teams};

pub struct Parts {
    /// None if nobody is asked any more: saving or cancelling a contest needs no key.
    pub players: Option<Players>,
    agents: Option<Arc<agent::AgentMeans>>,
}

pub struct Players {
    pub teams: Vec<Arc<Player>>,
    pub metrics: Vec<Arc<dyn Metric>>,
    pub judge: Arc<dyn Judge>,
    pub templates: Arc<Templates>,
    pub zone: TimeZone,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Prompts(#[from] prompts::Error),
    #[error(transparent)]
    Evaluate(#[from] evaluate::Error),
    #[error(transparent)]
    Judge(#[from] judge::Error),
    #[error("team {id} cannot play")]
    Agent {
        id: String,
        source: Box<settings::Error>,
    },
    #[error("team {id}: the contest does not say which commit agents begin with")]
    NoBase { id: String },
    #[error(transparent)]
    Settings(Box<settings::Error>),
    #[error(transparent)]
    Worktree(#[from] kumite_git::Error),
    #[error("cannot tell which program kumite is")]
    Binary(#[from] std::io::Error),
    #[error("team {id} cannot play")]
    Model {
        id: String,
        source: teams::model::Error,
    },
}

impl From<settings::Error> for Error {
    fn from(error: settings::Error) -> Error {
        Error::Settings(Box::new(error))
    }
}

impl Parts {
    pub fn new(home: &Home, charter: &Charter, with_players: bool) -> Result<Parts, Error> {
        let agents = agents(charter)?;
        let players = match with_players {
            true => Some(players(home, charter, agents.as_ref())?),
            false => None,
        };
        Ok(Parts { players, agents })
    }

    /// How the usage limits of agents are waited for.
    pub fn limit_rules(&self) -> LimitRules {
        let agents = self.agents.as_ref();
        agents.map_or_else(LimitRules::default, |means| limits::rules(&means.settings))
    }

    /// Playing has ended. The worktrees are removed when the contest is over: the changes in them
    /// are kept as a file of each round.
    pub fn close(&self, home: &Home, is_over: bool) {
        let Some(means) = &self.agents else {
            return;
        };
        means.launcher.close();
        if !is_over {
            return;
        }
        // An earlier kumite may have died and left its agents running.
        agent::end_all(home.dir());
        if let Err(error) = worktree::remove_all(&means.repository, home.dir()) {
            tracing::warn!("{error}");
        }
    }
}

fn players(
    home: &Home,
    charter: &Charter,
    agents: Option<&Arc<agent::AgentMeans>>,
) -> Result<Players, Error> {
    let plan = &charter.plan;
    let means = means(plan, &charter.project)?;
    let teams = (0u32..).zip(&plan.teams);
    let teams = teams.map(|(index, it)| team(index, it, home, charter, &means, agents));
    let metrics = evaluate::metrics(plan, &means)?;
    Ok(Players {
        teams: teams.collect::<Result<_, _>>()?,
        metrics: metrics.into_iter().map(Arc::from).collect(),
        judge: Arc::from(judge::judge(plan, &means)?),
        templates: means.templates,
        zone: means.zone,
    })
}

/// What the models of a plan need from the world.
pub fn means(plan: &Plan, project: &Path) -> Result<ModelMeans, Error> {
    Ok(ModelMeans {
        client: Client::new(),
        env: Arc::new(|name: &str| std::env::var(name).ok()),
        templates: Arc::new(Templates::new(&plan.prompts, plan.history_chars)?),
        zone: prompts::time_zone(std::env::var("TZ").ok().as_deref())?,
        project: project.to_owned(),
    })
}

/// What all agent teams share; None if there is no such team.
fn agents(charter: &Charter) -> Result<Option<Arc<agent::AgentMeans>>, Error> {
    let Some(base) = charter.base.clone() else {
        return Ok(None);
    };
    let project = Project::at(&charter.project);
    let loader = Loader::load(&project, Flags::default())?;
    Ok(Some(Arc::new(agent::AgentMeans {
        settings: loader.loaded.settings,
        repository: kumite_git::Repository::of(&charter.project)?,
        launcher: Launcher::new(charter.project.clone()),
        binary: own_binary()?,
        project: charter.project.clone(),
        base,
    })))
}

fn team(
    index: u32,
    team: &formats::Team,
    home: &Home,
    charter: &Charter,
    means: &ModelMeans,
    agents: Option<&Arc<agent::AgentMeans>>,
) -> Result<Arc<Player>, Error> {
    let id = || team.id.clone();
    Ok(Arc::new(match &team.kind {
        TeamKind::Agent(agent) => {
            let root = worktree::path_of(home.dir(), index as usize, &team.id);
            let means = agents.ok_or_else(|| Error::NoBase { id: id() })?;
            let made = AgentTeam::new(Arc::clone(means), agent, root);
            Player::Agents(Box::new(made.map_err(|error| Error::Agent {
                id: id(),
                source: Box::new(error),
            })?))
        }
        TeamKind::Model(model) => {
            let made = ModelTeam::new(model, &charter.plan.prices, means);
            let made = made.map_err(|source| Error::Model { id: id(), source })?;
            Player::Alone(Box::new(made))
        }
        TeamKind::Scripted { style, pace_ms } => Player::Alone(Box::new(Scripted {
            style: *style,
            pace: Duration::from_millis(*pace_ms),
        })),
    }))
}
