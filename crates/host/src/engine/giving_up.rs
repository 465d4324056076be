//! When an engine, or one of its runs, cannot go on: agents are ended, people are told.

use kumite_core::engine::EffectKey;
use kumite_core::journal::By;
use kumite_core::notice::Notice;
use kumite_core::run::{Halt, Rest};

use super::Engine;
use crate::control::Reply;
use kumite_project::announce::Announcement;
use kumite_project::clock::now_ms;
use kumite_project::project::Spec;
use kumite_project::{journal, spec_file};

/// Real entries count from 1.
const OF_NO_ENTRY: EffectKey = EffectKey { seq: 0, index: 0 };

impl Engine {
    /// Somebody removed the files that make this the only engine of the project. Another one may
    /// start at any moment, so everything ends here, with a message.
    pub(super) fn abandon(&mut self) {
        let why = format!(
            "{} was removed while kumite ran; its agents were ended, `kumite run` goes on from the \
             documents",
            self.project.runtime().display()
        );
        for context in std::mem::take(&mut self.contexts).into_values() {
            context.end_now();
            let interrupted = Rest::Halted(Halt::Stopped(By::Interrupt));
            self.say_ended(&context.spec, interrupted, &why);
            for (waiting, _) in &context.waiting {
                // A client that is gone needs no answer.
                let _ = waiting.send(Reply::Failed(why.clone()));
            }
        }
        for hosted in std::mem::take(&mut self.contests).into_values() {
            hosted.kill();
            hosted.end_now();
        }
        self.shared.close();
    }

    /// Announces the end of a run that is in no journal.
    pub(crate) fn say_ended(&mut self, spec: &Spec, rest: Rest, message: &str) {
        let ended = Notice::RunEnded {
            rest,
            message: message.to_owned(),
        };
        let said = Announcement::new(spec, ended, now_ms());
        self.shared.announce(spec, OF_NO_ENTRY, &said, false);
    }

    /// The journal cannot be written (for example, the disk is full): nothing may happen that is
    /// not in the journal. The run rests here, and goes on from its last entry when it is started
    /// again.
    pub(super) fn give_up(&mut self, name: &str, error: &journal::Error) {
        let Some(context) = self.contexts.remove(name) else {
            return;
        };
        tracing::error!(spec = name, "given up: {}", spec_file::sentence(error));
        context.kill();
        if let Some(work) = context.run.work() {
            // An engine that finds it again reserves for it again.
            self.shared.purse.leave(work.agent);
        }
        let message = spec_file::sentence(error);
        let said = format!("{message}; make room, then `kumite resume {name}`");
        self.say_ended(&context.spec, Rest::JournalUnwritable, &said);
        for (waiting, _) in &context.waiting {
            // A client that is gone needs no answer.
            let _ = waiting.send(Reply::Failed(message.clone()));
        }
        self.pool.leave(name);
    }
}
