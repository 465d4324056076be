//! The result of a rule, and the one place that starts agents.

use super::state::{Finish, Halt, Halted, Parked, Pause, Resume, Run, State, Wait, Work};
use super::step::{Gate, Step};
use super::trust::{Because, Site};
use super::{start, undo, words};
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
    /// The agent whose place the next one of its step takes.
    pub parked: Option<Parked>,
    /// Why impl begins again.
    pub because: Option<Because>,
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

    pub fn parking(self, parked: Option<Parked>) -> Turn {
        Turn { parked, ..self }
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

    /// A merge does not begin, nor go on after a limit or a lost agent, on a permission that
    /// appeared while an agent worked.
    fn permitted(self, facts: &Facts) -> Turn {
        let step = match &self.next {
            Next::Begin(step) => Some(*step),
            Next::Again { work, .. } => Some(work.step),
            Next::Wait(_) | Next::Halt(_) | Next::Finish(_) => None,
        };
        match step == Some(Step::Merge) && facts.deploy_doubted {
            true => self.held(Halt::DeployDoubted),
            false => self,
        }
    }

    /// Impl begins in a worktree, and nothing that follows it begins on code that the project's
    /// commands have not passed.
    fn trusted(mut self, run: &Run, facts: &Facts) -> Turn {
        let order = &run.order;
        let is_parked = |step: Step| {
            let parked = self.parked.as_ref();
            parked.is_some_and(|parked| parked.step.is_same_work(step))
        };
        let first = match self.next {
            Next::Begin(step @ Step::Implement(attempt)) if !is_parked(step) => {
                let is_wanted = run.memory.trust.wants_place(order, attempt, facts);
                let is_possible = order.no_worktree.is_none();
                (is_wanted && is_possible).then_some(Step::Prepare(attempt))
            }
            Next::Begin(step @ Step::Inspect(round)) if !is_parked(step) => {
                Gate::Inspect(round).closed(order, facts)
            }
            Next::Begin(Step::Merge) => Gate::Merge.closed(order, facts),
            _ => None,
        };
        if let Some(first) = first {
            self.next = Next::Begin(first);
        }
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
            halted.resume.unjudged = Some(Work {
                takes_over: None,
                ..work
            });
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
    let turn = match facts {
        Some(facts) => turn.permitted(facts).trusted(&run, facts),
        None => turn,
    };
    let kept = run.memory.trust.keep(facts, entry.seq);
    if turn.because.is_some() {
        run.memory.trust.because = turn.because;
    }
    let mut changes = turn.changes;
    let mut said = turn.notices;
    let limited = turn.limited;
    let launch = match turn.next {
        Next::Begin(step) => Some(fresh(step, turn.parked, facts, entry)),
        Next::Again { work, session } => {
            let agent = entry.agent();
            Some((session, Work { agent, ..work }))
        }
        Next::Wait(mut wait) => {
            said.push(wait.notice());
            wait.resume.parked = turn.parked;
            run.state = State::Limited(wait);
            None
        }
        Next::Halt(mut halted) => {
            halted.resume.parked = turn.parked;
            let moved_on = halted.resume.step.map(Step::phase) != phase;
            said.extend(phase.filter(|_| moved_on).map(Notice::PhaseEnded));
            run.state = State::Halted(halted);
            None
        }
        Next::Finish(finish) => {
            said.extend(phase.map(Notice::PhaseEnded));
            run.state = State::Done(finish);
            run.memory.parked = turn.parked;
            // A review by hand is a part of the run around it.
            run.under_way = run.order.review_once.is_some();
            None
        }
    };
    // Before the change is saved: afterwards the worktree would differ from what was merged.
    let is_merged = changes.contains(&Change::Deployed);
    let leaves = is_merged && run.memory.trust.site.worktree().is_some();
    run.memory.note(&changes);
    let launch = launch.map(|(session, work)| {
        said.extend(phase_change(phase, work.step.phase()));
        said.extend(facts.and_then(|facts| stays_in_checkout(&mut run, work.step, facts)));
        changes.extend(review_begun(phase, work.step));
        self::launch(&mut run, work, session, facts)
    });
    if run.is_at_rest() {
        said.push(words::run_ended(&run));
    }
    let mut effects = in_order(changes, limited, said, launch);
    effects.splice(0..0, leaves.then_some(Effect::Leave));
    effects.splice(
        0..0,
        kept.into_iter().flat_map(|it| undo::checkpoint(it, entry)),
    );
    (run, effects)
}

/// First facts are saved, then they are announced, then the next agent is started. Its start is
/// announced last: a launch that is refused (its budget is spent) ends the list, and then nothing
/// has started.
fn in_order(
    changes: Vec<Change>,
    limited: Option<Limited>,
    said: Vec<Notice>,
    launch: Option<(Launch, Notice)>,
) -> Vec<Effect> {
    let save = (!changes.is_empty()).then_some(Effect::Save(changes));
    let launch =
        launch.map(|(launch, started)| [Effect::Launch(launch), Effect::Announce(started)]);
    // Other runs must know even if spec.json cannot be written.
    limited
        .map(Effect::Limit)
        .into_iter()
        .chain(save)
        .chain(said.into_iter().map(Effect::Announce))
        .chain(launch.into_iter().flatten())
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
        | Step::Merge
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => Vec::new(),
    }
}

/// A project in which no spec can have a worktree needs no step to find that out.
fn stays_in_checkout(run: &mut Run, step: Step, facts: &Facts) -> Option<Notice> {
    let Step::Implement(attempt) = step else {
        return None;
    };
    let why = run.order.no_worktree.clone()?;
    let is_wanted = run.memory.trust.wants_place(&run.order, attempt, facts);
    is_wanted.then(|| {
        run.memory.trust.site = Site::Checkout;
        Notice::NoWorktree { why }
    })
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

/// A new agent of `step`, or one that takes the place of the parked one. What that one wrote
/// belongs to this step.
fn fresh(
    step: Step,
    parked: Option<Parked>,
    facts: Option<&Facts>,
    entry: &Entry,
) -> (Option<String>, Work) {
    let fresh = Work {
        before: facts.and_then(|facts| start::evidence(facts, step)),
        ..Work::new(step, entry.agent())
    };
    match parked.filter(|it| it.step.is_same_work(step)) {
        Some(parked) => (parked.session.clone(), parked.followed_by(fresh)),
        None => (None, fresh),
    }
}

/// The launch of an agent or a command, and the news that it has started.
pub(super) fn launch(
    run: &mut Run,
    work: Work,
    session: Option<String>,
    facts: Option<&Facts>,
) -> (Launch, Notice) {
    let Work { step, agent, .. } = work;
    run.memory.begins(step, facts);
    run.state = State::Working(work);
    let started = match step {
        Step::Verify(verify) => Notice::VerifyStarted {
            name: run.order.command(verify),
            agent,
        },
        _ => Notice::StepStarted {
            step,
            agent,
            resumed: session.is_some(),
        },
    };
    let launch = Launch {
        agent,
        run: run.number,
        step,
        fixing: run.order.review_once.unwrap_or(Fixing::Auto),
        resume: session,
        remark: run.memory.remark_for(step),
        because: match step {
            Step::Implement(_) => run.memory.trust.because.clone(),
            _ => None,
        },
        spent: run.spent.usd_micros,
    };
    (launch, started)
}
