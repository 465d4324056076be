//! Chromium's processes: found, started, and ended without leaving anything.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use crate::Error;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

const SWITCHES: [&str; 16] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    // Tests run as root in containers, where the sandbox does not work.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-smooth-scrolling",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--password-store=basic",
    "--force-color-profile=srgb",
];

/// Chromium expects its pipes as descriptors 3 and 4. It ends when our end of the pipe is closed,
/// even if we die; the shell waits for that and then removes the directory.
const SCRIPT: &str =
    r#""$@" 3<&0 4>&1 </dev/null >/dev/null; rm -rf "$0" || { sleep 1; rm -rf "$0"; }"#;

/// How long Chromium may take to end by itself. Usually it takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// A shell, Chromium as its child, and the directory with all their files.
pub struct Process {
    shell: Child,
    dir: TempDir,
    /// Chromium's stderr; it can be read even after the directory is gone.
    said: File,
}

impl Process {
    pub fn start(more: &[&str]) -> Result<(Process, ChildStdin, ChildStdout), Error> {
        let program = find()?;
        let dir = directory()?;
        let failed = |source| Error::Start {
            program: program.clone(),
            source,
        };
        let (said, stderr) = log(dir.path()).map_err(failed)?;
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(dir.path().join("profile"));
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(SCRIPT).arg(dir.path()).arg(&program);
        shell.args(SWITCHES).arg(profile).args(more);
        // Crash reports, fonts and sockets go here too.
        for name in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
            shell.env(name, dir.path());
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        shell.stderr(stderr).process_group(0);
        let mut shell = shell.spawn().map_err(failed)?;
        let (Some(to), Some(from)) = (shell.stdin.take(), shell.stdout.take()) else {
            unreachable!("both were asked for as pipes")
        };
        Ok((Process { shell, dir, said }, to, from))
    }

    /// The end of what Chromium wrote to stderr.
    pub fn said(&self) -> String {
        let length = self.said.metadata().map_or(0, |found| found.len());
        let from = length.saturating_sub(2_000);
        let mut text = vec![0; (length - from) as usize];
        let read = self.said.read_at(&mut text, from).unwrap_or(0);
        String::from_utf8_lossy(&text[..read]).trim().to_owned()
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Waits until nothing is left, and kills what does not end. Our end of the pipe is closed.
    pub fn end(&mut self) {
        if !self.all_gone() {
            // The shell is not reaped yet, so its group id cannot belong to anybody else.
            if let Some(group) = Pid::from_raw(self.shell.id().cast_signed()) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            // Crash handlers have their own process groups.
            for left in left_of(self.dir.path()) {
                let _ = kill_process(left, Signal::KILL);
            }
            self.all_gone();
        }
        let _ = self.shell.wait();
    }

    fn all_gone(&self) -> bool {
        let began = Instant::now();
        while !left_of(self.dir.path()).is_empty() {
            if began.elapsed() > PATIENCE {
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

/// All running processes whose command line names the directory, as all of Chromium's do.
fn left_of(dir: &Path) -> Vec<Pid> {
    let dir = dir.as_os_str().as_bytes();
    let mentions = |pid: &Pid| {
        // A zombie has no command line.
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.windows(dir.len()).any(|part| part == dir)
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Pid::from_raw).filter(mentions).collect()
}

fn log(dir: &Path) -> io::Result<(File, File)> {
    let path = dir.join("stderr");
    let written = File::options().append(true).create_new(true).open(&path)?;
    Ok((File::open(path)?, written))
}

fn directory() -> Result<TempDir, Error> {
    let named = tempfile::Builder::new().prefix("kumite-browser-").tempdir();
    named.map_err(|source| Error::Profile {
        dir: env::temp_dir(),
        source,
    })
}

fn find() -> Result<PathBuf, Error> {
    let named = env::var_os("KUMITE_CHROMIUM").filter(|name| !name.is_empty());
    let names = match named {
        Some(name) => vec![PathBuf::from(name)],
        None => NAMES.map(PathBuf::from).to_vec(),
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs: Vec<PathBuf> = env::split_paths(&path).collect();
    // A name with a slash is a path: joining keeps an absolute path unchanged.
    let mut places = names
        .iter()
        .flat_map(|name| dirs.iter().map(move |dir| dir.join(name)));
    places.find(|place| is_program(place)).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
        Error::Missing {
            looked_for: names.join(", "),
        }
    })
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
