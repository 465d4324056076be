//! The engine of a project: find it, ask it, or start one without a terminal.

use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::control::{Connection, Reply, Request};
use crate::engine::{Engine, Left, Message, Until};
use crate::run_request::RunRequest;
use kumite_files::{Access, open_append};
use kumite_project::lock::{self, Lock};
use kumite_project::project::Project;
use kumite_project::settings::{self, Flags, Loader};
use kumite_project::spec_file::sentence;
use kumite_project::user;

/// How long an engine may take between taking the lock and answering, or between its last answer
/// and releasing the lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a request to run may stay without an answer. The engine answers before it starts
/// anything.
const ORDER: Duration = Duration::from_secs(60);
/// How long an answer may take before the wait is reported: an agent that ends slowly takes this
/// long.
const SILENCE: Duration = Duration::from_secs(20);
/// How often we check an engine that has not answered yet.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request does not fit the current state, or is wrong.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Lock(#[from] lock::Error),
    #[error(transparent)]
    Settings(#[from] settings::Error),
    #[error("cannot start the engine")]
    Start(#[from] io::Error),
}

/// What a kumite finds when it starts.
pub enum Found {
    Free(Lock),
    Alive(Connection),
}

/// The engine of the project, or its lock.
pub fn engine(project: &Project) -> Result<Found, Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = lock::take(project)? {
            kumite_agents::inherit_orphans();
            return Ok(Found::Free(lock));
        }
        match connect(project)? {
            Ok(client) => return Ok(Found::Alive(client)),
            Err(_) if Instant::now() < deadline => thread::park_timeout(Duration::from_millis(10)),
            Err(error) => return Err(no_answer(&error)),
        }
    }
}

/// Connects to an engine that can answer. An engine that we cannot reach at all is an error at
/// once; one that is not there yet may be there in a moment.
fn connect(project: &Project) -> Result<io::Result<Connection>, Error> {
    if let Some(pid) = lock::suspended(project) {
        return Err(Error::Failed(lock::suspended_words(pid)));
    }
    let client = Connection::connect(project);
    match &client {
        // The socket of a kumite that was killed tells nothing: only the lock does.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && lock::is_held(project) => {
            let owner = user::owner(&project.runtime().join("control.sock"));
            let owner = owner.unwrap_or_else(|| "somebody else".to_owned());
            let pid = lock::holder(project).map_or(String::new(), |pid| format!(" (pid {pid})"));
            Err(Error::Failed(format!(
                "the kumite of the user {owner}{pid} works here; only {owner} can steer it"
            )))
        }
        _ => Ok(client),
    }
}

fn no_answer(error: &io::Error) -> Error {
    Error::Failed(format!(
        "another kumite has the lock of this project but does not answer ({error}); `kumite doctor` \
         looks into it"
    ))
}

/// Sends one request to the running engine, or else to one that lives only for it. An engine that
/// was just ending gives no answer: then the request is repeated. With `patience` a longer wait for
/// the answer is given up.
pub fn ask(
    project: &Project,
    request: &Request,
    patience: Option<Duration>,
) -> Result<String, Error> {
    let without = || answer_ourselves(project, request);
    insist(project, request, patience, without)?.map_err(|met| match met {
        Met::Nobody(error) => no_answer(&error),
        Met::Silence | Met::Later => {
            Error::Failed("the other kumite ended without an answer; try again".to_owned())
        }
    })
}

/// The answer of an engine that lives only for this request; None: another one has the lock.
fn answer_ourselves(project: &Project, request: &Request) -> Result<Option<Reply>, Error> {
    let (loader, wrong) = match Loader::load(project, Flags::default()) {
        Err(error) if !request.needs_settings() => (Loader::defaults(project), Some(error)),
        loaded => (loaded?, None),
    };
    let Some(lock) = lock::take(project)? else {
        return Ok(None);
    };
    kumite_agents::inherit_orphans();
    if let Some(error) = wrong {
        let why = sentence(&error);
        tracing::warn!("going on with the default settings, because yours are wrong: {why}");
    }
    let (reply, replies) = mpsc::channel();
    let mut engine = Engine::new(project.clone(), lock, loader, Until::Answered);
    let request = request.clone();
    let _ = engine.inbox().send(Message::Request { request, reply });
    engine.run();
    Ok(replies.recv().ok())
}

/// Passes work to a running or starting engine, for callers that hold one themselves. It ends with
/// this process.
pub fn order(project: &Project, request: impl Into<Request>) -> Result<String, Error> {
    let mut request = request.into();
    if let Request::Run(RunRequest { by, .. }) | Request::Contest { by, .. } = &mut request {
        *by = Some(std::process::id());
    }
    insist(project, &request, Some(ORDER), || Ok(None))?.map_err(|met| match met {
        Met::Later => Error::Refused(
            "something else is being done with it; try again when that has ended".to_owned(),
        ),
        Met::Nobody(_) | Met::Silence => Error::Failed(
            "no engine of this project answers; `kumite doctor` looks into it".to_owned(),
        ),
    })
}

/// Passes work to an engine that needs no terminal, and starts one if there is none.
pub fn detach(
    project: &Project,
    request: impl Into<Request>,
    jobs: Option<u32>,
) -> Result<(), Error> {
    let request = request.into();
    let mut started = None;
    let mut start = || {
        started = Some(start_detached(project, jobs, &[], started.take())?);
        Ok(None)
    };
    let handed = loop {
        match insist(project, &request, Some(ORDER), &mut start) {
            Ok(Ok(_)) => break Ok(()),
            // Whatever blocks the request may take as long as it needs.
            Ok(Err(Met::Later)) => {}
            Ok(Err(Met::Nobody(_) | Met::Silence)) => break Err(no_engine(project)),
            Err(error) => break Err(error),
        }
    };
    bury(started);
    handed
}

/// Lets an engine without a terminal continue the work that an engine of this process has left.
/// Another process that follows one of these runs may be faster.
pub fn hand_over(project: &Project, jobs: Option<u32>, left: &[Left]) -> Result<(), Error> {
    let deadline = Instant::now() + PATIENCE;
    let mut started = None;
    let handed = loop {
        match start_detached(project, jobs, left, started.take()) {
            Ok(child) => started = Some(child),
            Err(error) => break Err(error),
        }
        if Connection::connect(project).is_ok() {
            break Ok(());
        }
        if Instant::now() >= deadline {
            break Err(no_engine(project));
        }
        thread::park_timeout(Duration::from_millis(10));
    };
    bury(started);
    handed
}

/// A process that outlives an engine it has started must reap it.
fn bury(started: Option<Child>) {
    if let Some(mut engine) = started {
        // Without a thread it is reaped when this process ends.
        let thread = thread::Builder::new().name("reaping".to_owned());
        let _ = thread.spawn(move || engine.wait());
    }
}

/// The last obstacle, when nothing was done in time.
enum Met {
    /// No engine could be reached.
    Nobody(io::Error),
    /// An engine ended instead of answering.
    Silence,
    /// Something was just ending.
    Later,
}

/// Asks until there is an answer. `without` runs while no engine can be reached.
fn insist(
    project: &Project,
    request: &Request,
    patience: Option<Duration>,
    mut without: impl FnMut() -> Result<Option<Reply>, Error>,
) -> Result<Result<String, Met>, Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (reply, met) = match connect(project)? {
            Ok(client) => (talk(project, client, request, patience)?, Met::Silence),
            Err(error) => (without()?, Met::Nobody(error)),
        };
        let met = match reply {
            Some(Reply::Done(text)) => return Ok(Ok(text)),
            Some(Reply::Refused(why)) => return Err(Error::Refused(why)),
            Some(Reply::Failed(why)) => return Err(Error::Failed(why)),
            Some(Reply::Later) => Met::Later,
            Some(Reply::News(_) | Reply::Others(_)) | None => met,
        };
        if Instant::now() >= deadline {
            return Ok(Err(met));
        }
        thread::park_timeout(Duration::from_millis(10));
    }
}

/// Asks an engine and waits for its answer; None: it ended instead.
fn talk(
    project: &Project,
    mut client: Connection,
    request: &Request,
    patience: Option<Duration>,
) -> Result<Option<Reply>, Error> {
    let asked = Instant::now();
    let mut is_said = false;
    if client.ask(request).is_err() {
        return Ok(None);
    }
    loop {
        match client.answer_within(LOOK) {
            Ok(Some(Reply::Others(_))) => continue,
            Ok(reply) => return Ok(reply),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Ok(None),
        }
        if let Some(pid) = lock::suspended(project) {
            return Err(Error::Failed(format!(
                "{}; it has the request and does it then",
                lock::suspended_words(pid)
            )));
        }
        let waited = asked.elapsed();
        if patience.is_some_and(|patience| waited >= patience) {
            return Err(Error::Failed(format!(
                "kumite has the request, but it is not done after {} s; `kumite status` shows when \
                 it is",
                waited.as_secs()
            )));
        }
        if waited >= SILENCE && !std::mem::replace(&mut is_said, true) {
            tracing::warn!("the other kumite has not answered yet; an agent may end slowly");
        }
    }
}

/// Arguments of this process that also apply to the engines that it starts.
static ENGINE_ARGS: OnceLock<Vec<String>> = OnceLock::new();

/// The first call counts.
pub fn set_engine_args(args: impl IntoIterator<Item = String>) {
    let _ = ENGINE_ARGS.set(args.into_iter().collect());
}

fn no_engine(project: &Project) -> Error {
    let log = project.runtime().join("engine.log");
    Error::Failed(format!("the engine did not start; see {}", log.display()))
}

/// Starts an engine, unless the one that was started is still starting. An engine that exits
/// successfully at once found another kumite, which may have been a short one.
fn start_detached(
    project: &Project,
    jobs: Option<u32>,
    left: &[Left],
    started: Option<Child>,
) -> Result<Child, Error> {
    if let Some(mut child) = started {
        match child.try_wait()? {
            None => return Ok(child),
            Some(status) if status.success() => {}
            Some(_) => return Err(no_engine(project)),
        }
    }
    kumite_files::make_private_dir(&project.runtime())?;
    let log = open_append(&project.runtime().join("engine.log"), Access::Private)?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(ENGINE_ARGS.get().into_iter().flatten())
        .arg("engine")
        .args(jobs.map(|jobs| format!("--jobs={jobs}")))
        .args(left.iter().filter_map(|left| match left {
            Left::Run { spec, agent } => Some(format!("--agent={spec}={}", agent.as_ref()?)),
            Left::Contest { .. } => None,
        }))
        .current_dir(project.root())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    Ok(kumite_agents::start_child(|| command.spawn())?)
}
