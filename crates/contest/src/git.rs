//! git as kumite runs it: the person's configuration counts, but no hook runs, nothing stays in the
//! background, and what surrounds kumite's own process does not lead it to another repository.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot run git; agent teams need it, so install it")]
    Start(#[source] io::Error),
    #[error("cannot talk to git {command}")]
    Talk { command: String, source: io::Error },
    #[error("git {command} failed in {dir}: {words}", dir = .dir.display())]
    Failed {
        command: String,
        dir: PathBuf,
        words: String,
    },
}

/// Where git works, and with which variables.
#[derive(Clone, Debug)]
pub struct Git {
    dir: PathBuf,
    env: Vec<(&'static str, OsString)>,
}

const CONFIG: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
];

impl Git {
    pub fn at(dir: &Path) -> Git {
        Git {
            dir: dir.to_owned(),
            env: Vec::new(),
        }
    }

    pub fn with(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Git {
        self.env.push((name, value.as_ref().to_owned()));
        self
    }

    /// What it printed.
    pub fn run<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<u8>, Error> {
        self.checked(args, Stdio::piped(), b"")
    }

    /// What it printed, with `input` on its stdin.
    pub fn feed<A: AsRef<OsStr>>(&self, args: &[A], input: &[u8]) -> Result<Vec<u8>, Error> {
        self.checked(args, Stdio::piped(), input)
    }

    /// What it prints goes to a file.
    pub fn run_into<A: AsRef<OsStr>>(&self, args: &[A], file: std::fs::File) -> Result<(), Error> {
        self.checked(args, file.into(), b"").map(|_| ())
    }

    fn checked<A: AsRef<OsStr>>(
        &self,
        args: &[A],
        stdout: Stdio,
        input: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let command = || {
            args.first()
                .map_or_else(String::new, |it| lossy(it.as_ref()))
        };
        let output = self.output(args, stdout, input, &command)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let words = String::from_utf8_lossy(&output.stderr);
        let words: Vec<&str> = words.lines().map(str::trim).collect();
        Err(Error::Failed {
            command: command(),
            dir: self.dir.clone(),
            words: match words.join("; ") {
                words if words.is_empty() => output.status.to_string(),
                words => words,
            },
        })
    }

    fn output<A: AsRef<OsStr>>(
        &self,
        args: &[A],
        stdout: Stdio,
        input: &[u8],
        command: &dyn Fn() -> String,
    ) -> Result<Output, Error> {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                git.env_remove(name);
            }
        }
        // Nobody is there to be asked for a password.
        git.env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .args(CONFIG)
            .args(args)
            .current_dir(&self.dir)
            .stdin(Stdio::piped())
            .stdout(stdout)
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(Error::Start)?;
        let talk = |source| Error::Talk {
            command: command(),
            source,
        };
        if let Some(mut stdin) = child.stdin.take() {
            // What is fed to it is read before anything is printed. Who does not want to read all
            // of it has failed, and says why.
            match stdin.write_all(input) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(talk(error)),
                _ => {}
            }
        }
        child.wait_with_output().map_err(talk)
    }
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}
