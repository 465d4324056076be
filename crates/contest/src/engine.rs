//! One contest at play: its inbox, and the world that the core's loop acts on.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kumite_core::contest::{By, Contest, Effect, Entrant, Entry, Event, Stage};
use kumite_core::engine::{EffectKey, World, act, handle_all, record};
use kumite_formats::contest::TeamKind;
use kumite_models::Cancel;
use kumite_project::journal::{self, Journal};
use kumite_project::notify::Notifier;
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loader};
use kumite_project::spec_file::sentence;
use kumite_project::variant;
use kumite_project::{clock, crash};
use tracing::{debug, info};

use crate::announce::News;
use crate::board::{self, Board};
use crate::home::{self, Charter, Home, Lock};
use crate::parts::Parts;
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
    Settings(#[from] kumite_project::settings::Error),
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
    contest: Contest,
    desk: Desk,
    inbox: Receiver<Message>,
    _lock: Lock,
}

/// What the effects of a contest are carried out with.
pub(crate) struct Desk {
    pub home: Home,
    pub charter: Charter,
    pub parts: Parts,
    pub board: Board,
    pub sender: Sender<Message>,
    /// Ends what works for a team.
    pub cancels: BTreeMap<u32, Cancel>,
    /// What is under way, in threads.
    pub jobs: Vec<JoinHandle<()>>,
    /// Everything at once, when the process is told to go.
    pub stop: Cancel,
    journal: Journal<Contest>,
    usages: Usages,
    notifier: Option<Notifier>,
}

/// Is told all news, with the contest as it is then, and of every other change without news.
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
        let opened = Journal::<Contest>::open(home.dir())?;
        let with_players = match opened.state.stage {
            Stage::Ready => true,
            Stage::Running => !home.is_asked_to_cancel(),
            Stage::Closing { .. } | Stage::Ended(_) => false,
        };
        let mut usages = Usages::open(&home, &charter, !with_players)?;
        if opened.state.stage != Stage::Ready {
            let mut entries = Vec::new();
            journal::replay(home.dir(), |entry, _: &Contest, _| entries.push(entry))?;
            usages.catch_up(&charter, &entries);
        }
        if with_players && usages.day_micros == Some(0) {
            return Err(Error::DaySpent { id: charter.id });
        }
        let parts = Parts::new(&home, &charter, with_players)?;
        let board = Board::new(&charter.database)?;
        let notifier = notifier(&charter, &home);
        let (sender, inbox) = channel();
        Ok(Engine {
            contest: opened.state,
            desk: Desk {
                home,
                charter,
                parts,
                board,
                sender,
                cancels: BTreeMap::new(),
                jobs: Vec::new(),
                stop,
                journal: opened.journal,
                usages,
                notifier,
            },
            inbox,
            _lock: lock,
        })
    }

    pub fn contest(&self) -> &Contest {
        &self.contest
    }

    pub fn charter(&self) -> &Charter {
        &self.desk.charter
    }

    pub fn home(&self) -> &Home {
        &self.desk.home
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
        self.desk.close(self.contest.is_ended());
        played
    }

    /// Starts the contest, or continues it. True: that was the end.
    fn begin(&mut self, tell: Tell<'_>) -> Result<bool, Error> {
        if self.contest.teams.is_empty() {
            return self.take(vec![self.start()], tell);
        }
        kumite_agents::end_programs(&self.desk.charter.id);
        if self.contest.stage == Stage::Running && self.desk.parts.players.is_none() {
            // Nothing is begun again only to be ended.
            self.note(Event::Resumed, tell)?;
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
            if self.desk.stop.is_cancelled() {
                // What was answered is kept; what follows from it is for the next process.
                for event in events {
                    self.note(event, tell)?;
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

    /// Takes events that came together through the loop. True: it was the end.
    fn take(&mut self, events: Vec<Event>, tell: Tell<'_>) -> Result<bool, Error> {
        let desk = &mut self.desk;
        handle_all(&mut Hand { desk, tell }, &mut self.contest, events)?;
        tell(&[], &self.contest);
        Ok(self.contest.is_ended())
    }

    /// Writes an event down and tells of it, and begins nothing.
    fn note(&mut self, event: Event, tell: Tell<'_>) -> Result<(), Error> {
        let desk = &mut self.desk;
        let mut hand = Hand { desk, tell };
        let (entry, mut effects) = record(&mut hand, &mut self.contest, event)?;
        effects.retain(|effect| matches!(effect, Effect::Announce(_)));
        act(&mut hand, &self.contest, &entry, &effects);
        Ok(())
    }

    fn unkept(&self, team: u32, source: std::io::Error) -> Error {
        Error::Keep {
            id: self.desk.charter.id.clone(),
            team: self.contest.teams[team as usize].id.clone(),
            source,
        }
    }

    /// A contest that only has to be saved is not cancelled any more.
    fn is_to_be_cancelled(&self) -> bool {
        self.contest.stage == Stage::Running && self.desk.home.is_asked_to_cancel()
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
            rules: rules(
                &self.desk.charter.plan,
                self.desk.usages.day_micros,
                self.desk.parts.limit_rules(),
            ),
            teams: self.desk.charter.plan.teams.iter().map(entrant).collect(),
        }
    }
}

/// The desktop and the webhooks of the project. Settings that cannot be read do not stop a contest.
fn notifier(charter: &Charter, home: &Home) -> Option<Notifier> {
    let project = Project::at(&charter.project);
    match Loader::load(&project, Flags::default()) {
        Ok(loader) => Some(Notifier::new(&loader.loaded.settings.notify, home.dir())),
        Err(error) => {
            let why = sentence(&error);
            tracing::warn!("neither desktop nor webhook will be told: {why}");
            None
        }
    }
}

/// The loop's way into the world.
struct Hand<'a> {
    desk: &'a mut Desk,
    tell: Tell<'a>,
}

impl World<Contest> for Hand<'_> {
    type Error = Error;

    fn record(&mut self, _: &Contest, event: Event) -> Result<Entry, Error> {
        let desk = &mut *self.desk;
        let entry = desk.journal.write(event, clock::now_ms())?;
        desk.usages.note(&desk.charter, &entry);
        let id = &desk.charter.id;
        debug!(contest = %id, seq = entry.seq, event = %variant(&entry.event), "recorded");
        crash::point(format_args!("contest entry {}", entry.seq));
        Ok(entry)
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(self.desk.journal.sync()?)
    }

    fn perform(
        &mut self,
        contest: &Contest,
        key: EffectKey,
        entry: &Entry,
        effect: &Effect,
    ) -> Result<(), Infallible> {
        let id = &self.desk.charter.id;
        debug!(contest = %id, seq = key.seq, index = key.index, effect = %variant(effect), "acts");
        match effect {
            Effect::Announce(notice) => {
                info!(contest = %id, seq = key.seq, "{}", variant(&notice.what));
                let news = News::new(entry.at_ms, notice.clone());
                self.desk.publish(key, &news, contest);
                (self.tell)(&[news], contest);
            }
            other => perform::perform(self.desk, contest, other),
        }
        Ok(())
    }
}

impl Desk {
    /// News that cannot be kept is no reason to stop the contest.
    fn publish(&self, key: EffectKey, news: &News, contest: &Contest) {
        let id = &self.charter.id;
        if let (Some(notifier), Some(message)) = (&self.notifier, news.message(id, contest)) {
            notifier.tell(&message);
        }
        let name = format!("{id} {}.{}", key.seq, key.index);
        let line = news.to_json(id, contest);
        // Both the page of the workspace and the page of the project receive it.
        let places = [self.home.runtime(), self.home.books(&self.charter)];
        let places = places.map(|place| place.canonicalize().unwrap_or(place));
        for place in BTreeSet::from(places) {
            if let Err(error) = kumite_project::news::append(&place, &name, line.clone(), false) {
                tracing::warn!("cannot append to the news of the project: {error}");
            }
        }
    }

    fn close(&mut self, is_ended: bool) {
        for cancel in self.cancels.values() {
            cancel.cancel();
        }
        // Nothing is left behind: an agent has ended when its thread has.
        for job in self.jobs.drain(..) {
            let _ = job.join();
        }
        self.parts.close(&self.home, is_ended);
        self.board.close();
    }
}
