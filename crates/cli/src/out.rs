//! Printing for people and programs who may stop reading: `kumite log x | head` ends quietly.

/// Like `println!`, but a reader that went away ends the program instead of breaking it.
macro_rules! out {
    ($($text:tt)*) => {
        if std::io::Write::write_fmt(
            &mut std::io::stdout().lock(),
            format_args!("{}\n", format_args!($($text)*)),
        )
        .is_err()
        {
            std::process::exit(0);
        }
    };
}

pub(crate) use out;
