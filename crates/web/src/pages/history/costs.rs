//! What agents have used, by day and by spec.

use std::collections::BTreeMap;

use kumite_project::books::{Books, Key, Of, Sum};
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
    /// Specs and contests.
    things: BTreeMap<Of, Sum>,
    total: Sum,
    /// Lines that cannot be parsed.
    unreadable: usize,
}

pub fn read(app: &App, spec: Option<&str>) -> Result<Costs, Refusal> {
    let mut books = app.books();
    let path = books.path().display().to_string();
    let read = books.read();
    read.map_err(|error| Refusal::broken(format!("cannot read {path}: {error}")))?;
    Ok(of(&books, spec))
}

fn of(books: &Books, spec: Option<&str>) -> Costs {
    let counts = |key: &Key| match (&key.of, spec) {
        (_, None) => true,
        (Of::Spec(name), Some(spec)) => name == spec,
        (Of::Contest(_), Some(_)) => false,
    };
    Costs {
        days: books.by(|key| counts(key).then(|| key.day.clone())),
        things: books.by(|key| counts(key).then(|| key.of.clone())),
        total: books.sum(counts),
        unreadable: books.unreadable(),
    }
}

fn money(sum: &Sum) -> String {
    sum.money("–")
}

pub fn show(costs: &Costs) -> Markup {
    let mut things: Vec<(&Of, &Sum)> = costs.things.iter().collect();
    things.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.usd_micros, sum.tokens())));
    let link = |of: &Of| match of {
        Of::Spec(name) => html! { a href={ "/specs/" (segment(name)) } { (name) } },
        Of::Contest(id) => html! { a href={ "/contests/" (segment(id)) } { "contest " (id) } },
    };
    let plain = |day: &String| html! { span.nowrap { (day) } };
    html! {
        @if costs.total.agents == 0 {
            p.empty { "No agent has ended yet, so nothing is spent." }
        } @else {
            p {
                strong { (money(&costs.total)) } " in all, by "
                (words::thousands(costs.total.agents)) " agents: "
                (count(costs.total.input_tokens)) " tokens in, "
                (count(costs.total.output_tokens)) " out."
            }
            div.beside {
                (table("Day", costs.days.iter().rev().collect(), plain))
                (table("Spec or contest", things, link))
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
        }
        @if costs.unreadable > 0 {
            p.muted.small { (costs.unreadable) " lines of usage.jsonl cannot be read and are left out." }
        }
    }
}

fn table<K>(title: &str, rows: Vec<(&K, &Sum)>, name: impl Fn(&K) -> Markup) -> Markup {
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
                            td.bars { (chart::meter(size(sum) as f64 / most as f64, &money(sum))) }
                            td.num { (money(sum)) }
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
    use serde_json::{Value, json};

    use super::*;

    fn line(day: &str, spec: &str, contest: Option<&str>, usd: Option<f64>) -> Value {
        json!({
            "time": "2026-01-01T00:00:00.000Z", "day": day, "spec": spec, "contest": contest,
            "run": 1, "phase": "impl", "step": "impl", "round": null, "attempt": null,
            "agent": "a", "program": "claude", "kind": "claude", "outcome": "finished",
            "usd": usd, "input_tokens": 10, "output_tokens": 1,
        })
    }

    fn costs(lines: &[Value]) -> Costs {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("usage.jsonl");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).unwrap();
        let mut books = Books::at(path);
        books.read().unwrap();
        of(&books, None)
    }

    #[test]
    fn costs_are_added_up_by_day_and_by_spec() {
        let found = costs(&[
            line("2026-01-01", "a", None, Some(1.0)),
            line("2026-01-02", "a", None, Some(0.5)),
            line("2026-01-02", "", Some("c-1"), None),
        ]);
        assert_eq!(money(&found.days["2026-01-02"]), "$0.50+");
        assert_eq!(money(&found.things[&Of::Spec("a".to_owned())]), "$1.50");
        assert_eq!(money(&found.things[&Of::Contest("c-1".to_owned())]), "–");
        assert_eq!(found.total.agents, 3);
        let text = show(&found).into_string();
        let (newer, older) = (text.find("2026-01-02"), text.find("2026-01-01"));
        assert!(newer < older, "the newest day comes first");
        assert!(text.contains("width=\"50.00%\""), "{text}");
        assert!(text.contains("href=\"/contests/c-1\""), "{text}");
    }

    #[test]
    fn without_prices_tokens_are_compared() {
        let text = show(&costs(&[line("2026-01-01", "<b>", None, None)])).into_string();
        assert!(text.contains("width=\"100.00%\" height"), "{text}");
        assert!(!text.contains("<b>"), "{text}");
    }

    #[test]
    fn nothing_spent_is_said() {
        assert!(show(&costs(&[])).into_string().contains("nothing is spent"));
    }
}
