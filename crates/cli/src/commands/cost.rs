//! `kumite cost`: what the agents have used, from usage.jsonl.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use console::style;
use kumite_core::budget::dollars;
use kumite_core::names::Phase;
use kumite_formats::spec_name::SpecName;
use kumite_host::announce::usd;
use kumite_host::clock;
use kumite_host::usage_log::{Line, UsageLog};
use serde_json::{Value, json};

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};

#[derive(Args)]
pub struct CostArgs {
    /// Names of specs; all of them, if they are left out
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// What to add up
    #[arg(long, default_value = "spec")]
    by: By,
    /// Only from this day on, such as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = day)]
    since: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Spec,
    Phase,
    /// By its name in the settings
    Agent,
    Day,
    Step,
}

/// What some agents have used together.
#[derive(Default)]
struct Sum {
    agents: u64,
    /// Those whose programs told no price.
    unpriced: u64,
    usd_micros: u64,
    input_tokens: u64,
    output_tokens: u64,
}

pub fn cost(setting: &Setting, args: &CostArgs) -> Result {
    let project = setting.project()?;
    let names: Vec<SpecName> = args
        .specs
        .iter()
        .map(|name| name.parse())
        .collect::<std::result::Result<_, _>>()?;
    let mut seen: Vec<bool> = vec![false; names.len()];
    let mut rows: BTreeMap<(usize, String), Sum> = BTreeMap::new();
    let log = UsageLog::at(project.usage_file());
    let unreadable = log.each_line(|line| {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return false;
        };
        let asked_for = names.iter().position(|name| name.as_str() == line.spec);
        if let Some(index) = asked_for {
            seen[index] = true;
        }
        let is_wanted = names.is_empty() || asked_for.is_some();
        if is_wanted && args.since.as_ref().is_none_or(|since| line.day >= *since) {
            rows.entry(args.by.key(&line)).or_default().add(&line);
        }
        true
    });
    let unreadable = unreadable.map_err(|error| {
        Trouble::failed(format!("cannot read {}: {error}", log.path().display()))
    })?;
    // A spec that was removed has cost what it has; one that never was is a slip.
    for (name, _) in names.iter().zip(&seen).filter(|(_, seen)| !**seen) {
        project.spec(name)?;
    }
    if unreadable > 0 {
        let path = log.path().display();
        eprintln!("kumite: {unreadable} lines of {path} cannot be read and are left out");
    }
    let mut total = Sum::default();
    rows.values().for_each(|row| total.merge(row));
    match setting.json() {
        true => print_json(args.by, &rows, &total),
        false => print(args, &rows, &total),
    }
    Ok(ExitCode::SUCCESS)
}

fn day(text: &str) -> std::result::Result<String, String> {
    clock::parse_day(text).ok_or_else(|| "a day is written like 2026-01-31".to_owned())
}

/// In the order of a spec's walk.
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
    fn name(self) -> &'static str {
        match self {
            By::Spec => "spec",
            By::Phase => "phase",
            By::Agent => "agent",
            By::Day => "day",
            By::Step => "step",
        }
    }

    /// To which row a line belongs, and which place that row has.
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
}

impl Sum {
    fn add(&mut self, line: &Line) {
        self.merge(&Sum {
            agents: 1,
            unpriced: u64::from(line.usd.is_none()),
            usd_micros: line.usd_micros().unwrap_or(0),
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
    }

    fn to_json(&self) -> Value {
        json!({
            "agents": self.agents,
            "unpriced": self.unpriced,
            "cost_usd": usd(self.usd_micros),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        })
    }

    /// A price that is not all of it has a `+`.
    fn money(&self) -> String {
        match self.unpriced {
            0 => dollars(self.usd_micros),
            all if all == self.agents => "-".to_owned(),
            _ => format!("{}+", dollars(self.usd_micros)),
        }
    }

    fn cells(&self, name: &str) -> [String; 5] {
        [
            name.to_owned(),
            thousands(self.agents),
            self.money(),
            thousands(self.input_tokens),
            thousands(self.output_tokens),
        ]
    }
}

fn print_json(by: By, rows: &BTreeMap<(usize, String), Sum>, total: &Sum) {
    let rows = rows.iter().map(|((_, name), sum)| {
        let mut row = sum.to_json();
        row[by.name()] = name.as_str().into();
        row
    });
    let rows: Vec<Value> = rows.collect();
    let whole = json!({"by": by.name(), "rows": rows, "total": total.to_json()});
    out!("{whole}");
}

fn print(args: &CostArgs, rows: &BTreeMap<(usize, String), Sum>, total: &Sum) {
    if rows.is_empty() {
        match &args.since {
            Some(since) => out!("no agent has ended since {since}"),
            None => out!("no agent has ended yet, so nothing is spent; `kumite run` starts some"),
        }
        return;
    }
    let head = [args.by.name(), "agents", "cost", "tokens in", "tokens out"].map(str::to_owned);
    let body = rows.iter().map(|((_, name), sum)| sum.cells(name));
    let table: Vec<[String; 5]> = [head]
        .into_iter()
        .chain(body)
        .chain([total.cells("total")])
        .collect();
    let widths: Vec<usize> = (0..5)
        .map(|column| table.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    for (index, row) in table.iter().enumerate() {
        let mut line = format!("{:width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        match index {
            0 => out!("{}", style(line).dim()),
            _ if index + 1 == table.len() => out!("{}", style(line).bold()),
            _ => out!("{line}"),
        }
    }
    if total.unpriced > 0 {
        out!(
            "{}",
            style(format!(
                "{} told no price (marked - or +): Codex and Gemini tell none, nor does an agent \
                 that was ended early. In a budget they count as $0.",
                agents(total.unpriced)
            ))
            .dim()
        );
    }
}

fn agents(count: u64) -> String {
    match count {
        1 => "1 agent".to_owned(),
        count => format!("{} agents", thousands(count)),
    }
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_written_in_groups_of_three() {
        let numbers = [0, 12, 999, 1_000, 123_456, 1_234_567];
        assert_eq!(
            numbers.map(thousands),
            ["0", "12", "999", "1,000", "123,456", "1,234,567"]
        );
    }

    #[test]
    fn t10_a_price_that_is_not_all_of_it_is_marked() {
        let row = |agents, unpriced, usd_micros| {
            let sum = Sum {
                agents,
                unpriced,
                usd_micros,
                ..Sum::default()
            };
            sum.money()
        };
        assert_eq!(row(2, 0, 1_500_000), "$1.50");
        assert_eq!(row(2, 1, 1_500_000), "$1.50+");
        assert_eq!(row(2, 2, 0), "-");
    }
}
