//! The total usage of agents, from usage.jsonl.

use std::io;
use std::path::PathBuf;

use kumite_core::names::Phase;
use kumite_core::run::Step;
use kumite_formats::spec_name::SpecName;
use schemars::JsonSchema;
use serde::Serialize;

pub use crate::books::Sum;
use crate::books::{Books, Key, Of};
use crate::project::{self, Project};

kumite_core::words! {
    /// What to group by.
    #[derive(Default, JsonSchema)]
    #[schemars(rename = "CostBy")]
    pub enum By: name {
        #[default]
        Spec = "spec",
        Phase = "phase",
        /// By its name in the settings.
        Agent = "agent",
        Day = "day",
        Step = "step",
    }
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
    /// The id of a contest, which is listed beside the specs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest: Option<String>,
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

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}", path = .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Project(#[from] project::Error),
}

pub fn report(project: &Project, books: &mut Books, ask: &Ask) -> Result<Report, Error> {
    books.read().map_err(|source| Error::Read {
        path: books.path().to_owned(),
        source,
    })?;
    let is_of =
        |key: &Key, name: &SpecName| matches!(&key.of, Of::Spec(spec) if spec == name.as_str());
    // A removed spec still has its cost; a spec that never existed is a typing mistake.
    for name in &ask.specs {
        if books.sum(|key| is_of(key, name)).agents == 0 {
            project.spec(name)?;
        }
    }
    let is_wanted = |key: &Key| {
        let is_named = ask.specs.is_empty() || ask.specs.iter().any(|name| is_of(key, name));
        is_named && ask.since.as_ref().is_none_or(|since| key.day >= *since)
    };
    let rows = books.by(|key| is_wanted(key).then(|| ask.by.key(key)));
    Ok(Report {
        by: ask.by,
        rows: rows
            .into_iter()
            .map(|((place, name), sum)| ask.by.row(place, name.to_owned(), sum))
            .collect(),
        total: books.sum(is_wanted),
        unreadable: books.unreadable(),
    })
}

/// Contests come after the specs.
const CONTESTS: usize = 1;

/// The steps of a contest come after those of a run.
const OF_CONTEST: [&str; 3] = ["submit", "measure", "judge"];

impl By {
    /// The row that a line belongs to, and the position of that row.
    fn key(self, key: &Key) -> (usize, &str) {
        let place = |known: Option<usize>| known.unwrap_or(usize::MAX);
        match self {
            By::Spec => match &key.of {
                Of::Spec(name) => (0, name),
                Of::Contest(id) => (CONTESTS, id),
            },
            By::Agent => (0, &key.program),
            By::Day => (0, &key.day),
            By::Phase => {
                let known = Phase::ALL.iter().position(|it| it.name() == key.phase);
                (place(known), &key.phase)
            }
            By::Step => {
                let mut steps = Step::NAMES.into_iter().chain(OF_CONTEST);
                let known = steps.position(|it| it == key.step);
                (place(known), &key.step)
            }
        }
    }

    fn row(self, place: usize, name: String, sum: Sum) -> Row {
        let mut row = Row {
            sum,
            ..Row::default()
        };
        *match self {
            By::Spec if place == CONTESTS => &mut row.contest,
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
        let contest = self.contest.iter();
        let others = [&self.spec, &self.phase, &self.agent, &self.day, &self.step].into_iter();
        let mut names = contest.chain(others.flatten());
        names.next().map_or("", String::as_str)
    }
}
