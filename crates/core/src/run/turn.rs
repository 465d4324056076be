//! The result of a rule, and the one place that starts agents.

use super::start;
use super::state::{Finish, Halt, Halted, Pause, Resume, Run, State, Wait, Work};
use super::step::Step;
use super::words;
use crate::change::{Change, Fixing};
use crate::effect::{Effect, Launch, Limited};
use crate::facts::Facts;
use crate::journal::Entry;
use crate::names::Phase;
use crate::notice::Notice;

/// The decision of a rule: what is written, what is announced, and what comes next.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub changes: Vec<Change>,
    pub notices: Vec<Notice>,
    /// What other runs must know too.
    pub limited: Option<Limited>,
    pub next: Next,
}

#[derive(Debug)]
pub(super) enum Next {
    Begin(Step),
    /// The same step again, in place of the agent of `work`.
    Again {
        work: Work,
        session: Option<String>,
    },
    /// A usage limit: the run goes on by itself later.
    Wait(Wait),
    Halt(Halted),
    Finish(Finish),
}

impl Default for Next {
    fn default() -> Next {
        Next::Finish(Finish::AllPhasesDone)
    }
}

impl Turn {
    pub fn begin(step: Step) -> Turn {
        Turn::to(Next::Begin(step))
    }

    pub fn halt(step: Step, why: Halt, detail: impl Into<String>) -> Turn {
        Turn::to(Next::Halt(Halted::new(why, detail, Resume::at(step))))
    }

    pub fn pause(step: Step, why: Pause, detail: impl Into<String>) -> Turn {
        Turn::halt(step, Halt::Paused(why), detail)
    }

    pub fn to(next: Next) -> Turn {
        Turn {
            next,
            ..Turn::default()
        }
    }

    /// Adds earlier changes and notices, which are written and announced first.
    pub fn preceded(mut self, mut changes: Vec<Change>, mut notices: Vec<Notice>) -> Turn {
        changes.append(&mut self.changes);
        notices.append(&mut self.notices);
        Turn {
            changes,
            notices,
            ..self
        }
    }

    pub fn limited(self, limited: Limited) -> Turn {
        Turn {
            limited: Some(limited),
            ..self
        }
    }

    /// Nothing new begins: the run goes on with it later.
    pub fn held(mut self, why: Halt) -> Turn {
        self.next = match self.next {
            Next::Begin(step)
            | Next::Again {
                work: Work { step, .. },
                ..
            } => Next::Halt(Halted::new(why, "", Resume::at(step))),
            Next::Wait(wait) => Next::Halt(Halted::new(why, "", wait.resume)),
            rest @ (Next::Halt(_) | Next::Finish(_)) => rest,
        };
        self
    }

    /// Adds the agent's last words, for the person who is asked.
    pub fn with_last_words(mut self, words: &str) -> Turn {
        if let Next::Halt(halted) = &mut self.next
            && words::carries_last_words(halted.why)
        {
            halted.last_words = words.to_owned();
        }
        self
    }

    /// The finished agent is judged when the run goes on.
    pub fn unjudged(mut self, work: Work) -> Turn {
        if let Next::Halt(halted) = &mut self.next {
            halted.resume.unjudged = Some(work);
        }
        self
    }
}

/// Applies a turn to the run. `facts` are those it was decided on; `phase` is the one that people
/// saw last.
pub(super) fn go(
    mut run: Run,
    turn: Turn,
    facts: Option<&Facts>,
    phase: Option<Phase>,
    entry: &Entry,
) -> (Run, Vec<Effect>) {
    let mut changes = turn.changes;
    let mut said = turn.notices;
    let limited = turn.limited;
    let launch = match turn.next {
        Next::Begin(step) => Some((step, None, None)),
        Next::Again { work, session } => Some((work.step, session, Some(work))),
        Next::Wait(wait) => {
            said.push(wait.notice());
            run.state = State::Limited(wait);
            None
        }
        Next::Halt(halted) => {
            let moved_on = halted.resume.step.map(Step::phase) != phase;
            said.extend(phase.filter(|_| moved_on).map(Notice::PhaseEnded));
            run.state = State::Halted(halted);
            None
        }
        Next::Finish(finish) => {
            said.extend(phase.map(Notice::PhaseEnded));
            run.state = State::Done(finish);
            // A review by hand is a part of the run around it.
            run.under_way = run.order.review_once.is_some();
            None
        }
    };
    remember(&mut run, &changes);
    let written = |it: &&Change| matches!(it, Change::Generated(_) | Change::Rejected(_));
    if let Some(Change::Generated(_)) = changes.iter().rfind(written) {
        // The remark was for the document that has now been written.
        run.remark = None;
    }
    let launch = launch.map(|(step, session, replaced)| {
        said.extend(phase_change(phase, step.phase()));
        changes.extend(review_begun(phase, step));
        remember(&mut run, &changes);
        start_agent(&mut run, step, session, replaced, facts, entry, &mut said)
    });
    if run.is_at_rest() {
        said.push(words::run_ended(&run));
    }
    (run, in_order(changes, limited, said, launch))
}

/// Remembers what the files alone cannot tell.
fn remember(run: &mut Run, changes: &[Change]) {
    for change in changes {
        match change {
            Change::InspectionPassed => run.inspection_due = false,
            Change::Reopened(_) => run.inspection_due = true,
            Change::Generated(_)
            | Change::ReviewStarted(_)
            | Change::ReviewApproved
            | Change::Replied(..)
            | Change::Judged(..)
            | Change::Implemented
            | Change::Fixed(_)
            | Change::Approved(_)
            | Change::Rejected(_)
            | Change::ReviewWritten(_)
            | Change::Inspected(..)
            | Change::Deployed => {}
        }
    }
}

/// First facts are saved, then they are announced, then the next agent is started.
fn in_order(
    changes: Vec<Change>,
    limited: Option<Limited>,
    said: Vec<Notice>,
    launch: Option<Launch>,
) -> Vec<Effect> {
    let save = (!changes.is_empty()).then_some(Effect::Save(changes));
    // Other runs must know even if spec.json cannot be written.
    limited
        .map(Effect::Limit)
        .into_iter()
        .chain(save)
        .chain(said.into_iter().map(Effect::Announce))
        .chain(launch.map(Effect::Launch))
        .collect()
}

/// A10: the review is in progress from its first step on, even if that is a reply.
fn review_begun(from: Option<Phase>, step: Step) -> Vec<Change> {
    match step {
        Step::Review(round) => vec![Change::ReviewStarted(round.number)],
        Step::Reply(round) if from != Some(Phase::Review) => vec![
            Change::ReviewStarted(round.number),
            Change::ReviewWritten(round.number),
        ],
        Step::Reply(_)
        | Step::Write(_)
        | Step::Implement(_)
        | Step::Inspect(_)
        | Step::Fix(_)
        | Step::Merge => Vec::new(),
    }
}

fn phase_change(from: Option<Phase>, to: Phase) -> Vec<Notice> {
    if from == Some(to) {
        return Vec::new();
    }
    from.map(Notice::PhaseEnded)
        .into_iter()
        .chain([Notice::PhaseStarted(to)])
        .collect()
}

fn start_agent(
    run: &mut Run,
    step: Step,
    session: Option<String>,
    replaced: Option<Work>,
    facts: Option<&Facts>,
    entry: &Entry,
    said: &mut Vec<Notice>,
) -> Launch {
    let agent = entry.agent();
    // It stays until the agent has begun: its launch, or a write before it, may still fail.
    let parked = run.parked.take();
    run.parked = parked.filter(|it| replaced.is_none() && it.step.is_same_work(step));
    let fresh = Work {
        step,
        agent,
        before: facts.and_then(|facts| start::evidence(facts, step)),
        revived: false,
        anew: false,
    };
    // What the replaced agent wrote belongs to this step.
    let (session, work) = match (&run.parked, replaced) {
        (Some(parked), _) => (parked.session.clone(), parked.followed_by(fresh)),
        (None, Some(replaced)) => (session, Work { agent, ..replaced }),
        (None, None) => (session, fresh),
    };
    // Whatever the result of this agent, it may change inspected work.
    run.inspection_due |= !matches!(step, Step::Inspect(_) | Step::Merge);
    run.state = State::Working(work);
    said.push(Notice::StepStarted {
        step,
        agent,
        resumed: session.is_some(),
    });
    Launch {
        agent,
        run: run.number,
        step,
        fixing: run.order.review_once.unwrap_or(Fixing::Auto),
        resume: session,
        remark: match step {
            Step::Write(_) => run.remark.clone(),
            _ => None,
        },
        spent: run.spent.usd_micros,
    }
}
