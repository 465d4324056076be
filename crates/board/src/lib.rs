//! The leader board: a DuckDB file that every DuckDB client can open.
//!
//! `kumite` starts the program `kumite-board` and exchanges JSON lines with it, so that nothing
//! else is linked with DuckDB. The file is open, and therefore locked for others, only while there
//! is something to do.

mod error;
mod open;
mod query;
mod schema;
mod serve;
mod show;
mod statements;
mod tables;
mod ticket;
mod upsert;
mod value;
mod wire;

use std::io::{self, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;

pub use error::{Error, Kind};
pub use query::answer;
pub use serve::serve;

const USAGE: u8 = 2;
const INVALID: u8 = 5;

const HELP: &str = "\
The leader board of kumite. `kumite` starts this program; nobody else needs to.

usage: kumite-board serve DB    requests on stdin, a JSON object a line; replies on stdout
       kumite-board query DB    one question on stdin, a JSON object; the answer on stdout
";

/// The program.
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let texts: Vec<_> = words.iter().map(|word| word.to_str()).collect();
    match texts.as_slice() {
        [Some("serve"), _] => served(Path::new(&words[1])),
        [Some("query"), _] => queried(Path::new(&words[1])),
        [Some("-h" | "--help")] => say(HELP),
        [Some("-V" | "--version")] => {
            say(concat!("kumite-board ", env!("CARGO_PKG_VERSION"), "\n"))
        }
        _ => {
            eprint!("{HELP}");
            ExitCode::from(USAGE)
        }
    }
}

fn served(db: &Path) -> ExitCode {
    let ended = serve::outlive_signals()
        .and_then(|()| serve(db, BufReader::new(io::stdin()), io::stdout().lock()));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kumite-board: {error}");
            ExitCode::FAILURE
        }
    }
}

fn queried(db: &Path) -> ExitCode {
    let question = match io::read_to_string(io::stdin()) {
        Ok(question) => question,
        Err(error) => {
            eprintln!("cannot read the question: {error}");
            return ExitCode::from(USAGE);
        }
    };
    match answer(db, &question) {
        Ok(text) => say(&text),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(INVALID)
        }
    }
}

fn say(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
