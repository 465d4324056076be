//! The clients of the engine that follow runs, and what they receive.

use std::sync::mpsc::Sender;

use kumite_core::notice::Notice;
use kumite_project::announce::Announcement;

use crate::control::Reply;

/// All followers.
#[derive(Debug, Default)]
pub struct Feed {
    followers: Vec<Follower>,
}

#[derive(Debug)]
struct Follower {
    /// The specs whose end it has not seen yet.
    specs: Vec<String>,
    /// Stays after their end: they may be started again from elsewhere.
    stays: bool,
    send: Sender<Reply>,
}

impl Feed {
    pub fn follow(&mut self, specs: Vec<String>, stays: bool, send: Sender<Reply>) {
        self.followers.push(Follower { specs, stays, send });
    }

    /// Sends to all followers of the spec. A follower that has seen the end of all its specs, or
    /// went away, is removed.
    pub fn tell(&mut self, announcement: &Announcement) {
        let is_end = matches!(announcement.notice, Notice::RunEnded { .. });
        self.followers.retain_mut(|follower| {
            if !follower.specs.contains(&announcement.spec) {
                return true;
            }
            let told = follower.send.send(Reply::News(announcement.clone()));
            if is_end && !follower.stays {
                follower.specs.retain(|spec| *spec != announcement.spec);
            }
            told.is_ok() && !follower.specs.is_empty()
        });
    }
}
