//! The engine of a project: found, asked, started without a terminal.

use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::control::{Client, Reply, Request, RunRequest};
use crate::engine::{Engine, Message, Until};
use crate::lock::{self, Lock};
use crate::project::Project;
use crate::settings::Loader;

/// How long an engine may be between taking the lock and answering, or between its last answer
/// and letting go of the lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an answer may take before that is said: an agent that ends slowly takes as long.
const SILENCE: Duration = Duration::from_secs(20);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not fit the state it met, or is wrong.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Lock(#[from] lock::Error),
    #[error("cannot start the engine")]
    Start(#[from] io::Error),
}

/// What a kumite meets when it starts.
pub enum Found {
    Free(Lock),
    Alive(Client),
}

/// The engine of the project, or its lock.
pub fn engine(project: &Project) -> Result<Found, Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = lock::take(project)? {
            kumite_agents::inherit_orphans();
            return Ok(Found::Free(lock));
        }
        match Client::connect(project) {
            Ok(client) => return Ok(Found::Alive(client)),
            Err(_) if Instant::now() < deadline => thread::park_timeout(Duration::from_millis(10)),
            Err(error) => {
                return Err(Error::Failed(format!(
                    "another kumite has the lock of this project but does not answer ({error}); \
                     `kumite doctor` looks into it"
                )));
            }
        }
    }
}

/// One request to the engine that lives, or else to one that lives only for it. An engine that was
/// just ending gives no answer: then it is asked again.
pub fn ask(project: &Project, loader: &Loader, request: &Request) -> Result<String, Error> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match ask_once(project, loader, request)? {
            Some(Reply::Done(text)) => return Ok(text),
            Some(Reply::Refused(why)) => return Err(Error::Refused(why)),
            Some(Reply::Failed(why)) => return Err(Error::Failed(why)),
            Some(Reply::News(_) | Reply::Later) | None if Instant::now() < deadline => {
                thread::park_timeout(Duration::from_millis(10));
            }
            Some(Reply::News(_) | Reply::Later) | None => {
                return Err(Error::Failed(
                    "the other kumite ended without an answer; try again".to_owned(),
                ));
            }
        }
    }
}

fn ask_once(project: &Project, loader: &Loader, request: &Request) -> Result<Option<Reply>, Error> {
    match engine(project)? {
        Found::Free(lock) => {
            let (reply, replies) = mpsc::channel();
            let mut engine = Engine::new(project.clone(), lock, loader.clone(), Until::Answered);
            let request = request.clone();
            let _ = engine.inbox().send(Message::Request { request, reply });
            engine.run();
            Ok(replies.recv().ok())
        }
        Found::Alive(mut client) => {
            let note = Note::after(
                SILENCE,
                "the other kumite does not answer yet; is it suspended?",
            );
            let answer = client.ask(request).and_then(|()| client.answer());
            drop(note);
            Ok(answer.ok().flatten())
        }
    }
}

/// A word to the person if something takes long.
struct Note {
    _done: mpsc::Sender<()>,
}

impl Note {
    fn after(time: Duration, text: &'static str) -> Note {
        let (done, waits) = mpsc::channel();
        thread::spawn(move || {
            if waits.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("kumite: {text}");
            }
        });
        Note { _done: done }
    }
}

/// Hands specs to an engine that lives, or is about to: for those who keep one themselves.
pub fn order(project: &Project, request: &RunRequest) -> Result<String, Error> {
    let request = Request::Run(request.clone());
    let deadline = Instant::now() + PATIENCE;
    let mut is_busy = false;
    while Instant::now() < deadline {
        if let Ok(mut client) = Client::connect(project) {
            match client.ask(&request).and_then(|()| client.answer()) {
                Ok(Some(Reply::Refused(why))) => return Err(Error::Refused(why)),
                Ok(Some(Reply::Failed(why))) => return Err(Error::Failed(why)),
                Ok(Some(Reply::Done(text))) => return Ok(text),
                Ok(Some(Reply::Later)) => is_busy = true,
                // It was just ending: there will be another one.
                Ok(Some(Reply::News(_)) | None) | Err(_) => {}
            }
        }
        thread::park_timeout(Duration::from_millis(10));
    }
    Err(match is_busy {
        true => Error::Refused(
            "something else is being done with it; try again when that has ended".to_owned(),
        ),
        false => Error::Failed(
            "no engine of this project answers; `kumite doctor` looks into it".to_owned(),
        ),
    })
}

/// Hands specs to an engine that needs no terminal, starting one if there is none.
pub fn detach(project: &Project, request: &RunRequest, jobs: Option<u32>) -> Result<(), Error> {
    let mut started = None;
    let handed = hand_over(project, request, jobs, &mut started);
    if let Some(mut engine) = started {
        // Whoever outlives the engine buries it.
        thread::spawn(move || engine.wait());
    }
    handed
}

fn hand_over(
    project: &Project,
    request: &RunRequest,
    jobs: Option<u32>,
    started: &mut Option<Child>,
) -> Result<(), Error> {
    let request = Request::Run(request.clone());
    let mut deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        match Client::connect(project) {
            Ok(mut client) => match client.ask(&request).and_then(|()| client.answer()) {
                Ok(Some(Reply::Refused(why))) => return Err(Error::Refused(why)),
                Ok(Some(Reply::Failed(why))) => return Err(Error::Failed(why)),
                Ok(Some(Reply::Done(_) | Reply::News(_))) => return Ok(()),
                Ok(Some(Reply::Later)) => deadline = Instant::now() + PATIENCE,
                // It was just ending: there will be another one.
                Ok(None) | Err(_) => {}
            },
            Err(_) => *started = Some(start_detached(project, jobs, started.take())?),
        }
        thread::park_timeout(Duration::from_millis(10));
    }
    Err(no_engine(project))
}

fn no_engine(project: &Project) -> Error {
    let log = project.runtime().join("engine.log");
    Error::Failed(format!("the engine did not start; see {}", log.display()))
}

/// Starts an engine, unless the one that was started is still on its way. One that ends well at
/// once met another kumite, which may have been a short one.
fn start_detached(
    project: &Project,
    jobs: Option<u32>,
    started: Option<Child>,
) -> Result<Child, Error> {
    if let Some(mut child) = started {
        match child.try_wait()? {
            None => return Ok(child),
            Some(status) if status.success() => {}
            Some(_) => return Err(no_engine(project)),
        }
    }
    std::fs::create_dir_all(project.runtime())?;
    let log = crate::files::open_append(&project.runtime().join("engine.log"))?;
    Ok(Command::new(std::env::current_exe()?)
        .arg("engine")
        .args(jobs.map(|jobs| format!("--jobs={jobs}")))
        .current_dir(project.root())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()?)
}
