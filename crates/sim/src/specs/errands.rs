//! Steps that kumite does itself: it measures the baseline, makes places, runs the project's
//! commands and puts worktrees back. They run as processes, as agents do, and nobody pays them.

use kumite_core::effect::Launch;
use kumite_core::journal::AgentId;
use kumite_core::outcome::{Ended, Outcome, Usage};
use kumite_core::place::{Check, CheckOutcome, Measured, Prepared};
use kumite_core::run::{Run, Step};

use super::agents::Behaviour;
use super::deed::Deed;
use super::news::News;
use super::place::{Code, Way, Worktree, ready};
use super::project::Changes;
use super::{SpecHappening, SpecStory, What, World};
use crate::faults::Kind;
use crate::processes::{Start, ended};

/// The number of a command in the project. None: a person has removed it from the settings.
pub fn command(world: &World, run: &Run, step: Step) -> Option<usize> {
    let Step::Verify(verify) = step else {
        return Some(0);
    };
    let name = run.order.command(verify);
    let mut commands = world.story.project.commands.iter();
    commands.position(|command| command.name == name)
}

/// Draws what an errand will do, and starts it.
pub fn spawn(
    world: &mut World,
    epoch: u64,
    start: Start<SpecStory>,
    launch: &Launch,
    command: usize,
) {
    let agent = launch.agent;
    let deeds = begins(world, start.machine, launch.step);
    let outcome = draw_outcome(world, launch.step);
    let luck = &mut world.story.project.luck;
    let writes_after_ms = luck.between(1, 60);
    let ends_after_ms = writes_after_ms + luck.between(1, 60);
    let behaviour = Behaviour {
        deeds,
        writes_after_ms,
        ends_after_ms,
        outcome,
        session: None,
        met: None,
        errand: Some((launch.step, command)),
    };
    world.post_own(writes_after_ms, SpecHappening::Writes { agent });
    world.spawn(start, epoch, behaviour, None, ends_after_ms);
}

/// What an interrupted errand leaves behind.
fn begins(world: &mut World, spec: usize, step: Step) -> Vec<Deed> {
    let ground = &world.story.disks[spec].ground;
    let deed = match step {
        Step::Prepare(_) => {
            let may_make = matches!(ground.way, Way::Free | Way::NoSetup);
            let half = match world.story.project.luck.chance(300) && ground.way == Way::Free {
                true => Worktree::Made,
                false => Worktree::Half,
            };
            (may_make && ground.worktree != Worktree::Made).then_some(Deed::Worktree(half))
        }
        Step::Undo(to) => ground
            .checkpoints
            .get(&to)
            .map(|kept| Deed::Code(kept.code)),
        _ => None,
    };
    deed.into_iter().collect()
}

/// None: it vanishes without a record.
fn draw_outcome(world: &mut World, step: Step) -> Option<Outcome> {
    let badly = match world.calm {
        true => 0,
        false => world.story.drawn.rates.agent,
    };
    let (luck, tally) = (&mut world.story.project.luck, &mut world.tally);
    if !luck.chance(badly / 3) {
        return Some(Outcome::Finished);
    }
    let (kind, outcome) = match (luck.below(6), step) {
        (0, _) => (Kind::ErrandTimedOut, Some(Outcome::TimedOut)),
        (1, _) => (Kind::ErrandKilled, Some(Outcome::Killed)),
        (2, _) => (
            Kind::ErrandMissing,
            Some(Outcome::Missing("no npm".to_owned())),
        ),
        (3, _) => (Kind::ErrandFailed, Some(Outcome::Failed("exit 2".into()))),
        _ => (Kind::ErrandLost, None),
    };
    tally.note(kind);
    outcome
}

/// The end of an errand, by itself or because it was told to.
pub fn ends(world: &mut World, agent: AgentId, told: Option<Outcome>) -> Option<Ended> {
    let process = world.living(agent)?;
    let (spec, planned) = (process.machine, process.behaviour.outcome.clone());
    let (step, command) = process.behaviour.errand?;
    let outcome = match (told, planned) {
        (Some(told), _) => Some(told),
        (None, Some(Outcome::Finished)) => Some(finish(world, spec, agent, step, command)),
        (None, None) if world.story.project.luck.chance(500) => {
            // Its work was done when its supervisor died.
            finish(world, spec, agent, step, command);
            None
        }
        (None, planned) => planned,
    };
    Some(ended(outcome?, None, Usage::default()))
}

fn finish(world: &mut World, spec: usize, agent: AgentId, step: Step, command: usize) -> Outcome {
    match step {
        Step::Prepare(_) => prepare(world, spec, agent),
        Step::Baseline => measure(world, spec, agent),
        Step::Undo(to) => match world.story.disks[spec].ground.checkpoints.get(&to) {
            Some(kept) => {
                let kept = *kept;
                does(world, spec, agent, Deed::Code(kept.code));
                does(world, spec, agent, Deed::PutBack(kept));
            }
            None => return Outcome::Failed("there is no such checkpoint".to_owned()),
        },
        _ => return check(world, spec, agent, command),
    }
    Outcome::Finished
}

fn does(world: &mut World, spec: usize, agent: AgentId, deed: Deed) {
    world.story.disks[spec].suffer(deed);
    world.see(spec, What::Own(News::Done(Some(agent), deed)));
}

fn prepare(world: &mut World, spec: usize, agent: AgentId) {
    let ground = &world.story.disks[spec].ground;
    let made = ground.worktree != Worktree::Made;
    let is_damaged = ground.damage.is_some();
    let (kind, prepared) = match ground.way {
        Way::NoGit => (
            Kind::PlaceRefused,
            Prepared::Checkout("there is no git".to_owned()),
        ),
        Way::Taken => (Kind::PlaceTaken, Prepared::Conflict("taken".to_owned())),
        Way::NoSetup => (Kind::SetupFailed, Prepared::SetupFailed("npm".to_owned())),
        Way::Free if is_damaged => (Kind::PlaceTaken, Prepared::Conflict("damaged".to_owned())),
        Way::Free => {
            if made {
                does(world, spec, agent, Deed::Worktree(Worktree::Made));
            }
            let disk = &mut world.story.disks[spec];
            let now = disk.content();
            let kind = match made {
                true => Kind::PlaceMade,
                false => Kind::PlaceTakenOver,
            };
            (kind, ready(disk.ground.commit(now), made))
        }
    };
    let is_lost = !world.calm && world.story.project.luck.chance(60);
    match is_lost {
        true => world.tally.note(Kind::ErrandLeftNothing),
        false => {
            world.tally.note(kind);
            world.story.disks[spec].ground.leaves_place(agent, prepared);
        }
    }
}

fn measure(world: &mut World, spec: usize, agent: AgentId) {
    let (luck, tally) = (&mut world.story.project.luck, &mut world.tally);
    let draw = match world.calm {
        true => 0,
        false => luck.below(20),
    };
    let (outcome, trouble) = match draw {
        16 | 17 => {
            tally.note(Kind::BaselineBad);
            (CheckOutcome::Failed, String::new())
        }
        18 => {
            tally.note(Kind::BaselineTroubled);
            (CheckOutcome::Passed, "no base commit".to_owned())
        }
        19 => {
            tally.note(Kind::ErrandLeftNothing);
            return;
        }
        _ => (CheckOutcome::Passed, String::new()),
    };
    let measured = Measured {
        tree: "base".to_owned(),
        checks: vec![Check {
            name: "tests".to_owned(),
            outcome,
            ms: 1,
        }],
        trouble,
    };
    world.story.disks[spec]
        .ground
        .leaves_measure(agent, measured);
}

/// One of the project's commands: its result depends on the code.
fn check(world: &mut World, spec: usize, agent: AgentId, command: usize) -> Outcome {
    let code = world.story.disks[spec].ground.code;
    let project = &mut world.story.project;
    let Some(known) = project.commands.get(command) else {
        return Outcome::Failed("exit 1".to_owned());
    };
    let changes = match known.changes {
        Changes::Never => false,
        Changes::Once => !code.tidy,
        Changes::EachTime => true,
    };
    let is_flaky = known.flaky && !world.calm && project.luck.chance(400);
    if changes {
        world.tally.note(Kind::CommandChangedFiles);
        let number = agent.at_ms * 4 + 2;
        let tidy = true;
        let code = Code {
            number,
            tidy,
            ..code
        };
        does(world, spec, agent, Deed::Code(code));
    }
    if is_flaky {
        world.tally.note(Kind::CommandFlaky);
    }
    match code.faults >> command & 1 == 1 || is_flaky {
        true => Outcome::Failed("exit 1".to_owned()),
        false => Outcome::Finished,
    }
}
