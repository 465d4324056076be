//! Where there can be no worktrees, specs that are implemented in the checkout take turns.

use std::collections::VecDeque;

use kumite_core::run::{Run, Site, Step};

#[derive(Debug, Default)]
pub struct Checkout {
    owner: Option<String>,
    waiting: VecDeque<String>,
}

impl Checkout {
    /// Takes the checkout for a step of this run, if it needs it. The error is the spec that has
    /// it.
    pub fn take(&mut self, name: &str, run: &Run, step: Step) -> Result<(), String> {
        if !shares(run, step) {
            return Ok(());
        }
        match &self.owner {
            Some(owner) if owner != name => {
                if !self.waiting.iter().any(|waiting| waiting == name) {
                    self.waiting.push_back(name.to_owned());
                }
                Err(owner.clone())
            }
            Some(_) | None => {
                self.owner = Some(name.to_owned());
                Ok(())
            }
        }
    }

    /// The run rests, or does not need it any more. Returns the next one.
    pub fn leave(&mut self, name: &str) -> Option<String> {
        self.waiting.retain(|waiting| waiting != name);
        self.owner.take_if(|owner| owner == name)?;
        self.waiting.pop_front()
    }
}

fn shares(run: &Run, step: Step) -> bool {
    let is_writing = match step {
        Step::Implement(_) | Step::Verify(_) | Step::Inspect(_) | Step::Fix(_) | Step::Merge => {
            true
        }
        Step::Write(_)
        | Step::Review(_)
        | Step::Reply(_)
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Undo(_) => false,
    };
    is_writing && run.order.rules.worktree && run.memory.trust.site == Site::Checkout
}

#[cfg(test)]
mod tests {
    use kumite_core::run::Attempt;

    use super::*;

    fn sharing() -> Run {
        let mut run = Run::default();
        run.order.rules.worktree = true;
        run.memory.trust.site = Site::Checkout;
        run
    }

    #[test]
    fn e2_19_specs_that_share_a_checkout_take_turns() {
        let step = Step::Implement(Attempt::first(7));
        let (mut checkout, run) = (Checkout::default(), sharing());
        assert_eq!(checkout.take("a", &run, step), Ok(()));
        assert_eq!(checkout.take("a", &run, step), Ok(()), "it has it");
        assert_eq!(checkout.take("b", &run, step), Err("a".to_owned()));
        assert_eq!(checkout.take("b", &run, step), Err("a".to_owned()));
        assert_eq!(
            checkout.take("c", &run, Step::Baseline),
            Ok(()),
            "it writes nothing"
        );
        assert_eq!(checkout.leave("b"), None, "it was stopped meanwhile");
        assert_eq!(checkout.take("c", &run, step), Err("a".to_owned()));
        assert_eq!(checkout.leave("a").as_deref(), Some("c"));
        let mut own = sharing();
        own.memory.trust.site = Site::Unknown;
        assert_eq!(
            checkout.take("d", &own, step),
            Ok(()),
            "as it was before worktrees"
        );
    }
}
