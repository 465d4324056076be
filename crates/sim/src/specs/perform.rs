//! Carries out the effects of a run, which may fail.

use kumite_core::change::Change;
use kumite_core::effect::{Effect, Launch};
use kumite_core::engine::Trouble;
use kumite_core::outcome::Outcome;
use kumite_core::run::Run;

use super::deed::Deed;
use super::news::News;
use super::place::Worktree;
use super::{EffectOrigin, Host, SpecStory, What, World, agents, errands, people};
use crate::faults::Kind;
use crate::processes::Start;

type Performed = Result<(), Trouble>;

pub fn perform(
    world: &mut World,
    host: &mut Host,
    origin: EffectOrigin<'_>,
    effect: &Effect,
) -> Performed {
    let (spec, key) = (origin.machine, origin.key);
    match effect {
        Effect::Save(changes) => {
            save(world, spec, changes)?;
            let saved = News::Saved(key, changes.clone());
            world.see(spec, What::Own(saved));
            remove_merged(world, spec, changes);
        }
        Effect::Announce(notice) => {
            if world.story.disks[spec].announce(key) {
                let said = News::Announced(key, notice.clone());
                world.see(spec, What::Own(said));
            }
        }
        Effect::Launch(launch) => launches(world, host, &origin, launch)?,
        Effect::Limit(limited) => world.note_limit(spec, limited.until_ms),
        Effect::End(agent) => world.kill(*agent),
        Effect::Settle(settled) => {
            if world.story.disks[spec].settled.insert(settled.agent) {
                let used = News::Settled(settled.agent, settled.usage);
                world.see(spec, What::Own(used));
            }
        }
        Effect::Leave => {}
        Effect::Keep { seq, commit } => world.story.disks[spec].ground.keep(*seq, commit),
    }
    Ok(())
}

/// After a merge, kumite removes the worktree itself.
fn remove_merged(world: &mut World, spec: usize, changes: &[Change]) {
    let ground = &world.story.disks[spec].ground;
    if ground.worktree == Worktree::Made && changes.contains(&Change::Deployed) {
        people::does(world, spec, Deed::Worktree(Worktree::None));
    }
}

fn save(world: &mut World, spec: usize, changes: &[Change]) -> Performed {
    // An unreadable file cannot be changed either.
    let fails = world.story.disks[spec].garbled
        || world.strikes(world.story.drawn.rates.save, Kind::SpecUnwritable);
    if fails {
        return Err(Trouble::Save {
            changes: changes.to_vec(),
            why: "no space left".to_owned(),
        });
    }
    world.story.disks[spec].save(changes);
    Ok(())
}

fn launches(
    world: &mut World,
    host: &mut Host,
    origin: &EffectOrigin<'_>,
    launch: &Launch,
) -> Performed {
    let (spec, agent) = (origin.machine, launch.agent);
    host.register(world, spec, agent);
    if world.processes.contains_key(&agent) {
        return Ok(());
    }
    let start = Start::<SpecStory> {
        machine: spec,
        agent,
        task: launch.step,
        session: launch.resume.clone(),
    };
    let trouble = |outcome| Trouble::Launch {
        agent,
        outcome,
        session: launch.resume.clone(),
    };
    if launch.step.is_errand() {
        return run_errand(world, host, origin.state, start, launch).map_err(trouble);
    }
    // No agent is started if its account is limited or its money is spent.
    if let Some(limited) = world.limit_noted() {
        world.hold_back(start, Kind::AgentHeld, limited.clone());
        return Err(trouble(limited));
    }
    if let Some(spent) = world.story.account.refuses() {
        world.hold_back(start, Kind::LaunchOverBudget, spent.clone());
        return Err(trouble(spent));
    }
    if world.strikes(world.story.drawn.rates.launch, Kind::AgentMissing) {
        return Err(trouble(world.story.account.no_start()));
    }
    agents::spawn(world, host.epoch, start, launch);
    Ok(())
}

/// What kumite does itself needs no account and no money, but it can fail to start, too.
fn run_errand(
    world: &mut World,
    host: &Host,
    run: &Run,
    start: Start<SpecStory>,
    launch: &Launch,
) -> Result<(), Outcome> {
    let Some(command) = errands::command(world, run, launch.step) else {
        return Err(Outcome::Missing("no such command".to_owned()));
    };
    if world.strikes(world.story.drawn.rates.launch, Kind::ErrandMissing) {
        return Err(world.story.account.no_start());
    }
    errands::spawn(world, host.epoch, start, launch, command);
    Ok(())
}
