//! From the end of one agent to the beginning of the next.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::Result;
use crate::scene::{STEPS, Scene, beside, name};
use crate::stats::{Samples, ms, times};
use crate::table::{Part, goal};

const RUNNING: [usize; 4] = [1, 5, 50, 200];
/// Gives enough handovers for a 99th percentile.
const SPECS_MIN: usize = 40;
/// How many agents end per second in total, where they work for a while.
const ENDS_PER_SECOND: u32 = 60;
/// About the size of a line in the journal.
const ENTRY: [u8; 600] = [b'x'; 600];

const MEANING: &str = "\
From the last instruction of an agent to the first one of the next agent of the same spec, seen by the
agents themselves (a native program that writes one small document). *kumite* is the real binary: it
notices the end, waits until everything that the agent started is gone, reads the evidence, decides, appends
to the journal and syncs it, writes and syncs spec.json, writes events.jsonl, and starts the next agent under
its supervisor. *Bare* is a loop in the same run that does none of that: wait, append 600 bytes to a file and
sync them, fork and exec the same program. *Shell* is what a script would do: a loop of `sh` that starts the
same program under `setsid`, with its output in a file, and syncs nothing. The agents work for a while, so that
about 60 of them end in a second whatever their number.";

/// A loop over steps like `review-2`.
const SHELL: &str = r#"
for step in "$@"; do
    export KUMITE_STEP="${step%-*}" KUMITE_ROUND="${step#*-}"
    setsid --wait "$AGENT" > "$KUMITE_SPEC.log" 2>&1 || exit 1
done"#;

const RUSH: &str = "\
The same with agents that do not work at all: as many as there are want to be started at the same moment, on
these few cores. No real agents do that; it shows what a handover costs altogether, also beside the critical
path.";

pub fn measure() -> Result<Part> {
    let work = |running: usize| Duration::from_secs(running as u64) / ENDS_PER_SECOND;
    part("Agent end to next agent start", MEANING, work)
}

pub fn rush() -> Result<Part> {
    part("The same in a rush", RUSH, |_| Duration::ZERO)
}

fn part(title: &'static str, meaning: &str, work: fn(usize) -> Duration) -> Result<Part> {
    let rows = RUNNING.map(|running| row(running, work(running)));
    Ok(Part {
        title,
        meaning: meaning.to_owned(),
        head: vec![
            "running",
            "handovers",
            "kumite p50",
            "bare p50",
            "ratio",
            "shell p50",
            "kumite p99",
            "bare p99",
            "ratio",
            "shell p99",
            "goal",
        ],
        rows: rows.into_iter().collect::<Result<_>>()?,
    })
}

fn row(running: usize, work: Duration) -> Result<Vec<String>> {
    let specs = running.max(SPECS_MIN);
    let bare = walked(specs, running, work, bare)?;
    let shell = walked(specs, running, work, shell)?;
    let ours = ours(specs, running, work)?;
    let (p50, p99) = (ours.median(), ours.percentile(99));
    let ratios = [times(p50, bare.median()), times(p99, bare.percentile(99))];
    let is_slower = p50 > shell.median() || p99 > shell.percentile(99);
    let goals = [
        goal("p50 within 2x", ratios[0] <= 2.0),
        goal("p99 within 3x", ratios[1] <= 3.0),
        goal("not slower than shell", !is_slower),
    ];
    Ok(vec![
        running.to_string(),
        ours.len().to_string(),
        ms(p50),
        ms(bare.median()),
        format!("{:.2}", ratios[0]),
        ms(shell.median()),
        ms(p99),
        ms(bare.percentile(99)),
        format!("{:.2}", ratios[1]),
        ms(shell.percentile(99)),
        goals.join(", "),
    ])
}

fn ours(specs: usize, running: usize, work: Duration) -> Result<Samples> {
    let scene = Scene::new(specs)?;
    let mut kumite = scene.kumite(&["run", "--all", "--quiet", "--jobs", &running.to_string()])?;
    let status = scene.at_work(&mut kumite, work).status()?;
    match status.success() {
        true => scene.gaps(),
        false => Err(format!("kumite ended with {status}").into()),
    }
}

/// All specs walk their steps, as many at once as are `running`.
fn walked(
    specs: usize,
    running: usize,
    work: Duration,
    walk: fn(&Scene, &str, Duration) -> Result<()>,
) -> Result<Samples> {
    let scene = Scene::new(specs)?;
    let next = AtomicUsize::new(0);
    let walk_some = || -> std::result::Result<(), String> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= specs {
                return Ok(());
            }
            walk(&scene, &name(number), work).map_err(|error| error.to_string())?;
        }
    };
    let walked: std::result::Result<Vec<()>, String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..running).map(|_| scope.spawn(walk_some)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|end| end.unwrap_or_else(|_| Err("a thread broke down".to_owned())))
            .collect()
    });
    walked?;
    scene.gaps()
}

fn shell(scene: &Scene, spec: &str, work: Duration) -> Result<()> {
    let mut command = Command::new("sh");
    command
        .args(["-c", SHELL, "sh"])
        .args(STEPS.map(|(step, round)| format!("{step}-{round}")))
        .env("AGENT", beside("bench-agent")?)
        .env("KUMITE_SPEC", spec);
    let status = scene.at_work(&mut command, work).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("the shell ended with {status}").into()),
    }
}

fn bare(scene: &Scene, spec: &str, work: Duration) -> Result<()> {
    let agent = beside("bench-agent")?;
    let path = scene.root().join(format!("{spec}.journal"));
    let mut journal = OpenOptions::new().create(true).append(true).open(path)?;
    for (step, round) in STEPS {
        let mut command = Command::new(&agent);
        command
            .env("KUMITE_SPEC", spec)
            .env("KUMITE_STEP", step)
            .env("KUMITE_ROUND", round.to_string());
        let status = scene.at_work(&mut command, work).status()?;
        if !status.success() {
            return Err(format!("the agent ended with {status}").into());
        }
        journal.write_all(&ENTRY)?;
        journal.sync_data()?;
    }
    Ok(())
}
