//! Output for readers that may stop reading: `kumite log x | head` ends quietly.

use std::io::{self, Write};

use crate::exit;
use crate::render::in_locale;

/// Like `println!`, but if the reader went away the program ends without a panic.
macro_rules! out {
    ($($text:tt)*) => {
        $crate::out::print(format_args!("{}\n", format_args!($($text)*)))
    };
}

pub(crate) use out;

/// Prints, or ends the program: see [`ended_by`].
pub fn print(text: std::fmt::Arguments<'_>) {
    let text = text.to_string();
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(in_locale(&text).as_bytes());
    if let Err(error) = written.and_then(|()| stdout.flush()) {
        std::process::exit(i32::from(ended_by(&error)));
    }
}

/// The exit code when the output cannot be written. A reader that went away has read enough; a full
/// disk is a failure, and is reported.
pub fn ended_by(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::BrokenPipe => exit::DONE,
        _ => {
            eprintln!("kumite: cannot write the output: {error}");
            exit::FAILED
        }
    }
}
