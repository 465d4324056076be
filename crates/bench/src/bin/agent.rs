//! The smallest agent that gets a spec through its phases. It logs when it begins and ends: `bench`
//! measures the time from the end of one agent to the beginning of the next.

use std::collections::hash_map::DefaultHasher;
use std::env::var;
use std::fs::{self, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Makes documents a page or two long.
const PROSE: &str = "The system shall answer within a second, and where it cannot it shall say so at \
    once, in the words of the person who asked, so that nobody waits for an answer that never comes.\n\n";

fn main() -> io::Result<()> {
    let began = now_ns();
    let name = |name| var(name).unwrap_or_default();
    let (spec, step, round) = (
        name("KUMITE_SPEC"),
        name("KUMITE_STEP"),
        name("KUMITE_ROUND"),
    );
    if var("BENCH_TALK").is_ok() {
        return talk(&spec);
    }
    std::thread::sleep(working_time(&spec, &step, &round));
    let dir = Path::new(".kiro/specs").join(&spec);
    work(&dir, &step, &round)?;
    let mut log = OpenOptions::new()
        .append(true)
        .create(true)
        .open(name("BENCH_LOG"))?;
    let line = |ended| format!("{spec} {began} {ended}\n");
    log.write_all(line(now_ns()).as_bytes())
}

/// Prints until it is ended: ten lines per second, or as fast as they are read.
fn talk(spec: &str) -> io::Result<()> {
    let floods = var("BENCH_FLOOD").unwrap_or_default();
    let floods = floods.split(' ').any(|name| name == spec);
    let line = PROSE.trim().to_owned() + "\n";
    let mut stdout = io::stdout().lock();
    loop {
        stdout.write_all(line.as_bytes())?;
        stdout.flush()?;
        if !floods {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn now_ns() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}

/// From half to one and a half times the requested time, always the same for the same step.
fn working_time(spec: &str, step: &str, round: &str) -> Duration {
    let asked = var("BENCH_WORK_US").unwrap_or_default();
    let asked: u64 = asked.parse().unwrap_or(0);
    let mut hasher = DefaultHasher::new();
    (spec, step, round).hash(&mut hasher);
    Duration::from_micros(asked / 2 + asked * (hasher.finish() % 1000) / 1000)
}

/// Three boxes, three attempts to tick them, three review rounds.
fn work(dir: &Path, step: &str, round: &str) -> io::Result<()> {
    let write =
        |name: &str, text: &str| fs::write(dir.join(name), format!("{text}\n{}", PROSE.repeat(8)));
    match step {
        "requirements" => write(
            "requirements.md",
            "# Requirements\n\n1. It shall be fast.\n",
        ),
        "design" => write("design.md", "# Design\n\nOne module does it.\n"),
        "tasks" => write(
            "tasks.md",
            "# Tasks\n\n- [ ] 1. A\n- [ ] 2. B\n- [ ] 3. C\n",
        ),
        "review" => write(
            &format!("document-review-{round}.md"),
            "# Review\n\nS1: a thing.\n",
        ),
        "reply" => write(&format!("document-review-{round}-reply.md"), &reply(round)),
        "impl" => {
            let tasks = fs::read_to_string(dir.join("tasks.md"))?;
            fs::write(dir.join("tasks.md"), tasks.replacen("[ ]", "[x]", 1))
        }
        "inspect" => write(
            &format!("inspection-{round}.md"),
            "# Inspection Report\n\n## Summary\n\n- **Judgment**: GO\n",
        ),
        _ => Ok(()),
    }
}

fn reply(round: &str) -> String {
    let fix = u8::from(round != "3");
    format!(
        "# Response\n\n## Response Summary\n\n\
         | Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n\
         | --- | --- | --- | --- | --- |\n| Warning | {fix} | {fix} | 0 | 0 |\n"
    )
}
