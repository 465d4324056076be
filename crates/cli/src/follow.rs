//! Follows runs to their end: in our own engine, or beside the running one.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kumite_core::notice::Notice;
use kumite_host::client::{self, Found};
use kumite_host::{Connection, Follow, Reply, Request, RunRequest};
use kumite_host::{Engine, Left, Message, Until};
use kumite_project::lock::Lock;
use kumite_project::project::Project;
use kumite_project::settings::Loader;

use crate::exit;
use crate::progress::{Screen, with_unsaid};
use crate::signals::{self, Caught};
use crate::trouble::{Result, Trouble};

/// How often the screen is updated.
const TICK: Duration = Duration::from_millis(100);

/// Runs specs and follows them to their end.
pub fn run(
    project: &Project,
    loader: &Loader,
    request: &RunRequest,
    screen: &mut Screen,
) -> Result {
    let duty = Duty::new(project, request);
    let caught = signals::catch({
        let duty = duty.clone();
        move |count| duty.signalled(count)
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
    let code = follower.follow_all()?;
    follower.say_what_goes_on();
    Ok(ExitCode::from(with_unsaid(code)))
}

/// Where a signal goes at the moment. One handler stays as long as we do, so that no signal is lost
/// between two engines.
#[derive(Clone)]
struct Duty {
    project: Project,
    now: Arc<Mutex<Now>>,
}

struct Now {
    engine: Whose,
    /// The specs that this terminal has started: they end with it.
    own: Vec<String>,
}

enum Whose {
    /// There is no engine yet, or it has not answered yet.
    Unknown,
    Ours(Sender<Message>),
    Theirs,
}

impl Duty {
    fn new(project: &Project, request: &RunRequest) -> Duty {
        let now = Now {
            engine: Whose::Unknown,
            own: request.specs.clone(),
        };
        Duty {
            project: project.clone(),
            now: Arc::new(Mutex::new(now)),
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, engine: Whose) {
        self.now().engine = engine;
    }

    fn own(&self) -> Vec<String> {
        self.now().own.clone()
    }

    /// Runs that this terminal has started end; all others go on.
    fn signalled(&self, count: u32) {
        let now = self.now();
        match (&now.engine, count) {
            (Whose::Ours(inbox), 1) => drop(inbox.send(Message::Leave)),
            (Whose::Ours(inbox), _) => drop(inbox.send(Message::Kill)),
            (Whose::Theirs, 1) => ask_to_end(&self.project, &now.own),
            // The code that waits for the answer sees the signal.
            (Whose::Unknown, 1) => {}
            (Whose::Theirs | Whose::Unknown, _) => {
                std::process::exit(i32::from(exit::INTERRUPTED));
            }
        }
    }
}

/// If an engine cannot be asked it has died, which its followers notice.
fn ask_to_end(project: &Project, specs: &[String]) {
    let specs = specs.to_vec();
    if specs.is_empty() {
        return;
    }
    let _ = Connection::connect(project)
        .and_then(|mut client| client.ask(&Request::Interrupt { specs }));
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
    /// All of them rest.
    Ended,
    Lost,
    /// Something is just ending: ask again.
    Later,
}

/// The exit code of each spec that has ended.
#[derive(Default)]
struct Ends(BTreeMap<String, u8>);

impl Ends {
    fn note(&mut self, spec: &str, notice: &Notice) {
        match notice {
            Notice::RunEnded { rest, .. } => {
                self.0.insert(spec.to_owned(), exit::of_end(*rest));
            }
            Notice::RunStarted { .. } => {
                self.0.remove(spec);
            }
            _ => {}
        }
    }

    fn has(&self, spec: &str) -> bool {
        self.0.contains_key(spec)
    }

    fn all(&self, specs: &[String]) -> bool {
        specs.iter().all(|spec| self.has(spec))
    }

    fn code(&self) -> u8 {
        exit::worst(self.0.values().copied())
    }
}

impl Follower<'_> {
    /// The exit code.
    fn follow_all(&mut self) -> Result<u8> {
        loop {
            self.duty.set(Whose::Unknown);
            let followed = match client::engine(self.project)? {
                Found::Free(lock) => self.in_ours(lock)?,
                Found::Alive(client) => self.beside(client)?,
            };
            match (followed, self.caught.code()) {
                (Followed::Ended, code) => return Ok(code.unwrap_or_else(|| self.ends.code())),
                // Nothing works for us yet.
                (Followed::Later, Some(code)) => return Ok(code),
                (Followed::Later, None) => thread::park_timeout(TICK),
                // The engine that we followed died, and its agents must end.
                (Followed::Lost, Some(code)) => {
                    let specs = self.duty.own();
                    if !specs.is_empty() {
                        client::ask(self.project, &Request::Interrupt { specs }, None)?;
                    }
                    return Ok(code);
                }
                // It died, or its terminal ended: we go on with its work.
                (Followed::Lost, None) => {
                    eprintln!("kumite: the other kumite has ended; going on without it");
                }
            }
        }
    }

    /// After Ctrl-C: runs that were started elsewhere do not end with this terminal.
    fn say_what_goes_on(&self) {
        if self.caught.code().is_none() {
            return;
        }
        let own = self.duty.own();
        let specs = self.request.specs.iter();
        for spec in specs.filter(|spec| !own.contains(spec) && !self.ends.has(spec)) {
            eprintln!("{spec} goes on; `kumite stop {spec}` ends it");
        }
    }

    fn in_ours(&mut self, lock: Lock) -> Result<Followed> {
        let (project, loader) = (self.project.clone(), self.loader.clone());
        let mut engine = Engine::new(project, lock, loader, Until::AtRest);
        engine.listen()?;
        let inbox = engine.inbox();
        let (reply, replies) = mpsc::channel();
        let _ = inbox.send(Message::Request {
            request: self.request(Follow::Always),
            reply,
        });
        self.duty.set(Whose::Ours(inbox.clone()));
        if self.caught.code().is_some() {
            let _ = inbox.send(Message::Leave);
        }
        let asked = self.request.specs.clone();
        let thread = thread::Builder::new()
            .name("engine".into())
            .spawn(move || {
                engine.recover(&asked);
                engine.run()
            })?;
        let later = self.follow(&replies)?;
        let left = match thread.join() {
            Ok(left) => left,
            Err(_) => return Err(Trouble::failed("the engine broke down; this is a bug")),
        };
        self.hand_over(&left)?;
        Ok(match later {
            true => Followed::Later,
            false => Followed::Ended,
        })
    }

    /// Runs that others have started go on without this terminal.
    fn hand_over(&self, left: &[Left]) -> Result<()> {
        if left.is_empty() {
            return Ok(());
        }
        client::hand_over(self.project, self.loader.jobs(), left)?;
        for left in left {
            match left {
                Left::Run { spec, .. } if self.request.specs.contains(spec) => {}
                Left::Run { spec, .. } => {
                    eprintln!("{spec}, started elsewhere, goes on; `kumite stop {spec}` ends it");
                }
                Left::Contest { id } => eprintln!(
                    "contest {id}, started elsewhere, goes on; `kumite contest cancel {id}` ends it"
                ),
            }
        }
        Ok(())
    }

    fn beside(&mut self, mut client: Connection) -> Result<Followed> {
        if client.ask(&self.request(Follow::UntilEnded)).is_err() {
            return Ok(Followed::Lost);
        }
        let specs = self.request.specs.clone();
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
        Ok(match self.may_go() {
            true => Followed::Ended,
            false => Followed::Lost,
        })
    }

    /// Whether there is nothing more to follow: all have ended or, after a signal, those that end
    /// with this terminal.
    fn may_go(&self) -> bool {
        let now = self.duty.now();
        match &now.engine {
            Whose::Theirs if self.caught.code().is_some() => self.ends.all(&now.own),
            Whose::Ours(_) | Whose::Theirs | Whose::Unknown => self.ends.all(&self.request.specs),
        }
    }

    /// After a signal we do not wait for what goes on elsewhere.
    fn may_leave(&self) -> bool {
        let theirs = matches!(self.duty.now().engine, Whose::Theirs);
        theirs && self.caught.code().is_some() && self.may_go()
    }

    /// The engine has accepted the request.
    fn answered(&self) {
        let mut now = self.duty.now();
        if let Whose::Unknown = now.engine {
            now.engine = Whose::Theirs;
            if self.caught.code().is_some() {
                ask_to_end(self.project, &now.own);
            }
        }
    }

    fn request(&self, follow: Follow) -> Request {
        Request::Run(RunRequest {
            by: (!self.duty.own().is_empty()).then(std::process::id),
            follow,
            ..self.request.clone()
        })
    }

    /// Shows replies until there are no more. True: the request must be sent again.
    fn follow(&mut self, replies: &Receiver<Reply>) -> Result<bool> {
        loop {
            match replies.recv_timeout(TICK) {
                Ok(Reply::News(news)) => {
                    self.ends.note(&news.spec, &news.notice);
                    self.screen.show(&news);
                }
                Ok(Reply::Others(specs)) => self.duty.now().own.retain(|it| !specs.contains(it)),
                Ok(Reply::Done(_)) => self.answered(),
                Ok(Reply::Refused(why)) => return Err(Trouble::invalid(why)),
                Ok(Reply::Failed(why)) => return Err(Trouble::failed(why)),
                Ok(Reply::Later) => return Ok(true),
                Err(RecvTimeoutError::Timeout) if self.may_leave() => return Ok(false),
                Err(RecvTimeoutError::Timeout) => self.screen.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
    }
}
