//! One table while it is read. Every key that is asked for becomes known; keys left at the end are
//! unknown, and the nearest known key is suggested.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};

use super::node::{Node, Table, Value};
use super::problem::{FileLine, Report};
use crate::settings::{Span, Usd, nearest};

/// Ten years; nobody waits longer.
const SECONDS_MAX: u64 = 3650 * 24 * 3600;

pub(super) struct Scope<'a> {
    pub report: &'a Report,
    pub at: FileLine,
    table: &'a Table,
    /// As messages name it: `team.leader`. A file without sections has no name.
    name: String,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Scope<'a> {
    /// A value that is not a table is reported, and read as an empty table.
    pub fn of(report: &'a Report, node: &'a Node, name: &str) -> Scope<'a> {
        static EMPTY: Table = Table::new();
        let table = match &node.value {
            Value::Table(table) => table,
            _ => {
                let message = format!("`{name}` must be a table, not {}", node.shown());
                report.problem(&node.at, message, None);
                &EMPTY
            }
        };
        Scope {
            report,
            at: node.at.clone(),
            table,
            name: name.to_owned(),
            known: RefCell::default(),
        }
    }

    /// Reports all keys that were never asked for.
    pub fn finish(self) {
        self.report_unknown(|label| format!("unknown key `{label}`"));
    }

    /// Like [`Scope::finish`], for a table whose keys depend on its kind.
    pub fn finish_as(self, what: &str) {
        self.report_unknown(|label| format!("`{label}` is no key of {what}"));
    }

    fn report_unknown(&self, message: impl Fn(&str) -> String) {
        let known = self.known.borrow();
        for (key, node) in self.table {
            if known.contains(key.as_str()) {
                continue;
            }
            let names = known.iter().map(|known| (*known).to_owned());
            let help = nearest(key, names).map(|near| format!("did you mean `{near}`?"));
            let message = message(&self.label(key));
            self.report.unknown_key(&node.at, message, help);
        }
    }

    pub fn node(&self, key: &'static str) -> Option<&'a Node> {
        self.known.borrow_mut().insert(key);
        self.table.get(key)
    }

    /// The keys of the table, in alphabetical order.
    pub fn keys(&self) -> impl Iterator<Item = (&'a String, &'a Node)> {
        self.table.iter()
    }

    pub fn has(&self, key: &'static str) -> bool {
        self.node(key).is_some()
    }

    /// Whether there is no `[[key]]` at all.
    pub fn has_no(&self, key: &'static str) -> bool {
        let node = self.node(key);
        node.is_none_or(|node| matches!(&node.value, Value::List(items) if items.is_empty()))
    }

    /// The first of these names that is present.
    pub fn alias(&self, names: [&'static str; 2]) -> &'static str {
        let [first, second] = names;
        let is_second = !self.has(first) && self.has(second);
        if is_second { second } else { first }
    }

    /// Reports a required key that is missing.
    pub fn need(&self, key: &'static str) {
        if !self.has(key) {
            let message = format!("`{}` is missing", self.label(key));
            self.report.problem(&self.at, message, None);
        }
    }

    pub fn place(&self, key: &'static str) -> FileLine {
        self.node(key).map_or(&self.at, |node| &node.at).clone()
    }

    pub fn problem(&self, key: &'static str, message: impl Into<String>, help: Option<String>) {
        self.report.problem(&self.place(key), message, help);
    }

    /// Reports a problem without a place in the file, at its first line.
    pub fn problem_of_all(&self, message: impl Into<String>, help: Option<String>) {
        let mut at = self.at.clone();
        at.line.get_or_insert(1);
        self.report.problem(&at, message, help);
    }

    pub fn warn(&self, key: &'static str, message: impl Into<String>, help: Option<String>) {
        self.report.warn(&self.place(key), message, help);
    }

    /// Warns about a key that is accepted because files contain it, but that nothing reads.
    pub fn without_effect(&self, key: &'static str, why: &str) {
        if self.has(key) {
            let message = format!("`{}` has no effect: {why}", self.label(key));
            self.warn(key, message, None);
        }
    }

    pub fn label(&self, key: &str) -> String {
        match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        }
    }

    /// Reads a value, or reports what is allowed.
    pub fn get<T>(
        &self,
        key: &'static str,
        allowed: &str,
        read: impl FnOnce(&'a Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.node(key)?;
        let value = read(node);
        if value.is_none() {
            let label = self.label(key);
            let message = format!("`{label}` must be {allowed}, not {}", node.shown());
            self.report.problem(&node.at, message, None);
        }
        value
    }

    pub fn text(&self, key: &'static str) -> Option<String> {
        self.get(key, "text", text)
    }

    pub fn some_text(&self, key: &'static str) -> Option<String> {
        self.get(key, "text that is not empty", |node| {
            text(node).filter(|text| !text.trim().is_empty())
        })
    }

    pub fn flag(&self, key: &'static str) -> Option<bool> {
        self.get(key, "true or false", flag)
    }

    pub fn count(&self, key: &'static str, range: RangeInclusive<u32>) -> Option<u32> {
        let (low, high) = (*range.start(), *range.end());
        let allowed = match high {
            u32::MAX => format!("a whole number from {low}"),
            _ => format!("a whole number from {low} to {high}"),
        };
        self.get(key, &allowed, |node| {
            let count = u32::try_from(whole(node)?).ok()?;
            range.contains(&count).then_some(count)
        })
    }

    pub fn whole(&self, key: &'static str) -> Option<i64> {
        self.get(key, "a whole number", whole)
    }

    pub fn number(&self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let (low, high) = (*range.start(), *range.end());
        let allowed = match high.is_finite() {
            true => format!("a number from {low} to {high}"),
            false => format!("a number from {low}"),
        };
        self.get(key, &allowed, |node| {
            number(node).filter(|number| range.contains(number))
        })
    }

    /// Whole seconds, in milliseconds.
    pub fn seconds(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let (low, high) = (*range.start(), (*range.end()).min(SECONDS_MAX));
        let allowed = match high {
            SECONDS_MAX => format!("a whole number of seconds from {low}"),
            _ => format!("a whole number of seconds from {low} to {high}"),
        };
        self.get(key, &allowed, |node| {
            let seconds = u64::try_from(whole(node)?).ok()?;
            (low..=high).contains(&seconds).then_some(seconds * 1000)
        })
    }

    /// A duration such as `90s`, in milliseconds.
    pub fn span(&self, key: &'static str) -> Option<u64> {
        let allowed = "a duration above zero, such as \"90s\", \"15m\" or \"2h\"";
        self.get(key, allowed, |node| {
            let span = Span::parse(&text(node)?)?.duration();
            u64::try_from(span.as_millis()).ok().filter(|ms| *ms > 0)
        })
    }

    /// Dollars; None for 0.
    pub fn dollars(&self, key: &'static str) -> Option<f64> {
        let allowed = "a number of US dollars from 0 to 1000000, where 0 means no budget";
        let dollars = self.get(key, allowed, |node| {
            number(node).filter(|dollars| Usd::from_dollars(*dollars).is_some())
        });
        dollars.filter(|dollars| *dollars > 0.0)
    }

    pub fn word<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<String> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        self.get(key, &names.join(" or "), |node| {
            let text = text(node)?;
            words
                .iter()
                .find(|(word, _)| *word == text)
                .map(|(_, it)| *it)
        })
    }

    pub fn texts(&self, key: &'static str) -> Option<Vec<String>> {
        self.get(
            key,
            "a list of texts, such as [\"a\", \"b\"]",
            |node| match &node.value {
                Value::List(items) => items.iter().map(text).collect(),
                _ => None,
            },
        )
    }

    /// A table that is passed on unchanged.
    pub fn free(&self, key: &'static str) -> Map<String, Json> {
        let json = self.get(key, "a table of plain values", |node| {
            match node.json()? {
                Json::Object(members) => Some(members),
                _ => None,
            }
        });
        json.unwrap_or_default()
    }

    pub fn table(&self, key: &'static str) -> Option<Scope<'a>> {
        let node = self.node(key)?;
        Some(Scope::of(self.report, node, &self.label(key)))
    }

    /// `[[key]]`, any number of times.
    pub fn tables(&self, key: &'static str) -> Vec<Scope<'a>> {
        let label = self.label(key);
        let allowed = format!("written as `[[{label}]]`");
        let items = self.get(key, &allowed, |node| match &node.value {
            Value::List(items) => Some(items),
            _ => None,
        });
        let scope = |node: &'a Node| Scope::of(self.report, node, &label);
        items.into_iter().flatten().map(scope).collect()
    }
}

fn text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) if !text.contains('\0') => Some(text.clone()),
        _ => None,
    }
}

/// Accepts several spellings, as mixseek does and as the environment needs.
fn flag(node: &Node) -> Option<bool> {
    match &node.value {
        Value::Bool(yes) => Some(*yes),
        Value::Int(1) => Some(true),
        Value::Int(0) => Some(false),
        Value::Text(text) => match text.trim().to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// `3`, `3.0` and `"3"` are all accepted.
fn whole(node: &Node) -> Option<i64> {
    match &node.value {
        Value::Int(int) => Some(*int),
        Value::Text(text) => {
            let int = text.trim().parse().ok();
            int.or_else(|| exact(text.trim().parse().ok()?))
        }
        Value::Float(float) => exact(*float),
        _ => None,
    }
}

fn exact(float: f64) -> Option<i64> {
    // Above this, floats cannot represent every whole number.
    let is_exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    is_exact.then_some(float as i64)
}

fn number(node: &Node) -> Option<f64> {
    let number = match &node.value {
        Value::Int(int) => *int as f64,
        Value::Float(float) => *float,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
