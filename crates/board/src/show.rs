//! A table as text: JSON, CSV, Markdown, or columns for people.

use serde_json::{Map, Value};

pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

/// A list of objects.
pub fn objects(table: &Table) -> Value {
    let object = |row: &Vec<Value>| -> Value {
        let cells = table.names.iter().cloned().zip(row.iter().cloned());
        Value::Object(cells.collect::<Map<String, Value>>())
    };
    table.rows.iter().map(object).collect()
}

/// The same, one object per line.
pub fn object_lines(table: &Table) -> String {
    let objects = objects(table);
    let lines = objects.as_array().into_iter().flatten();
    lines.map(|object| format!("{object}\n")).collect()
}

/// In the format of RFC 4180.
pub fn csv(table: &Table) -> String {
    let quoted = |text: &str| match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    rows(table)
        .map(|row| {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            cells.join(",") + "\n"
        })
        .collect()
}

pub fn markdown(table: &Table) -> String {
    let cell = |text: &String| {
        let text = text.replace('|', "\\|");
        text.replace('\r', "").replace('\n', "<br>")
    };
    let mut text = String::new();
    for (number, row) in rows(table).enumerate() {
        let cells: Vec<String> = row.iter().map(cell).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if number == 0 {
            text.push_str(&"| --- ".repeat(row.len()));
            text.push_str("|\n");
        }
    }
    text
}

/// How much of a text a column shows.
const WIDTH_MAX: usize = 60;

pub fn lines(table: &Table) -> String {
    let short = |text: &String| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.chars().count() > WIDTH_MAX {
            true => line.chars().take(WIDTH_MAX - 1).chain(['…']).collect(),
            false => line,
        }
    };
    let all: Vec<Vec<String>> = rows(table)
        .map(|row| row.iter().map(short).collect())
        .collect();
    let width = |column: usize| {
        let cells = all
            .iter()
            .map(|row: &Vec<String>| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.names.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| {
                let missing = width - cell.chars().count();
                format!("{cell}{}", " ".repeat(missing))
            })
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    all.iter().map(line).collect()
}

/// The names, then the rows, as texts.
fn rows(table: &Table) -> impl Iterator<Item = Vec<String>> + '_ {
    let text = |cell: &Value| match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows = table.rows.iter();
    std::iter::once(table.names.clone()).chain(rows.map(move |row| row.iter().map(text).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        Table {
            names: vec!["team".to_owned(), "score".to_owned()],
            rows: vec![
                vec![json!("a \"b\", c"), json!(78.67)],
                vec![json!("x|y\nz"), Value::Null],
            ],
        }
    }

    #[test]
    fn every_form_keeps_what_would_break_it() {
        assert_eq!(
            csv(&table()),
            "team,score\n\"a \"\"b\"\", c\",78.67\n\"x|y\nz\",\n"
        );
        assert_eq!(
            markdown(&table()),
            "| team | score |\n| --- | --- |\n| a \"b\", c | 78.67 |\n| x\\|y<br>z |  |\n"
        );
        assert_eq!(
            lines(&table()),
            "team      score\na \"b\", c  78.67\nx|y z\n"
        );
        assert_eq!(objects(&table())[0]["score"], json!(78.67));
    }
}
