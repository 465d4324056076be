//! git as kumite runs it, and the only place that does. No hook runs, nothing stays in the
//! background, kumite's own environment does not lead it to another repository, and no answer
//! depends on the person's preferences. Their configuration about files still counts, as in their
//! own checkout: filters such as LFS, line ends, ignored files, and which directories are safe.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kumite_agents::{Output, Program, Unfinished, run_to_end};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot run git; worktrees need it, so install it")]
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
    config: Vec<OsString>,
}

const CONFIG: [&str; 13] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // References of kumite get no reflog; one that exists goes on.
    "core.logAllRefUpdates=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "apply.ignoreWhitespace=no",
    "diff.ignoreSubmodules=untracked",
    "i18n.commitEncoding=utf-8",
    // Line ends are converted as always; only the refusal to do so is off.
    "core.safecrlf=false",
    // Many specs at once: a lock of another git is waited for, in milliseconds.
    "core.filesRefLockTimeout=3000",
    "core.packedRefsTimeout=3000",
    "status.relativePaths=false",
];

/// A disk that does not answer must not block the others for ever.
const PATIENCE: Duration = Duration::from_secs(600);
/// More than the names of all files in a large repository. Diffs go to a file.
const OUTPUT_MAX: usize = 256 << 20;

impl Git {
    pub fn at(dir: &Path) -> Git {
        Git {
            dir: dir.to_owned(),
            env: Vec::new(),
            config: Vec::new(),
        }
    }

    pub fn with(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Git {
        self.env.push((name, value.as_ref().to_owned()));
        self
    }

    /// With a setting such as `core.fsync=all`.
    pub fn set(mut self, setting: impl AsRef<OsStr>) -> Git {
        self.config.push(setting.as_ref().to_owned());
        self
    }

    /// What it writes is on the disk when it ends. Something else is removed because of it.
    pub fn durable(self) -> Git {
        self.set("core.fsync=all")
    }

    /// Returns its output.
    pub fn run<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<u8>, Error> {
        self.checked(args, File::open("/dev/null"), None)
    }

    /// Returns its output, with `input` on its stdin.
    pub fn feed<A: AsRef<OsStr>>(&self, args: &[A], input: &[u8]) -> Result<Vec<u8>, Error> {
        self.checked(args, file_of(input), None)
    }

    /// Writes its output to a file.
    pub fn run_into<A: AsRef<OsStr>>(&self, args: &[A], file: File) -> Result<(), Error> {
        self.checked(args, File::open("/dev/null"), Some(file))
            .map(|_| ())
    }

    fn checked<A: AsRef<OsStr>>(
        &self,
        args: &[A],
        stdin: io::Result<File>,
        stdout: Option<File>,
    ) -> Result<Vec<u8>, Error> {
        let command = args.first().map(|it| it.as_ref().to_string_lossy());
        let command = command.unwrap_or_default().into_owned();
        let failed = |words| Error::Failed {
            command: command.clone(),
            dir: self.dir.clone(),
            words,
        };
        let talk = |source| Error::Talk {
            command: command.clone(),
            source,
        };
        let output = self.output(args, stdin.map_err(talk)?, stdout);
        let output = output.map_err(|why| match why {
            Unfinished::Start(error) => Error::Start(error),
            Unfinished::TimedOut | Unfinished::Cancelled => failed(why.to_string()),
        })?;
        if output.stdout.len() == OUTPUT_MAX {
            return Err(failed("it printed too much".to_owned()));
        }
        if output.status.success() {
            return Ok(output.stdout);
        }
        let words = String::from_utf8_lossy(&output.stderr);
        let words: Vec<&str> = words.lines().map(str::trim).collect();
        Err(failed(match words.join("; ") {
            words if words.is_empty() => output.status.to_string(),
            words => words,
        }))
    }

    fn output<A: AsRef<OsStr>>(
        &self,
        args: &[A],
        stdin: File,
        stdout: Option<File>,
    ) -> Result<Output, Unfinished> {
        let mut argv = vec![OsStr::new("git")];
        argv.extend(CONFIG.iter().flat_map(|it| ["-c", it]).map(OsStr::new));
        let more = self.config.iter().map(OsString::as_os_str);
        argv.extend(more.flat_map(|it| [OsStr::new("-c"), it]));
        argv.extend(args.iter().map(AsRef::as_ref));
        // Nobody is there to enter a password, and some of its words are understood.
        let mut env = vec![
            ("LANGUAGE", OsString::from("en")),
            ("GIT_TERMINAL_PROMPT", OsString::from("0")),
            ("GIT_OPTIONAL_LOCKS", OsString::from("0")),
        ];
        env.extend(self.env.iter().cloned());
        run_to_end(Program {
            argv: &argv,
            dir: &self.dir,
            env,
            stdin,
            stdout,
            output_max: OUTPUT_MAX,
            owner: "git",
            timeout: PATIENCE,
            is_cancelled: &|| false,
        })
    }
}

/// An answer of one word, without its line end.
pub(crate) fn word(output: &[u8]) -> String {
    String::from_utf8_lossy(output.trim_ascii()).into_owned()
}

/// A file without a name, for the stdin of a program.
pub fn file_of(text: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}
