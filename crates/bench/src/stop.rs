//! How long a stop takes while all agents write.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;
use crate::scene::{Scene, beside, interrupt, name};
use crate::stats::{Samples, ms};
use crate::table::{Part, goal};

const RUNNING: usize = 200;
const STOPS: usize = 100;
/// How many of them write as fast as they are read.
const FLOODING: [usize; 2] = [0, 20];
const PATIENCE: Duration = Duration::from_secs(120);

const MEANING: &str = "\
200 agents work at once, each prints a line ten times a second, and some of them flood: they write as fast as
they are read. Then 100 others are stopped, one after the other. *kumite* is the whole
time of the command `kumite stop`: it starts and asks the engine; the engine records the request, ends the agent
and everything that the agent started, and answers when these processes are gone. *Bare* is the time, under the
same load, from a `kill` of one such agent without kumite until it is gone.";

pub fn measure() -> Result<Part> {
    let rows = FLOODING.map(row);
    Ok(Part {
        title: "Stop, with 200 agents at work",
        meaning: MEANING.to_owned(),
        head: vec![
            "flooding",
            "stops",
            "kumite p50",
            "kumite p99",
            "bare p50",
            "bare p99",
            "goal",
        ],
        rows: rows.into_iter().collect::<Result<_>>()?,
    })
}

fn row(flooding: usize) -> Result<Vec<String>> {
    let scene = Scene::new(RUNNING)?;
    let talking = Talking::start(&scene, flooding)?;
    let stops = flooding..flooding + STOPS;
    let ours: Result<Samples> = stops.map(|number| stop(&scene, &name(number))).collect();
    let bare: Result<Samples> = (0..STOPS).map(|_| bare()).collect();
    let (ours, bare) = (ours?, bare?);
    talking.end()?;
    let p99 = ours.percentile(99);
    Ok(vec![
        flooding.to_string(),
        ours.len().to_string(),
        ms(ours.median()),
        ms(p99),
        ms(bare.median()),
        ms(bare.percentile(99)),
        goal("p99 below 100 ms", p99 < Duration::from_millis(100)),
    ])
}

/// kumite with all its agents at work.
struct Talking {
    kumite: Child,
}

impl Talking {
    fn start(scene: &Scene, flooding: usize) -> Result<Talking> {
        let flooding: Vec<String> = (0..flooding).map(name).collect();
        let jobs = RUNNING.to_string();
        let kumite = scene
            .kumite(&["run", "--all", "--quiet", "--jobs", &jobs])?
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .env("BENCH_TALK", "1")
            .env("BENCH_FLOOD", flooding.join(" "))
            .env("BENCH_LOG", scene.root().join("times.txt"))
            // Keeps only a little of the flood on disk.
            .env("KUMITE_LOG__MAX_SIZE", "2MB")
            .spawn()?;
        let talking = Talking { kumite };
        let began = Instant::now();
        while logs(scene) < RUNNING {
            if began.elapsed() > PATIENCE {
                return Err("the agents did not start in time".into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(talking)
    }

    fn end(mut self) -> Result<()> {
        interrupt(&self.kumite)?;
        self.kumite.wait()?;
        Ok(())
    }
}

/// How many agents have written something.
fn logs(scene: &Scene) -> usize {
    let said = |number: &usize| {
        let dir = fs::read_dir(scene.spec_dir(&name(*number)).join("logs"));
        dir.into_iter().flatten().flatten().any(|entry| {
            let is_log = entry.path().extension().is_some_and(|end| end == "log");
            is_log && entry.metadata().is_ok_and(|file| file.len() > 0)
        })
    };
    (0..RUNNING).filter(said).count()
}

fn stop(scene: &Scene, spec: &str) -> Result<Duration> {
    let mut command = scene.kumite(&["stop", spec, "--quiet"])?;
    let began = Instant::now();
    let status = command.stdout(Stdio::null()).status()?;
    let took = began.elapsed();
    match status.success() {
        true => Ok(took),
        false => Err(format!("kumite stop {spec} ended with {status}").into()),
    }
}

fn bare() -> Result<Duration> {
    let mut agent = Command::new(beside("bench-agent")?)
        .env("BENCH_TALK", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    let pid = agent.id().to_string();
    let began = Instant::now();
    Command::new("kill").args(["-TERM", &pid]).status()?;
    agent.wait()?;
    Ok(began.elapsed())
}
