//! The total usage of agents, from usage.jsonl.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use kumite_core::names::Phase;
use kumite_formats::spec_name::SpecName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::announce::usd;
use crate::project::{self, Project};
use crate::usage_log::{Line, UsageLog};

/// What to group by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CostBy")]
pub enum By {
    #[default]
    Spec,
    Phase,
    /// By its name in the settings.
    Agent,
    Day,
    Step,
}

/// Selects lines.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    pub by: By,
    /// All specs, if this is empty.
    pub specs: Vec<SpecName>,
    /// A day such as 2026-01-31.
    pub since: Option<String>,
}

/// `kumite cost --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Cost")]
pub struct Report {
    pub by: By,
    pub rows: Vec<Row>,
    pub total: Sum,
    /// How many lines could not be read and are left out.
    #[serde(skip)]
    pub unreadable: usize,
}

/// A row has only the key that it was grouped by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CostRow")]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(flatten)]
    pub sum: Sum,
}

/// The total usage of some agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CostSum")]
pub struct Sum {
    pub agents: u64,
    /// Agents whose programs reported no price.
    pub unpriced: u64,
    pub cost_usd: f64,
    #[serde(skip)]
    pub usd_micros: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Project(#[from] project::Error),
}

pub fn report(project: &Project, ask: &Ask) -> Result<Report, Error> {
    let mut seen: Vec<bool> = vec![false; ask.specs.len()];
    let mut rows: BTreeMap<(usize, String), Sum> = BTreeMap::new();
    let log = UsageLog::at(project.usage_file());
    let unreadable = log.each_line(|line| {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return false;
        };
        let mut names = ask.specs.iter();
        let asked_for = names.position(|name| name.as_str() == line.spec);
        if let Some(index) = asked_for {
            seen[index] = true;
        }
        let is_wanted = ask.specs.is_empty() || asked_for.is_some();
        if is_wanted && ask.since.as_ref().is_none_or(|since| line.day >= *since) {
            rows.entry(ask.by.key(&line)).or_default().add(&line);
        }
        true
    });
    let unreadable = unreadable.map_err(|source| Error::Read {
        path: log.path().to_owned(),
        source,
    })?;
    // A removed spec still has its cost; a spec that never existed is a typing mistake.
    for (name, _) in ask.specs.iter().zip(&seen).filter(|(_, seen)| !**seen) {
        project.spec(name)?;
    }
    let mut total = Sum::default();
    rows.values().for_each(|row| total.merge(row));
    Ok(Report {
        by: ask.by,
        rows: rows
            .into_iter()
            .map(|((_, name), sum)| ask.by.row(name, sum))
            .collect(),
        total,
        unreadable,
    })
}

/// In the order of a run.
const STEPS: [&str; 9] = [
    "requirements",
    "design",
    "tasks",
    "review",
    "reply",
    "impl",
    "inspect",
    "fix",
    "merge",
];

impl By {
    pub fn name(self) -> &'static str {
        match self {
            By::Spec => "spec",
            By::Phase => "phase",
            By::Agent => "agent",
            By::Day => "day",
            By::Step => "step",
        }
    }

    /// The row that a line belongs to, and the position of that row.
    fn key(self, line: &Line) -> (usize, String) {
        let place = |known: Option<usize>| known.unwrap_or(usize::MAX);
        match self {
            By::Spec => (0, line.spec.clone()),
            By::Agent => (0, line.program.clone()),
            By::Day => (0, line.day.clone()),
            By::Phase => {
                let known = Phase::ALL.iter().position(|it| it.name() == line.phase);
                (place(known), line.phase.clone())
            }
            By::Step => {
                let known = STEPS.iter().position(|it| *it == line.step);
                (place(known), line.step.clone())
            }
        }
    }

    fn row(self, name: String, sum: Sum) -> Row {
        let mut row = Row {
            sum,
            ..Row::default()
        };
        *match self {
            By::Spec => &mut row.spec,
            By::Phase => &mut row.phase,
            By::Agent => &mut row.agent,
            By::Day => &mut row.day,
            By::Step => &mut row.step,
        } = Some(name);
        row
    }
}

impl Row {
    /// The value that it was grouped by.
    pub fn name(&self) -> &str {
        let mut names = [&self.spec, &self.phase, &self.agent, &self.day, &self.step].into_iter();
        names.find_map(|name| name.as_deref()).unwrap_or_default()
    }
}

impl Sum {
    fn add(&mut self, line: &Line) {
        self.merge(&Sum {
            agents: 1,
            unpriced: u64::from(line.usd.is_none()),
            usd_micros: line.usd_micros().unwrap_or(0),
            cost_usd: 0.0,
            input_tokens: line.input_tokens,
            output_tokens: line.output_tokens,
        });
    }

    fn merge(&mut self, other: &Sum) {
        let add = |one: &mut u64, other: u64| *one = one.saturating_add(other);
        add(&mut self.agents, other.agents);
        add(&mut self.unpriced, other.unpriced);
        add(&mut self.usd_micros, other.usd_micros);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        self.cost_usd = usd(self.usd_micros);
    }
}
