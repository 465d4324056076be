//! What agents do to the code, beside their documents: good and bad, and what they must not do.

use kumite_core::journal::AgentId;
use kumite_core::run::Step;

use super::World;
use super::deed::Deed;
use super::place::{Code, Damage};
use crate::faults::Kind;

/// Adds to the deeds of an agent. Nothing in a story without places and commands.
pub fn add(world: &mut World, agent: AgentId, step: Step, deeds: &mut Vec<Deed>) {
    let (project, tally) = (&mut world.story.project, &mut world.tally);
    if !project.is_on || deeds.is_empty() && !matches!(step, Step::Fix(_)) {
        return;
    }
    let calm = world.calm;
    let mut strikes = |project: &mut super::project::Project, per_mille, kind| {
        let strikes = !calm && project.luck.chance(per_mille);
        if strikes {
            tally.note(kind);
        }
        strikes
    };
    let changes = match step {
        Step::Implement(_) => !strikes(project, 150, Kind::AgentPhantom),
        Step::Fix(_) => calm || project.luck.chance(800),
        Step::Inspect(_) => strikes(project, 150, Kind::InspectorChangedCode),
        _ => return,
    };
    let mut more = Vec::new();
    if changes {
        let faults = match calm {
            true => 0,
            false => project.faults(350),
        };
        more.push(Deed::Code(Code {
            number: agent.at_ms * 4 + 1,
            faults,
            tidy: false,
        }));
    }
    if strikes(project, 50, Kind::AgentChangedProtected) {
        more.push(Deed::Protected(agent.at_ms));
        // Protected files are code, too.
        let faults = project.faults(150);
        more.push(Deed::Code(Code {
            number: agent.at_ms * 4 + 1,
            faults,
            tidy: false,
        }));
    }
    if strikes(project, 50, Kind::AgentDroppedTask) {
        more.push(Deed::DropTask);
    }
    if strikes(project, 25, Kind::AgentDamagedPlace) {
        let damage = project.luck.pick(&[Damage::Unreadable, Damage::Unnamed]);
        more.push(Deed::Damage(damage));
    }
    more.append(deeds);
    *deeds = more;
}
