//! How long a person waits for common commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;
use crate::scene::{Scene, name};
use crate::stats::{Samples, ms, times};
use crate::table::{Part, goal};

const SPECS: usize = 1_000;

const MEANING: &str = "\
Wall time of a whole process, median of many, beside `/bin/true` in turns with it. The 1,000 specs have each
walked all phases: 9 documents, a journal, an event log.";

pub fn measure() -> Result<Part> {
    let scene = many_specs()?;
    let rows = [
        ("kumite --help", vec!["--help"], 200, 3),
        ("kumite status, 1,000 specs", vec!["status"], 40, 100),
        (
            "kumite status --json, 1,000 specs",
            vec!["status", "--json"],
            40,
            100,
        ),
        (
            "kumite status of one of them",
            vec!["status", "spec-500"],
            100,
            100,
        ),
    ];
    let rows = rows.into_iter().map(|(what, args, runs, goal_ms)| {
        let mut ours = scene.kumite(&args)?;
        let (ours, bare) = in_turns(&mut ours, runs)?;
        let limit = Duration::from_millis(goal_ms);
        Ok(vec![
            what.to_owned(),
            ms(ours.median()),
            ms(ours.percentile(99)),
            ms(bare.median()),
            format!("{:.1}", times(ours.median(), bare.median())),
            goal(&format!("{goal_ms} ms"), ours.median() <= limit),
        ])
    });
    Ok(Part {
        title: "Starting",
        meaning: MEANING.to_owned(),
        head: vec!["command", "median", "p99", "/bin/true", "ratio", "goal"],
        rows: rows.collect::<Result<_>>()?,
    })
}

/// One spec runs, and the others are copies of it.
pub fn many_specs() -> Result<Scene> {
    let scene = Scene::new(1)?;
    let mut kumite = scene.kumite(&["run", "--all", "--quiet"])?;
    if !scene
        .at_work(&mut kumite, Duration::ZERO)
        .status()?
        .success()
    {
        return Err("the spec that is to be copied did not end well".into());
    }
    for number in 1..SPECS {
        copy(&scene.spec_dir(&name(0)), &scene.spec_dir(&name(number)))?;
        copy(&scene.run_dir(&name(0)), &scene.run_dir(&name(number)))?;
    }
    Ok(scene)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false => drop(fs::copy(entry.path(), to.join(entry.file_name()))?),
        }
    }
    Ok(())
}

fn in_turns(ours: &mut Command, runs: usize) -> Result<(Samples, Samples)> {
    let (mut mine, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        mine.push(time(ours)?);
        bare.push(time(&mut Command::new("/bin/true"))?);
    }
    Ok((mine.into_iter().collect(), bare.into_iter().collect()))
}

fn time(command: &mut Command) -> Result<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    let status = command.status()?;
    let time = began.elapsed();
    match status.success() {
        true => Ok(time),
        false => Err(format!("{:?} ended with {status}", command.get_program()).into()),
    }
}
