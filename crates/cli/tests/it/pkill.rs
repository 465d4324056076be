//! `pkill -9 kumite`: the engine and all supervisors die together, around the end of an agent.
//!
//! No process is left that saw this end. What is on disk decides: a review, a reply or an
//! inspection that was finished is not done again.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::crash::{Random, supervisors};
use crate::world::{World, text, until};

/// How many kills are drawn by their seed, beside those at the crash points.
const SEEDS: usize = 66;
/// How many agents a whole run has.
const AGENTS: usize = 11;
const THREADS: usize = 6;

/// From the beginning through two review rounds, and a failed inspection that is fixed.
fn project() -> World {
    let world = World::new();
    world.spec("login");
    world.play(json!({"steps": {
        "reply/1": {"fix": 1},
        "inspect/1": {"verdict": "nogo"}
    }}));
    world
}

#[derive(Clone, Debug)]
enum Kill {
    /// The engine dies at this crash point of `crates/project/src/crash.rs`, the supervisors at
    /// once after it.
    At(String),
    /// All die in a moment that is drawn, near the start or the end of an agent that is drawn.
    Drawn(u64),
}

#[test]
fn engine_and_supervisors_killed_around_the_end_of_every_agent_repeat_nothing_finished() {
    let begun = Instant::now();
    let points = points().into_iter().map(Kill::At);
    let kills: Vec<Kill> = points.chain((0..SEEDS as u64).map(Kill::Drawn)).collect();
    assert!(kills.len() >= 150, "only {} kills", kills.len());
    let next = AtomicUsize::new(0);
    let troubles = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(kill) = kills.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(trouble) = play(kill) {
                        troubles
                            .lock()
                            .unwrap()
                            .push(format!("{kill:?}: {trouble}"));
                    }
                }
            });
        }
    });
    println!("{} kills, {:?}", kills.len(), begun.elapsed());
    let troubles = troubles.into_inner().unwrap();
    assert!(troubles.is_empty(), "{troubles:#?}");
}

/// The crash points of a whole run: around the end of every agent (it has ended, its end is known
/// and recorded), and after each action that follows from it.
fn points() -> Vec<String> {
    let mut world = project();
    let report = world.path("points").display().to_string();
    world.env = vec![("KUMITE_CRASH_REPORT".to_owned(), report)];
    world.kumite(&["run", "login"]).assert_code(0);
    assert_eq!(world.launches().len(), AGENTS);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut points = Vec::new();
    for name in world.read("points").lines() {
        let times = seen.entry(name.to_owned()).or_default();
        *times += 1;
        // The directory of an agent has another name in each run.
        if !name.contains('/') {
            points.push(format!("{times} {name}"));
        }
    }
    points
}

/// A whole run with one kill. What is wrong with its result, if anything.
fn play(kill: &Kill) -> Result<(), String> {
    let mut world = project();
    match kill {
        Kill::At(point) => {
            world.env = vec![("KUMITE_CRASH_AT".to_owned(), point.clone())];
            let code = world.kumite(&["run", "login"]).code;
            pkill(&world, None);
            world.env.clear();
            expect(code == 137, || format!("it did not die: {code}"))?;
        }
        Kill::Drawn(seed) => drawn(&world, *seed),
    }
    let out = world.kumite(&["run", "login"]);
    expect(out.code == 0, || format!("{out:#?}"))?;
    let stands = world.stands("login");
    expect(stands == "done all_phases_done", || stands.clone())?;
    nothing_finished_is_repeated(&world)?;
    let spec = world.spec_json("login");
    once_each(&spec["documentReview"]["roundDetails"], "roundNumber", 2)?;
    once_each(&spec["inspection"]["rounds"], "number", 2)?;
    world.assert_nothing_left();
    Ok(())
}

/// Kills everything a moment after an agent has begun or ended.
fn drawn(world: &World, seed: u64) {
    let mut random = Random(seed);
    let (agent, at_end) = (
        1 + random.below(AGENTS as u64) as usize,
        random.below(4) > 0,
    );
    let wait = Duration::from_micros(random.below(12_000));
    let run = world.start(&["run", "login"]);
    until("that agent", || {
        let log = world.agent_log().into_iter();
        let is_end = |line: &Value| line.get("ended").is_some();
        log.filter(|line| is_end(line) == at_end).count() >= agent
    });
    // No test waits for a fixed time; this one draws the time of a kill.
    std::thread::park_timeout(wait);
    pkill(world, Some(run.pid()));
    run.wait();
}

/// All processes of kumite in this project die at once.
fn pkill(world: &World, engine: Option<u32>) {
    let mut pids: Vec<u32> = supervisors(world);
    pids.extend(engine);
    while !pids.is_empty() {
        let _ = Command::new("kill")
            .arg("-KILL")
            .args(pids.iter().map(u32::to_string))
            .stderr(Stdio::null())
            .status();
        // One may have been started meanwhile.
        pids = supervisors(world);
    }
}

/// In the order of the fake agent's log: nothing is started that had ended before.
fn nothing_finished_is_repeated(world: &World) -> Result<(), String> {
    let mut steps = BTreeMap::new();
    let mut finished = BTreeSet::new();
    for line in world.agent_log() {
        if let Some(agent) = line.get("ended") {
            finished.extend(steps.get(&text(agent)).cloned());
            continue;
        }
        let step = format!("{} {}", text(&line["step"]), text(&line["round"]));
        let once = ["review", "reply", "inspect"].contains(&text(&line["step"]).as_str());
        expect(!once || !finished.contains(&step), || {
            format!("{step} again: {:?}", world.steps("login"))
        })?;
        steps.insert(text(&line["agent"]), step);
    }
    Ok(())
}

fn once_each(rounds: &Value, key: &str, count: usize) -> Result<(), String> {
    let all = rounds.as_array().cloned().unwrap_or_default();
    let numbers: Vec<String> = all.iter().map(|round| text(&round[key])).collect();
    let expected: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
    expect(numbers == expected, || {
        format!("rounds of spec.json: {rounds}")
    })
}

fn expect(is_so: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    is_so.then_some(()).ok_or_else(otherwise)
}
