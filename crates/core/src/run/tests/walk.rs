//! A run over many events: agents leave evidence, saves reach the files.

use super::build::*;
use crate::effect::Effect;
use crate::facts::{Facts, InspectionFacts, RoundFacts, Stamp, TaskFacts, Verdict};
use crate::journal::{Event, Order};
use crate::outcome::Outcome;
use crate::run::{Run, State, Step, decide};

pub struct Walk {
    pub run: Run,
    pub facts: Facts,
    /// The steps of all started agents.
    pub launched: Vec<Step>,
    seq: u64,
}

impl Walk {
    pub fn of(facts: Facts) -> Walk {
        Walk {
            run: Run::default(),
            facts,
            launched: Vec::new(),
            seq: 0,
        }
    }

    /// Handles one event in a world in which every effect succeeds.
    pub fn tell(&mut self, event: Event) -> &mut Walk {
        let effects = self.tell_only(event);
        self.perform(effects)
    }

    /// The event happens, but its effects are not carried out.
    pub fn tell_only(&mut self, event: Event) -> Vec<Effect> {
        self.seq += 1;
        let run = std::mem::take(&mut self.run);
        let (run, effects) = decide(run, &entry(self.seq, event));
        self.run = run;
        effects
    }

    pub fn perform(&mut self, effects: Vec<Effect>) -> &mut Walk {
        for effect in effects {
            match effect {
                Effect::Save(changes) => {
                    changes.into_iter().for_each(|it| self.facts.apply(it));
                }
                Effect::Launch(launch) => self.launched.push(launch.step),
                Effect::Announce(_)
                | Effect::Limit(_)
                | Effect::End(_)
                | Effect::Settle(_)
                | Effect::Leave
                | Effect::Keep { .. } => {}
            }
        }
        self
    }

    /// The entry's changes cannot be written; the effects that depend on them are not carried out.
    pub fn fail_to_save(&mut self, effects: &[Effect]) -> &mut Walk {
        let saves = effects.iter().find_map(|effect| match effect {
            Effect::Save(changes) => Some(changes),
            _ => None,
        });
        let changes = saves.unwrap_or_else(|| panic!("nothing is saved by {effects:?}"));
        self.tell(save_failed(self.seq, changes))
    }

    pub fn start(&mut self) -> &mut Walk {
        self.tell(start_as(Order::default(), self.facts.clone()))
    }

    pub fn ends(&mut self, outcome: Outcome) -> &mut Walk {
        let event = self.ending(outcome);
        self.tell(event)
    }

    /// The end of the working agent, with the current files.
    pub fn ending(&self, outcome: Outcome) -> Event {
        let work = self.run.work().expect("an agent works");
        ended_as(work.agent, outcome, look(self.facts.clone()))
    }

    /// The working agent writes what its step requires, and succeeds.
    pub fn agent_replies(&mut self, fix_required: u32, needs_discussion: u32) -> &mut Walk {
        let found = super::files::findings(fix_required, needs_discussion);
        self.leaves_evidence(|round| round.table = Some(found), Verdict::Go)
            .ends(Outcome::Finished)
    }

    pub fn agent_inspects(&mut self, verdict: Verdict) -> &mut Walk {
        self.leaves_evidence(|_| {}, verdict)
            .ends(Outcome::Finished)
    }

    pub fn agent_finishes(&mut self) -> &mut Walk {
        self.agent_replies(0, 0)
    }

    fn leaves_evidence(
        &mut self,
        table: impl FnOnce(&mut RoundFacts),
        verdict: Verdict,
    ) -> &mut Walk {
        let stamp = Some(Stamp::Fnv(self.seq + 100));
        match self.run.work().expect("an agent works").step {
            Step::Write(document) => self.facts.documents[document as usize].stamp = stamp,
            Step::Review(round) => self.round(round.number).review = stamp,
            Step::Reply(round) => {
                let known = self.round(round.number);
                known.reply = stamp;
                table(known);
            }
            Step::Inspect(round) => self.facts.inspections.push(InspectionFacts {
                number: round.number,
                report: Some(verdict),
                stamp,
                ..InspectionFacts::default()
            }),
            Step::Implement(_)
            | Step::Fix(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => {}
        }
        self
    }

    fn round(&mut self, number: u32) -> &mut RoundFacts {
        let rounds = &mut self.facts.review.rounds;
        let known = rounds.iter_mut().find(|round| round.number == number);
        known.expect("the round was begun in spec.json")
    }

    pub fn checks_boxes(&mut self, done: u32, total: u32) -> &mut Walk {
        self.facts.tasks = TaskFacts::Counted { done, total };
        self
    }

    pub fn times(&mut self, times: usize, mut what: impl FnMut(&mut Walk)) -> &mut Walk {
        (0..times).for_each(|_| what(self));
        self
    }

    #[track_caller]
    pub fn stands(&mut self, state: State) -> &mut Walk {
        let mut here = self.run.state.clone();
        if let State::Halted(halted) = &mut here {
            halted.detail.clear();
        }
        assert_eq!(here, state);
        self
    }

    #[track_caller]
    pub fn works_on(&mut self, step: Step) -> &mut Walk {
        assert_eq!(self.run.work().map(|work| work.step), Some(step));
        self
    }

    pub fn count(&self, step: fn(&Step) -> bool) -> usize {
        self.launched.iter().filter(|it| step(it)).count()
    }
}
