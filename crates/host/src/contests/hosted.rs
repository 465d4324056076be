//! One contest in the engine: taken through the core's loop until it ends.

use std::sync::mpsc::Sender;

use kumite_contest::home::Home;
use kumite_contest::{ContestWorld, Error, Message};
use kumite_core::contest::{By, Contest, Effect, Event, Stage};
use kumite_core::engine::{act, handle_all, record};
use kumite_project::spec_file::sentence;

use super::{Ended, Played};
use crate::beside::beside;
use crate::engine::say;

/// One contest in the engine.
pub struct Hosted {
    contest: Contest,
    /// None: it is being closed.
    world: Option<ContestWorld>,
    home: Home,
    /// The process whose end also ends the playing; None: it goes on elsewhere.
    pub by: Option<u32>,
    /// Answers that were not taken yet.
    pub said: Vec<Message>,
    /// What follows from the next answers is for another process.
    is_told_to_stop: bool,
    /// The next engine goes on with it.
    pub is_left: bool,
    played: Result<Played, Error>,
    /// All its threads, agents and writes have ended.
    pub is_closed: bool,
    /// Receives the end of the contest.
    ended: Option<Sender<Ended>>,
}

impl Hosted {
    pub fn new(
        (contest, world): (Contest, ContestWorld),
        by: Option<u32>,
        ended: Option<Sender<Ended>>,
    ) -> Hosted {
        Hosted {
            is_closed: false,
            contest,
            home: world.home.clone(),
            world: Some(world),
            by,
            said: Vec::new(),
            is_told_to_stop: false,
            is_left: false,
            played: Ok(Played::Out),
            ended,
        }
    }

    pub fn say_ended(self) {
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
        self.is_left |= self.world.is_some();
        self.stop();
    }

    /// Ends what is under way, and waits for it.
    pub fn end_now(self) {
        if let Some(world) = self.world {
            world.close(false);
        }
    }

    /// A person is in a hurry: its agents get no grace.
    pub fn kill(&self) {
        kumite_contest::teams::agent::kill_all(self.home.dir());
    }

    /// Starts the contest, or continues it.
    pub fn begin(&mut self) -> Result<(), Error> {
        if self.contest.is_saved() {
            // An earlier process may have died before it removed the worktrees.
            self.close(Ok(Played::Out));
        }
        let Some(world) = &mut self.world else {
            return Ok(());
        };
        if self.contest.teams.is_empty() {
            let start = world.start();
            return self.take(vec![start]);
        }
        kumite_agents::end_programs(&world.charter.id);
        if self.contest.stage != Stage::Running || world.has_players() {
            return self.take(vec![Event::Resumed]);
        }
        // Nothing is begun again only to be ended.
        note(world, &mut self.contest, Event::Resumed)?;
        self.take(vec![Event::CancelRequested { by: By::User }])
    }

    pub fn go_on(&mut self) {
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
        let Some(world) = &mut self.world else {
            return;
        };
        if self.is_told_to_stop {
            // What was answered is kept; what follows from it is for the next process.
            let mut events = events.into_iter();
            let noted = events.try_for_each(|event| note(world, &mut self.contest, event));
            return self.close(noted.map(|()| Played::Interrupted));
        }
        // A contest that only has to be saved is not cancelled any more.
        if self.contest.stage == Stage::Running && self.home.is_asked_to_cancel() {
            events.push(Event::CancelRequested { by: By::User });
        }
        if let Err(error) = self.take(events) {
            self.close(Err(error));
        }
    }

    /// Takes events that came together through the core's loop.
    fn take(&mut self, events: Vec<Event>) -> Result<(), Error> {
        let Some(world) = self.world.as_mut().filter(|_| !events.is_empty()) else {
            return Ok(());
        };
        handle_all(world, &mut self.contest, events)?;
        (world.tell)(&[], &self.contest);
        if self.contest.is_ended() {
            self.close(Ok(Played::Out));
        }
        Ok(())
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
        let Some(world) = self.world.take() else {
            return;
        };
        self.played = played;
        let is_ended = self.contest.is_ended();
        world.halt();
        beside("closing", move || world.close(is_ended));
    }
}

/// Records an event and announces it, but begins nothing.
fn note(world: &mut ContestWorld, contest: &mut Contest, event: Event) -> Result<(), Error> {
    let (entry, mut effects) = record(world, contest, event)?;
    effects.retain(|effect| matches!(effect, Effect::Announce(_)));
    act(world, contest, &entry, &effects);
    Ok(())
}
