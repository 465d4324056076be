//! How often a judge agreed, and where it did not.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use kumite_core::contest::{Judgment, Used};
use serde::Serialize;

use super::cases::{Labelled, Split};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    #[serde(flatten)]
    pub all: Group,
    pub confusion: Confusion,
    /// By name.
    pub splits: BTreeMap<String, Group>,
    /// By the name of the category, then of the split.
    pub categories: BTreeMap<String, BTreeMap<String, Group>>,
    /// Answers that a person would not have given.
    pub wrong: Vec<Wrong>,
    /// Cases without an answer. They count as wrong.
    pub failures: Vec<Failed>,
    pub calls: u32,
    #[serde(flatten, serialize_with = "spent")]
    pub used: Used,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub n: u32,
    pub right: u32,
}

/// The person's verdict first, then the judge's. Failed cases are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    pub continue_continue: u32,
    pub continue_stop: u32,
    pub stop_continue: u32,
    pub stop_stop: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    pub id: String,
    pub expected: bool,
    pub reasoning: String,
    pub confidence_score: f64,
    /// The person's reason.
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    pub id: String,
    pub why: String,
}

impl Group {
    pub fn accuracy(self) -> f64 {
        match self.n {
            0 => 0.0,
            n => f64::from(self.right) / f64::from(n),
        }
    }

    fn count(&mut self, is_right: bool) {
        self.n += 1;
        self.right += u32::from(is_right);
    }
}

impl Serialize for Group {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut group = serializer.serialize_struct("Group", 3)?;
        group.serialize_field("n", &self.n)?;
        group.serialize_field("right", &self.right)?;
        group.serialize_field("accuracy", &self.accuracy())?;
        group.end()
    }
}

fn spent<S: serde::Serializer>(used: &Used, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeStruct;
    let mut spent = serializer.serialize_struct("Used", 3)?;
    spent.serialize_field("input_tokens", &used.input_tokens)?;
    spent.serialize_field("output_tokens", &used.output_tokens)?;
    spent.serialize_field("cost_usd", &usd(*used))?;
    spent.end()
}

fn usd(used: Used) -> f64 {
    used.micros as f64 / 1_000_000.0
}

impl Report {
    pub(super) fn add(&mut self, case: &Labelled, judgment: Result<Judgment, String>) {
        let said = judgment
            .as_ref()
            .ok()
            .map(|judgment| judgment.should_continue);
        let is_right = said == Some(case.should_continue);
        let split = case.split.name().to_owned();
        let category = self.categories.entry(case.category.clone()).or_default();
        category.entry(split.clone()).or_default().count(is_right);
        self.splits.entry(split).or_default().count(is_right);
        self.all.count(is_right);
        match judgment {
            Err(why) => self.failures.push(Failed {
                id: case.id.clone(),
                why,
            }),
            Ok(judgment) => {
                self.confusion
                    .count(case.should_continue, judgment.should_continue);
                if !is_right {
                    self.wrong.push(Wrong {
                        id: case.id.clone(),
                        expected: case.should_continue,
                        reasoning: judgment.reasoning,
                        confidence_score: judgment.confidence.as_f64(),
                        why: case.why.clone(),
                    });
                }
            }
        }
    }

    pub fn split(&self, split: Split) -> Group {
        self.splits.get(split.name()).copied().unwrap_or_default()
    }

    /// For a person.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let Group { n, right } = self.all;
        writeln!(
            out,
            "{n} cases, {right} as a person would say ({})\n",
            percent(self.all)
        )?;
        let it = self.confusion;
        writeln!(
            out,
            "{:<20} {:>12} {:>12}",
            "", "judge: go on", "judge: end"
        )?;
        writeln!(
            out,
            "{:<20} {:>12} {:>12}",
            "person: go on", it.continue_continue, it.continue_stop
        )?;
        writeln!(
            out,
            "{:<20} {:>12} {:>12}\n",
            "person: end", it.stop_continue, it.stop_stop
        )?;
        let row = |splits: &BTreeMap<String, Group>| {
            let cells = Split::ALL.map(|split| {
                splits
                    .get(split.name())
                    .copied()
                    .map_or("-".to_owned(), cell)
            });
            let [tune, held_out] = cells;
            format!("{tune:>15} {held_out:>15}")
        };
        writeln!(out, "{:<20} {:>15} {:>15}", "category", "tune", "held out")?;
        for (name, splits) in &self.categories {
            writeln!(out, "{name:<20} {}", row(splits))?;
        }
        writeln!(out, "{:<20} {}\n", "all", row(&self.splits))?;
        let Used {
            input_tokens,
            output_tokens,
            ..
        } = self.used;
        let (calls, usd) = (self.calls, usd(self.used));
        writeln!(
            out,
            "{calls} calls, {input_tokens} tokens in, {output_tokens} out, {usd:.4} dollars"
        )?;
        for wrong in &self.wrong {
            let expected = if wrong.expected { "go on" } else { "end" };
            writeln!(
                out,
                "\n{}: a person says {expected}: {}",
                wrong.id, wrong.why
            )?;
            writeln!(out, "  the judge: {}", wrong.reasoning)?;
        }
        for failed in &self.failures {
            writeln!(out, "\n{}: no answer: {}", failed.id, failed.why)?;
        }
        Ok(())
    }
}

impl Confusion {
    fn count(&mut self, person: bool, judge: bool) {
        let cell = match (person, judge) {
            (true, true) => &mut self.continue_continue,
            (true, false) => &mut self.continue_stop,
            (false, true) => &mut self.stop_continue,
            (false, false) => &mut self.stop_stop,
        };
        *cell += 1;
    }
}

fn cell(group: Group) -> String {
    format!("{}/{} {}", group.right, group.n, percent(group))
}

fn percent(group: Group) -> String {
    format!("{:.1}%", 100.0 * group.accuracy())
}
