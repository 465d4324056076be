//! When an engine, or one of its runs, cannot go on: agents are ended, people are told.

use kumite_core::notice::{Notice, RestState};

use super::Engine;
use crate::announce::Announcement;
use crate::clock::now_ms;
use crate::control::Reply;
use crate::{journal, spec_file};

impl Engine {
    /// Somebody removed the files that make this the only engine of the project. Another one may
    /// start at any moment, so everything ends here, with a message.
    pub(super) fn abandon(&mut self) {
        let why = format!(
            "{} was removed while kumite ran; its agents were ended, `kumite run` goes on from the \
             documents",
            self.project.runtime().display()
        );
        for (name, context) in std::mem::take(&mut self.contexts) {
            context.end_now();
            let state = RestState::Paused;
            self.say_ended(&name, state, "interrupted", &why);
            for waiting in &context.waiting {
                let _ = waiting.send(Reply::Failed(why.clone()));
            }
        }
        self.shared.close();
    }

    fn say_ended(&mut self, name: &str, state: RestState, reason: &str, message: &str) {
        self.shared.tell(&Announcement {
            at_ms: now_ms(),
            spec: name.to_owned(),
            notice: Notice::RunEnded {
                state,
                reason: reason.to_owned(),
                message: message.to_owned(),
            },
        });
    }

    /// The journal cannot be written (for example, the disk is full): nothing may happen that is
    /// not in the journal. The run rests here, and goes on from its last entry when it is started
    /// again.
    pub(super) fn give_up(&mut self, name: &str, error: &journal::Error) {
        let Some(context) = self.contexts.remove(name) else {
            return;
        };
        context.kill();
        if let Some(work) = context.run.work() {
            // Whoever finds it again reserves for it again.
            self.shared.purse.leave(work.agent);
        }
        let message = spec_file::sentence(error);
        let said = format!("{message}; make room, then `kumite resume {name}`");
        self.say_ended(name, RestState::Paused, "spec_unwritable", &said);
        for waiting in &context.waiting {
            let _ = waiting.send(Reply::Failed(message.clone()));
        }
        self.pool.leave(name);
    }
}
