//! What the kit needs to know about each program: how it is pointed at the fake model, and what it
//! prints. Each program has a file here.

mod claude;
mod codex;
mod gemini;
mod opencode;

use std::path::Path;

use kumite_core::program::ProgramKind;

use crate::offline::Credentials;

/// They look like keys, so that every program accepts them, but open nothing.
pub(crate) const KEY: &str = "sk-ant-api03-kumite-check-offline-key";

pub(crate) struct Known {
    /// A model that the program knows: it then offers all of its tools.
    pub model: &'static str,
    /// The variables that point it at the fake model. Few retries, because the kit would only wait
    /// for them.
    pub variables: fn(&Pointed<'_>) -> Vec<(&'static str, String)>,
    /// Settings that cannot be passed in the environment.
    pub file: Option<File>,
    /// Whether its message about a used-up limit names the time when it ends.
    pub tells_reset: bool,
    /// The name of a session that it never had.
    pub unknown_session: &'static str,
    pub recorded: Recorded,
}

#[derive(Clone, Copy)]
pub(crate) struct File {
    /// Below the home.
    pub path: &'static str,
    /// For the URL of the model.
    pub text: fn(&str) -> String,
}

/// The output of a successful run.
#[derive(Clone, Copy)]
pub(crate) struct Recorded {
    pub lines: &'static str,
    /// The text and the session in it.
    pub text: &'static str,
    pub session: &'static str,
    /// The key of a number that is added up: the cost, if the program reports it.
    pub figure: &'static str,
    /// An invalid result line.
    pub bad: &'static str,
}

/// The address of the fake model, and how the program logs in to it.
pub(crate) struct Pointed<'a> {
    pub home: &'a Path,
    pub url: &'a str,
    pub with: Credentials,
}

impl Pointed<'_> {
    /// Empty: it is not logged in.
    fn key(&self) -> String {
        match self.with {
            Credentials::Key | Credentials::Plan => KEY.to_owned(),
            Credentials::None => String::new(),
        }
    }

    fn place(&self, name: &str) -> String {
        self.home.join(name).to_string_lossy().into_owned()
    }
}

pub(crate) fn known(program: ProgramKind) -> &'static Known {
    match program {
        ProgramKind::Claude => &claude::KNOWN,
        ProgramKind::Codex => &codex::KNOWN,
        ProgramKind::Gemini => &gemini::KNOWN,
        ProgramKind::Opencode => &opencode::KNOWN,
    }
}

pub(crate) const UNKNOWN_UUID: &str = "99999999-2222-4333-8444-555555555555";
