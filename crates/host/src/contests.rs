//! Contests in the engine's loop, beside the runs.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use kumite_contest::home::{self, Home};
use kumite_contest::{Desk, Error, Message, Tell};
use kumite_core::contest::{By, Contest, Effect, Event, Stage};
use kumite_core::engine::{act, handle_all, record};

use crate::engine::{self, Engine, Until, say};
use kumite_project::files::{self, Durable};
use kumite_project::project::Project;
use kumite_project::settings::Loader;
use kumite_project::spec_file::sentence;

/// How the playing of a contest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// The contest has ended.
    Out,
    /// The process was told to end; the contest can be resumed.
    Interrupted,
}

/// A contest as it is when its playing has ended.
pub type Ended = (Contest, Result<Played, Error>);

/// One contest in the engine.
pub(crate) struct Hosted {
    contest: Contest,
    /// None: it is being closed.
    desk: Option<Desk>,
    home: Home,
    /// The process whose end also ends the playing; None: it goes on elsewhere.
    pub by: Option<u32>,
    /// Answers that were not taken yet.
    pub said: Vec<Message>,
    /// What follows from the next answers is for another process.
    is_told_to_stop: bool,
    /// The next engine goes on with it.
    is_left: bool,
    played: Result<Played, Error>,
    is_closed: bool,
    /// Is told of the end.
    ended: Option<Sender<Ended>>,
}

impl Engine {
    /// An engine beside that of the project, for one contest: such an engine needs no project, and
    /// there may be several. Nobody can reach it; the lock of the contest is enough.
    pub fn apart(home: &Home) -> Engine {
        let nowhere = Project::at(home.dir());
        let loader = Loader::defaults(&nowhere);
        Engine::with(nowhere, None, loader, Until::AtRest)
    }

    /// Plays a contest until its end. One that has ended is only read.
    pub fn play(mut self, home: Home, tell: Tell) -> Result<(Contest, Played), Error> {
        let (ended, end) = mpsc::channel();
        self.begin(home, Some(std::process::id()), tell, Some(ended))?;
        if !self.contests.is_empty() {
            self.run();
        }
        let unknown = (Contest::default(), Ok(Played::Interrupted));
        let (contest, played) = end.recv().unwrap_or(unknown);
        Ok((contest, played?))
    }

    /// Plays a contest beside the runs. It has a marker until it ends: if this engine is killed, the
    /// next one finds the marker and goes on.
    pub(crate) fn host(&mut self, home: Home, by: Option<u32>) -> Result<(), Error> {
        let id = home.id();
        if self.contests.contains_key(&id) {
            return Err(Error::Played { id });
        }
        let path = self.marker(&id);
        let text = home.dir().as_os_str().as_encoded_bytes();
        let marked = kumite_files::make_private_dir(&self.hosted())
            .and_then(|()| files::replace(&path, text, Durable::Machine));
        marked.map_err(|source| home::Error::Write {
            path: path.clone(),
            source,
        })?;
        let begun = self.begin(home, by, Box::new(|_, _| {}), None);
        if begun.is_err() || !self.contests.contains_key(&id) {
            // A marker that stays is removed by the next engine.
            let _ = fs::remove_file(path);
        }
        begun
    }

    /// Goes on with the contests that an earlier engine played.
    pub(crate) fn recover_contests(&mut self) {
        let markers = fs::read_dir(self.hosted()).into_iter().flatten().flatten();
        for marker in markers {
            let Ok(dir) = fs::read(marker.path()) else {
                continue;
            };
            let home = Home::at(PathBuf::from(OsString::from_vec(dir)));
            let id = home.id();
            match self.host(home, None) {
                // A person was faster.
                Ok(()) | Err(Error::Played { .. }) => {}
                Err(error) => say(&format!("contest {id}: {}", sentence(&error))),
            }
        }
    }

    fn hosted(&self) -> PathBuf {
        self.project.runtime().join("hosted")
    }

    fn marker(&self, id: &str) -> PathBuf {
        self.hosted().join(id)
    }

    fn begin(
        &mut self,
        home: Home,
        by: Option<u32>,
        tell: Tell,
        ended: Option<Sender<Ended>>,
    ) -> Result<(), Error> {
        let (id, inbox) = (home.id(), self.inbox());
        let contest = id.clone();
        let send = move |message| {
            let contest = contest.clone();
            // An engine that has ended plays nothing any more.
            let _ = inbox.send(engine::Message::Contest { contest, message });
        };
        let (contest, desk) = Desk::open(home.clone(), tell, Arc::new(send))?;
        let mut hosted = Hosted {
            is_closed: contest.is_saved(),
            contest,
            desk: Some(desk),
            home,
            by,
            said: Vec::new(),
            is_told_to_stop: false,
            is_left: false,
            played: Ok(Played::Out),
            ended,
        };
        self.asked = true;
        if hosted.is_closed {
            hosted.say_ended();
            return Ok(());
        }
        hosted.begin();
        self.contests.insert(id, hosted);
        Ok(())
    }

    /// Regular work: takes the answers that came together, and requests to cancel.
    pub(crate) fn play_contests(&mut self) {
        self.contests.values_mut().for_each(Hosted::go_on);
        let closed = self.contests.extract_if(.., |_, hosted| hosted.is_closed);
        for (id, hosted) in closed.collect::<Vec<_>>() {
            match hosted.is_left {
                true => self.left_contests.push(id),
                // The marker of a contest that is only its own does not exist.
                false => drop(fs::remove_file(self.marker(&id))),
            }
            hosted.say_ended();
        }
    }
}

impl Hosted {
    fn say_ended(self) {
        match (self.ended, self.played) {
            // The receiver may be gone.
            (Some(ended), played) => drop(ended.send((self.contest, played))),
            (None, Ok(Played::Out | Played::Interrupted)) => {}
            (None, Err(error)) => say(&format!("contest {}: {}", self.home.id(), sentence(&error))),
        }
    }

    pub fn stop(&mut self) {
        self.is_told_to_stop = true;
    }

    /// Ends the playing here; the next engine goes on. One that is ending anyway is not left.
    pub fn leave(&mut self) {
        self.is_left |= self.desk.is_some();
        self.stop();
    }

    /// Ends everything at once, and waits for it.
    pub fn end_now(self) {
        self.kill();
        if let Some(desk) = self.desk {
            desk.close(false);
        }
    }

    /// A person is in a hurry: its agents get no grace.
    pub fn kill(&self) {
        kumite_contest::teams::agent::kill_all(self.home.dir());
    }

    /// Starts the contest, or continues it.
    fn begin(&mut self) {
        let Some(desk) = &mut self.desk else {
            return;
        };
        if self.contest.teams.is_empty() {
            let start = desk.start();
            return self.take(vec![start]);
        }
        kumite_agents::end_programs(&desk.charter.id);
        if self.contest.stage != Stage::Running || desk.has_players() {
            return self.take(vec![Event::Resumed]);
        }
        // Nothing is begun again only to be ended.
        match note(desk, &mut self.contest, Event::Resumed) {
            Ok(()) => self.take(vec![Event::CancelRequested { by: By::User }]),
            Err(error) => self.close(Err(error)),
        }
    }

    fn go_on(&mut self) {
        let mut events = Vec::new();
        for message in std::mem::take(&mut self.said) {
            match message {
                Message::Event(event) => events.push(*event),
                Message::Unkept { team, error } => {
                    return self.close(Err(self.unkept(team, error)));
                }
                Message::Closed => self.is_closed = true,
            }
        }
        let Some(desk) = &mut self.desk else {
            return;
        };
        if self.is_told_to_stop {
            // What was answered is kept; what follows from it is for the next process.
            let mut events = events.into_iter();
            let noted = events.try_for_each(|event| note(desk, &mut self.contest, event));
            return self.close(noted.map(|()| Played::Interrupted));
        }
        // A contest that only has to be saved is not cancelled any more.
        if self.contest.stage == Stage::Running && self.home.is_asked_to_cancel() {
            events.push(Event::CancelRequested { by: By::User });
        }
        if !events.is_empty() {
            self.take(events);
        }
    }

    /// Takes events that came together through the core's loop.
    fn take(&mut self, events: Vec<Event>) {
        let Some(desk) = &mut self.desk else {
            return;
        };
        let handled = handle_all(desk, &mut self.contest, events);
        if let Err(error) = handled {
            return self.close(Err(error));
        }
        (desk.tell)(&[], &self.contest);
        if self.contest.is_ended() {
            self.close(Ok(Played::Out));
        }
    }

    fn unkept(&self, team: u32, source: std::io::Error) -> Error {
        Error::Keep {
            id: self.home.id(),
            team: self.contest.teams[team as usize].id.clone(),
            source,
        }
    }

    /// Ends what is under way, in a thread: agents have a grace period, and nobody else waits.
    fn close(&mut self, played: Result<Played, Error>) {
        let Some(desk) = self.desk.take() else {
            return;
        };
        self.played = played;
        let is_ended = self.contest.is_ended();
        desk.halt();
        let thread = thread::Builder::new().name("closing".to_owned());
        // Without a thread there is nobody to wait, and everything ends by itself.
        self.is_closed = thread.spawn(move || desk.close(is_ended)).is_err();
    }
}

/// How a request to cancel was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    Now,
    /// It had ended before.
    Before,
}

impl Cancelled {
    pub fn words(self, id: &str) -> String {
        match self {
            Cancelled::Now => {
                format!("contest {id} is cancelled; what was finished stays on the board")
            }
            Cancelled::Before => format!("contest {id} has ended already"),
        }
    }
}

/// How long the process that plays it may take: agents have a grace period before they are killed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends a contest, whoever plays it. Returns when it has ended.
pub fn cancel(home: Home) -> Result<Cancelled, Error> {
    if home.is_ended() {
        return Ok(Cancelled::Before);
    }
    home.ask_to_cancel()?;
    let began = Instant::now();
    while home.is_played() {
        if began.elapsed() > PATIENCE {
            return Err(Error::Slow {
                id: home.id(),
                seconds: PATIENCE.as_secs(),
            });
        }
        thread::park_timeout(Duration::from_millis(20));
    }
    if !home.is_ended() {
        // No process played it, so we end it ourselves.
        Engine::apart(&home).play(home, Box::new(|_, _| {}))?;
    }
    Ok(Cancelled::Now)
}

/// Writes an event down and tells of it, and begins nothing.
fn note(desk: &mut Desk, contest: &mut Contest, event: Event) -> Result<(), Error> {
    let (entry, mut effects) = record(desk, contest, event)?;
    effects.retain(|effect| matches!(effect, Effect::Announce(_)));
    act(desk, contest, &entry, &effects);
    Ok(())
}
