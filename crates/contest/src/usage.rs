//! The usage of a contest in its project: `usage.jsonl`, `kumite cost` and the budget of a day
//! count its agents and models like those of specs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use kumite_core::contest::{Entry, Event, Used};
use kumite_core::outcome::{Outcome, Usage};
use kumite_formats::contest::{Judge, MetricKind, Plan, TeamKind};
use kumite_formats::settings::Settings;
use kumite_project::books::{Books, Follower, Found};
use kumite_project::clock::{local_day, now_ms};
use kumite_project::project::Project;
use kumite_project::settings::{self, Flags, Loader};
use kumite_project::usage_log::{Program, Tried, UsageLine, UsageLog};

use crate::home::{Charter, Home};

/// Records the usage of a contest.
pub struct Usages {
    log: UsageLog,
    settings: Arc<Settings>,
    /// What was left of the day's budget when the contest was opened, if there is one, in
    /// millionths of a dollar.
    pub day_micros: Option<u64>,
}

impl Usages {
    /// If nobody is asked any more (`is_over`), no settings are needed.
    pub fn open(home: &Home, charter: &Charter, is_over: bool) -> Result<Usages, settings::Error> {
        let settings = match is_over {
            true => Arc::default(),
            false => {
                let project = Project::at(&charter.project);
                Loader::load(&project, Flags::default())?.loaded.settings
            }
        };
        let path = home.books(charter).join("usage.jsonl");
        Ok(Usages {
            day_micros: day_left(settings.budget.usd_per_day.micros(), &path),
            log: UsageLog::at(path),
            settings,
        })
    }

    /// Records what an entry of the journal has used, if anything.
    pub fn note(&mut self, charter: &Charter, entry: &Entry) {
        if let Some(line) = line(charter, &self.settings, entry) {
            self.keep(&line);
        }
    }

    /// Records what a killed kumite could not.
    pub fn catch_up(&mut self, charter: &Charter, entries: &[Entry]) {
        let mut known = BTreeSet::new();
        // A file that cannot be read cannot be written either, and that is reported.
        let _ = Follower::at(self.log.path().to_owned()).read(|found| {
            if let Found::Line(line) = found
                && line.contest.as_ref() == Some(&charter.id)
            {
                known.insert(line.agent);
            }
        });
        let lines = entries.iter();
        let lines = lines.filter_map(|it| line(charter, &self.settings, it));
        let missing: Vec<UsageLine> = lines.filter(|line| !known.contains(&line.agent)).collect();
        missing.iter().for_each(|line| self.keep(line));
    }

    /// A usage file that cannot be written is no reason to stop the contest: its journal has the
    /// same data.
    fn keep(&mut self, line: &UsageLine) {
        if let Err(error) = self.log.append(line, false) {
            tracing::warn!("cannot append to {}: {error}", self.log.path().display());
        }
    }
}

fn day_left(budget: u64, usage: &Path) -> Option<u64> {
    if budget == 0 {
        return None;
    }
    let mut books = Books::at(usage.to_owned());
    if books.read().is_err() {
        // The spent amount is unknown, so nothing is left.
        return Some(0);
    }
    let today = local_day(now_ms());
    let spent = books.sum(|key| key.day == today).usd_micros;
    Some(budget.saturating_sub(spent))
}

fn line(charter: &Charter, settings: &Settings, entry: &Entry) -> Option<UsageLine> {
    let plan = &charter.plan;
    let (step, program, round, attempt, used) = match &entry.event {
        // Its agents were recorded one by one.
        Event::Submitted { team, used, .. } if is_agent(plan, *team) && is_nothing(*used) => {
            return None;
        }
        Event::AgentEnded {
            team,
            round,
            attempt,
            over,
            ..
        } => {
            let used = Used::of_agent(over.ended.usage);
            (
                "submit",
                player(plan, settings, *team)?,
                round,
                attempt,
                used,
            )
        }
        Event::Submitted {
            team,
            round,
            attempt,
            used,
            ..
        }
        | Event::SubmitFailed {
            team,
            round,
            attempt,
            used,
            ..
        } => (
            "submit",
            player(plan, settings, *team)?,
            round,
            attempt,
            *used,
        ),
        Event::Measured {
            metric,
            round,
            attempt,
            used,
            ..
        }
        | Event::MeasureFailed {
            metric,
            round,
            attempt,
            used,
            ..
        } => ("measure", evaluator(plan, *metric)?, round, attempt, *used),
        Event::Judged {
            round,
            attempt,
            used,
            ..
        }
        | Event::JudgeFailed {
            round,
            attempt,
            used,
            ..
        } => ("judge", judge(plan)?, round, attempt, *used),
        Event::Started { .. }
        | Event::Saved { .. }
        | Event::SaveFailed { .. }
        | Event::SummarySaved
        | Event::SummaryFailed { .. }
        | Event::CancelRequested { .. }
        | Event::Resumed => return None,
    };
    let is_good = match &entry.event {
        Event::AgentEnded { over, .. } => over.ended.outcome == Outcome::Finished,
        event => matches!(
            event,
            Event::Submitted { .. } | Event::Measured { .. } | Event::Judged { .. }
        ),
    };
    if !is_good && is_nothing(used) {
        return None;
    }
    let tried = Tried {
        contest: &charter.id,
        id: format!("{}-{}", charter.id, entry.seq),
        step,
        round: *round,
        attempt: *attempt,
        program,
        is_good,
        at_ms: entry.at_ms,
    };
    let usage = Usage {
        usd_micros: used.micros,
        input_tokens: used.input_tokens,
        output_tokens: used.output_tokens,
    };
    Some(UsageLine::of_contest(tried, usage))
}

/// Nobody was asked, or the usage is unknown.
fn is_nothing(used: Used) -> bool {
    used.micros == 0 && used.input_tokens == 0 && used.output_tokens == 0
}

fn is_agent(plan: &Plan, team: u32) -> bool {
    let team = plan.teams.get(team as usize);
    team.is_some_and(|team| matches!(team.kind, TeamKind::Agent(_)))
}

/// The program or model that works for a team. `None`: a built-in team, which uses nothing.
fn player(plan: &Plan, settings: &Settings, team: u32) -> Option<Program> {
    match &plan.teams.get(team as usize)?.kind {
        TeamKind::Agent(agent) => Some(Program {
            program: agent.agent.clone(),
            kind: settings
                .agents
                .get(&agent.agent)
                .map_or("", |agent| agent.kind.name())
                .to_owned(),
        }),
        TeamKind::Model(model) => Some(model_of(&model.leader.llm.model)),
        TeamKind::Scripted { .. } => None,
    }
}

fn evaluator(plan: &Plan, metric: u32) -> Option<Program> {
    match &plan.evaluator.metrics.get(metric as usize)?.kind {
        MetricKind::Llm { llm, .. } => Some(model_of(&llm.model)),
        MetricKind::Command { .. } | MetricKind::Checklist(_) | MetricKind::Plugin { .. } => None,
    }
}

fn judge(plan: &Plan) -> Option<Program> {
    match &plan.judge {
        Judge::Llm { llm, .. } => Some(model_of(&llm.model)),
        Judge::Rules => None,
    }
}

fn model_of(id: &str) -> Program {
    Program {
        program: id.to_owned(),
        kind: "model".to_owned(),
    }
}
