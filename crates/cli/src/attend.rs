//! Asking for runs and following them: as the engine of the project, or beside the one that lives.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use kumite_core::notice::{Notice, RestState};
use kumite_host::control::{Client, Follow, Reply, Request, RunRequest};
use kumite_host::engine::{Engine, Message, Until};
use kumite_host::lock::{self, Lock};
use kumite_host::project::Project;
use kumite_host::settings::Loader;

use crate::exit;
use crate::progress::Screen;
use crate::signals;
use crate::trouble::{Result, Trouble};

/// How long an engine may be between taking the lock and answering, or between its last answer
/// and letting go of the lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the screen moves.
const TICK: Duration = Duration::from_millis(100);
/// How long a detached engine stays after its last run.
const QUIET: Duration = Duration::from_secs(3);

/// Runs specs and follows them to their end.
pub fn run(
    project: &Project,
    loader: &Loader,
    request: &RunRequest,
    screen: &mut Screen,
) -> Result {
    let mut ends = Ends::default();
    loop {
        let lost = match engine(project)? {
            Found::Free(lock) => own(project, lock, loader, request, screen, &mut ends)?,
            Found::Alive(client) => beside(project, client, request, screen, &mut ends)?,
        };
        match lost {
            // The engine that we followed died: somebody has to go on.
            Followed::Lost => eprintln!("kumite: the other kumite died; going on in its place"),
            Followed::Later => thread::park_timeout(TICK),
            Followed::Ended(code) => return Ok(ExitCode::from(code)),
        }
    }
}

enum Found {
    Free(Lock),
    Alive(Client),
}

/// The engine of the project, or its lock.
fn engine(project: &Project) -> Result<Found> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(lock) = lock::take(project)? {
            return Ok(Found::Free(lock));
        }
        match Client::connect(project) {
            Ok(client) => return Ok(Found::Alive(client)),
            Err(_) if Instant::now() < deadline => thread::park_timeout(Duration::from_millis(10)),
            Err(error) => {
                return Err(Trouble::failed(format!(
                    "another kumite has the lock of this project but does not answer ({error}); \
                     `kumite doctor` looks into it"
                )));
            }
        }
    }
}

enum Followed {
    Ended(u8),
    Lost,
    /// Something is just ending: ask again.
    Later,
}

/// How each spec ended, as far as it has.
#[derive(Default)]
struct Ends(BTreeMap<String, RestState>);

impl Ends {
    fn note(&mut self, spec: &str, notice: &Notice) {
        match notice {
            Notice::RunEnded { state, .. } => {
                self.0.insert(spec.to_owned(), *state);
            }
            Notice::RunStarted { .. } => {
                self.0.remove(spec);
            }
            _ => {}
        }
    }

    fn all(&self, specs: &[String]) -> bool {
        specs.iter().all(|spec| self.0.contains_key(spec))
    }

    fn code(&self) -> u8 {
        exit::worst(self.0.values().map(|state| exit::of_state(*state)))
    }
}

fn own(
    project: &Project,
    lock: Lock,
    loader: &Loader,
    request: &RunRequest,
    screen: &mut Screen,
    ends: &mut Ends,
) -> Result<Followed> {
    let mut engine = Engine::new(project.clone(), lock, loader.clone(), Until::AtRest);
    engine.listen()?;
    let inbox = engine.inbox();
    let (reply, replies) = mpsc::channel();
    let request = RunRequest {
        follow: Follow::Always,
        ..request.clone()
    };
    let _ = inbox.send(Message::Request {
        request: Request::Run(request),
        reply,
    });
    let caught = signals::catch(move |count| {
        let message = match count {
            1 => Message::Interrupt,
            _ => Message::Kill,
        };
        let _ = inbox.send(message);
    })?;
    let thread = thread::Builder::new()
        .name("engine".into())
        .spawn(move || {
            engine.recover();
            for news in engine.news.drain(..) {
                eprintln!("kumite: {news}");
            }
            engine.run();
        })?;
    let later = follow(&replies, screen, ends)?;
    if thread.join().is_err() {
        return Err(Trouble::failed("the engine broke down; this is a bug"));
    }
    Ok(match later {
        true => Followed::Later,
        false => Followed::Ended(caught.code().unwrap_or_else(|| ends.code())),
    })
}

fn beside(
    project: &Project,
    mut client: Client,
    request: &RunRequest,
    screen: &mut Screen,
    ends: &mut Ends,
) -> Result<Followed> {
    let specs = request.specs.clone();
    let asked = Request::Run(RunRequest {
        follow: Follow::UntilEnded,
        ..request.clone()
    });
    if client.ask(&asked).is_err() {
        return Ok(Followed::Lost);
    }
    let caught = signals::catch({
        let (project, specs) = (project.clone(), specs.clone());
        move |count| interrupt(&project, &specs, count)
    })?;
    let (send, replies) = mpsc::channel();
    let wanted = specs.clone();
    thread::Builder::new().name("news".into()).spawn(move || {
        let mut ends = Ends::default();
        while let Ok(Some(reply)) = client.answer() {
            if let Reply::News(news) = &reply {
                ends.note(&news.spec, &news.notice);
            }
            if send.send(reply).is_err() || ends.all(&wanted) {
                return;
            }
        }
    })?;
    if follow(&replies, screen, ends)? {
        return Ok(Followed::Later);
    }
    Ok(match ends.all(&specs) {
        true => Followed::Ended(caught.code().unwrap_or_else(|| ends.code())),
        false => Followed::Lost,
    })
}

/// The specs of this terminal end; those of the other one go on.
fn interrupt(project: &Project, specs: &[String], count: u32) {
    if count > 1 {
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
    let specs = specs.to_vec();
    let asked =
        Client::connect(project).and_then(|mut client| client.ask(&Request::Interrupt { specs }));
    if asked.is_err() {
        std::process::exit(i32::from(exit::INTERRUPTED));
    }
}

/// Shows what comes until nothing more comes. True: the request has to be made again.
fn follow(replies: &Receiver<Reply>, screen: &mut Screen, ends: &mut Ends) -> Result<bool> {
    loop {
        match replies.recv_timeout(TICK) {
            Ok(Reply::News(news)) => {
                ends.note(&news.spec, &news.notice);
                screen.show(&news);
            }
            Ok(Reply::Done(_)) => {}
            Ok(Reply::Refused(why)) => return Err(Trouble::invalid(why)),
            Ok(Reply::Later) => return Ok(true),
            Err(RecvTimeoutError::Timeout) => screen.tick(),
            Err(RecvTimeoutError::Disconnected) => return Ok(false),
        }
    }
}

/// One request to the engine that lives, or else to one that lives only for it.
pub fn ask(project: &Project, loader: &Loader, request: Request) -> Result<String> {
    let (reply, replies) = mpsc::channel();
    match engine(project)? {
        Found::Free(lock) => {
            let mut engine = Engine::new(project.clone(), lock, loader.clone(), Until::Answered);
            let _ = engine.inbox().send(Message::Request { request, reply });
            engine.run();
        }
        Found::Alive(mut client) => {
            client.ask(&request)?;
            if let Some(answer) = client.answer()? {
                let _ = reply.send(answer);
            }
            drop(reply);
        }
    }
    match replies.recv() {
        Ok(Reply::Done(text)) => Ok(text),
        Ok(Reply::Refused(why)) => Err(Trouble::invalid(why)),
        Ok(Reply::News(_) | Reply::Later) | Err(_) => Err(Trouble::failed(
            "the other kumite ended without an answer; try again",
        )),
    }
}

/// Hands specs to an engine that needs no terminal, starting one if there is none.
pub fn detach(project: &Project, request: &RunRequest) -> Result {
    let deadline = Instant::now() + PATIENCE;
    let mut client = match Client::connect(project) {
        Ok(client) => client,
        Err(_) => {
            start_detached(project)?;
            loop {
                match Client::connect(project) {
                    Ok(client) => break client,
                    Err(_) if Instant::now() < deadline => {
                        thread::park_timeout(Duration::from_millis(10));
                    }
                    Err(error) => {
                        let log = project.runtime().join("engine.log");
                        let why =
                            format!("the engine did not start ({error}); see {}", log.display());
                        return Err(Trouble::failed(why));
                    }
                }
            }
        }
    };
    client.ask(&Request::Run(request.clone()))?;
    match client.answer()? {
        Some(Reply::Refused(why)) => Err(Trouble::invalid(why)),
        Some(Reply::Done(_) | Reply::News(_)) => Ok(ExitCode::SUCCESS),
        Some(Reply::Later) => {
            thread::park_timeout(TICK);
            detach(project, request)
        }
        None => Err(Trouble::failed("the engine ended without an answer")),
    }
}

fn start_detached(project: &Project) -> Result<()> {
    std::fs::create_dir_all(project.runtime())?;
    let log = kumite_host::files::open_append(&project.runtime().join("engine.log"))?;
    Command::new(std::env::current_exe()?)
        .arg("engine")
        .current_dir(project.root())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()?;
    Ok(())
}

/// The detached engine itself.
pub fn be_engine(project: &Project, loader: &Loader) -> Result {
    // Its terminal may go away; it stays.
    let _ = rustix::process::setsid();
    let Some(lock) = lock::take(project)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut engine = Engine::new(project.clone(), lock, loader.clone(), Until::Quiet(QUIET));
    engine.listen()?;
    let inbox = engine.inbox();
    let caught = signals::catch(move |count| {
        let message = if count == 1 {
            Message::Interrupt
        } else {
            Message::Kill
        };
        let _ = inbox.send(message);
    })?;
    engine.recover();
    engine.run();
    Ok(ExitCode::from(caught.code().unwrap_or(exit::DONE)))
}
