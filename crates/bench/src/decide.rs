//! What a decision costs, and what a watched spec costs.

use std::fs;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use kumite_agents::Launcher;
use kumite_core::journal::Entry;
use kumite_core::routing::Routing;
use kumite_core::run::{Run, decide};
use kumite_host::Context;
use kumite_host::Feed;
use kumite_host::LaunchSettings;
use kumite_host::Purse;
use kumite_host::Shared;
use kumite_project::clock::Clock;
use kumite_project::journal::history;
use kumite_project::notify::Notifier;
use kumite_project::project::Project;
use kumite_project::settings::{Flags, Loader};

use crate::Result;
use crate::counting::in_use;
use crate::scene::{Scene, name};
use crate::table::{Part, goal};

const SPECS: [usize; 4] = [5, 100, 1_000, 10_000];
/// Decisions per row, at least.
const DECISIONS: usize = 1_000_000;

const MEANING: &str = "\
*decide* takes the entries of a whole walk (14, with their evidence) through the rules, in turns over
all specs, so that each run has left the caches when its next event comes; effects are made and dropped. *Bytes
per context* is what the allocator hands out for one more spec in the engine: places, run, journal, settings
(shared), after its first event; without the kernel's part of the open journal.";

pub fn measure() -> Result<Part> {
    let scene = Scene::new(1)?;
    let mut kumite = scene.kumite(&["run", "--all", "--quiet"])?;
    if !scene
        .at_work(&mut kumite, Duration::ZERO)
        .status()?
        .success()
    {
        return Err("the walk that is to be decided again did not end well".into());
    }
    let walked = history(&scene.run_dir(&name(0)))?;
    let entries: Vec<Entry> = walked.into_iter().map(|(entry, ..)| entry).collect();
    allow_many_files()?;
    let mut rows = Vec::new();
    for specs in SPECS {
        let time = time_per_event(&entries, specs);
        let bytes = bytes_per_context(specs)?;
        rows.push(vec![
            specs.to_string(),
            format!("{:.0} ns", time.as_secs_f64() * 1e9),
            goal("1 us", time <= Duration::from_micros(1)),
            bytes.to_string(),
            goal("1024", bytes <= 1024),
        ]);
    }
    Ok(Part {
        title: "Deciding",
        meaning: MEANING.to_owned(),
        head: vec![
            "specs",
            "decide per event",
            "goal",
            "bytes per context",
            "goal",
        ],
        rows,
    })
}

fn time_per_event(entries: &[Entry], specs: usize) -> Duration {
    let walks = DECISIONS.div_ceil(entries.len() * specs);
    let mut spent = Duration::ZERO;
    for _ in 0..walks {
        let mut runs = vec![Run::default(); specs];
        let began = Instant::now();
        for entry in entries {
            for run in &mut runs {
                let (after, effects) = decide(std::mem::take(run), entry);
                *run = after;
                drop(std::hint::black_box(effects));
            }
        }
        spent += began.elapsed();
    }
    spent / u32::try_from(walks * specs * entries.len()).unwrap_or(u32::MAX)
}

/// Each context keeps its journal open.
fn allow_many_files() -> Result<()> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

fn bytes_per_context(specs: usize) -> Result<usize> {
    let scene = Scene::new(specs)?;
    let project = Project::at(scene.root());
    let loader = Loader::load(&project, Flags::default())?;
    let launch_settings = LaunchSettings::new(loader.loaded.settings.clone(), None);
    let (inbox, _messages) = mpsc::channel();
    let mut shared = Shared {
        clock: Clock::default(),
        feed: Feed::default(),
        routing: Routing::default(),
        inbox,
        notifier: Notifier::new(&loader.loaded.settings.notify, &project.runtime()),
        launcher: Launcher::new(project.runtime()),
        purse: Purse::of(&project),
        checkout: Default::default(),
        leaving: Default::default(),
    };
    let places = project.all_specs()?;
    for spec in &places {
        fs::create_dir_all(spec.run_dir())?;
    }
    let mut contexts = Vec::with_capacity(specs);
    let before = in_use();
    for spec in &places {
        let (mut context, _) = Context::open(spec.clone(), launch_settings.clone(), &mut shared)?;
        context.handle(kumite_core::journal::Event::PauseRequested, &mut shared)?;
        contexts.push(context);
    }
    let grown = in_use().saturating_sub(before) + specs * size_of::<Context>();
    Ok(grown / specs)
}
