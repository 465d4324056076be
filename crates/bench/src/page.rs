//! `docs/benchmarks.md`.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::table::Part;

/// What follows this line is written by hand, and stays.
const BY_HAND: &str = "<!-- by hand -->";

pub fn write(path: &Path, command: &str, parts: &[Part]) -> Result<()> {
    let mut text = format!(
        "# Benchmarks\n\n\
         Written by `{command}`; edit only what follows the tables. Every figure is beside what it is\n\
         measured against in the same run, because the ratio is what another machine can compare.\n\n\
         - Machine: {}\n- Date: {}\n- Scheduling: {}\n- Load (1, 5, 15 minutes) when it was written: {}\n",
        machine(),
        jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC"),
        scheduling(),
        load(),
    );
    for part in parts {
        text.push_str(&format!("\n{part}"));
    }
    let old = fs::read_to_string(path).unwrap_or_default();
    if let Some(at) = old.find(BY_HAND) {
        text.push_str(&format!("\n{}", &old[at..]));
    }
    fs::write(path, text)?;
    eprintln!("written: {}", path.display());
    Ok(())
}

fn machine() -> String {
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown CPU".to_owned());
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{cores} cores of {cpu}, {memory} of memory, Linux {}",
        kernel.trim()
    )
}

/// On a busy machine `chrt -r 1 cargo xtask bench` keeps other programs out of the figures.
fn scheduling() -> &'static str {
    let status = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = status.rsplit(") ").next().unwrap_or_default();
    // Field 41 of the line; the name is field 2.
    match after_name.split(' ').nth(38) {
        Some("1" | "2") => "real-time (`chrt`), because others were at work on the machine",
        _ => "ordinary",
    }
}

fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(", ")
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
