//! Plays many seeds on all cores, and parses the command line for it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::contest::ContestStory;
use crate::faults::Kind;
use crate::specs::SpecStory;
use crate::story::Story;
use crate::{Failure, Summary, play, trace};

const USAGE: &str = "usage: sim [--contest] [--seeds N] [--from S] [--survey] \
                     | sim [--contest] --seed S [--trace]";
const PROGRESS: u64 = 50_000;

struct Options {
    contest: bool,
    seeds: u64,
    from: u64,
    only: Option<u64>,
    trace: bool,
    survey: bool,
}

/// `sim --seeds N [--from S]`, or `sim --seed S [--trace]`; contests with `--contest`.
pub fn run(args: impl IntoIterator<Item = String>) -> ExitCode {
    let options = match parse(args) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let seeds = match options.only {
        None => options.from..options.from.saturating_add(options.seeds),
        Some(seed) => seed..seed + 1,
    };
    match options.contest {
        false => tell::<SpecStory>(&options, seeds),
        true => tell::<ContestStory>(&options, seeds),
    }
}

fn tell<S: Story>(options: &Options, seeds: Range<u64>) -> ExitCode {
    if let (true, Some(seed)) = (options.trace, options.only) {
        trace::<S>(seed).iter().for_each(|line| println!("{line}"));
    }
    if options.survey {
        return survey::<S>(seeds);
    }
    let began = Instant::now();
    match play_all::<S>(seeds, true) {
        Ok(summary) => {
            println!("{}", report::<S>(&summary, began.elapsed().as_secs_f64()));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Goes on after a failure, and reports how often each rule is broken and the best example.
fn survey<S: Story>(seeds: Range<u64>) -> ExitCode {
    let mut found = BTreeMap::<String, (u64, u64, usize)>::new();
    for failure in seeds.filter_map(|seed| play::<S>(seed).err()) {
        let what = format!(
            "{}: {}",
            failure.broken.rule,
            shape(&failure.broken.sentence)
        );
        let lines = trace::<S>(failure.seed).len();
        let known = found.entry(what).or_insert((0, failure.seed, lines));
        known.0 += 1;
        if lines < known.2 {
            (known.1, known.2) = (failure.seed, lines);
        }
    }
    for (what, (count, seed, lines)) in &found {
        println!("{count:>6} times, e.g. seed {seed} ({lines} lines)  {what}");
    }
    ExitCode::from(u8::from(!found.is_empty()))
}

/// A sentence without its numbers, so that similar failures are grouped.
fn shape(sentence: &str) -> String {
    let mut shape: String = sentence
        .chars()
        .filter(|c| !c.is_ascii_hexdigit() || c.is_alphabetic())
        .collect();
    shape.truncate(100);
    shape
}

fn parse(args: impl IntoIterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        contest: false,
        seeds: 20_000,
        from: 0,
        only: None,
        trace: false,
        survey: false,
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut number = || {
            let given = args.next().ok_or(format!("{arg} needs a number"))?;
            given.parse().map_err(|_| format!("{given} is no number"))
        };
        match arg.as_str() {
            "--contest" => options.contest = true,
            "--seeds" => options.seeds = number()?,
            "--from" => options.from = number()?,
            "--seed" => options.only = Some(number()?),
            "--trace" => options.trace = true,
            "--survey" => options.survey = true,
            _ => return Err(format!("unknown argument {arg}")),
        }
    }
    Ok(options)
}

/// Plays all seeds on all cores. Of several failures the one with the smallest seed is returned.
pub fn play_all<S: Story>(seeds: Range<u64>, progress: bool) -> Result<Summary, Box<Failure>> {
    let next = AtomicU64::new(seeds.start);
    let failed = AtomicBool::new(false);
    let total = Mutex::new((Summary::default(), None::<Box<Failure>>));
    let work = || {
        let mut mine = Summary::default();
        while !failed.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            match play::<S>(seed) {
                Ok(summary) => mine.add(&summary),
                Err(failure) => {
                    failed.store(true, Ordering::Relaxed);
                    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                    let first = total.1.take().filter(|first| first.seed < seed);
                    total.1 = Some(first.unwrap_or_else(|| Box::new(failure)));
                }
            }
            if progress && (seed + 1).is_multiple_of(PROGRESS) {
                eprintln!("{} seeds", seed + 1 - seeds.start);
            }
        }
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.0.add(&mine);
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    match total.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (summary, None) => Ok(summary),
        (_, Some(failure)) => Err(failure),
    }
}

/// A report of what was played, for a person.
pub fn report<S: Story>(summary: &Summary, seconds: f64) -> String {
    let counts = &summary.counts;
    let mut text = format!(
        "{} seeds in {seconds:.1} s ({:.0} per second), {} of them also without crashes: \
         {} entries, {} agents, {} crashes, {} days of virtual time\n",
        summary.seeds,
        summary.seeds as f64 / seconds,
        summary.twins,
        counts.entries,
        counts.agents,
        counts.crashes,
        counts.virtual_ms / 86_400_000,
    );
    for kind in Kind::BOTH.iter().chain(S::KINDS) {
        text += &format!("{:>24} {}\n", format!("{kind:?}"), summary.tally.of(*kind));
    }
    for (what, count) in counts.own.iter().chain(&counts.reasons) {
        text += &format!("{what:>24} {count}\n");
    }
    text
}
