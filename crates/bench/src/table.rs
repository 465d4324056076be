//! A part of the report: a heading, what its rows mean, the rows.

use std::fmt;

pub struct Part {
    pub title: &'static str,
    /// What a reader must know before the figures.
    pub meaning: String,
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
}

/// A goal and whether a figure meets it.
pub fn goal(text: &str, met: bool) -> String {
    format!("{text}: {}", if met { "met" } else { "**missed**" })
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {}\n\n{}\n", self.title, self.meaning.trim())?;
        let head: Vec<String> = self.head.iter().map(ToString::to_string).collect();
        let widths: Vec<usize> = (0..head.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&head]).map(|row| &row[column]);
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        line(f, &head, &widths)?;
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        line(f, &rule, &widths)?;
        self.rows.iter().try_for_each(|row| line(f, row, &widths))
    }
}

fn line(f: &mut fmt::Formatter<'_>, cells: &[String], widths: &[usize]) -> fmt::Result {
    for (cell, width) in cells.iter().zip(widths) {
        write!(f, "| {cell:<width$} ")?;
    }
    writeln!(f, "|")
}
