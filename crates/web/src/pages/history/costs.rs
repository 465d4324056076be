//! What agents have used, by day and by spec.

use std::collections::BTreeMap;

use kumite_core::budget::dollars;
use kumite_host::usage_log::{Line, UsageLog};
use maud::{Markup, html};

use crate::api::Refusal;
use crate::app::App;
use crate::render::marks::{count, segment};
use crate::render::{chart, words};

/// The most days, and the most specs, that are listed.
const ROWS_MAX: usize = 30;

#[derive(Default)]
pub struct Costs {
    days: BTreeMap<String, Sum>,
    specs: BTreeMap<String, Sum>,
    total: Sum,
    /// Lines that cannot be parsed.
    unreadable: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Sum {
    agents: u64,
    /// Agents whose programs reported no price.
    unpriced: u64,
    usd_micros: u64,
    input_tokens: u64,
    output_tokens: u64,
}

pub fn read(app: &App, spec: Option<&str>) -> Result<Costs, Refusal> {
    let log = UsageLog::at(app.project.usage_file());
    let mut costs = Costs::default();
    let unreadable = log.each_line(|line| match serde_json::from_slice::<Line>(line) {
        Ok(line) => {
            if spec.is_none_or(|spec| line.spec == spec) {
                costs.add(&line);
            }
            true
        }
        Err(_) => false,
    });
    costs.unreadable = unreadable.map_err(|error| {
        Refusal::broken(format!("cannot read {}: {error}", log.path().display()))
    })?;
    Ok(costs)
}

impl Costs {
    fn add(&mut self, line: &Line) {
        let day = self.days.entry(line.day.clone()).or_default();
        day.add(line);
        let spec = self.specs.entry(line.spec.clone()).or_default();
        spec.add(line);
        self.total.add(line);
    }
}

impl Sum {
    fn add(&mut self, line: &Line) {
        let add = |one: &mut u64, other: u64| *one = one.saturating_add(other);
        add(&mut self.agents, 1);
        add(&mut self.unpriced, u64::from(line.usd.is_none()));
        add(&mut self.usd_micros, line.usd_micros().unwrap_or(0));
        add(&mut self.input_tokens, line.input_tokens);
        add(&mut self.output_tokens, line.output_tokens);
    }

    /// `+` marks a lower bound: some agents reported no price.
    fn money(&self) -> String {
        match self.unpriced {
            0 => dollars(self.usd_micros),
            all if all == self.agents => "–".to_owned(),
            _ => format!("{}+", dollars(self.usd_micros)),
        }
    }

    fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

pub fn show(costs: &Costs) -> Markup {
    let mut specs: Vec<(&String, &Sum)> = costs.specs.iter().collect();
    specs.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.usd_micros, sum.tokens())));
    let link = |name: &str| html! { a href={ "/specs/" (segment(name)) } { (name) } };
    let plain = |name: &str| html! { span.nowrap { (name) } };
    html! {
        @if costs.total.agents == 0 {
            p.empty { "No agent has ended yet, so nothing is spent." }
        } @else {
            p {
                strong { (costs.total.money()) } " in all, by "
                (words::thousands(costs.total.agents)) " agents: "
                (count(costs.total.input_tokens)) " tokens in, "
                (count(costs.total.output_tokens)) " out."
            }
            div.beside {
                (table("Day", costs.days.iter().rev().collect(), plain))
                (table("Spec", specs, link))
            }
            @if costs.total.unpriced > 0 {
                p.muted.small {
                    @match costs.total.unpriced {
                        1 => "1 agent",
                        many => { (words::thousands(many)) " agents" },
                    }
                    " told no price (marked – or +): some programs tell none, nor does an agent that was ended early."
                }
            }
            p.muted.small { "Contests are not part of this; each says what it has cost." }
        }
        @if costs.unreadable > 0 {
            p.muted.small { (costs.unreadable) " lines of usage.jsonl cannot be read and are left out." }
        }
    }
}

fn table(title: &str, rows: Vec<(&String, &Sum)>, name: impl Fn(&str) -> Markup) -> Markup {
    let shown = &rows[..rows.len().min(ROWS_MAX)];
    // If no agent reported a price, compare tokens.
    let by_money = shown.iter().any(|(_, sum)| sum.usd_micros > 0);
    let size = |sum: &Sum| {
        if by_money {
            sum.usd_micros
        } else {
            sum.tokens()
        }
    };
    let most = shown
        .iter()
        .map(|(_, sum)| size(sum))
        .max()
        .unwrap_or(0)
        .max(1);
    html! {
        div.scroll {
            table.list {
                thead {
                    tr {
                        th scope="col" { (title) }
                        th.bars scope="col" { span.hide { "Share" } }
                        th.num scope="col" { "Cost" }
                        th.num scope="col" { "Agents" }
                        th.num scope="col" { "Tokens" }
                    }
                }
                tbody {
                    @for (key, sum) in shown {
                        tr {
                            td { (name(key)) }
                            td.bars { (chart::meter(size(sum) as f64 / most as f64, &sum.money())) }
                            td.num { (sum.money()) }
                            td.num { (words::thousands(sum.agents)) }
                            td.num { (count(sum.tokens())) }
                        }
                    }
                }
                @if rows.len() > shown.len() {
                    caption { "The first " (shown.len()) " of " (rows.len()) "." }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(day: &str, spec: &str, usd: Option<f64>) -> Line {
        serde_json::from_value(serde_json::json!({
            "time": "2026-01-01T00:00:00.000Z", "day": day, "spec": spec, "run": 1,
            "phase": "impl", "step": "impl", "round": null, "attempt": null, "agent": "a",
            "program": "claude", "kind": "claude", "outcome": "finished", "usd": usd,
            "input_tokens": 10, "output_tokens": 1,
        }))
        .unwrap()
    }

    fn costs(lines: &[Line]) -> Costs {
        let mut costs = Costs::default();
        lines.iter().for_each(|line| costs.add(line));
        costs
    }

    #[test]
    fn costs_are_added_up_by_day_and_by_spec() {
        let found = costs(&[
            line("2026-01-01", "a", Some(1.0)),
            line("2026-01-02", "a", Some(0.5)),
            line("2026-01-02", "b", None),
        ]);
        assert_eq!(found.days["2026-01-02"].money(), "$0.50+");
        assert_eq!(found.specs["a"].money(), "$1.50");
        assert_eq!(found.specs["b"].money(), "–");
        assert_eq!(found.total.agents, 3);
        let text = show(&found).into_string();
        let (newer, older) = (text.find("2026-01-02"), text.find("2026-01-01"));
        assert!(newer < older, "the newest day comes first");
        assert!(text.contains("width=\"50.00%\""), "{text}");
    }

    #[test]
    fn without_prices_tokens_are_compared() {
        let text = show(&costs(&[line("2026-01-01", "<b>", None)])).into_string();
        assert!(text.contains("width=\"100.00%\" height"), "{text}");
        assert!(!text.contains("<b>"), "{text}");
    }

    #[test]
    fn nothing_spent_is_said() {
        assert!(show(&costs(&[])).into_string().contains("nothing is spent"));
    }
}
