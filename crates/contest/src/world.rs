//! What the effects of a contest are carried out with, while this process plays it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::thread::JoinHandle;

use kumite_core::contest::{Contest, Effect, Entrant, Entry, Event, Stage};
use kumite_core::engine::{EffectKey, World};
use kumite_formats::contest::TeamKind;
use kumite_models::Cancel;
use kumite_project::journal::{self, Journal};
use kumite_project::notify::Notifier;
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loader};
use kumite_project::spec_file::sentence;
use kumite_project::{clock, crash, news, variant};
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
    #[error("contest {id} was asked to end, and is still played after {seconds} s")]
    Slow { id: String, seconds: u64 },
}

impl Error {
    /// The request is right, but the machine or the money prevents it.
    pub fn is_of_the_machine(&self) -> bool {
        match self {
            Error::Journal(error) => error.is_of_the_machine(),
            Error::Home(error) => {
                matches!(error, home::Error::Write { .. } | home::Error::Lock { .. })
            }
            Error::Keep { .. } | Error::Slow { .. } | Error::DaySpent { .. } => true,
            Error::Played { .. } | Error::Board(_) | Error::Parts(_) | Error::Settings(_) => false,
        }
    }
}

/// What a contest sends to the loop that plays it.
#[derive(Debug)]
pub enum Message {
    Event(Box<Event>),
    /// The machine refused a file, probably because the disk is full. The team is not at fault:
    /// nothing has happened, and the contest can be resumed later.
    Unkept {
        team: u32,
        error: std::io::Error,
    },
    /// All its threads, agents and writes have ended.
    Closed,
}

impl From<Event> for Message {
    fn from(event: Event) -> Message {
        Message::Event(Box::new(event))
    }
}

/// The way from a contest's threads to the loop.
pub type Send = Arc<dyn Fn(Message) + std::marker::Send + Sync>;

/// Is told all news, with the contest as it is then, and of every other change without news.
pub type Tell = Box<dyn FnMut(&[News], &Contest) + std::marker::Send>;

/// The journal, the teams, the board and everything else that a played contest needs.
pub struct ContestWorld {
    pub home: Home,
    pub charter: Charter,
    pub tell: Tell,
    pub send: Send,
    pub(crate) parts: Parts,
    pub(crate) board: Board,
    /// Ends what works for a team.
    pub(crate) cancels: BTreeMap<u32, Cancel>,
    /// What is under way, in threads.
    pub(crate) jobs: Vec<JoinHandle<()>>,
    /// Everything at once, when playing ends.
    pub(crate) stop: Cancel,
    journal: Journal<Contest>,
    usages: Usages,
    notifier: Option<Notifier>,
    _lock: Lock,
}

impl ContestWorld {
    /// Opens a contest whose charter is on the disk.
    pub fn open(home: Home, tell: Tell, send: Send) -> Result<(Contest, ContestWorld), Error> {
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
        let world = ContestWorld {
            parts: Parts::new(&home, &charter, with_players)?,
            board: Board::new(&charter.database)?,
            notifier: notifier(&charter, &home),
            home,
            charter,
            tell,
            send,
            cancels: BTreeMap::new(),
            jobs: Vec::new(),
            stop: Cancel::new(),
            journal: opened.journal,
            usages,
            _lock: lock,
        };
        Ok((opened.state, world))
    }

    /// Whether teams, metrics and judge can be asked.
    pub fn has_players(&self) -> bool {
        self.parts.players.is_some()
    }

    /// The first event of a new contest.
    pub fn start(&self) -> Event {
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
        let plan = &self.charter.plan;
        Event::Started {
            rules: rules(plan, self.usages.day_micros, self.parts.limit_rules()),
            teams: plan.teams.iter().map(entrant).collect(),
        }
    }

    /// News that cannot be kept is no reason to stop the contest.
    fn publish(&self, key: EffectKey, said: &News, contest: &Contest) {
        let id = &self.charter.id;
        if let (Some(notifier), Some(message)) = (&self.notifier, said.message(id, contest)) {
            notifier.tell(&message);
        }
        let name = news::key(id, key);
        let line = said.to_news(id, contest);
        // Both the page of the workspace and the page of the project receive it.
        let places = [self.home.runtime(), self.home.books(&self.charter)];
        let places = places.map(|place| place.canonicalize().unwrap_or(place));
        for place in BTreeSet::from(places) {
            if let Err(error) = news::append(&place, &name, line.clone(), false) {
                tracing::warn!("cannot append to the news of the project: {error}");
            }
        }
    }

    /// Tells everything that is under way to end.
    pub fn halt(&self) {
        self.stop.cancel();
        self.cancels.values().for_each(Cancel::cancel);
    }

    /// Waits until everything has ended, and tells the loop.
    pub fn close(mut self, is_ended: bool) {
        self.halt();
        // Nothing is left behind: an agent has ended when its thread has.
        for job in self.jobs.drain(..) {
            let _ = job.join();
        }
        self.parts.close(&self.home, is_ended);
        self.board.close();
        let send = Arc::clone(&self.send);
        // Its lock is free before its end is announced.
        drop(self);
        send(Message::Closed);
    }
}

impl World<Contest> for ContestWorld {
    type Error = Error;

    fn record(&mut self, _: &Contest, event: Event) -> Result<Entry, Error> {
        let entry = self.journal.write(event, clock::now_ms())?;
        self.usages.note(&self.charter, &entry);
        let id = &self.charter.id;
        debug!(contest = %id, seq = entry.seq, event = %variant(&entry.event), "recorded");
        crash::point(format_args!("contest entry {}", entry.seq));
        Ok(entry)
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(self.journal.sync()?)
    }

    fn perform(
        &mut self,
        contest: &Contest,
        key: EffectKey,
        entry: &Entry,
        effect: &Effect,
    ) -> Result<(), Infallible> {
        let id = &self.charter.id;
        debug!(contest = %id, seq = key.seq, index = key.index, effect = %variant(effect), "acts");
        match effect {
            Effect::Announce(notice) => {
                info!(contest = %id, seq = key.seq, "{}", variant(&notice.what));
                let news = News::new(entry.at_ms, notice.clone());
                self.publish(key, &news, contest);
                (self.tell)(&[news], contest);
            }
            other => perform::perform(self, contest, other),
        }
        Ok(())
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
