//! The scenarios, in the order of the table.

mod command;
mod ends;
mod played;
mod program;
mod services;
mod talk;
mod work;

use crate::agent::Kind;
use crate::stage::Stage;
use crate::verdict::Result;

pub(crate) struct Scenario {
    pub name: &'static str,
    /// What should hold, in one sentence.
    pub what: &'static str,
    pub needs: Needs,
    pub of: Of,
    /// The kinds that cannot be tested, and why.
    pub not: &'static [(Kind, &'static str)],
    pub run: fn(&mut Stage<'_>) -> Result,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// Any model that follows instructions.
    Model,
    /// A model that makes trouble on demand: the fake one.
    Obedience,
}

/// The agents that a scenario is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    All,
    /// Agents that use a model.
    Programs,
    Commands,
}

const fn plain(name: &'static str) -> Scenario {
    Scenario {
        name,
        what: "",
        needs: Needs::Nothing,
        of: Of::All,
        not: &[],
        run: |_| Ok(()),
    }
}

const fn model(name: &'static str) -> Scenario {
    let needs = Needs::Model;
    Scenario {
        needs,
        ..plain(name)
    }
}

const fn obedient(name: &'static str) -> Scenario {
    let needs = Needs::Obedience;
    Scenario {
        needs,
        ..plain(name)
    }
}

impl Scenario {
    const fn what(self, what: &'static str) -> Scenario {
        Scenario { what, ..self }
    }

    const fn of(self, of: Of) -> Scenario {
        Scenario { of, ..self }
    }

    const fn not(self, not: &'static [(Kind, &'static str)]) -> Scenario {
        Scenario { not, ..self }
    }

    const fn run(self, run: fn(&mut Stage<'_>) -> Result) -> Scenario {
        Scenario { run, ..self }
    }
}

/// The scenarios for this kind of agent.
pub(crate) fn all(kind: Kind) -> impl Iterator<Item = &'static Scenario> {
    let lists = [
        work::ALL,
        talk::ALL,
        services::ALL,
        ends::ALL,
        program::ALL,
        played::ALL,
        command::ALL,
    ];
    let of = move |scenario: &&Scenario| match scenario.of {
        Of::All => true,
        Of::Programs => kind != Kind::Command,
        Of::Commands => kind == Kind::Command,
    };
    lists.into_iter().flatten().filter(of)
}

/// The names of the scenarios for this kind of agent.
pub fn names(kind: Kind) -> Vec<&'static str> {
    all(kind).map(|scenario| scenario.name).collect()
}

#[cfg(test)]
mod tests {
    use kumite_core::program::ProgramKind;

    use super::*;

    const COLUMNS: [Kind; 4] = [
        Kind::Program(ProgramKind::Claude),
        Kind::Program(ProgramKind::Codex),
        Kind::Program(ProgramKind::Gemini),
        Kind::Command,
    ];

    #[test]
    fn the_table_of_the_docs_names_every_scenario_of_every_column() {
        let page = include_str!("../../../../docs/agents.md");
        let columns = COLUMNS;
        for (column, kind) in columns.into_iter().enumerate() {
            let rows = page.lines().filter(|line| line.starts_with("| `"));
            let passed = rows.filter_map(|row| {
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                (cells[3 + column] == "passed").then(|| cells[1].trim_matches('`'))
            });
            let mut passed: Vec<&str> = passed.collect();
            let mut names = names(kind);
            passed.sort_unstable();
            names.sort_unstable();
            assert_eq!(passed, names, "{kind:?}");
        }
    }

    #[test]
    fn each_kind_has_forty_scenarios_with_names_of_their_own() {
        for kind in COLUMNS {
            let mut names = names(kind);
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{kind:?}");
            let skipped = all(kind).filter(|scenario| scenario.not.iter().any(|(k, _)| *k == kind));
            assert!(count - skipped.count() >= 40, "{kind:?} has {count}");
        }
    }
}
