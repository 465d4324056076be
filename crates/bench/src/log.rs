//! What the log of developers costs, off and on.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tracing::level_filters::LevelFilter;
use tracing::{debug, info, info_span};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::Result;
use crate::table::{Part, goal};

const MEANING: &str = "\
The span and the three lines that the engine writes for an entry of a run: recorded, acts, one notice. *Off* is how
kumite runs unless `KUMITE_LOG` says otherwise: only warnings are shown. *On* is `KUMITE_LOG=debug` into nowhere.";

/// Entries per row.
const ENTRIES: u32 = 100_000;

pub fn measure() -> Result<Part> {
    let off = with(LevelFilter::WARN);
    let on = with(LevelFilter::DEBUG);
    Ok(Part {
        title: "The log of developers",
        meaning: MEANING.to_owned(),
        head: vec!["log", "per entry", "goal"],
        rows: vec![
            vec![
                "off".to_owned(),
                nanoseconds(off),
                goal("100 ns", off <= Duration::from_nanos(100)),
            ],
            vec!["on".to_owned(), nanoseconds(on), "-".to_owned()],
        ],
    })
}

fn nanoseconds(time: Duration) -> String {
    format!("{:.1} ns", time.as_secs_f64() * 1e9)
}

fn with(level: LevelFilter) -> Duration {
    let layer = fmt::layer().with_ansi(false).with_writer(std::io::sink);
    let subscriber = Registry::default().with(layer.with_filter(level));
    let began = Instant::now();
    tracing::subscriber::with_default(subscriber, || {
        for seq in 0..ENTRIES {
            let seq = black_box(seq);
            let _span = info_span!("run", spec = "login", run = 1).entered();
            debug!(seq, event = "AgentEnded", "recorded");
            debug!(seq, index = 0, effect = "Announce", "acts");
            info!(seq, "review starts");
        }
    });
    began.elapsed() / ENTRIES
}
