//! Record, decide, act: the loop of one contest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kumite_core::contest::{By, Contest, Effect, Entrant, Entry, Event, Stage, decide};
use kumite_formats::contest::TeamKind;
use kumite_host::clock;
use kumite_models::Cancel;

use crate::board::{self, Board};
use crate::home::{self, Charter, Home, Lock};
use crate::journal::{self, Journal};
use crate::news::{News, Reporter};
use crate::parts::{Parts, Players};
use crate::perform;
use crate::rules::rules;
use crate::usage::Usages;

/// `max_retries` of a leader that does not set it; such a team uses the contest's own limit.
const RETRIES_DEFAULT: u32 = 3;

/// How often a request to cancel is checked.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("contest {id} is being played by another kumite")]
    Played { id: String },
    #[error(transparent)]
    Home(#[from] home::Error),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error(transparent)]
    Board(#[from] board::Error),
    #[error(transparent)]
    Parts(#[from] crate::parts::Error),
    #[error(transparent)]
    Settings(#[from] kumite_host::settings::Error),
    #[error(
        "the budget of the day is spent; raise budget.usd_per_day, or wait for tomorrow: \
         `kumite contest resume {id}` begins then"
    )]
    DaySpent { id: String },
    #[error("cannot keep what team {team} handed in; `kumite contest resume {id}` goes on")]
    Keep {
        id: String,
        team: String,
        source: std::io::Error,
    },
}

/// What comes back from a thread.
pub(crate) enum Message {
    Event(Box<Event>),
    /// The machine refused a file, probably because the disk is full. The team is not at fault:
    /// nothing has happened, and the contest can be resumed later.
    Unkept {
        team: u32,
        error: std::io::Error,
    },
}

impl From<Event> for Message {
    fn from(event: Event) -> Message {
        Message::Event(Box::new(event))
    }
}

/// A contest that is being played by this process.
pub struct Engine {
    pub(crate) home: Home,
    pub(crate) charter: Charter,
    pub(crate) contest: Contest,
    parts: Parts,
    usages: Usages,
    pub(crate) board: Board,
    pub(crate) sender: Sender<Message>,
    /// Ends what works for a team.
    pub(crate) cancels: BTreeMap<u32, Cancel>,
    journal: Journal,
    reporter: Reporter,
    inbox: Receiver<Message>,
    /// What is under way, in threads.
    pub(crate) jobs: Vec<JoinHandle<()>>,
    /// Everything at once, when the process is told to go.
    pub(crate) stop: Cancel,
    _lock: Lock,
}

/// Who is told of all news, with the contest as it is then.
pub type Tell<'a> = &'a mut dyn FnMut(&[News], &Contest);

/// How the playing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// The contest has ended.
    Out,
    /// The process was told to end; the contest can be resumed.
    Interrupted,
}

impl Engine {
    /// Opens a contest whose charter is on the disk. `stop` ends the playing, not the contest.
    pub fn open(home: Home, stop: Cancel) -> Result<Engine, Error> {
        let charter = home.charter()?;
        let Some(lock) = home.lock()? else {
            return Err(Error::Played { id: charter.id });
        };
        let (journal, contest) = Journal::open(&home.journal())?;
        let with_players = match contest.stage {
            Stage::Ready => true,
            Stage::Running => !home.is_asked_to_cancel(),
            Stage::Closing { .. } | Stage::Ended(_) => false,
        };
        let mut usages = Usages::open(&home, &charter, !with_players)?;
        if contest.stage != Stage::Ready {
            usages.catch_up(&charter, &journal::read(&home.journal())?);
        }
        if with_players && usages.day_micros == Some(0) {
            return Err(Error::DaySpent { id: charter.id });
        }
        let parts = Parts::new(&home, &charter, with_players)?;
        let board = Board::new(&charter.database)?;
        let (sender, inbox) = channel();
        Ok(Engine {
            home,
            charter,
            reporter: Reporter::new(&contest),
            contest,
            parts,
            usages,
            board,
            sender,
            cancels: BTreeMap::new(),
            jobs: Vec::new(),
            journal,
            inbox,
            stop,
            _lock: lock,
        })
    }

    /// A contest that asks for something was opened with those who answer.
    pub(crate) fn players(&self) -> &Players {
        let players = self.parts.players.as_ref();
        players.expect("a contest that goes on has players")
    }

    pub fn contest(&self) -> &Contest {
        &self.contest
    }

    pub fn charter(&self) -> &Charter {
        &self.charter
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Plays until the end, and reports everything that happens. A contest that has ended is only
    /// read: no team, metric or judge is asked again.
    pub fn play(&mut self, tell: Tell<'_>) -> Result<Played, Error> {
        if self.contest.is_saved() {
            return Ok(Played::Out);
        }
        let played = self.begin(tell).and_then(|is_over| match is_over {
            true => Ok(Played::Out),
            false => self.go_on(tell),
        });
        for cancel in self.cancels.values() {
            cancel.cancel();
        }
        // Nothing is left behind: an agent has ended when its thread has.
        for job in self.jobs.drain(..) {
            let _ = job.join();
        }
        self.parts.close(&self.home, self.contest.is_ended());
        self.board.close();
        played
    }

    /// Starts the contest, or continues it. True: that was the end.
    fn begin(&mut self, tell: Tell<'_>) -> Result<bool, Error> {
        if self.contest.teams.is_empty() {
            return self.take(vec![self.start()], tell);
        }
        kumite_agents::end_programs(&self.charter.id);
        if self.is_to_be_cancelled() {
            // Nothing is begun again only to be ended.
            self.record(Event::Resumed, tell)?;
            return self.take(vec![Event::CancelRequested { by: By::User }], tell);
        }
        self.take(vec![Event::Resumed], tell)
    }

    fn go_on(&mut self, tell: Tell<'_>) -> Result<Played, Error> {
        loop {
            let message = match self.inbox.recv_timeout(LOOK) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                // We hold a sender ourselves, so this cannot happen.
                Err(RecvTimeoutError::Disconnected) => return Ok(Played::Interrupted),
            };
            let mut events = Vec::new();
            for message in message.into_iter().chain(self.inbox.try_iter()) {
                match message {
                    Message::Event(event) => events.push(*event),
                    Message::Unkept { team, error } => return Err(self.unkept(team, error)),
                }
            }
            if self.stop.is_cancelled() {
                // What was answered is kept; what follows from it is for whoever resumes.
                for event in events {
                    self.record(event, tell)?;
                }
                return Ok(Played::Interrupted);
            }
            if self.is_to_be_cancelled() {
                events.push(Event::CancelRequested { by: By::User });
            }
            if !events.is_empty() && self.take(events, tell)? {
                return Ok(Played::Out);
            }
        }
    }

    /// Takes events through the loop. All that came together is recorded before any of it is acted
    /// on. True: it was the end.
    fn take(&mut self, events: Vec<Event>, tell: Tell<'_>) -> Result<bool, Error> {
        let mut effects = Vec::new();
        for event in events {
            effects.extend(self.record(event, tell)?);
        }
        let lasting =
            |effect: &Effect| matches!(effect, Effect::Save { .. } | Effect::SaveSummary { .. });
        if effects.iter().any(lasting) {
            self.journal.sync()?;
        }
        for effect in &effects {
            perform::perform(self, effect);
        }
        Ok(effects.contains(&Effect::End))
    }

    fn record(&mut self, event: Event, tell: Tell<'_>) -> Result<Vec<Effect>, Error> {
        let entry = self.journal.append(event, clock::now_ms())?;
        let (contest, effects) = decide(std::mem::take(&mut self.contest), &entry);
        self.contest = contest;
        self.usages.note(&self.charter, &entry);
        let news = self.reporter.report(&entry, &self.contest);
        self.publish(&entry, &news);
        tell(&news, &self.contest);
        Ok(effects)
    }

    /// News that cannot be kept is no reason to stop the contest.
    fn publish(&self, entry: &Entry, news: &[News]) {
        let id = &self.charter.id;
        // Both the page of the workspace and the page of the project receive it.
        let places = [self.home.runtime(), self.home.books(&self.charter)];
        let places = places.map(|place| place.canonicalize().unwrap_or(place));
        let places = BTreeSet::from(places);
        for (index, news) in news.iter().enumerate() {
            let key = format!("{id} {}.{index}", entry.seq);
            let line = news.to_json(id, &self.contest);
            for place in &places {
                if let Err(error) = kumite_host::news::append(place, &key, line.clone(), false) {
                    eprintln!("kumite: cannot append to the news of the project: {error}");
                }
            }
        }
    }

    fn unkept(&self, team: u32, source: std::io::Error) -> Error {
        Error::Keep {
            id: self.charter.id.clone(),
            team: self.contest.teams[team as usize].id.clone(),
            source,
        }
    }

    /// A contest that only has to be saved is not cancelled any more.
    fn is_to_be_cancelled(&self) -> bool {
        self.contest.stage == Stage::Running && self.home.is_asked_to_cancel()
    }

    fn start(&self) -> Event {
        let entrant = |team: &kumite_formats::contest::Team| Entrant {
            id: team.id.clone(),
            name: team.name.clone(),
            retries: match &team.kind {
                TeamKind::Model(model) => {
                    let own = model.leader.llm.max_retries;
                    (own < RETRIES_DEFAULT).then_some(own)
                }
                TeamKind::Agent(_) | TeamKind::Scripted { .. } => None,
            },
        };
        Event::Started {
            rules: rules(&self.charter.plan, self.usages.day_micros),
            teams: self.charter.plan.teams.iter().map(entrant).collect(),
        }
    }
}
