//! Errors between us and Chromium.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot find Chromium: none of {looked_for} is a program; install the package `chromium`, or name the program in KUMITE_CHROMIUM"
    )]
    Missing { looked_for: String },
    #[error("cannot make a profile directory in {dir}")]
    Profile { dir: PathBuf, source: io::Error },
    #[error("cannot start {program}")]
    Start { program: PathBuf, source: io::Error },
    #[error("Chromium ended before it answered; it said:\n{said}")]
    Unready { said: String },
    #[error("Chromium has ended, {method} was not carried out")]
    Ended { method: String },
    #[error("Chromium did not answer {method} within {seconds} s")]
    Silent { method: String, seconds: u64 },
    #[error("Chromium refused {method}: {why}")]
    Refused { method: String, why: String },
    #[error("cannot open {url}: {why}")]
    Navigation { url: String, why: String },
    #[error("the page threw: {why}")]
    Thrown { why: String },
}
