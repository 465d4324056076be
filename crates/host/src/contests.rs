//! Contests in the engine's loop, beside the runs.

mod cancel;
mod hosted;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use kumite_contest::home::{self, Home};
use kumite_contest::{ContestWorld, Error, Tell};
use kumite_core::contest::Contest;

use crate::engine::{self, Engine, Until, say};
use kumite_files::{Access, Durable, replace};
use kumite_project::project::Project;
use kumite_project::settings::Loader;
use kumite_project::spec_file::sentence;

pub use cancel::{Cancelled, cancel};
pub(crate) use hosted::Hosted;

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

impl Engine {
    /// An engine beside that of the project, for one contest: such an engine needs no project, and
    /// there may be several. Nobody can reach it; the lock of the contest is enough.
    pub fn apart(home: &Home) -> Engine {
        let nowhere = Project::at(home.dir());
        let loader = Loader::defaults(&nowhere);
        Engine::with(nowhere, None, loader, Until::AtRest)
    }

    /// Plays a contest until its end. One that has ended is only cleaned up.
    pub fn play(mut self, home: Home, tell: Tell) -> Result<(Contest, Played), Error> {
        let (ended, end) = mpsc::channel();
        self.begin(home, Some(std::process::id()), tell, Some(ended))?;
        self.asked = true;
        self.run();
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
            .and_then(|()| replace(&path, text, Durable::Machine, Access::Private));
        marked.map_err(|source| home::Error::Write {
            path: path.clone(),
            source,
        })?;
        let begun = self.begin(home, by, Box::new(|_, _| {}), None);
        if begun.is_err() {
            // A marker that stays here is removed by the next engine.
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
        let opened = ContestWorld::open(home, tell, Arc::new(send))?;
        let mut hosted = Hosted::new(opened, by, ended);
        if let Err(error) = hosted.begin() {
            hosted.end_now();
            return Err(error);
        }
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
