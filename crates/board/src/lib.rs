//! The leader board: a DuckDB file that every reader of such files can open.
//!
//! `kumite` starts the program `kumite-board` and speaks JSON lines with it, so that nothing else is
//! linked with DuckDB. The file is open, and so locked for others, only while there is something to
//! do.

mod error;
mod open;
mod schema;
mod serve;
mod upsert;
mod wire;

use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

pub use error::{Error, Kind};
pub use serve::serve;
pub use open::{open as open_x, write as write_x};

const USAGE: u8 = 2;

const HELP: &str = "\
The leader board of kumite. `kumite` starts this program; nobody else needs to.

usage: kumite-board serve DB    requests on stdin, a JSON object a line; replies on stdout
";

/// The program.
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let texts: Vec<_> = words.iter().map(|word| word.to_str()).collect();
    match texts.as_slice() {
        [Some("serve"), _] => served(&PathBuf::from(&words[1])),
        [Some("-h" | "--help")] => say(HELP),
        [Some("-V" | "--version")] => say(concat!("kumite-board ", env!("CARGO_PKG_VERSION"), "\n")),
        _ => {
            eprint!("{HELP}");
            ExitCode::from(USAGE)
        }
    }
}

fn served(db: &PathBuf) -> ExitCode {
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

fn say(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
