//! The loops are bounded, their numbers only grow, and successful work is never repeated.

use std::collections::BTreeMap;

use kumite_core::change::Change;
use kumite_core::facts::{Facts, Look, TaskFacts};
use kumite_core::journal::{AgentId, Entry, Event, Order, Rules};
use kumite_core::outcome::Outcome;
use kumite_core::run::{Failure, Halt, Pause, State, Step};

use crate::check::{Verdict, broken};
use crate::specs::deed::Deed;
use crate::specs::news::News;
use crate::specs::{Replica, TraceLine, What};
use crate::story::Terms;

#[derive(Default)]
pub struct Loops {
    rules: Rules,
    specs: Vec<Count>,
    agents: BTreeMap<AgentId, Worker>,
}

struct Worker {
    step: Step,
    /// It really wrote the result of its step.
    wrote: bool,
    ended: bool,
}

/// The counters of one spec, based on what was started and not on what the core counts.
#[derive(Default)]
struct Count {
    /// Numbers begun within the allowance.
    rounds: Vec<u32>,
    inspections: Vec<u32>,
    retries: u8,
    /// An impl agent succeeded and left boxes open: the next impl is a retry.
    retry_due: bool,
    /// A halt promised that the next start grants a new allowance.
    grants_rounds: bool,
    grants_inspections: bool,
    rests: bool,
    /// A person asked, and nothing has begun since.
    resumed: bool,
    /// The retries are used up: only a reset helps.
    locked: bool,
    last_round: u32,
    /// The last inspection with anything written: nothing else shows that one was begun.
    last_inspection: u32,
    /// Reviews, replies and inspections that succeeded.
    settled: Vec<(&'static str, u32)>,
    /// It succeeded, but spec.json was unreadable at that time.
    unseen: Option<Step>,
}

impl Loops {
    pub fn see(&mut self, line: &TraceLine, replica: &Replica) -> Verdict {
        match &line.what {
            What::Began(Terms {
                machines, rules, ..
            }) => {
                self.rules = *rules;
                self.specs.resize_with(*machines, Count::default);
                self.specs.iter_mut().for_each(|count| count.rests = true);
            }
            What::Own(News::Done(agent, deed)) => {
                if let Deed::Inspection(written) = deed {
                    self.specs[line.machine].last_inspection = written.number;
                }
                if let Some(worker) = agent.and_then(|agent| self.agents.get_mut(&agent)) {
                    worker.wrote |=
                        matches!(deed, Deed::Review(_) | Deed::Reply(_) | Deed::Inspection(_));
                }
            }
            What::Recorded(entry) => self.recorded(line.machine, entry, replica),
            What::Started(agent, step, _) => {
                let worker = Worker {
                    step: *step,
                    wrote: false,
                    ended: false,
                };
                self.agents.insert(*agent, worker);
                return self.specs[line.machine].started(*step, &self.rules);
            }
            _ => {}
        }
        Ok(())
    }

    fn recorded(&mut self, spec: usize, entry: &Entry, replica: &Replica) {
        let count = &mut self.specs[spec];
        match &entry.event {
            Event::StartRequested { order, look, .. } => {
                count.asked(order);
                count.looked(look.as_ref());
            }
            Event::Admitted { look } => count.looked(Some(look)),
            Event::AgentEnded { agent, ended, look } => {
                let worker = self.agents.get_mut(agent).filter(|worker| !worker.ended);
                if let Some(worker) = worker {
                    worker.ended = true;
                    if ended.outcome == Outcome::Finished {
                        count.finished(worker, look);
                    }
                }
            }
            Event::ResetRequested if count.rests => count.start_over(),
            Event::DocumentRejected { .. } if count.rests => count.grant_all(),
            Event::EngineStarted => (count.retries, count.retry_due) = (0, false),
            _ => {}
        }
        if replica
            .saves()
            .any(|change| *change == Change::ReviewApproved)
        {
            // After a review, impl starts its count again.
            (count.retries, count.retry_due) = (0, false);
        }
        count.rests = replica.machine.is_at_rest();
        count.halted(&replica.machine.state);
    }
}

impl Count {
    fn asked(&mut self, order: &Order) {
        if !self.rests || self.locked {
            return;
        }
        self.resumed = true;
        if order.from.is_some() {
            self.grant_all();
        }
        if order.from.is_some() || order.review_once.is_some() {
            self.unseen = None;
        }
        // A review by hand resets the count of inspections.
        self.grants_inspections |= order.review_once.is_some();
        if std::mem::take(&mut self.grants_rounds) {
            self.rounds.clear();
        }
        if std::mem::take(&mut self.grants_inspections) {
            self.inspections.clear();
        }
    }

    fn grant_all(&mut self) {
        (self.grants_rounds, self.grants_inspections) = (true, true);
        (self.retries, self.retry_due) = (0, false);
        // A run that forgets its position also forgets results it has not looked at.
        self.unseen = None;
    }

    fn start_over(&mut self) {
        self.grant_all();
        self.locked = false;
    }

    fn halted(&mut self, state: &State) {
        match state {
            State::Done(_) => self.grant_all(),
            State::Halted(halted) => match halted.why {
                Halt::Waiting(_) => self.grant_all(),
                Halt::Paused(Pause::NeedsDiscussion | Pause::RoundsExhausted) => {
                    self.grants_rounds = true;
                }
                Halt::Paused(Pause::InspectionNogo) => self.grants_inspections = true,
                Halt::Failed(Failure::RetriesExhausted) => self.locked = true,
                // A person is asked first: what was left is judged later, or done again.
                Halt::Paused(_) if halted.resume.unjudged.is_some() => self.retry_due = false,
                _ => {}
            },
            _ => {}
        }
    }

    fn finished(&mut self, worker: &Worker, look: &Look) {
        match (worker.step, look) {
            (Step::Implement(_), Look::Seen(facts)) => self.retry_due = open_boxes(facts),
            (step, Look::Seen(facts)) if worker.wrote => self.settle(step, facts),
            (step, Look::Unreadable(_)) if worker.wrote => self.unseen = Some(step),
            _ => {}
        }
    }

    fn looked(&mut self, look: Option<&Look>) {
        if let Some(Look::Seen(facts)) = look
            && let Some(step) = self.unseen.take()
        {
            self.settle(step, facts);
        }
    }

    fn settle(&mut self, step: Step, facts: &Facts) {
        if let Some(round) = step.round()
            && clear(step, facts)
        {
            self.settled.push((step.name(), round.number));
        }
    }

    fn started(&mut self, step: Step, rules: &Rules) -> Verdict {
        // A person may undo at any time; inspections of what is there then count anew.
        if let Step::Undo(_) = step {
            self.inspections.clear();
            // The attempt whose work is undone is repeated, and so is what nobody has judged.
            (self.retry_due, self.unseen) = (false, None);
            return Ok(());
        }
        if self.locked {
            return broken(
                "only a reset leaves used-up retries",
                format!("{step:?} starts"),
            );
        }
        if let Some(round) = step.round()
            && self.settled.contains(&(step.name(), round.number))
        {
            return broken(
                "what ended well is never done again",
                format!("{step:?} starts, and it had ended well before"),
            );
        }
        if step.is_errand() {
            return Ok(());
        }
        let resumed = std::mem::take(&mut self.resumed);
        match step {
            Step::Review(round) => {
                let number = round.number;
                grows(number, &mut self.last_round, "review")?;
                let counted = counted(&mut self.rounds, number, rules.rounds_max);
                match resumed && counted.is_err() {
                    false => counted,
                    true => broken(
                        "no more rounds than allowed",
                        format!("review {number} begins after a halt that grants none"),
                    ),
                }
            }
            Step::Inspect(round) => {
                grows(round.number, &mut { self.last_inspection }, "inspection")?;
                counted(&mut self.inspections, round.number, rules.inspections_max)
            }
            Step::Implement(_) => {
                // Inspections of newer work count from the beginning.
                self.grants_inspections = false;
                self.inspections.clear();
                self.implements(rules)
            }
            Step::Write(_) => {
                // Reviews of newer documents do too.
                self.rounds.clear();
                Ok(())
            }
            Step::Reply(_)
            | Step::Fix(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => Ok(()),
        }
    }

    fn implements(&mut self, rules: &Rules) -> Verdict {
        self.retries += u8::from(std::mem::take(&mut self.retry_due));
        match self.retries <= rules.retries_max {
            true => Ok(()),
            false => broken(
                "no more retries than allowed",
                format!("retry {} of {} starts", self.retries, rules.retries_max),
            ),
        }
    }
}

fn grows(number: u32, last: &mut u32, what: &str) -> Verdict {
    if number < *last {
        let sentence = format!("{what} {number} follows {what} {last}");
        return broken("round numbers only grow", sentence);
    }
    *last = number;
    Ok(())
}

fn counted(begun: &mut Vec<u32>, number: u32, max: u8) -> Verdict {
    if !begun.contains(&number) {
        begun.push(number);
    }
    match begun.len() <= usize::from(max) {
        true => Ok(()),
        false => broken(
            "no more rounds than allowed",
            format!("{begun:?} are more rounds than {max}"),
        ),
    }
}

fn open_boxes(facts: &Facts) -> bool {
    matches!(facts.tasks, TaskFacts::Counted { done, total } if done < total)
}

/// Whether the files clearly show the result.
fn clear(step: Step, facts: &Facts) -> bool {
    fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
        match (one, other) {
            (None, None) => false,
            (Some(one), Some(other)) => one == other,
            (_, _) => true,
        }
    }
    let number = step.round().map(|round| round.number);
    let mut rounds = facts.review.rounds.iter();
    let mut inspections = facts.inspections.iter();
    match step {
        Step::Review(_) => rounds.any(|r| Some(r.number) == number && r.review.is_some()),
        Step::Reply(_) => rounds.any(|r| Some(r.number) == number && agree(r.table, r.counts)),
        Step::Inspect(_) => {
            inspections.any(|i| Some(i.number) == number && agree(i.report, i.recorded))
        }
        Step::Write(_)
        | Step::Implement(_)
        | Step::Fix(_)
        | Step::Merge
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => false,
    }
}
