//! The output of an agent, on its way to the disk.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kumite_agents::{Handle, Protocol, Request, launch};
use kumite_core::outcome::Outcome;
use kumite_core::program::ProgramKind;
use tempfile::TempDir;

use crate::Result;
use crate::scene::beside;
use crate::table::{Part, goal};

const MB: usize = 1_000_000;
const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"ok"}"#;

const MEANING: &str = "\
An agent prints a prepared file. Its supervisor looks for secrets in the output, writes it to the log, and reads
every line of it. *cat* is `cat file | cat > log`. Both are the best of three. *Peak* is VmHWM of the supervisor: it
must not grow with the output.";

pub fn measure() -> Result<Part> {
    let event = format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "word ".repeat(150)
    );
    let huge = format!(
        "{{\"type\":\"assistant\",\"x\":\"{}\"}}\n",
        "word ".repeat(20 * MB)
    );
    let rows = [
        ("events of 800 bytes, 40 MB", event.as_str(), 40),
        ("events of 800 bytes, 1 GB", &event, 1000),
        ("lines of 2 bytes, 400 MB", "y\n", 400),
        ("lines of 100 MB, 400 MB", &huge, 400),
    ];
    let rows = rows.into_iter().map(|(what, line, megabytes)| {
        let dir = TempDir::new()?;
        fs::write(
            dir.path().join("input"),
            line.repeat((megabytes * MB / line.len()).max(1)),
        )?;
        let mut cats = Vec::new();
        let mut mine = Vec::new();
        let mut peak = 0;
        for turn in 0..3 {
            cats.push(cat(dir.path())?);
            let (time, kilobytes) = ours(dir.path(), turn)?;
            mine.push(time);
            peak = peak.max(kilobytes);
        }
        let rate = |times: &[Duration]| {
            let best = times.iter().min().copied().unwrap_or_default();
            megabytes as f64 / best.as_secs_f64()
        };
        let (mine, cats) = (rate(&mine), rate(&cats));
        Ok(vec![
            what.to_owned(),
            format!("{mine:.0} MB/s"),
            format!("{cats:.0} MB/s"),
            format!("{:.0}%", mine / cats * 100.0),
            goal("50%", mine >= cats * 0.5),
            format!("{:.1} MB", f64::from(peak) / 1e3),
        ])
    });
    Ok(Part {
        title: "Agent output",
        meaning: MEANING.to_owned(),
        head: vec!["output", "kumite", "cat", "ratio", "goal", "peak"],
        rows: rows.collect::<Result<_>>()?,
    })
}

fn cat(dir: &Path) -> Result<Duration> {
    let path = dir.join("output");
    let output = File::create(&path)?;
    let began = Instant::now();
    let mut first = Command::new("cat")
        .arg(dir.join("input"))
        .stdout(Stdio::piped())
        .spawn()?;
    let from = first.stdout.take().ok_or("a pipe is missing")?;
    let status = Command::new("cat").stdin(from).stdout(output).status()?;
    let time = began.elapsed();
    first.wait()?;
    fs::remove_file(path)?;
    match status.success() {
        true => Ok(time),
        false => Err(format!("cat ended with {status}").into()),
    }
}

/// The time it took, and the peak memory of the supervisor, in kB.
fn ours(dir: &Path, turn: usize) -> Result<(Duration, u32)> {
    let agent_dir = dir.join(format!("agent-{turn}"));
    fs::create_dir(&agent_dir)?;
    let request = request(dir, turn);
    let began = Instant::now();
    let handle = launch(&beside("kumite")?, &agent_dir, &request)?;
    let ended = AtomicBool::new(false);
    let (time, end, peak) = thread::scope(|scope| {
        let watch = scope.spawn(|| peak(&handle, &ended));
        let end = handle.wait();
        let time = began.elapsed();
        ended.store(true, Ordering::Relaxed);
        (time, end, watch.join().unwrap_or(0))
    });
    fs::remove_file(&request.log)?;
    match end.ended.outcome {
        Outcome::Finished => Ok((time, peak)),
        other => Err(format!("the agent ended as {other:?}").into()),
    }
}

fn request(dir: &Path, turn: usize) -> Request {
    let script = format!("cat input; echo '{RESULT}'");
    Request {
        agent: format!("bench-{}-{turn}", std::process::id()),
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script],
        cwd: dir.to_owned(),
        env: [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("ANTHROPIC_API_KEY", "sk-ant-not-a-key-but-as-long-as-one"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        stdin: None,
        log: dir.join("agent.log"),
        protocol: Protocol::Program(ProgramKind::Claude),
        session: None,
        step_timeout_ms: 600_000,
        silence_timeout_ms: 0,
        exit_grace_ms: 5_000,
        term_grace_ms: 5_000,
        spawn_retries: 0,
        log_max_bytes: 0,
    }
}

/// VmHWM only grows, so the last value is (nearly) the peak.
fn peak(handle: &Handle, ended: &AtomicBool) -> u32 {
    let mut peak = 0;
    while !ended.load(Ordering::Relaxed) {
        peak = handle
            .supervisor()
            .and_then(|supervisor| memory(supervisor.pid))
            .map_or(peak, |now| now.max(peak));
        thread::park_timeout(Duration::from_millis(5));
    }
    peak
}

fn memory(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
