//! The baseline: the project's own commands on the commit that the work begins with. It is measured
//! in a scratch worktree, once for each tree and set of commands.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use kumite_agents::{Program, Unfinished, run_to_end};
use kumite_core::place::{Check, CheckOutcome, Measured};
use kumite_files::{Access, Durable, make_private_dir, replace};
use kumite_formats::settings::{Settings, VerifyCommand};
use kumite_git::{Repository, Worktree};
use serde::{Deserialize, Serialize};

use crate::clock::now_ms;
use crate::fnv::fnv1a;
use crate::project::{Project, Spec};
use crate::spec_file::sentence;

/// How much of a command's stderr is shown in the log.
const OUTPUT_MAX: usize = 1 << 20;

/// The result of a step, for the engine.
#[derive(Serialize, Deserialize)]
struct Left {
    agent: String,
    measured: Measured,
}

/// A result that other runs may use.
#[derive(Serialize, Deserialize)]
struct Known {
    at_ms: u64,
    measured: Measured,
}

/// What the step of this agent has left.
pub fn measured(spec: &Spec, agent: &str) -> Option<Measured> {
    let bytes = fs::read(left_file(spec)).ok()?;
    let left: Left = serde_json::from_slice(&bytes).ok()?;
    (left.agent == agent).then_some(left.measured)
}

/// Measures it, unless that is known already, and leaves the result for the engine. What the
/// commands print becomes the log of the step.
pub fn measure_step(spec: &Spec, settings: &Settings, base: &str, agent: &str) -> io::Result<()> {
    let since_ms = now_ms();
    let measured = match Scratch::of(spec, base) {
        Ok(Some(scratch)) => known_or_new(spec, settings, &scratch, since_ms)?,
        // Without a commit there is no clean state: the checkout is what the work begins with.
        Ok(None) => Measured {
            tree: String::new(),
            checks: run_all(settings, spec.project_root(), &spec.name),
            trouble: String::new(),
        },
        Err(trouble) => Measured {
            tree: String::new(),
            checks: Vec::new(),
            trouble,
        },
    };
    make_private_dir(spec.run_dir())?;
    let left = Left {
        agent: agent.to_owned(),
        measured,
    };
    let bytes = serde_json::to_vec(&left)?;
    replace(&left_file(spec), &bytes, Durable::Machine, Access::Private)
}

fn left_file(spec: &Spec) -> PathBuf {
    spec.run_dir().join("baseline.json")
}

/// The clean commit, and where it is checked out.
struct Scratch {
    worktree: Worktree,
    commit: String,
    tree: String,
}

impl Scratch {
    /// `None`: there is no repository, or no commit that contains the project.
    fn of(spec: &Spec, base: &str) -> Result<Option<Scratch>, String> {
        let Ok(repository) = Repository::of(spec.project_root()) else {
            return Ok(None);
        };
        let head = match base {
            "" => repository.head().ok(),
            base => repository.commit_of(base).or(repository.head().ok()),
        };
        let Some(commit) = head else {
            return Ok(None);
        };
        let tree = repository.tree_of(&commit).map_err(|it| sentence(&it))?;
        let name: String = tree.chars().take(16).collect();
        let root = spec
            .project_root()
            .join(".kiro/worktrees/baseline")
            .join(name);
        Ok(Some(Scratch {
            worktree: Worktree::new(repository, root),
            commit,
            tree,
        }))
    }

    fn measure(&self, spec: &Spec, settings: &Settings) -> Result<Vec<Check>, String> {
        self.worktree
            .renew(&self.commit)
            .map_err(|it| sentence(&it))?;
        let place = self.worktree.place();
        let measured = match place.is_dir() {
            true => {
                set_up(settings, &place, &spec.name).map(|()| run_all(settings, &place, &spec.name))
            }
            false => Ok(run_all(settings, spec.project_root(), &spec.name)),
        };
        // The next measurement of this tree would remove it too.
        let _ = self.worktree.remove();
        let parent = self.worktree.root().parent();
        let _ = parent.map(fs::remove_dir);
        measured
    }
}

/// Runs that begin at the same time wait for one measurement. A good result holds for ever; a bad
/// one only for those that waited for it, because the reason may be gone when somebody tries again.
fn known_or_new(
    spec: &Spec,
    settings: &Settings,
    scratch: &Scratch,
    since_ms: u64,
) -> io::Result<Measured> {
    let dir = Project::at(spec.project_root()).runtime().join("baseline");
    make_private_dir(&dir)?;
    let name = format!("{}-{:016x}", scratch.tree, set_of(settings));
    let path = dir.join(format!("{name}.json"));
    let lock = File::create(dir.join(format!("{name}.lock")))?;
    lock.lock()?;
    let known = fs::read(&path).ok();
    let known: Option<Known> = known.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let is_good = |it: &Measured| {
        it.trouble.is_empty() && it.checks.iter().all(|check| check.outcome.is_good())
    };
    if let Some(known) = known
        && (is_good(&known.measured) || known.at_ms >= since_ms)
    {
        println!("the commands were run on this tree before: the result is known");
        return Ok(known.measured);
    }
    let (checks, trouble) = match scratch.measure(spec, settings) {
        Ok(checks) => (checks, String::new()),
        Err(trouble) => (Vec::new(), trouble),
    };
    let measured = Measured {
        tree: scratch.tree.clone(),
        checks,
        trouble,
    };
    let known = Known {
        at_ms: now_ms(),
        measured,
    };
    let bytes = serde_json::to_vec(&known)?;
    replace(&path, &bytes, Durable::Process, Access::Private)?;
    Ok(known.measured)
}

/// Another set of commands is another baseline.
fn set_of(settings: &Settings) -> u64 {
    let commands: Vec<&VerifyCommand> = wanted(settings).collect();
    let words = format!("{commands:?} {:?}", settings.worktree.setup);
    fnv1a(words.as_bytes())
}

fn wanted(settings: &Settings) -> impl Iterator<Item = &VerifyCommand> {
    settings.verify.commands.iter().filter(|it| it.at_impl)
}

fn set_up(settings: &Settings, place: &Path, owner: &str) -> Result<(), String> {
    for command in &settings.worktree.setup {
        let outcome = run(settings, command, place, owner);
        if outcome != CheckOutcome::Passed {
            return Err(format!(
                "[worktree] setup: `{}` {outcome}",
                command.join(" ")
            ));
        }
    }
    Ok(())
}

fn run_all(settings: &Settings, place: &Path, owner: &str) -> Vec<Check> {
    let checks = wanted(settings).map(|command| {
        let began = Instant::now();
        let dir = place.join(&command.dir);
        let mut outcome = run(settings, &command.run, &dir, owner);
        for _ in 0..settings.verify.flaky {
            if !outcome.is_good() && run(settings, &command.run, &dir, owner).is_good() {
                outcome = CheckOutcome::Flaky;
            }
        }
        Check {
            name: command.name.clone(),
            outcome,
            ms: began.elapsed().as_millis() as u64,
        }
    });
    checks.collect()
}

fn run(settings: &Settings, argv: &[String], dir: &Path, owner: &str) -> CheckOutcome {
    println!("$ {}", argv.join(" "));
    let words: Vec<&OsStr> = argv.iter().map(OsStr::new).collect();
    let ended = io::stdout().flush().and_then(|()| {
        let stdin = File::open("/dev/null")?;
        let stdout = File::options().append(true).open("/proc/self/fd/1")?;
        Ok(run_to_end(Program {
            argv: &words,
            dir,
            env: vec![("KUMITE_STEP", OsString::from("baseline"))],
            stdin,
            stdout: Some(stdout),
            output_max: OUTPUT_MAX,
            owner,
            timeout: settings.verify.timeout.duration(),
            is_cancelled: &|| false,
        }))
    });
    match ended {
        Ok(Ok(output)) => {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            match output.status.success() {
                true => CheckOutcome::Passed,
                false => {
                    println!("{}", output.status);
                    CheckOutcome::Failed
                }
            }
        }
        Ok(Err(Unfinished::TimedOut)) => {
            println!("it took longer than [verify] timeout");
            CheckOutcome::Timeout
        }
        Ok(Err(other)) => {
            println!("{other}");
            CheckOutcome::Failed
        }
        Err(error) => {
            println!("it cannot be run: {error}");
            CheckOutcome::Failed
        }
    }
}
