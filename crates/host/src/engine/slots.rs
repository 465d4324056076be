//! Who may work: slots, and turns in a shared checkout.

use kumite_core::journal::Event;
use kumite_core::run::State;

use super::Engine;
use crate::control::Reply;

impl Engine {
    /// A run that rests or waits gives its slot to the next one.
    pub(super) fn hand_slots_on(&mut self, name: &str) {
        let state = self.contexts.get(name).map(|context| &context.run);
        let rests = state.is_none_or(|run| run.is_at_rest());
        let limited = state.is_some_and(|run| matches!(run.state, State::Limited(_)));
        // One that waits for the checkout gives its slot back; one that waits for a slot has none.
        let queued = state.is_some_and(|run| matches!(run.state, State::Queued { .. }));
        let gives_back = queued && self.pool.is_busy(name);
        if !rests && !limited && !gives_back {
            return;
        }
        if rests {
            self.answer_waiting(name);
            let next = self.shared.checkout.leave(name);
            next.into_iter().for_each(|next| self.take_turn(&next));
        }
        self.pool.leave(name);
        while let Some(next) = self.pool.admit() {
            self.admit(&next);
        }
    }

    /// The run has a slot now.
    pub(super) fn admit(&mut self, name: &str) {
        match self.contexts.get(name) {
            Some(context) => {
                let look = context.look();
                let event = match context.run.state {
                    State::Queued { .. } => Event::Admitted { look },
                    State::Limited(_) => Event::WaitOver { look },
                    _ => return self.pool.leave(name),
                };
                // An error of the journal has already been reported.
                let _ = self.handle(name, event);
            }
            None => self.pool.leave(name),
        }
    }

    /// The checkout that the run waited for is free.
    fn take_turn(&mut self, name: &str) {
        if self.pool.ask(name) {
            self.admit(name);
        }
    }

    /// A usage limit is over, or a person does not want to wait any longer.
    pub(crate) fn wake(&mut self, name: &str) {
        let run = self.contexts.get(name).map(|context| &context.run);
        if run.is_some_and(|run| matches!(run.state, State::Limited(_))) && self.pool.ask(name) {
            self.admit(name);
        }
    }

    fn answer_waiting(&mut self, name: &str) {
        if let Some(context) = self.contexts.get_mut(name) {
            for (waiting, words) in context.waiting.drain(..) {
                let _ = waiting.send(Reply::Done(words));
            }
        }
    }
}
