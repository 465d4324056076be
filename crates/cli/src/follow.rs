//! Runs followed to their end: in our own engine, or beside the one that lives.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use kumite_core::notice::Notice;
use kumite_host::attend::{self, Found};
use kumite_host::control::{Client, Follow, Reply, Request, RunRequest};
use kumite_host::engine::{Engine, Message, Until};
use kumite_host::lock::Lock;
use kumite_host::project::Project;
use kumite_host::settings::Loader;

use crate::exit;
use crate::progress::Screen;
use crate::signals::{self, Caught};
use crate::trouble::{Result, Trouble};

/// How often the screen moves.
const TICK: Duration = Duration::from_millis(100);

/// Runs specs and follows them to their end.
pub fn run(
    project: &Project,
    loader: &Loader,
    request: &RunRequest,
    screen: &mut Screen,
) -> Result {
    let duty = Duty::default();
    let caught = signals::catch({
        let (duty, project, specs) = (duty.clone(), project.clone(), request.specs.clone());
        move |count| duty.signalled(&project, &specs, count)
    })?;
    let mut follower = Follower {
        project,
        loader,
        request,
        screen,
        ends: Ends::default(),
        duty,
        caught,
    };
    loop {
        let followed = match attend::engine(project)? {
            Found::Free(lock) => follower.own(lock)?,
            Found::Alive(client) => follower.beside(client)?,
        };
        match (followed, follower.caught.code()) {
            (Followed::Ended, code) => {
                let code = code.unwrap_or_else(|| follower.ends.code());
                return Ok(ExitCode::from(code));
            }
            // Nothing works for us yet.
            (Followed::Later, Some(code)) => return Ok(ExitCode::from(code)),
            (Followed::Later, None) => thread::park_timeout(TICK),
            // The engine that we followed died, and its agents are to end.
            (Followed::Lost, Some(code)) => {
                let specs = request.specs.clone();
                attend::ask(project, loader, &Request::Interrupt { specs })?;
                return Ok(ExitCode::from(code));
            }
            // It died: somebody has to go on.
            (Followed::Lost, None) => {
                eprintln!("kumite: the other kumite died; going on in its place");
            }
        }
    }
}

/// Whom a signal concerns at the moment. One handler stays as long as we do: no signal is lost
/// between two engines.
#[derive(Clone, Default)]
struct Duty(Arc<Mutex<Option<Sender<Message>>>>);

impl Duty {
    /// From now on our own engine works; None: that of another process.
    fn set(&self, own: Option<Sender<Message>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = own;
    }

    /// The specs of this terminal end; those of another one go on.
    fn signalled(&self, project: &Project, specs: &[String], count: u32) {
        let own = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match (own, count) {
            (Some(inbox), 1) => drop(inbox.send(Message::Interrupt)),
            (Some(inbox), _) => drop(inbox.send(Message::Kill)),
            (None, 1) => ask_to_end(project, specs),
            (None, _) => std::process::exit(i32::from(exit::INTERRUPTED)),
        }
    }
}

/// An engine that cannot be asked has died, which whoever follows it notices.
fn ask_to_end(project: &Project, specs: &[String]) {
    let specs = specs.to_vec();
    let _ =
        Client::connect(project).and_then(|mut client| client.ask(&Request::Interrupt { specs }));
}

struct Follower<'a> {
    project: &'a Project,
    loader: &'a Loader,
    request: &'a RunRequest,
    screen: &'a mut Screen,
    ends: Ends,
    duty: Duty,
    caught: Caught,
}

enum Followed {
    /// All of them have come to rest.
    Ended,
    Lost,
    /// Something is just ending: ask again.
    Later,
}

/// The exit code that each spec ended with, as far as it has.
#[derive(Default)]
struct Ends(BTreeMap<String, u8>);

impl Ends {
    fn note(&mut self, spec: &str, notice: &Notice) {
        match notice {
            Notice::RunEnded { state, reason, .. } => {
                self.0.insert(spec.to_owned(), exit::of_end(*state, reason));
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
        exit::worst(self.0.values().copied())
    }
}

impl Follower<'_> {
    fn own(&mut self, lock: Lock) -> Result<Followed> {
        let (project, loader) = (self.project.clone(), self.loader.clone());
        let mut engine = Engine::new(project, lock, loader, Until::AtRest);
        engine.listen()?;
        let inbox = engine.inbox();
        let (reply, replies) = mpsc::channel();
        let _ = inbox.send(Message::Request {
            request: self.request(Follow::Always),
            reply,
        });
        self.duty.set(Some(inbox.clone()));
        if self.caught.code().is_some() {
            let _ = inbox.send(Message::Interrupt);
        }
        let thread = thread::Builder::new()
            .name("engine".into())
            .spawn(move || {
                engine.recover();
                engine.run();
            })?;
        let later = self.follow(&replies)?;
        if thread.join().is_err() {
            return Err(Trouble::failed("the engine broke down; this is a bug"));
        }
        self.duty.set(None);
        Ok(match later {
            true => Followed::Later,
            false => Followed::Ended,
        })
    }

    fn beside(&mut self, mut client: Client) -> Result<Followed> {
        if client.ask(&self.request(Follow::UntilEnded)).is_err() {
            return Ok(Followed::Lost);
        }
        let specs = self.request.specs.clone();
        if self.caught.code().is_some() {
            ask_to_end(self.project, &specs);
        }
        let (send, replies) = mpsc::channel();
        thread::Builder::new().name("news".into()).spawn(move || {
            let mut ends = Ends::default();
            while let Ok(Some(reply)) = client.answer() {
                if let Reply::News(news) = &reply {
                    ends.note(&news.spec, &news.notice);
                }
                if send.send(reply).is_err() || ends.all(&specs) {
                    return;
                }
            }
        })?;
        if self.follow(&replies)? {
            return Ok(Followed::Later);
        }
        Ok(match self.ends.all(&self.request.specs) {
            true => Followed::Ended,
            false => Followed::Lost,
        })
    }

    fn request(&self, follow: Follow) -> Request {
        Request::Run(RunRequest {
            follow,
            ..self.request.clone()
        })
    }

    /// Shows what comes until nothing more comes. True: the request has to be made again.
    fn follow(&mut self, replies: &Receiver<Reply>) -> Result<bool> {
        loop {
            match replies.recv_timeout(TICK) {
                Ok(Reply::News(news)) => {
                    self.ends.note(&news.spec, &news.notice);
                    self.screen.show(&news);
                }
                Ok(Reply::Done(_)) => {}
                Ok(Reply::Refused(why)) => return Err(Trouble::invalid(why)),
                Ok(Reply::Failed(why)) => return Err(Trouble::failed(why)),
                Ok(Reply::Later) => return Ok(true),
                Err(RecvTimeoutError::Timeout) => self.screen.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
    }
}
