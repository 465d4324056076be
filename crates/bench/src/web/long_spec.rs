//! A spec that was reviewed for weeks: 200 rounds, and 10,000 events.

use std::fmt::Write as _;
use std::fs;

use kumite_core::effect::Effect;
use kumite_core::journal::{AgentId, Event, Order};
use kumite_core::outcome::{Ended, Outcome, Usage};
use kumite_core::place::PlaceLook;
use kumite_core::run::{Run, Step, decide};
use kumite_project::evidence;
use kumite_project::journal::{Journal, Opened};
use kumite_project::project::{Project, Spec};
use serde_json::json;

use crate::Result;
use crate::scene::Scene;

pub const NAME: &str = "long-review";
pub const ROUNDS: u32 = 200;
const EVENTS: u32 = 10_000;
const BEGAN_MS: u64 = 1_767_225_600_000;

/// Writes its documents, its events, and the journal that the engine would have written.
pub fn write(scene: &Scene) -> Result<()> {
    let dir = scene.spec_dir(NAME);
    fs::create_dir_all(&dir)?;
    let approval = json!({"generated": true, "approved": true});
    let spec_json = json!({
        "feature_name": NAME,
        "phase": "tasks-generated",
        "approvals": {"requirements": approval, "design": approval, "tasks": approval},
        "autoExecution": {"enabled": true, "permissions": {"document-review": true}},
    });
    fs::write(dir.join("spec.json"), spec_json.to_string())?;
    for name in ["requirements.md", "design.md"] {
        let text = format!("# {name}\n\n{}", "A sentence about it.\n".repeat(100));
        fs::write(dir.join(name), text)?;
    }
    let tasks: String = (1..=50).map(|n| format!("- [ ] {n}. Task {n}\n")).collect();
    fs::write(dir.join("tasks.md"), tasks)?;
    let mut events = String::new();
    for number in 0..EVENTS {
        let event = json!({
            "timestamp": "2026-01-01T00:00:00.000Z", "type": "step-ended", "level": "info",
            "message": format!("event {number} of a long review"),
        });
        writeln!(events, "{event}")?;
    }
    fs::write(dir.join("events.jsonl"), events)?;
    let spec = Project::at(scene.root()).spec(&NAME.parse()?)?;
    fs::create_dir_all(spec.run_dir())?;
    walk(&spec)
}

/// Lets the core decide each round. When the allowance is used up and the run pauses, it is started
/// again.
fn walk(spec: &Spec) -> Result<()> {
    let Opened { mut journal, .. } = Journal::<Run>::open(spec.run_dir())?;
    let (mut run, mut event, mut at_ms) = (Run::default(), start(spec), BEGAN_MS);
    loop {
        let entry = journal.append(event, at_ms, &run)?;
        let (after, effects) = decide(run, &entry);
        run = after;
        at_ms += 60_000;
        let launch = effects.iter().find_map(|effect| match effect {
            Effect::Launch(launch) => Some((launch.agent, launch.step)),
            _ => None,
        });
        event = match launch {
            Some((_, Step::Review(round))) if round.number > ROUNDS => break,
            Some((agent, step)) => finished(spec, agent, step)?,
            None => start(spec),
        };
    }
    journal.append(Event::PauseRequested, at_ms, &run)?;
    Ok(())
}

fn start(spec: &Spec) -> Event {
    Event::StartRequested {
        order: Order::default(),
        look: Some(evidence::look(spec, &Run::default(), PlaceLook::None)),
        place: None,
    }
}

fn finished(spec: &Spec, agent: AgentId, step: Step) -> Result<Event> {
    let (name, text) = match step {
        Step::Review(round) => (
            format!("document-review-{}.md", round.number),
            "# Review\n\nA finding.\n".repeat(20),
        ),
        Step::Reply(round) => (
            format!("document-review-{}-reply.md", round.number),
            "## Response Summary\n\n| Fix Required | Needs Discussion |\n|---|---|\n| 1 | 0 |\n\n\
             ### C1: A finding\n\nJudgment: Fix Required\n"
                .to_owned(),
        ),
        other => {
            return Err(format!("the long review came to {}", other.name()).into());
        }
    };
    fs::write(spec.main_dir().join(name), text)?;
    let ended = Ended {
        outcome: Outcome::Finished,
        session: None,
        usage: Usage::default(),
        last_words: String::new(),
    };
    let look = evidence::look(spec, &Run::default(), PlaceLook::None);
    Ok(Event::AgentEnded { agent, ended, look })
}
