//! `kumite cost`: what the agents have used, from usage.jsonl.

use clap::{Args, ValueEnum};
use console::style;
use kumite_formats::spec_name::SpecName;
use kumite_project::books::Books;
use kumite_project::clock;
use kumite_project::cost::{self, Ask, Report, Sum};

use crate::args::Setting;
use crate::out::out;
use crate::render::thousands;
use crate::trouble::Result;

#[derive(Args)]
pub struct CostArgs {
    /// Names of specs; by default all of them
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// What to group by
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

impl From<By> for cost::By {
    fn from(by: By) -> cost::By {
        match by {
            By::Spec => cost::By::Spec,
            By::Phase => cost::By::Phase,
            By::Agent => cost::By::Agent,
            By::Day => cost::By::Day,
            By::Step => cost::By::Step,
        }
    }
}

pub fn cost(setting: &Setting, args: &CostArgs) -> Result {
    let project = setting.project()?;
    let specs: std::result::Result<Vec<SpecName>, _> =
        args.specs.iter().map(|name| name.parse()).collect();
    let ask = Ask {
        by: args.by.into(),
        specs: specs?,
        since: args.since.clone(),
    };
    let report = cost::report(&project, &mut Books::of(&project), &ask)?;
    if report.unreadable > 0 {
        let (count, path) = (report.unreadable, project.usage_file());
        let path = path.display();
        eprintln!("kumite: {count} lines of {path} cannot be read and are left out");
    }
    setting.answer(&serde_json::json!(report), || print(args, &report))
}

fn day(text: &str) -> std::result::Result<String, String> {
    clock::parse_day(text).ok_or_else(|| "a day is written like 2026-01-31".to_owned())
}

fn cells(name: &str, sum: &Sum) -> [String; 5] {
    [
        name.to_owned(),
        thousands(sum.agents),
        sum.money("-"),
        thousands(sum.input_tokens),
        thousands(sum.output_tokens),
    ]
}

fn print(args: &CostArgs, report: &Report) {
    let Report { rows, total, .. } = report;
    if rows.is_empty() {
        match &args.since {
            Some(since) => out!("no agent has ended since {since}"),
            None => out!("no agent has ended yet, so nothing is spent; `kumite run` starts some"),
        }
        return;
    }
    let head = [
        report.by.name(),
        "agents",
        "cost",
        "tokens in",
        "tokens out",
    ]
    .map(str::to_owned);
    let body = rows.iter().map(|row| cells(row.name(), &row.sum));
    let table: Vec<[String; 5]> = [head]
        .into_iter()
        .chain(body)
        .chain([cells("total", total)])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t10_a_price_that_is_not_all_of_it_is_marked() {
        let row = |agents, unpriced, usd_micros| {
            let sum = Sum {
                agents,
                unpriced,
                usd_micros,
                ..Sum::default()
            };
            sum.money("-")
        };
        assert_eq!(row(2, 0, 1_500_000), "$1.50");
        assert_eq!(row(2, 1, 1_500_000), "$1.50+");
        assert_eq!(row(2, 2, 0), "-");
    }
}
