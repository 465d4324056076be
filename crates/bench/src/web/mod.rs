//! The page: how soon it shows, how soon it shows news, and what it costs.

mod long_spec;
mod paint;
mod stream;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::Result;
use crate::scene::Scene;
use crate::stats::ms;
use crate::table::{Part, goal};

const PAINT_GOAL: Duration = Duration::from_millis(150);
const PAINT_BYTES_GOAL: u64 = 100_000;
const STREAM_GOAL: Duration = Duration::from_millis(50);
const LOG_GOAL: Duration = Duration::from_secs(1);
const MEMORY_GOAL_MB: f64 = 40.0;
/// The memory of mixseek's idle page (reference, measured on a similar machine).
const MIXSEEK_MB: f64 = 335.0;

const MEANING: &str = "\
`kumite serve` and a real Chromium on the same two cores. *First paint* is what the browser reports for a visit
with an empty cache; beside it that of a page with one word from a bare socket. *News*: 200 clients listen to
`/api/events` while 100 lines a second are appended to the news of the project; the time runs from just before
the append until a client has the line. Beside it the same lines written to 200 bare sockets by one thread. *A
log*: from asking for the page of an agent that has said 1,000,000 things until its last line is on the screen,
the first time after the server has started; beside it `wc -l` of the same file. *Memory* is what the idle server
holds (RSS, shared pages included) when it starts, and after the visits above;
beside it what the idle page of mixseek takes.";

pub fn measure() -> Result<Part> {
    let mut rows = Vec::new();
    let scene = crate::start::many_specs()?;
    let served = Served::start(&scene)?;
    let at_start = served.memory_mb()?;
    let visitor = paint::Visitor::of(&served)?;
    let painted = paint::now(&visitor)?;
    let bytes = painted.bytes;
    rows.push(row(
        "first paint of Now, 1,000 specs",
        ms(painted.ours.median()),
        ms(painted.ours.percentile(99)),
        ms(painted.bare.median()),
        goal("150 ms", painted.ours.median() < PAINT_GOAL),
    ));
    rows.push(row(
        "its bytes on the wire, all in all",
        format!("{:.1} kB", bytes as f64 / 1e3),
        "-".to_owned(),
        "-".to_owned(),
        goal("100 kB", bytes < PAINT_BYTES_GOAL),
    ));
    long_spec::write(&scene)?;
    let painted = paint::long_spec(&visitor)?;
    drop(visitor);
    rows.push(row(
        "first paint of a spec, 200 rounds, 10,000 events",
        ms(painted.ours.median()),
        ms(painted.ours.percentile(99)),
        ms(painted.bare.median()),
        goal("150 ms", painted.ours.median() < PAINT_GOAL),
    ));
    let heard = stream::news(&scene, &served)?;
    rows.push(row(
        "news, 200 clients, 100 a second",
        ms(heard.ours.median()),
        ms(heard.ours.percentile(99)),
        format!("{} (p99)", ms(heard.bare.percentile(99))),
        goal("p99 below 50 ms", heard.ours.percentile(99) < STREAM_GOAL),
    ));
    let opened = paint::log(&scene, &served)?;
    rows.push(row(
        "a log of 1,000,000 events opens",
        ms(opened.ours.median()),
        "-".to_owned(),
        ms(opened.bare.median()),
        goal("1 s", opened.ours.median() < LOG_GOAL),
    ));
    for (what, mb) in [
        ("memory of the server at its start", at_start),
        ("memory of the server after all this", served.memory_mb()?),
    ] {
        rows.push(row(
            what,
            format!("{mb:.1} MB"),
            "-".to_owned(),
            format!("{MIXSEEK_MB:.0} MB"),
            goal("40 MB", mb < MEMORY_GOAL_MB),
        ));
    }
    Ok(Part {
        title: "The page",
        meaning: MEANING.to_owned(),
        head: vec!["what", "median", "p99", "beside it", "goal"],
        rows,
    })
}

fn row(what: &str, median: String, p99: String, beside: String, goal: String) -> Vec<String> {
    vec![what.to_owned(), median, p99, beside, goal]
}

/// A server of a project.
pub struct Served {
    child: Child,
    pub url: String,
    pub login_url: String,
    pub token: String,
}

impl Served {
    fn start(scene: &Scene) -> Result<Served> {
        let mut child = scene
            .kumite(&["serve", "--json"])?
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("no output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line)?;
        let text = |key: &str| said[key].as_str().map(str::to_owned).ok_or("no url");
        let token = fs::read_to_string(scene.root().join(".kiro/runtime/kumite/token"))?;
        Ok(Served {
            url: text("url")?,
            login_url: text("login_url")?,
            token: token.trim().to_owned(),
            child,
        })
    }

    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    fn memory_mb(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1));
        Ok(kib.ok_or("no memory figure")?.parse::<f64>()? * 1.024 / 1e3)
    }
}

impl Drop for Served {
    /// The server ends also when a measurement has failed.
    fn drop(&mut self) {
        let _ = crate::scene::interrupt(&self.child);
        let _ = self.child.wait();
    }
}
