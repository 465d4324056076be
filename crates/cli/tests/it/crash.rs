//! kumite is killed everywhere and started again. It must end as if nothing had happened.
//!
//! The points are those of `crates/files/src/crash.rs`: after every journal entry (before and after
//! its sync), between every record and act and between the acts, before a written file gets its
//! name, before an agent is started, and around the end of every agent.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::{Out, World, lines, text, until};

const SPECS: [&str; 2] = ["first", "second"];
const RUN: [&str; 4] = ["run", "first", "second", "--json"];
const KILLED: i32 = 137;
/// How many run at the same time: their processes wait more than they work.
const THREADS: usize = 6;

/// `first` runs from the beginning through two review rounds; `second` is implemented in two
/// attempts, fails its inspection, is fixed and passes.
fn project() -> World {
    let world = World::new();
    // Otherwise they would take turns in the checkout, in an order that a kill may change.
    world.settings("[worktree]\nmode = \"off\"\n");
    world.spec("first");
    world.spec_ready_for_impl("second");
    world.play(json!({"steps": {
        "first/reply/1": {"fix": 2},
        "second/impl": [{"tick": 1}, {}],
        "second/inspect/1": {"verdict": "nogo"}
    }}));
    world
}

#[test]
fn kumite_killed_at_every_point_ends_like_the_undisturbed_run() {
    let begun = Instant::now();
    let (points, undisturbed) = undisturbed(&[]);
    let next = AtomicUsize::new(0);
    let troubles = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = std::panic::catch_unwind(|| {
                        let mut world = project();
                        die_at(&mut world, point, &[]);
                        go_on(&world, &[], &undisturbed);
                    });
                    if let Err(panic) = tried {
                        troubles.lock().unwrap().push((point, words(&*panic)));
                    }
                }
            });
        }
    });
    let troubles = troubles.into_inner().unwrap();
    println!("{} points, {:?}", points.len(), begun.elapsed());
    assert!(points.len() > 150, "only {} points", points.len());
    for kind in [
        "not synced",
        "recorded",
        "acted",
        "not renamed",
        "prepared",
        "ended",
        "known",
    ] {
        let passed = |point: &Point| point.name.starts_with(kind);
        assert!(points.iter().any(passed), "no point {kind:?}");
    }
    assert!(
        troubles.is_empty(),
        "{} of {} points: {troubles:#?}",
        troubles.len(),
        points.len()
    );
}

#[test]
fn kumite_killed_again_while_it_recovers_ends_like_the_undisturbed_run() {
    let (points, undisturbed) = undisturbed(&[]);
    for (index, point) in points.iter().step_by(8).enumerate() {
        let mut world = project();
        die_at(&mut world, point, &[]);
        let spec = SPECS[index % 2];
        for name in [
            format!("not synced ROOT/.kiro/runtime/kumite/runs/{spec}/journal.jsonl"),
            format!("recorded {spec}"),
            format!("not renamed ROOT/.kiro/runtime/kumite/runs/{spec}/snapshot.json"),
        ] {
            die_at(&mut world, &Point { times: 1, name }, &[]);
        }
        go_on(&world, &[], &undisturbed);
    }
}

/// Without the note that they were carried out, the effects of the last entry are carried out
/// again. Nobody sees a difference.
#[test]
fn house_7_15_a_lost_note_repeats_nothing_that_anybody_sees() {
    let world = project();
    run(&world, &[]).assert_code(0);
    let seen = || {
        let files = [
            ".kiro/runtime/kumite/news.jsonl",
            ".kiro/runtime/kumite/usage.jsonl",
        ];
        let events = SPECS.map(|spec| world.events(spec));
        (result(&world), events, files.map(|file| world.read(file)))
    };
    let before = seen();
    for spec in SPECS {
        let note = world.path(&format!(".kiro/runtime/kumite/runs/{spec}/acted"));
        fs::remove_file(&note).unwrap();
        // A request that changes nothing: the journal is opened, and the effects are repeated.
        world.kumite(&["pause", spec]).assert_code(0);
        assert!(note.exists(), "{spec} was not opened");
    }
    assert_eq!(seen(), before);
}

#[test]
fn a_run_that_waits_for_a_slot_gets_it_after_a_crash() {
    let one_at_a_time = ["--jobs", "1"];
    let (points, undisturbed) = undisturbed(&one_at_a_time);
    let of_second = |point: &&Point| point.name.ends_with(" second");
    for point in points.iter().filter(of_second).take(4) {
        let mut world = project();
        die_at(&mut world, point, &one_at_a_time);
        go_on(&world, &one_at_a_time, &undisturbed);
    }
}

#[test]
fn kumite_killed_at_any_moment_and_again_while_it_recovers_ends_like_the_undisturbed_run() {
    let (_, undisturbed) = undisturbed(&[]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if seed >= 40 {
                        return;
                    }
                    println!("seed {seed}");
                    let mut random = Random(seed);
                    let world = project();
                    for _ in 0..=random.below(3) {
                        let run = world.start(&RUN);
                        // No test waits for a fixed time; this one draws the time of a kill.
                        std::thread::park_timeout(Duration::from_millis(random.below(400)));
                        run.signal("KILL");
                        run.wait();
                        check_specs_are_whole(&world);
                        check_nobody_claims_to_work(&world);
                    }
                    go_on(&world, &[], &undisturbed);
                }
            });
        }
    });
}

/// The n-th time that kumite passes the point of this name.
#[derive(Debug)]
struct Point {
    times: usize,
    name: String,
}

/// The final result of a project, as far as it counts.
#[derive(Debug, PartialEq)]
struct Result {
    specs: BTreeMap<&'static str, Spec>,
}

#[derive(Debug, PartialEq)]
struct Spec {
    steps: Vec<String>,
    json: Value,
    status: Value,
    events: Vec<Value>,
    agents_ended: usize,
    used: Vec<String>,
}

/// All points of a whole run, and its result.
fn undisturbed(more: &[&str]) -> (Vec<Point>, Result) {
    let mut world = project();
    let report = world.path("points").display().to_string();
    world.env = vec![("KUMITE_CRASH_REPORT".to_owned(), report)];
    run(&world, more).assert_code(0);
    world.env.clear();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let names = world.read("points");
    // A directory is named after its agent, so its name differs in each run.
    let repeatable = names
        .lines()
        .filter(|name| !name.contains("/agents/agent-"));
    let points = repeatable.map(|name| {
        let name = name.replace(&world.root().display().to_string(), "ROOT");
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        Point {
            times: *times,
            name,
        }
    });
    (points.collect(), result(&world))
}

fn run(world: &World, more: &[&str]) -> Out {
    world.kumite(&[&RUN[..], more].concat())
}

fn die_at(world: &mut World, point: &Point, more: &[&str]) {
    let root = world.root().display().to_string();
    let at = format!("{} {}", point.times, point.name.replace("ROOT", &root));
    world.env = vec![("KUMITE_CRASH_AT".to_owned(), at.clone())];
    let out = run(world, more);
    assert_eq!(out.code, KILLED, "it did not pass {at}: {out:#?}");
    world.env.clear();
    check_specs_are_whole(world);
}

#[track_caller]
fn go_on(world: &World, more: &[&str], undisturbed: &Result) {
    run(world, more).assert_code(0);
    assert_eq!(result(world), *undisturbed);
    check_nothing_is_left(world);
}

fn check_specs_are_whole(world: &World) {
    for spec in SPECS {
        assert_eq!(world.spec_json(spec)["feature_name"], spec);
    }
}

/// A child that was just being started has the dead process's lock for a moment.
fn check_nobody_claims_to_work(world: &World) {
    for spec in SPECS {
        until("nobody to claim to work", || {
            world.status(spec)["state"] != "working"
        });
    }
}

fn result(world: &World) -> Result {
    let of = |spec: &'static str| {
        let mut json = world.spec_json(spec);
        without_times(&mut json);
        // With its cost: a finished spec that is started again keeps its cost.
        let status = world.status(spec);
        let journal = world.read(&format!(".kiro/runtime/kumite/runs/{spec}/journal.jsonl"));
        let ended = |entry: &&Value| entry["event"] == "agent_ended";
        let result = Spec {
            steps: world.steps(spec),
            json,
            status,
            events: events(world, spec),
            agents_ended: lines(&journal).iter().filter(ended).count(),
            used: used(world, spec),
        };
        (spec, result)
    };
    Result {
        specs: SPECS.into_iter().map(of).collect(),
    }
}

/// What events.jsonl tells about the run. No line is there twice.
fn events(world: &World, spec: &str) -> Vec<Value> {
    let mut all = world.events(spec);
    for (index, event) in all.iter().enumerate() {
        assert!(!all[..index].contains(event), "twice: {event}");
    }
    // Starting a finished spec again adds a start and an end.
    all.retain(|event| !text(&event["type"]).starts_with("auto-execution:"));
    for event in &mut all {
        for key in ["timestamp", "key", "agentId"] {
            event.as_object_mut().unwrap().remove(key);
        }
    }
    all
}

/// What usage.jsonl tells about a spec: every agent once, whatever happened.
fn used(world: &World, spec: &str) -> Vec<String> {
    let mut all = lines(&world.read(".kiro/runtime/kumite/usage.jsonl"));
    all.retain(|line| line["spec"] == spec);
    // Without the attempt: a new process counts from 0.
    let keys = ["step", "round", "outcome", "program", "usd"];
    let words = |line: &Value| keys.map(|key| text(&line[key])).join(" ");
    all.iter().map(words).collect()
}

fn without_times(value: &mut Value) {
    match value {
        Value::String(text) if text.ends_with('Z') && text.contains('T') => *text = "time".into(),
        Value::Array(values) => values.iter_mut().for_each(without_times),
        Value::Object(values) => values.values_mut().for_each(without_times),
        _ => {}
    }
}

fn check_nothing_is_left(world: &World) {
    world.assert_nothing_left();
    until("all supervisors to be gone", || {
        supervisors(world).is_empty()
    });
    let mut files = Vec::new();
    list(&world.path(".kiro"), &mut files);
    let root = format!("{}/", world.path(".kiro").display());
    let ours = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        let known = [
            "journal.jsonl",
            "snapshot.json",
            "acted",
            "lock",
            "news.jsonl",
            "usage.jsonl",
        ];
        let runtime = file.starts_with("runtime/") && !known.contains(&name);
        runtime || name.starts_with('.') || name.ends_with(".tmp")
    };
    let left = files.iter().map(|file| file.replace(&root, ""));
    assert_eq!(left.filter(ours).collect::<Vec<_>>(), [""; 0]);
}

/// All files, and empty directories.
fn list(dir: &std::path::Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => list(&entry.path(), files),
            false => files.push(entry.path().display().to_string()),
        }
    }
}

pub fn supervisors(world: &World) -> Vec<u32> {
    let root = world.root().display().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_one = |entry: &fs::DirEntry| {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        command.contains("__supervise") && command.contains(&root)
    };
    processes
        .filter(is_one)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

/// Pseudo-random numbers that are the same every time (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}
