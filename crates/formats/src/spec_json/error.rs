//! Why a spec.json cannot be used, and how to repair it.

use std::fmt;

use crate::TextPosition;
use crate::json::{Fault, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// None if the error has no single place.
    pub place: Option<TextPosition>,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the file is empty; restore it from version control or create the spec anew")]
    Empty,
    #[error("not UTF-8 text; save the file as UTF-8")]
    NotUtf8,
    #[error("the file ends {0}: it was cut off; complete it or restore it from version control")]
    CutOff(&'static str),
    #[error("nested too deeply; no spec needs more than 128 levels")]
    TooDeep,
    #[error("the file is larger than 10 MB; no spec needs that, remove what does not belong there")]
    TooLarge,
    #[error("the file holds {0} instead of an object; it must begin with `{{`")]
    NotAnObject(&'static str),
    #[error("{0}")]
    NotJson(String),
}

impl Problem {
    pub(super) fn not_an_object(value: Value<'_>) -> Problem {
        Problem::NotAnObject(match value.raw().as_bytes().first() {
            Some(b'[') => "an array",
            Some(b'"') => "a text",
            Some(b'n') => "null",
            Some(b't' | b'f') => "true or false",
            _ => "a number",
        })
    }
}

impl Error {
    pub(super) fn nowhere(problem: Problem) -> Error {
        let place = None;
        Error { place, problem }
    }

    pub(super) fn at(bytes: &[u8], offset: usize, problem: Problem) -> Error {
        let place = Some(TextPosition::in_bytes(bytes, offset));
        Error { place, problem }
    }

    pub(super) fn of(bytes: &[u8], fault: Fault) -> Error {
        match fault {
            Fault::Empty => Error::nowhere(Problem::Empty),
            Fault::CutOff { at, within } => Error::at(bytes, at, Problem::CutOff(within)),
            Fault::TooDeep { at } => Error::at(bytes, at, Problem::TooDeep),
            Fault::Wrong { at, what } => Error::at(bytes, at, Problem::NotJson(what)),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{place}: {}", self.problem),
            None => self.problem.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
