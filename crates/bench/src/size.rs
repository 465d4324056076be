//! The size of the binary, and how long a newcomer waits for it.

use std::fs;

use crate::scene::beside;
use crate::table::{Part, goal};
use crate::{Options, Result};

const SIZE_MAX: u64 = 15_000_000;
const COLD_MAX: f64 = 300.0;

const MEANING: &str = "\
The release binary (stripped, everything in it), and `cargo xtask demo` in a fresh clone on this machine: all dependencies and
kumite in the dev profile, without the download.";

pub fn measure(options: &Options) -> Result<Part> {
    let size = fs::metadata(beside("kumite")?)?.len();
    let cold = match options.cold_seconds {
        Some(seconds) => [
            format!("{seconds:.0} s"),
            goal("300 s", seconds <= COLD_MAX),
        ],
        None => [
            "not measured (`--cold` does it)".to_owned(),
            "300 s".to_owned(),
        ],
    };
    let [time, met] = cold;
    let megabytes = format!("{:.1} MB", size as f64 / 1e6);
    Ok(Part {
        title: "Size",
        meaning: MEANING.to_owned(),
        head: vec!["what", "figure", "goal"],
        rows: vec![
            vec![
                "release binary".to_owned(),
                megabytes,
                goal("15 MB", size < SIZE_MAX),
            ],
            vec!["cold build of the demo".to_owned(), time, met],
        ],
    })
}
