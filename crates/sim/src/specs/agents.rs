//! Agents, good and bad: their behaviour is drawn when they start.

use kumite_core::effect::Launch;
use kumite_core::facts::{Findings, TaskFacts, Verdict};
use kumite_core::journal::AgentId;
use kumite_core::names::Document;
use kumite_core::outcome::{Ended, Outcome};
use kumite_core::run::Step;

use super::account::{Obstacle, over_budget};
use super::deed::{Deed, Inspection, Reply, SpecJsonClaim};
use super::news::News;
use super::{SpecHappening, SpecStory, What, World, craft, errands};
use crate::faults::{Kind, Tally};
use crate::processes::{Start, ended};
use crate::rng::Rng;

/// What an agent will do if nobody interferes.
pub struct Behaviour {
    pub deeds: Vec<Deed>,
    pub writes_after_ms: u64,
    pub ends_after_ms: u64,
    /// None: it vanishes without a record.
    pub outcome: Option<Outcome>,
    pub session: Option<String>,
    /// What keeps it from its work.
    pub met: Option<Obstacle>,
    /// Not an agent, but kumite itself, with the number of a command.
    pub errand: Option<(Step, usize)>,
}

/// Draws the behaviour of an agent, and starts it.
pub fn spawn(world: &mut World, epoch: u64, start: Start<SpecStory>, launch: &Launch) {
    let agent = launch.agent;
    let badly = match world.calm {
        true => 0,
        false => world.story.drawn.rates.agent,
    };
    let mut behaviour = draw(&mut world.rng, &mut world.tally, launch, badly, world.calm);
    craft::add(world, agent, launch.step, &mut behaviour.deeds);
    hinder(world, launch, &mut behaviour);
    world.post_own(behaviour.writes_after_ms, SpecHappening::Writes { agent });
    let (session, ends_after_ms) = (behaviour.session.clone(), behaviour.ends_after_ms);
    world.spawn(start, epoch, behaviour, session, ends_after_ms);
}

/// Some programs rename a resumed session; and an agent that may not work ends soon.
fn hinder(world: &mut World, launch: &Launch, behaviour: &mut Behaviour) {
    let account = &mut world.story.account;
    let resumes = launch.resume.is_some();
    if resumes && account.luck.chance(200) {
        behaviour.session = Some(own_session(launch.agent));
    }
    behaviour.met = account.meets(world.now_ms, world.calm, resumes);
    if behaviour.met.is_some() {
        behaviour.deeds.clear();
        behaviour.ends_after_ms = account.luck.between(1, 25);
        let begun = resumes || account.luck.chance(700);
        behaviour.session = behaviour.session.take().filter(|_| begun);
    }
}

pub fn writes(world: &mut World, agent: AgentId) {
    let Some(known) = world.living(agent) else {
        return;
    };
    let spec = known.machine;
    for deed in std::mem::take(&mut known.behaviour.deeds) {
        world.story.disks[spec].suffer(deed);
        world.see(spec, What::Own(News::Done(Some(agent), deed)));
    }
}

/// The end of an agent: the account decides, unless it was told to end.
pub fn ends(world: &mut World, agent: AgentId, told: Option<Outcome>) -> Option<Ended> {
    let behaviour = &world.living(agent)?.behaviour;
    if behaviour.errand.is_some() {
        return errands::ends(world, agent, told);
    }
    let (planned, met, session) = (
        behaviour.outcome.clone(),
        behaviour.met,
        behaviour.session.clone(),
    );
    let told_to = told.is_some();
    let (now_ms, calm) = (world.now_ms, world.calm);
    let (account, tally) = (&mut world.story.account, &mut world.tally);
    let outcome = match told {
        Some(told) => told,
        None => account.outcome(now_ms, calm, met, planned?, tally),
    };
    let usage = account.uses();
    let broke = account.pays(usage) && !told_to && account.luck.chance(500);
    let outcome = match broke {
        true => over_budget(tally),
        false => outcome,
    };
    Some(ended(outcome, session, usage))
}

/// How well an agent works.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quality {
    Good,
    /// Good, but only in one of the two places.
    OneSource,
    Half,
    Conflict,
    Nothing,
}

/// Draws the behaviour of an agent. `badly` is how often in a thousand it does not work properly.
fn draw(rng: &mut Rng, tally: &mut Tally, launch: &Launch, badly: u32, calm: bool) -> Behaviour {
    let (outcome, writes) = draw_outcome(rng, tally, badly);
    let quality = draw_quality(rng, tally, badly, writes);
    let mut deeds = deeds(rng, tally, launch.step, quality, calm);
    if rng.chance(badly / 10) {
        tally.note(Kind::AgentGarbledSpec);
        deeds.push(Deed::Garble);
    }
    let writes_after_ms = rng.between(5, 120);
    let begun = match &outcome {
        Some(Outcome::Hung) | None => rng.chance(500),
        _ => true,
    };
    let session = match (&launch.resume, begun) {
        (Some(given), _) => Some(given.clone()),
        (None, true) => Some(own_session(launch.agent)),
        (None, false) => None,
    };
    if outcome == Some(Outcome::Hung) {
        tally.note(match session {
            Some(_) => Kind::AgentHungWithSession,
            None => Kind::AgentHung,
        });
    }
    Behaviour {
        deeds,
        writes_after_ms,
        ends_after_ms: writes_after_ms + rng.between(0, 80),
        outcome,
        session,
        met: None,
        errand: None,
    }
}

/// The session of an agent that resumes none.
fn own_session(agent: AgentId) -> String {
    format!("session-{}", agent.at_ms)
}

/// How it ends, and whether it writes anything before that.
fn draw_outcome(rng: &mut Rng, tally: &mut Tally, badly: u32) -> (Option<Outcome>, bool) {
    if !rng.chance(badly) || rng.chance(500) {
        return (Some(Outcome::Finished), true);
    }
    let (kind, outcome) = match rng.below(8) {
        0 | 1 => (Kind::AgentFailed, Some(Outcome::Failed("exit 1".into()))),
        2 => (Kind::AgentTimedOut, Some(Outcome::TimedOut)),
        3 => (Kind::AgentKilledFromOutside, Some(Outcome::Killed)),
        4 | 5 => return (Some(Outcome::Hung), rng.chance(500)),
        6 => (Kind::AgentMissing, Some(Outcome::Missing("gone".into()))),
        _ => (Kind::SupervisorDied, None),
    };
    tally.note(kind);
    (outcome, rng.chance(500))
}

fn draw_quality(rng: &mut Rng, tally: &mut Tally, badly: u32, writes: bool) -> Quality {
    if !writes {
        return Quality::Nothing;
    }
    if !rng.chance(badly) {
        return rng.weighed(&[(8, Quality::Good), (2, Quality::OneSource)]);
    }
    let (kind, quality) = rng.pick(&[
        (Kind::AgentLied, Quality::Nothing),
        (Kind::AgentWroteHalf, Quality::Half),
        (Kind::AgentConflicted, Quality::Conflict),
    ]);
    tally.note(kind);
    quality
}

fn deeds(rng: &mut Rng, tally: &mut Tally, step: Step, quality: Quality, calm: bool) -> Vec<Deed> {
    if quality == Quality::Nothing {
        return Vec::new();
    }
    match step {
        Step::Write(document) => write(rng, tally, document, quality, calm),
        Step::Review(round) => review(rng, round.number, quality),
        Step::Reply(round) => reply(rng, tally, round.number, quality, calm),
        Step::Implement(_) => vec![Deed::Tick(ticks(rng, tally, quality, calm))],
        Step::Inspect(round) => vec![inspection(rng, round.number, quality, calm)],
        Step::Merge => vec![Deed::Commit],
        Step::Fix(_) | Step::Baseline | Step::Prepare(_) | Step::Verify(_) | Step::Undo(_) => {
            Vec::new()
        }
    }
}

fn write(
    rng: &mut Rng,
    tally: &mut Tally,
    document: Document,
    quality: Quality,
    calm: bool,
) -> Vec<Deed> {
    // Half a document is an empty file, which counts as none.
    if quality == Quality::Half {
        return Vec::new();
    }
    let mut deeds = vec![Deed::Document(document)];
    if document == Document::Tasks {
        deeds.push(Deed::Boxes(boxes(rng, tally, calm)));
    }
    if rng.chance(300) {
        deeds.push(Deed::Says(SpecJsonClaim::Generated(document)));
    }
    deeds
}

fn boxes(rng: &mut Rng, tally: &mut Tally, calm: bool) -> TaskFacts {
    let total = rng.between(1, 6) as u32;
    if calm || !rng.chance(120) {
        return TaskFacts::Counted { done: 0, total };
    }
    let (kind, tasks) = rng.pick(&[
        (
            Kind::TasksWithoutBoxes,
            TaskFacts::Counted { done: 0, total: 0 },
        ),
        (Kind::TasksUnreadable, TaskFacts::Unreadable),
    ]);
    tally.note(kind);
    tasks
}

fn review(rng: &mut Rng, number: u32, quality: Quality) -> Vec<Deed> {
    if quality == Quality::Half {
        return Vec::new();
    }
    let mut deeds = vec![Deed::Review(number)];
    if rng.chance(300) {
        deeds.push(Deed::Says(SpecJsonClaim::ReviewComplete(number)));
    }
    deeds
}

fn reply(rng: &mut Rng, tally: &mut Tally, number: u32, quality: Quality, calm: bool) -> Vec<Deed> {
    let found = findings(rng, calm);
    let other = Findings {
        fix_required: found.fix_required + 1,
        ..found
    };
    let (file, counts) = match quality {
        Quality::Good => (Some(Some(found)), Some(found)),
        Quality::OneSource if rng.chance(500) => (Some(Some(found)), None),
        Quality::OneSource => (Some(None), Some(found)),
        Quality::Half => (Some(None), None),
        Quality::Conflict => (Some(Some(found)), Some(other)),
        Quality::Nothing => (None, None),
    };
    let mut deeds = vec![Deed::Reply(Reply {
        number,
        file,
        counts,
    })];
    // The shipped command writes this itself.
    if rng.chance(300) {
        deeds.push(Deed::Says(SpecJsonClaim::ReplyComplete(number)));
        let settled = found == Findings::default();
        let entitled = settled && matches!(quality, Quality::Good | Quality::OneSource);
        let lies = !(calm || entitled) && rng.chance(100);
        if lies {
            tally.note(Kind::AgentClaimedApproval);
        }
        if lies || entitled {
            deeds.push(Deed::Says(SpecJsonClaim::ReviewApproved));
        }
    }
    deeds
}

fn findings(rng: &mut Rng, calm: bool) -> Findings {
    let (fix_required, needs_discussion) = match calm {
        true => (0, 0),
        false => rng.weighed(&[(40, (0, 0)), (30, (2, 0)), (15, (1, 1)), (15, (0, 1))]),
    };
    Findings {
        fix_required,
        needs_discussion,
    }
}

fn ticks(rng: &mut Rng, tally: &mut Tally, quality: Quality, calm: bool) -> u32 {
    if calm || (quality == Quality::Good && rng.chance(500)) {
        return u32::MAX / 2;
    }
    tally.note(Kind::AgentTickedSome);
    rng.below(3) as u32
}

fn inspection(rng: &mut Rng, number: u32, quality: Quality, calm: bool) -> Deed {
    let verdict = match calm || rng.chance(450) {
        true => Verdict::Go,
        false => Verdict::Nogo,
    };
    let other = match verdict {
        Verdict::Go => Verdict::Nogo,
        Verdict::Nogo => Verdict::Go,
    };
    let (file, recorded) = match quality {
        Quality::Good => (Some(Some(verdict)), Some(verdict)),
        Quality::OneSource if rng.chance(500) => (Some(Some(verdict)), None),
        Quality::OneSource => (Some(None), Some(verdict)),
        Quality::Half => (Some(None), None),
        Quality::Conflict => (Some(Some(verdict)), Some(other)),
        Quality::Nothing => (None, None),
    };
    Deed::Inspection(Inspection {
        number,
        file,
        recorded,
    })
}
