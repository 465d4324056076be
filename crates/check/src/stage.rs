//! The place of one scenario: its own project and home, a model, and a supervisor.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kumite_agents::{Assignment, Handle, Request, invocation, launch};
use kumite_fake_model::{Act, By, Options, Rule, Script, Server};
use kumite_formats::settings::Prompt;
use tempfile::TempDir;

use crate::agent::{Change, Kind};
use crate::living::living_in;
use crate::obedient;
use crate::offline::{self, Credentials};
use crate::ran::{Ran, Running};
use crate::run::Setup;
use crate::verdict::Result;

/// No scenario takes longer than this, whatever the program does.
const STEP: Duration = Duration::from_secs(240);
const TERM_GRACE: Duration = Duration::from_secs(5);
const EXIT_GRACE: Duration = Duration::from_secs(30);

pub(crate) struct Stage<'a> {
    pub kit: &'a Setup,
    root: TempDir,
    server: Option<Server>,
    launched: Cell<u32>,
}

/// A prompt for an agent, and how to run it.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub prompt: String,
    pub resume: Option<String>,
    pub change: Change,
    pub credentials: Credentials,
    pub cwd: Option<PathBuf>,
    pub silence: Duration,
    pub step: Duration,
    pub exit_grace: Duration,
}

impl Ask {
    pub fn new(prompt: &str) -> Ask {
        Ask {
            prompt: prompt.to_owned(),
            resume: None,
            change: Change::default(),
            credentials: Credentials::Key,
            cwd: None,
            silence: Duration::ZERO,
            step: STEP,
            exit_grace: EXIT_GRACE,
        }
    }

    /// The same in an existing session.
    pub fn resuming(prompt: &str, session: &str) -> Ask {
        Ask {
            resume: Some(session.to_owned()),
            ..Ask::new(prompt)
        }
    }

    pub fn silence(self, silence: Duration) -> Ask {
        Ask { silence, ..self }
    }

    /// The same with another program in place of the agent's.
    pub fn by(program: PathBuf) -> Ask {
        let change = Change {
            program: Some(program),
            ..Change::default()
        };
        Ask {
            change,
            ..Ask::new("go")
        }
    }
}

impl<'a> Stage<'a> {
    pub fn new(kit: &'a Setup) -> Result<Stage<'a>> {
        let root = tempfile::Builder::new().prefix("kumite-check-").tempdir()?;
        for dir in ["project", "home", "tmp", "logs", "agents"] {
            fs::create_dir(root.path().join(dir))?;
        }
        let server = match kit.offline && kit.agent.kind != Kind::Command {
            true => {
                let options = Options {
                    log: Some(root.path().join("requests.jsonl")),
                    ..Options::default()
                };
                let server = Server::start_with(Script::default(), &options)?;
                offline::prepare(kit.agent.host(), &root.path().join("home"), &server.url())?;
                Some(server)
            }
            false => None,
        };
        Ok(Stage {
            kit,
            root,
            server,
            launched: Cell::new(0),
        })
    }

    pub fn kind(&self) -> Kind {
        self.kit.agent.kind
    }

    pub fn is_command(&self) -> bool {
        self.kind() == Kind::Command
    }

    /// How long an agent may be silent on this machine before it counts as hung.
    pub fn silence(&self) -> Duration {
        self.kit.silence
    }

    /// The model answers every prompt with these acts.
    pub fn obey(&self, acts: Vec<Act>) -> Result {
        self.obey_rules(vec![Rule {
            acts,
            ..Rule::default()
        }])
    }

    pub fn obey_rules(&self, rules: Vec<Rule>) -> Result {
        if !self.kit.offline {
            return Ok(());
        }
        if let Some(server) = &self.server {
            server.set(Script {
                rules,
                ..Script::default()
            });
            return Ok(());
        }
        self.program("obedient", &obedient::script(self.root.path(), &rules))?;
        Ok(())
    }

    /// Makes a program from a shell script.
    pub fn program(&self, name: &str, script: &str) -> Result<PathBuf> {
        let path = self.path(name);
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }

    /// A path in the directory of the stage.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// A file of the project; empty if it does not exist.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    /// From start to end.
    pub fn run(&self, ask: &Ask) -> Result<Ran> {
        self.start(ask)?.wait()
    }

    pub fn start(&self, ask: &Ask) -> Result<Running> {
        let number = self.launched.get() + 1;
        self.launched.set(number);
        let dir = self.path(&format!("agents/{number}"));
        fs::create_dir(&dir)?;
        let request = self.request(ask, number, &dir)?;
        let running = Running {
            log: request.log.clone(),
            marker: request.marker(),
            since: Instant::now(),
            handle: launch(&self.kit.binary, &dir, &request)?,
        };
        self.kit.halt.note(dir);
        // The halt came during the start, and could not know this agent.
        if self.kit.halt.is_told() {
            running.handle.kill();
        }
        Ok(running)
    }

    fn request(&self, ask: &Ask, number: u32, dir: &Path) -> Result<Request> {
        let mut change = ask.change.clone();
        if self.is_command() && self.kit.offline && change.program.is_none() {
            change.program = Some(self.path("obedient"));
        }
        let prompt_file = (change.prompt == Prompt::File).then(|| dir.join("prompt.md"));
        if let Some(path) = &prompt_file {
            fs::write(path, &ask.prompt)?;
        }
        let assignment = Assignment {
            prompt: ask.prompt.clone(),
            session: uuid::Uuid::new_v4().to_string(),
            resume: ask.resume.clone(),
            spec: "check".to_owned(),
            step: "impl".to_owned(),
            round: 1,
            prompt_file,
            cap_usd_micros: None,
        };
        let kit = self.kit;
        let agent = match kit.offline {
            true => &kit.agent.obeying(offline::model(self.kind())),
            false => &kit.agent,
        };
        let kind = agent.changed(&kit.project, &change);
        let invocation = invocation(&kind, &kit.project, &kit.binary, &assignment);
        let mut env = self.environment(ask.credentials);
        env.extend(self.known(&assignment));
        env.extend(invocation.env);
        let name = self.root.path().file_name().unwrap_or_default();
        Ok(Request {
            agent: format!("{}-{number}", name.to_string_lossy()),
            program: invocation.program,
            args: invocation.args,
            cwd: ask.cwd.clone().unwrap_or_else(|| self.project()),
            env,
            stdin: invocation.stdin,
            log: self.path(&format!("logs/{number}.log")),
            protocol: invocation.protocol,
            session: invocation.session,
            step_timeout_ms: millis(ask.step),
            silence_timeout_ms: millis(ask.silence),
            exit_grace_ms: millis(ask.exit_grace),
            term_grace_ms: millis(TERM_GRACE),
            // A newly written script can be busy while another thread forks.
            spawn_retries: 5,
            log_max_bytes: 0,
        })
    }

    fn environment(&self, with: Credentials) -> Vec<(String, String)> {
        if !self.kit.offline {
            let inherited = kumite_agents::inherited().filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            });
            let clean = inherited.filter(|(name, _)| !name.starts_with("KUMITE_"));
            return clean.chain(self.kit.agent.env()).collect();
        }
        let mut env = offline::environment(self.root.path());
        if let Some(server) = &self.server {
            let home = self.path("home");
            env.extend(offline::login(
                self.kit.agent.host(),
                &home,
                &server.url(),
                with,
            ));
        }
        env
    }

    /// Variables that inform every agent about its work.
    fn known(&self, assignment: &Assignment) -> impl Iterator<Item = (String, String)> {
        let project = self.project().to_string_lossy().into_owned();
        let known = [
            ("KUMITE_SPEC", assignment.spec.clone()),
            ("KUMITE_STEP", assignment.step.clone()),
            ("KUMITE_ROUND", assignment.round.to_string()),
            ("KUMITE_RUN", "check-1".to_owned()),
            ("KUMITE_PROJECT", project),
        ];
        let known = known.into_iter();
        known.map(|(name, value)| (name.to_owned(), value))
    }

    /// How many requests to the model were answered by a rule.
    pub fn asked(&self) -> usize {
        match &self.server {
            Some(server) => {
                let requests = server.requests().into_iter();
                requests
                    .filter(|seen| matches!(seen.by, By::Rule { .. }))
                    .count()
            }
            None => fs::read(self.path("asked")).map_or(0, |asked| asked.len()),
        }
    }

    /// Everything that was sent to the model, or to the stand-in of a command.
    pub fn requests(&self) -> String {
        let files = fs::read_dir(self.root.path()).into_iter().flatten();
        let named = files.flatten().filter(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name == "requests.jsonl" || name.starts_with("prompt.")
        });
        let text = |file: fs::DirEntry| fs::read_to_string(file.path()).unwrap_or_default();
        named.map(text).collect()
    }

    pub fn wait_until_asked(&self, running: &Running, times: usize) -> Result {
        running.until("the model is asked", || self.asked() >= times)
    }

    pub fn wait_for_file(&self, running: &Running, name: &str) -> Result {
        let path = self.project().join(name);
        running.until(&format!("it writes {name}"), || path.exists())
    }

    /// Processes that still use this stage.
    pub fn living(&self) -> Vec<String> {
        living_in(self.root.path())
    }

    /// Keeps the files, for a person who wants to see what happened.
    pub fn keep(mut self) -> PathBuf {
        self.root.disable_cleanup(true);
        self.root.path().to_owned()
    }
}

/// A failed scenario must not leave its agents running.
impl Drop for Stage<'_> {
    fn drop(&mut self) {
        for number in 1..=self.launched.get() {
            Handle::of(&self.path(&format!("agents/{number}"))).force();
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
