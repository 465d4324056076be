//! Runs the scenarios, several at the same time, and passes their rows on in order.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kumite_fake_model::Act;

use crate::agent::{Agent, Kind};
use crate::halt::Halt;
use crate::report::{Report, Row};
use crate::scenarios::{Needs, Scenario, all};
use crate::stage::{Ask, Stage};
use crate::verdict::{Result, Verdict, expect};

/// What every scenario needs.
#[derive(Clone, Debug)]
pub struct Setup {
    pub agent: Agent,
    /// kumite's own binary, for supervisors.
    pub binary: PathBuf,
    /// Where paths in the settings start.
    pub project: PathBuf,
    /// Use the fake model instead of the person's own.
    pub offline: bool,
    /// As the program reports it.
    pub version: Option<String>,
    /// How long it may be silent before it counts as hung; see [`check`].
    pub silence: Duration,
    /// Ends the whole check.
    pub halt: Halt,
}

#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Run only this scenario.
    pub only: Option<String>,
    /// How many scenarios run at the same time.
    pub jobs: usize,
}

/// A program that was just started may be silent this long.
const SILENCE_MIN: Duration = Duration::from_secs(3);
const SILENCE_MAX: Duration = Duration::from_secs(90);

/// Runs all selected scenarios. `each` gets their rows, in the order of the list.
pub fn check(kit: &Setup, choice: &Choice, each: &(dyn Fn(&Row) + Sync)) -> Report {
    let mut kit = kit.clone();
    let chosen: Vec<&Scenario> = all(kit.agent.kind)
        .filter(|scenario| {
            choice
                .only
                .as_ref()
                .is_none_or(|name| *name == scenario.name)
        })
        .collect();
    kit.silence = silence(&kit);
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(vec![None; chosen.len()]);
    let work = || {
        while let Some((at, scenario)) = take(&next, &chosen) {
            if kit.halt.is_told() {
                return;
            }
            let row = row(&kit, scenario);
            if kit.halt.is_told() {
                return;
            }
            let mut rows = rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let shown = rows.iter().take_while(|row| row.is_some()).count();
            rows[at] = Some(row);
            rows[shown..]
                .iter()
                .map_while(Option::as_ref)
                .for_each(each);
        }
    };
    thread::scope(|scope| {
        for _ in 0..choice.jobs.max(1) {
            scope.spawn(work);
        }
    });
    let rows = rows
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    Report {
        agent: kit.agent.name.clone(),
        kind: kit.agent.kind.name(),
        version: kit.version.clone(),
        offline: kit.offline,
        rows: rows.into_iter().flatten().collect(),
    }
}

fn take<'a>(next: &AtomicUsize, chosen: &[&'a Scenario]) -> Option<(usize, &'a Scenario)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, chosen.get(at)?))
}

/// A multiple of the time that the program needs for a greeting on this machine: a longer silence
/// is a hang, and a slow program is not.
fn silence(kit: &Setup) -> Duration {
    if !kit.offline || matches!(kit.agent.host(), Kind::Acp | Kind::Command) {
        return SILENCE_MIN;
    }
    let since = Instant::now();
    let hello = || -> Result {
        let stage = Stage::new(kit)?;
        stage.obey(vec![Act::Say {
            text: "hello".to_owned(),
        }])?;
        stage.run(&Ask::new("hello"))?;
        Ok(())
    };
    match hello() {
        Ok(()) => (since.elapsed() * 6).clamp(SILENCE_MIN, SILENCE_MAX),
        // The scenarios will show what is wrong.
        Err(_) => SILENCE_MAX,
    }
}

fn row(kit: &Setup, scenario: &Scenario) -> Row {
    let since = Instant::now();
    let verdict = match reason_to_skip(kit, scenario) {
        Some(reason) => Verdict::Skipped(reason.to_owned()),
        None => verdict(kit, scenario),
    };
    Row {
        name: scenario.name,
        what: scenario.what,
        verdict,
        took: since.elapsed(),
    }
}

fn reason_to_skip(kit: &Setup, scenario: &Scenario) -> Option<&'static str> {
    let own = scenario
        .not
        .iter()
        .find(|(kind, _)| *kind == kit.agent.kind);
    let needed = match (scenario.needs, kit.offline, kit.agent.host()) {
        (Needs::Obedience, false, _) => Some("needs --offline"),
        (Needs::Obedience | Needs::Model, true, Kind::Acp) => {
            Some("kumite cannot point this program at its own model; try without --offline")
        }
        _ => None,
    };
    own.map(|(_, reason)| *reason).or(needed)
}

fn verdict(kit: &Setup, scenario: &Scenario) -> Verdict {
    let mut stage = match Stage::new(kit) {
        Ok(stage) => stage,
        Err(miss) => return Verdict::Failed(miss.0),
    };
    let found = (scenario.run)(&mut stage).and_then(|()| {
        let living = stage.living();
        expect(living.is_empty(), || {
            format!("no process should be left on the stage, but {living:?} is")
        })
    });
    match found {
        Ok(()) => Verdict::Passed,
        Err(miss) if kit.halt.is_told() => Verdict::Failed(miss.0),
        Err(miss) => {
            let kept = stage.keep();
            Verdict::Failed(format!("{} (see {})", miss.0, kept.display()))
        }
    }
}
