//! `.kiro/steering/verification-commands.md`: a table of the commands that check a project.
//!
//! | Type | Command | Workdir | Description |
//! |---|---|---|---|
//! | test | `npm test` | web | unit tests |
//!
//! Every table with the columns Type and Command counts; all other text is for people. A row that
//! cannot be understood is an error: a check that is left out silently would make work look
//! better than it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::markdown::{cells, is_table_rule, plain, visible_lines};
use crate::settings::{NAME_MAX, VerifyCommand, is_inside, through_shell};
use crate::tree::without_mark;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}

/// The commands in their order. A text without such a table has none.
pub fn parse(text: &str) -> Result<Vec<VerifyCommand>, Error> {
    let lines = visible_lines(without_mark(text));
    let mut names = Names::default();
    let mut commands = Vec::new();
    let mut table = Table::None;
    for (index, line) in lines.iter().enumerate() {
        let wrong = |message| Error {
            line: index + 1,
            message,
        };
        let Some(row) = cells(line) else {
            table = Table::None;
            continue;
        };
        table = match table {
            Table::None => {
                let is_head = lines.get(index + 1).is_some_and(|next| is_table_rule(next));
                match (is_head, Columns::of(&row)) {
                    (true, Some(columns)) => Table::Head(columns),
                    (true, None) => Table::Other,
                    (false, Some(_)) => return Err(wrong(NO_RULE.to_owned())),
                    (false, None) => Table::None,
                }
            }
            // The rule below the head is no row.
            Table::Head(columns) => Table::Body(columns),
            Table::Body(columns) => {
                commands.extend(columns.command(&row, &mut names).map_err(wrong)?);
                Table::Body(columns)
            }
            Table::Other => Table::Other,
        };
    }
    Ok(commands)
}

const NO_RULE: &str =
    "this is the head of a table, but the line below it is missing; add `|---|---|` there";

/// What the last line was part of.
enum Table {
    None,
    /// The head of a table of commands.
    Head(Columns),
    /// A table of commands, below its head.
    Body(Columns),
    /// A table of something else.
    Other,
}

/// Which column is which.
struct Columns {
    kind: usize,
    command: usize,
    dir: Option<usize>,
    count: usize,
}

impl Columns {
    /// None: a table of something else.
    fn of(head: &[&str]) -> Option<Columns> {
        let place = |name: &str| head.iter().position(|cell| plain(cell) == name);
        Some(Columns {
            kind: place("type")?,
            command: place("command")?,
            dir: place("workdir"),
            count: head.len(),
        })
    }

    /// The command of a row; none for a row of empty cells.
    fn command(&self, row: &[&str], names: &mut Names) -> Result<Option<VerifyCommand>, String> {
        if row.iter().all(|cell| cell.is_empty()) {
            return Ok(None);
        }
        if row.len() > self.count {
            return Err(format!(
                "this row has {} cells, but the table has {} columns; write `\\|` for a pipe in a \
                 command",
                row.len(),
                self.count
            ));
        }
        let cell = |column: usize| row.get(column).copied().unwrap_or_default();
        let command = code(cell(self.command))?;
        let dir = code(self.dir.map(cell).unwrap_or_default())?;
        let dir = match dir.as_str() {
            "" | "-" => ".".to_owned(),
            _ => dir,
        };
        if command.bytes().all(|byte| byte == b'-') {
            return Err("this row has no command; add one, or remove the row".to_owned());
        }
        if command.contains('\0') {
            return Err("a command must not contain a NUL character".to_owned());
        }
        if !is_inside(&dir) {
            return Err(format!(
                "the Workdir {dir:?} is not inside the project; write a path without `/` at its \
                 beginning and without `..`, such as `.` or `web`"
            ));
        }
        Ok(Some(VerifyCommand {
            name: names.next(cell(self.kind)),
            run: through_shell(&command),
            dir,
            at_impl: true,
            at_merge: true,
        }))
    }
}

/// The text of a cell, without the back-ticks around it. Back-ticks elsewhere are refused: a shell
/// would run what is between them and then run its output.
fn code(cell: &str) -> Result<String, String> {
    let text = cell.replace("\\|", "|");
    let inner = text.trim_start_matches('`');
    let ticks = &text[..text.len() - inner.len()];
    let inner = match inner.strip_suffix(ticks) {
        // The same number of back-ticks would end the code before its end.
        Some(inner) if !ticks.is_empty() && !inner.contains(ticks) => inner.trim(),
        _ if text.contains('`') => {
            return Err(
                "the back-ticks of this row are not around a whole cell; write the command as one \
                 code span, with `$(...)` for what a shell should fill in"
                    .to_owned(),
            );
        }
        _ => text.as_str(),
    };
    Ok(inner.to_owned())
}

/// The names that were given, so that each is there once.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    /// The last number behind a name, so that many equal names take no longer than few.
    last: BTreeMap<String, usize>,
}

impl Names {
    fn next(&mut self, kind: &str) -> String {
        let base = normal(kind);
        let number = self.last.entry(base.clone()).or_insert(0);
        loop {
            *number += 1;
            let end = match *number {
                1 => String::new(),
                number => format!("-{number}"),
            };
            let room = NAME_MAX - end.len();
            let name = format!("{}{end}", &base[..base.len().min(room)]);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Small letters, digits and single hyphens. A type that has no such letter is a "check".
fn normal(kind: &str) -> String {
    let kind = plain(kind);
    let words = kind.split(|it: char| !it.is_ascii_lowercase() && !it.is_ascii_digit());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(NAME_MAX);
    let name = name.trim_end_matches('-');
    match name {
        "" => "check".to_owned(),
        name => name.to_owned(),
    }
}
