//! What a supervisor costs. Run it with
//! `cargo test --release -p kumite-agents --test speed -- --ignored --nocapture --test-threads 1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{GOOD, world};
use kumite_agents::Protocol;
use kumite_core::outcome::Outcome;

#[test]
#[ignore = "measures"]
fn an_agent_starts_within_milliseconds() {
    let mut starts: Vec<Duration> = (0..200).map(|_| start_time()).collect();
    starts.sort_unstable();
    let mut direct: Vec<Duration> = (0..200).map(|_| direct_time()).collect();
    direct.sort_unstable();
    println!(
        "from launch to the agent's first write: median {:?}, 95% {:?}",
        starts[100], starts[190]
    );
    println!(
        "the same without a supervisor: median {:?}, 95% {:?}",
        direct[100], direct[190]
    );
}

/// A small program says when it runs: it writes into a pipe that we listen to.
fn start_time() -> Duration {
    let world = world("").with(|request| {
        request.protocol = Protocol::Plain;
        request.program = "/bin/dd".to_owned();
        request.args = ["if=/dev/null", "of=fifo", "status=none"]
            .map(str::to_owned)
            .to_vec();
    });
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("fifo"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let started = Instant::now();
    let handle = world.launch();
    // Opens when the other side does.
    fs::File::open(world.path("fifo")).unwrap();
    let elapsed = started.elapsed();
    assert_eq!(handle.wait().ended.outcome, Outcome::Finished);
    elapsed
}

fn direct_time() -> Duration {
    let world = world("");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.path("fifo"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let started = Instant::now();
    let mut child = Command::new("/bin/dd")
        .args(["if=/dev/null", "of=fifo", "status=none"])
        .current_dir(world.path(""))
        .spawn()
        .unwrap();
    fs::File::open(world.path("fifo")).unwrap();
    let elapsed = started.elapsed();
    child.wait().unwrap();
    elapsed
}

#[test]
#[ignore = "measures"]
fn an_end_is_known_within_milliseconds() {
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let world = world("").with(|request| {
                request.protocol = Protocol::Plain;
                request.program = "/bin/true".to_owned();
            });
            let started = Instant::now();
            assert_eq!(world.launch().wait().ended.outcome, Outcome::Finished);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "from launch to the durable end of `true`: median {:?}, 95% {:?}",
        times[100], times[190]
    );
}

#[test]
#[ignore = "measures"]
fn output_is_kept_about_as_fast_as_cat_keeps_it() {
    let line = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "word ".repeat(150)
    );
    for (name, line) in [
        ("events of 800 bytes", line.as_str()),
        ("lines of 2 bytes", "y\n"),
    ] {
        let world = world(&format!("cat input\n{GOOD}"));
        fs::write(world.path("input"), line.repeat(400_000_000 / line.len())).unwrap();
        let cat = (0..3).map(|_| cat_time(&world)).min().unwrap();
        let ours = (0..3).map(|_| our_time(&world)).min().unwrap();
        let rate = |time: Duration| 400.0 / time.as_secs_f64();
        println!("{name}: {:.0} MB/s, cat {:.0} MB/s", rate(ours), rate(cat));
    }
}

fn cat_time(world: &common::World) -> Duration {
    let output = fs::File::create(world.path("output")).unwrap();
    let started = Instant::now();
    let mut first = Command::new("cat")
        .arg(world.path("input"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let from = first.stdout.take().unwrap();
    assert!(
        Command::new("cat")
            .stdin(from)
            .stdout(output)
            .status()
            .unwrap()
            .success()
    );
    let elapsed = started.elapsed();
    first.wait().unwrap();
    fs::remove_file(world.path("output")).unwrap();
    elapsed
}

fn our_time(world: &common::World) -> Duration {
    let started = Instant::now();
    assert_eq!(world.outcome(), Outcome::Finished);
    let elapsed = started.elapsed();
    fs::remove_dir_all(world.dir()).unwrap();
    fs::create_dir(world.dir()).unwrap();
    fs::remove_file(world.path("logs/agent.log")).unwrap();
    elapsed
}
