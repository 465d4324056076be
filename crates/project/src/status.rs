//! The state of a spec, for people and programs (contract). It is read only from the files: it asks
//! no engine, and is correct when none runs.

use kumite_core::facts::{Facts, Look, RoundProgress, TaskFacts, Verdict};
use kumite_core::names::Phase;
use kumite_core::notice::Notice;
use kumite_core::place::CheckOutcome;
use kumite_core::run::{
    Evidence, Finish, Halt, Halted, Pause, Reason, Run, SpecState, State, StateName, Step,
    first_unfinished, limit_sentence, phase_of, run_ended,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::announce::usd;
use crate::clock::{local_moment, rfc3339};
use crate::picture::{AgentDir, EngineSeen, Picture};
use crate::project::{Project, Spec};
use crate::{cores, spec_file, wording};

/// Fewer specs are not worth a thread.
const SHARE_MIN: usize = 32;

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Status {
    pub spec: String,
    #[schemars(with = "String")]
    pub state: StateName,
    #[schemars(with = "Option<String>")]
    pub phase: Option<Phase>,
    #[schemars(with = "Option<String>")]
    pub reason: Option<Reason>,
    pub message: Option<String>,
    #[serde(serialize_with = "step_word")]
    #[schemars(with = "Option<String>")]
    pub step: Option<Step>,
    pub round: Option<u32>,
    pub rounds_max: Option<u8>,
    pub attempt: Option<u8>,
    pub attempts_max: Option<u8>,
    pub tasks: TaskCount,
    pub agents: Vec<LiveAgent>,
    /// The place of a queued spec, from 1.
    pub queue_place: Option<usize>,
    /// When a usage limit ends.
    pub until: Option<String>,
    /// For all agents of the spec, in all its runs.
    pub cost_usd: f64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// The review rounds in spec.json and the files (A7).
    pub reviews: Vec<ReviewRound>,
    pub inspections: Vec<InspectionRound>,
    /// Where the spec is implemented, if not in the checkout.
    pub worktree: Option<WorktreeStatus>,
    /// The project's commands that have passed on the code that is there.
    pub verified: Option<Verified>,
    /// The type that `state` and `reason` are the words for.
    #[serde(skip)]
    pub spec_state: SpecState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorktreeStatus {
    pub path: String,
    pub branch: String,
    pub base: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Verified {
    /// The content of the worktree that they passed on. None: the spec has no worktree.
    pub tree: Option<String>,
    pub at: String,
    pub commands: Vec<VerifiedCommand>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct VerifiedCommand {
    pub name: String,
    #[schemars(with = "String")]
    pub outcome: CheckOutcome,
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewRound {
    pub round: u32,
    #[schemars(with = "Option<String>")]
    pub status: Option<RoundProgress>,
    pub fix_required: Option<u32>,
    pub needs_discussion: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InspectionRound {
    pub round: u32,
    #[schemars(with = "Option<String>")]
    pub verdict: Option<Verdict>,
    pub fixed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskCount {
    pub done: u32,
    pub total: u32,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LiveAgent {
    pub id: String,
    pub step: Option<&'static str>,
    pub pid: Option<u32>,
    pub started_at: Option<String>,
}

/// The status of all specs of a project.
pub fn all(project: &Project) -> Result<Vec<Status>, crate::project::Error> {
    let engine = EngineSeen::of(project);
    let specs = project.all_specs()?;
    Ok(of_each(&specs, |spec| {
        Picture::glance(spec.clone(), &engine).status()
    }))
}

/// Reads something of each spec. Most of the time is spent waiting for the kernel, so all cores
/// help.
pub(crate) fn of_each<T: Send>(specs: &[Spec], read: impl Fn(&Spec) -> T + Sync) -> Vec<T> {
    let share = specs.len().div_ceil(cores::count()).max(SHARE_MIN);
    cores::read_each(specs.chunks(share), read)
}

pub fn one(project: &Project, spec: &Spec) -> Status {
    Picture::glance(spec.clone(), &EngineSeen::of(project)).status()
}

pub(crate) fn of(picture: &Picture) -> Status {
    let Picture { spec, run, .. } = picture;
    let mut status = of_run(&spec.name, run, picture.facts(), picture.is_driven);
    status.agents = living(picture);
    if let (State::Queued { .. }, true) = (&run.state, picture.is_driven)
        && let Some(place) = &picture.queue_place
    {
        status.queue_place = Some(place.number);
        status.message = Some(format!("queued: {place}"));
    }
    if let (Look::Unreadable(why), true) = (&picture.look, run.is_at_rest()) {
        status = status.at(SpecState::SpecUnreadable);
        status.message = Some(why.clone());
    }
    if let Some(trouble) = &picture.trouble {
        // An unknown state is never good news.
        status = status.at(SpecState::JournalUnreadable);
        status.message = Some(spec_file::sentence(trouble));
    }
    status
}

/// The part that needs no process table.
pub fn of_run(spec: &str, run: &Run, facts: Option<&Facts>, engine_lives: bool) -> Status {
    let spec_state = SpecState::of(run, engine_lives);
    let mut message = message(spec, run, spec_state);
    if let (Some(message), Some(until_ms)) = (&mut message, run.limited_until_ms()) {
        *message += &format!("; it ends at {}", local_moment(until_ms));
    }
    let step = step_of(run);
    let next = facts.and_then(|facts| first_unfinished(facts, &run.order.rules));
    let rules = &run.order.rules;
    let spent = run.spent_in_all();
    Status {
        spec: spec.to_owned(),
        state: spec_state.state(),
        phase: phase(run, facts, next),
        reason: spec_state.reason(),
        message: message.map(|message| wording::addressed(&message, spec)),
        step,
        round: round_of(run, step),
        rounds_max: step.and_then(|step| match step {
            Step::Review(_) | Step::Reply(_) => Some(rules.rounds_max),
            Step::Inspect(_) | Step::Fix(_) => Some(rules.inspections_max),
            Step::Write(_)
            | Step::Implement(_)
            | Step::Merge
            | Step::Baseline
            | Step::Prepare(_)
            | Step::Verify(_)
            | Step::Undo(_) => None,
        }),
        attempt: step
            .and_then(Step::attempt)
            .map(|attempt| match run.is_exhausted() {
                true => rules.retries_max,
                false => attempt.retry,
            }),
        attempts_max: step.and_then(Step::attempt).map(|_| rules.retries_max),
        tasks: facts.map(tasks).unwrap_or_default(),
        agents: Vec::new(),
        queue_place: None,
        until: run.limited_until_ms().map(rfc3339),
        cost_usd: usd(spent.usd_micros),
        input_tokens: spent.input_tokens,
        output_tokens: spent.output_tokens,
        reviews: facts.map(reviews).unwrap_or_default(),
        inspections: facts.map(inspections).unwrap_or_default(),
        worktree: run
            .memory
            .trust
            .site
            .worktree()
            .map(|place| WorktreeStatus {
                path: place.path.clone(),
                branch: place.branch.clone(),
                base: place.base.clone(),
            }),
        verified: run.memory.trust.evidence.as_ref().map(verified),
        spec_state,
    }
}

impl Status {
    /// The same spec in another state.
    pub fn at(self, spec_state: SpecState) -> Status {
        Status {
            state: spec_state.state(),
            reason: spec_state.reason(),
            spec_state,
            ..self
        }
    }
}

fn verified(evidence: &Evidence) -> Verified {
    let commands = evidence.checks.iter().map(|check| VerifiedCommand {
        name: check.name.clone(),
        outcome: check.outcome,
        seconds: check.ms as f64 / 1000.0,
    });
    Verified {
        tree: evidence.tree.clone(),
        at: rfc3339(evidence.at_ms),
        commands: commands.collect(),
    }
}

/// The counts of spec.json; if it has none, those of the reply's own table.
fn reviews(facts: &Facts) -> Vec<ReviewRound> {
    let rounds = facts.review.rounds.iter().map(|round| {
        let found = round.counts.or(round.table);
        ReviewRound {
            round: round.number,
            status: round.recorded,
            fix_required: found.map(|found| found.fix_required),
            needs_discussion: found.map(|found| found.needs_discussion),
        }
    });
    rounds.collect()
}

fn inspections(facts: &Facts) -> Vec<InspectionRound> {
    let rounds = facts.inspections.iter().map(|known| InspectionRound {
        round: known.number,
        verdict: known.recorded.or(known.report),
        fixed: known.fixed,
    });
    rounds.collect()
}

fn message(spec: &str, run: &Run, spec_state: SpecState) -> Option<String> {
    let step = run.work().map_or("next", |work| work.step.name());
    Some(match spec_state {
        SpecState::Idle
        | SpecState::SpecUnreadable
        | SpecState::JournalUnreadable
        | SpecState::JournalUnwritable => return None,
        SpecState::Queued => "queued".to_owned(),
        SpecState::Working => format!("an agent works on the {step} step"),
        SpecState::Finishing => format!("it pauses when the agent of the {step} step has finished"),
        SpecState::Stopping => format!("the agent of the {step} step is being ended"),
        SpecState::CutOff if run.work().is_none() => {
            format!("kumite ended while it was queued; `kumite run {spec}` goes on")
        }
        SpecState::CutOff => format!(
            "kumite ended in the middle of the {step} step; `kumite run {spec}` goes on there"
        ),
        SpecState::Limited | SpecState::Halted(_) | SpecState::Done(_) => match &run.state {
            State::Limited(wait) if spec_state == SpecState::Limited => limit_sentence(&wait.words),
            State::Limited(wait) => format!(
                "{}; no kumite is there to wait: `kumite run` goes on",
                limit_sentence(&wait.words)
            ),
            _ => match run_ended(run) {
                Notice::RunEnded { message, .. } => message,
                _ => return None,
            },
        },
    })
}

fn phase(run: &Run, facts: Option<&Facts>, next: Option<Phase>) -> Option<Phase> {
    let known = phase_of(run);
    let done = matches!(run.state, State::Done(Finish::AllPhasesDone));
    match (known, done) {
        (Some(phase), _) => Some(phase),
        (None, true) => Some(last_phase(facts)),
        (None, false) => next.or_else(|| facts.map(|facts| last_phase(Some(facts)))),
    }
}

/// The phase that a finished spec ended with.
fn last_phase(facts: Option<&Facts>) -> Phase {
    match facts.and_then(|facts| facts.completed) {
        Some(Phase::Deploy) => Phase::Deploy,
        _ => Phase::Inspection,
    }
}

fn step_of(run: &Run) -> Option<Step> {
    match &run.state {
        State::Working(work) | State::Finishing(work) | State::Stopping { work, .. } => {
            Some(work.step)
        }
        State::Halted(halted) => halted.resume.step,
        State::Queued { resume } => resume.step,
        State::Limited(wait) => wait.resume.step,
        State::Idle | State::Done(_) => None,
    }
}

/// A loop that was left to a person shows its last round, not the one that would follow.
fn round_of(run: &Run, step: Option<Step>) -> Option<u32> {
    let number = step.and_then(Step::round)?.number;
    match &run.state {
        State::Halted(Halted {
            why:
                Halt::Paused(Pause::RoundsExhausted | Pause::NeedsDiscussion | Pause::InspectionNogo),
            ..
        }) => Some(number.saturating_sub(1)),
        _ => Some(number),
    }
}

fn tasks(facts: &Facts) -> TaskCount {
    match facts.tasks {
        TaskFacts::Counted { done, total } => TaskCount { done, total },
        TaskFacts::Unreadable => TaskCount::default(),
    }
}

fn living(picture: &Picture) -> Vec<LiveAgent> {
    let work = picture.run.work();
    let alive = |agent: &AgentDir| {
        let life = agent.life.as_ref()?;
        let work = work.filter(|work| work.agent.to_string() == agent.id);
        Some(LiveAgent {
            id: agent.id.clone(),
            step: work.map(|work| work.step.name()),
            pid: life.pid,
            started_at: life.started_at_ms.map(rfc3339),
        })
    };
    picture.agents.iter().filter_map(alive).collect()
}

fn step_word<S: Serializer>(step: &Option<Step>, to: S) -> Result<S::Ok, S::Error> {
    step.map(Step::name).serialize(to)
}
