//! The vocabulary of the rows.

use crate::change::Change;
use crate::effect::{Effect, Launch};
use crate::facts::{Facts, Look, Stamp};
use crate::journal::{AgentId, By, Entry, Event, INSPECTIONS_MAX, Order, RETRIES_MAX, ROUNDS_MAX};
use crate::names::{Document, Phase};
use crate::notice::Notice;
use crate::outcome::{Ended, Outcome, Usage};
use crate::run::{
    Attempt, Deploy, Failure, Finish, Halt, Halted, Pause, Resume, Round, Run, State, Step, Work,
    decide,
};

/// The number of the entry that a row decides on, and so of an agent that it starts.
pub const SEQ: u64 = 9;
/// The agent that works in the state before.
pub const OURS: AgentId = agent(1);

pub const fn agent(seq: u64) -> AgentId {
    AgentId {
        at_ms: seq * 10,
        seq,
    }
}

/// The result of a row.
pub struct Decided {
    pub run: Run,
    pub effects: Vec<Effect>,
}

pub fn decided(before: impl Into<Run>, event: Event) -> Decided {
    let (run, effects) = decide(before.into(), &entry(SEQ, event));
    Decided { run, effects }
}

/// One row. Details of a halt are for people and are tested elsewhere, as is what is parked.
#[track_caller]
pub fn check(before: impl Into<Run>, event: Event, after: State) -> Decided {
    let decided = decided(before, event);
    assert_eq!(plain(decided.run.state.clone()), plain(after));
    decided
}

/// One row in which nothing happens.
#[track_caller]
pub fn check_stays(before: impl Into<Run>, event: Event) {
    let before = before.into();
    let decided = decided(before.clone(), event);
    assert_eq!(decided.run, before);
    assert_eq!(decided.effects, []);
}

impl Decided {
    pub fn saved(&self) -> Vec<Change> {
        let saves = self.effects.iter().filter_map(|effect| match effect {
            Effect::Save(changes) => Some(changes.clone()),
            _ => None,
        });
        saves.flatten().collect()
    }

    pub fn said(&self) -> Vec<&Notice> {
        let said = self.effects.iter().filter_map(|effect| match effect {
            Effect::Announce(notice) => Some(notice),
            _ => None,
        });
        said.collect()
    }

    pub fn launched(&self) -> Option<&Launch> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Launch(launch) => Some(launch),
            _ => None,
        })
    }

    #[track_caller]
    pub fn saves(&self, changes: &[Change]) -> &Decided {
        assert_eq!(self.saved(), changes);
        self
    }

    #[track_caller]
    pub fn says(&self, notice: Notice) -> &Decided {
        let said = self.said();
        assert!(said.contains(&&notice), "{notice:?} is not in {said:?}");
        self
    }
}

/// Without details for people, and without what is parked.
fn plain(mut state: State) -> State {
    match &mut state {
        State::Halted(halted) => {
            halted.detail.clear();
            halted.last_words.clear();
            halted.resume.parked = None;
        }
        State::Limited(wait) => wait.resume.parked = None,
        State::Queued { resume } => resume.parked = None,
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
            work.takes_over = None;
        }
        State::Idle | State::Done(_) => {}
    }
    state
}

impl From<State> for Run {
    fn from(state: State) -> Run {
        Run {
            under_way: !matches!(state, State::Idle | State::Done(_)),
            state,
            ..Run::default()
        }
    }
}

pub fn entry(seq: u64, event: Event) -> Entry {
    Entry {
        version: crate::journal::VERSION,
        seq,
        at_ms: agent(seq).at_ms,
        event,
    }
}

pub fn ordered(order: Order, state: State) -> Run {
    Run {
        order,
        state,
        ..Run::default()
    }
}

pub fn queued(order: Order) -> Run {
    let resume = Resume::default();
    ordered(order, State::Queued { resume })
}

pub fn by_hand_approval() -> Order {
    let mut order = Order::default();
    order.rules.auto_approve = false;
    order
}

pub fn until(phase: Phase) -> Order {
    Order {
        until: Some(phase),
        ..Order::default()
    }
}

// States.

pub fn work(step: Step) -> Work {
    Work {
        step,
        agent: OURS,
        before: None,
        revived: false,
        anew: false,
        takes_over: None,
    }
}

pub fn working(step: Step) -> State {
    State::Working(work(step))
}

/// The permission for deploy comes from there.
pub fn with_deploy(deploy: Deploy, state: State) -> Run {
    let mut run = Run::from(state);
    run.memory.deploy = deploy;
    run
}

pub fn stopping(step: Step) -> State {
    let by = By::User;
    State::Stopping {
        work: work(step),
        by,
    }
}

/// The row started an agent for `step`.
pub fn begun(step: Step) -> State {
    begun_over(None, step)
}

pub fn begun_over(before: Option<Stamp>, step: Step) -> State {
    State::Working(Work {
        agent: agent(SEQ),
        before,
        ..work(step)
    })
}

pub fn halted(why: Halt, step: Step) -> State {
    State::Halted(Halted {
        why,
        detail: String::new(),
        last_words: String::new(),
        resume: Resume::at(step),
    })
}

pub fn paused(why: Pause, step: Step) -> State {
    halted(Halt::Paused(why), step)
}

/// Paused with an agent that succeeded and waits to be judged.
pub fn unjudged(why: Pause, work: Work) -> State {
    State::Halted(Halted {
        why: Halt::Paused(why),
        detail: String::new(),
        last_words: String::new(),
        resume: Resume {
            step: Some(work.step),
            unjudged: Some(work),
            parked: None,
        },
    })
}

pub fn failed(why: Failure, step: Step) -> State {
    halted(Halt::Failed(why), step)
}

pub fn stopped(step: Step) -> State {
    halted(Halt::Stopped(By::User), step)
}

pub fn waiting(document: Document) -> State {
    halted(Halt::Waiting(document), Step::Write(document))
}

pub fn exhausted() -> State {
    failed(Failure::RetriesExhausted, implement(0))
}

pub fn done(finish: Finish) -> State {
    State::Done(finish)
}

// Steps, counted as in a run that began with round 1.

pub fn round(number: u32, left: u8) -> Round {
    Round { number, left }
}

pub fn review(number: u32) -> Step {
    Step::Review(round(number, ROUNDS_MAX - number as u8))
}

pub fn reply(number: u32) -> Step {
    Step::Reply(round(number, ROUNDS_MAX - number as u8))
}

pub fn implement(retry: u8) -> Step {
    let left = RETRIES_MAX - retry;
    Step::Implement(Attempt { retry, left })
}

pub fn inspect(number: u32) -> Step {
    Step::Inspect(round(number, INSPECTIONS_MAX - number as u8))
}

pub fn fix(number: u32) -> Step {
    Step::Fix(round(number, INSPECTIONS_MAX - number as u8))
}

// Events.

pub fn start(facts: Facts) -> Event {
    start_as(Order::default(), facts)
}

pub fn look(facts: Facts) -> Look {
    Look::Seen(Box::new(facts))
}

pub fn start_as(order: Order, facts: Facts) -> Event {
    let look = Some(look(facts));
    Event::StartRequested {
        order,
        look,
        place: None,
    }
}

pub fn admitted(facts: Facts) -> Event {
    let look = look(facts);
    Event::Admitted { look }
}

pub fn finished(facts: Facts) -> Event {
    ended(Outcome::Finished, facts)
}

pub fn ended(outcome: Outcome, facts: Facts) -> Event {
    ended_as(OURS, outcome, look(facts))
}

pub fn ended_unreadable() -> Event {
    ended_as(OURS, Outcome::Finished, unreadable())
}

pub fn ended_as(agent: AgentId, outcome: Outcome, look: Look) -> Event {
    let ended = Ended {
        outcome,
        session: Some("session".to_owned()),
        usage: Usage::default(),
        last_words: String::new(),
    };
    Event::AgentEnded { agent, ended, look }
}

pub fn unreadable() -> Look {
    Look::Unreadable("spec.json:3: expected a comma".to_owned())
}

pub fn save_failed(seq: u64, changes: &[Change]) -> Event {
    Event::SaveFailed {
        seq,
        changes: changes.to_vec(),
        why: "disk full".to_owned(),
    }
}

pub fn stop() -> Event {
    Event::StopRequested { by: By::User }
}
