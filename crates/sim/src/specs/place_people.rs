//! What people do about places, checkpoints and commands, whether it makes sense or not.

use kumite_core::journal::{Event, Order};
use kumite_core::run::{Run, State, Step, may_approve_impl, may_undo};

use super::deed::Deed;
use super::engine::name;
use super::people::{ask, does};
use super::place::{Code, Way, Worktree};
use super::{Host, World};
use crate::faults::Kind;

#[derive(Clone, Copy)]
enum Wish {
    Undo,
    ApproveImpl,
    Edit,
    Mend,
    ClearWay,
    IgnoreFiles,
}

/// True: the person did something.
pub fn interfere(world: &mut World, host: &mut Host, spec: usize) -> bool {
    let project = &mut world.story.project;
    if !project.is_on {
        return false;
    }
    let rests = host.machines[spec].is_at_rest();
    if !project.luck.chance(if rests { 300 } else { 80 }) {
        return false;
    }
    let wish = project.luck.weighed(&[
        (4, Wish::Undo),
        (2, Wish::ApproveImpl),
        (5, Wish::Edit),
        (4, Wish::Mend),
        (3, Wish::ClearWay),
        (1, Wish::IgnoreFiles),
    ]);
    match wish {
        Wish::Undo => undo(world, host, spec),
        Wish::ApproveImpl => {
            // The refusal is only a courtesy; the rules must hold without it.
            let asks = may_approve_impl(&host.machines[spec]).is_ok();
            if asks || world.story.project.luck.chance(200) {
                let event = Event::ImplApproved;
                ask(world, host, spec, Kind::PersonApprovedImpl, event);
            }
        }
        Wish::Edit => edit(world, spec),
        Wish::Mend => mend(world, spec),
        Wish::ClearWay => clear_way(world, spec),
        Wish::IgnoreFiles => world.story.project.ignore_files(),
    }
    true
}

fn undo(world: &mut World, host: &mut Host, spec: usize) {
    let ground = &world.story.disks[spec].ground;
    // Nobody can say what a damaged worktree has.
    if ground.worktree != Worktree::Made || ground.damage.is_some() {
        return;
    }
    let known: Vec<u64> = ground.checkpoints.keys().copied().collect();
    let to = match known.is_empty() {
        true => 0,
        false => world.story.project.luck.pick(&known),
    };
    let may = may_undo(&host.machines[spec]).is_ok();
    let asks = match may {
        true => host.memory.pool.ask(&name(spec)),
        false => world.story.project.luck.chance(200),
    };
    if asks {
        let disk = &mut world.story.disks[spec];
        let now = disk.content();
        let content = disk.ground.commit(now);
        let event = Event::UndoRequested { to, content };
        ask(world, host, spec, Kind::PersonUndid, event);
    } else if may {
        host.memory.pool.leave(&name(spec));
    }
}

/// A person changes the code by hand, and sometimes what is protected.
fn edit(world: &mut World, spec: usize) {
    world.tally.note(Kind::PersonEdited);
    let number = world.now_ms * 4 + 3;
    let faults = world.story.project.faults(100);
    let code = Code {
        number,
        faults,
        tidy: false,
    };
    if world.story.project.luck.chance(150) {
        does(world, spec, Deed::Protected(number));
    }
    does(world, spec, Deed::Code(code));
}

pub fn mend(world: &mut World, spec: usize) {
    if world.story.disks[spec].ground.damage.is_some() {
        world.tally.note(Kind::PersonMended);
        does(world, spec, Deed::Mend);
    }
}

pub fn clear_way(world: &mut World, spec: usize) {
    let ground = &mut world.story.disks[spec].ground;
    if let Way::Taken | Way::NoSetup = ground.way {
        ground.way = Way::Free;
        world.tally.note(Kind::PersonClearedWay);
    }
}

/// What stands in the way of the worktree of a spec, or whether there is one already.
pub fn set_up(world: &mut World, spec: usize) {
    let project = &mut world.story.project;
    if !project.is_on {
        return;
    }
    let ways = [
        (15, Way::Free),
        (2, Way::NoGit),
        (2, Way::Taken),
        (2, Way::NoSetup),
    ];
    world.story.disks[spec].ground.way = project.luck.weighed(&ways);
    let is_free = world.story.disks[spec].ground.way == Way::Free;
    if is_free && project.luck.chance(100) {
        does(world, spec, Deed::Worktree(Worktree::Made));
    }
}

/// A person has changed the settings: a command is gone, or comes back.
pub fn change_settings(world: &mut World, order: &mut Order) {
    if order.verify.len() > 1 && world.story.project.luck.chance(80) {
        world.tally.note(Kind::SettingsChanged);
        let gone = world.story.project.luck.below(order.verify.len() as u64);
        order.verify.remove(gone as usize);
    }
}

/// A request for something that kumite does itself is counted.
pub fn note_request(world: &mut World, run: &Run, event: &Event) {
    let is_errand = run.work().is_some_and(|work| work.step.is_errand());
    match event {
        Event::StopRequested { .. } if is_errand => world.tally.note(Kind::ErrandStopped),
        Event::PauseRequested if is_errand => world.tally.note(Kind::ErrandPaused),
        _ => {}
    }
}

/// Once faults have stopped: whatever stands in the way of a place is removed.
pub fn see_through(world: &mut World, host: &Host, spec: usize) {
    mend(world, spec);
    clear_way(world, spec);
    if let State::Halted(halted) = &host.machines[spec].state
        && let Some(Step::Verify(_)) = halted.resume.step
    {
        world.story.project.ignore_files();
    }
}
