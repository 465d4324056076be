//! What is wrong with the settings of a contest, and where.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::places::{Named, Places};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A file as the person knows it, or another source: `environment variable X`.
    pub file: PathBuf,
    pub line: Option<usize>,
    pub message: String,
    /// A remedy.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// Where something was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    pub file: Arc<Path>,
    pub line: Option<usize>,
}

impl FileLine {
    /// Outside any file, or without a line.
    pub(super) fn whole(file: impl AsRef<Path>) -> FileLine {
        FileLine {
            file: Arc::from(file.as_ref()),
            line: None,
        }
    }
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// Everything found so far, so that a person gets all of it at once.
pub(super) struct Report {
    problems: RefCell<Vec<Problem>>,
    warnings: RefCell<Vec<Problem>>,
    places: RefCell<Places>,
    /// Unknown keys cause only warnings.
    is_lenient: bool,
}

impl Report {
    pub fn new(is_lenient: bool) -> Report {
        Report {
            problems: RefCell::default(),
            warnings: RefCell::default(),
            places: RefCell::default(),
            is_lenient,
        }
    }

    pub fn problem(&self, at: &FileLine, message: impl Into<String>, help: Option<String>) {
        self.problems
            .borrow_mut()
            .push(problem(at, message.into(), help));
    }

    pub fn warn(&self, at: &FileLine, message: impl Into<String>, help: Option<String>) {
        self.warnings
            .borrow_mut()
            .push(problem(at, message.into(), help));
    }

    pub fn unknown_key(&self, at: &FileLine, message: String, help: Option<String>) {
        match self.is_lenient {
            true => self.warn(at, message, help),
            false => self.problem(at, message, help),
        }
    }

    /// Remembers where a name appears that only the outside world can check.
    pub fn named(&self, named: Named, name: &str, at: &FileLine) {
        self.places.borrow_mut().add(named, name, at.clone());
    }

    /// Problems and warnings, in line order within each file, and the places of names.
    pub fn finish(self) -> (Vec<Problem>, Vec<Problem>, Places) {
        (
            in_order(self.problems.into_inner()),
            in_order(self.warnings.into_inner()),
            self.places.into_inner(),
        )
    }
}

fn problem(at: &FileLine, message: String, help: Option<String>) -> Problem {
    Problem {
        file: at.file.to_path_buf(),
        line: at.line,
        message,
        help,
    }
}

fn in_order(problems: Vec<Problem>) -> Vec<Problem> {
    let mut files: Vec<PathBuf> = Vec::new();
    for problem in &problems {
        if !files.contains(&problem.file) {
            files.push(problem.file.clone());
        }
    }
    let mut problems = problems;
    problems.sort_by_key(|one| (files.iter().position(|file| *file == one.file), one.line));
    problems.dedup();
    problems
}
