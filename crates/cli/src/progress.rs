//! What a person sees while runs go on: lines, live progress, or JSON.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use kumite_core::facts::TaskFacts;
use kumite_core::names::Phase;
use kumite_core::notice::Notice;
use kumite_core::run::Step;
use kumite_project::announce::{Announcement, usd};
use kumite_project::clock::now_ms;
use kumite_project::project::Project;
use kumite_project::{evidence, wording};

use crate::render::{in_locale, is_ascii_wanted};
use crate::{exit, out, render};

pub enum Screen {
    /// One object per line, on stdout.
    Json,
    /// One sentence per line, on stdout: nothing moves.
    Lines { width: usize },
    /// Sentences, and below them one line per running spec.
    Live(Live),
    /// Nothing: `--quiet`.
    Quiet,
}

impl Screen {
    pub fn new(project: &Project, specs: &[String], json: bool, quiet: bool) -> Screen {
        let width = specs.iter().map(String::len).max().unwrap_or(0);
        match (json, quiet) {
            (true, _) => Screen::Json,
            (false, true) => Screen::Quiet,
            (false, false) => match lines_of_terminal() {
                Some(lines) => Screen::Live(Live::new(project.clone(), width, lines)),
                None => Screen::Lines { width },
            },
        }
    }

    pub fn show(&mut self, news: &Announcement) {
        match self {
            Screen::Json => say(&news.to_json().to_string()),
            Screen::Lines { width } => say(&render::line(news, *width)),
            Screen::Live(live) => live.show(news),
            Screen::Quiet => {}
        }
    }

    /// Time passed.
    pub fn tick(&mut self) {
        if let Screen::Live(live) = self {
            live.tick();
        }
    }
}

/// Live progress, if the terminal can show it: with TERM=dumb or without TERM it cannot.
pub fn lines_of_terminal() -> Option<MultiProgress> {
    let lines = MultiProgress::new();
    (std::io::stderr().is_terminal() && !lines.is_hidden()).then_some(lines)
}

/// A line that moves. It is never wider than the terminal: a line that wraps cannot be drawn again.
pub fn moving() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {wide_msg}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.tick_chars(match is_ascii_wanted() {
        true => "-\\|/ ",
        false => "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ",
    })
}

/// If nobody reads the output any more or the disk is full, the work goes on, but this is reported.
pub fn say(text: &str) {
    if let Err(error) = writeln!(std::io::stdout().lock(), "{}", in_locale(text)) {
        UNSAID.get_or_init(|| out::ended_by(&error));
    }
}

/// The exit code for lines that could not be written.
static UNSAID: OnceLock<u8> = OnceLock::new();

/// Successful work counts as failed if its output could not be written.
pub fn with_unsaid(code: u8) -> u8 {
    match code {
        exit::DONE => UNSAID.get().copied().unwrap_or(code),
        code => code,
    }
}

pub struct Live {
    project: Project,
    width: usize,
    lines: MultiProgress,
    running: BTreeMap<String, Running>,
    last_look: Instant,
}

struct Running {
    bar: ProgressBar,
    since: Instant,
    step: Option<Step>,
    usd_micros: u64,
    tasks: Option<(u32, u32)>,
    /// When a usage limit ends.
    until_ms: Option<u64>,
}

impl Live {
    fn new(project: Project, width: usize, lines: MultiProgress) -> Live {
        Live {
            project,
            width,
            lines,
            running: BTreeMap::new(),
            last_look: Instant::now(),
        }
    }

    fn show(&mut self, news: &Announcement) {
        if !is_on_live_line(&news.notice) {
            let line = render::line(news, self.width);
            let _ = self.lines.println(in_locale(&line));
        }
        match &news.notice {
            Notice::RunStarted { .. } => self.begin(&news.spec),
            Notice::StepStarted { step, .. } => {
                self.begin(&news.spec);
                if let Some(running) = self.running.get_mut(&news.spec) {
                    running.step = Some(*step);
                    running.until_ms = None;
                }
            }
            Notice::StepEnded { usage, .. } => {
                if let Some(running) = self.running.get_mut(&news.spec) {
                    running.usd_micros += usage.usd_micros;
                }
            }
            Notice::LimitWaiting { until_ms, .. } => {
                self.begin(&news.spec);
                if let Some(running) = self.running.get_mut(&news.spec) {
                    running.until_ms = Some(*until_ms);
                }
            }
            Notice::RunEnded { .. } => {
                if let Some(running) = self.running.remove(&news.spec) {
                    running.bar.finish_and_clear();
                    self.lines.remove(&running.bar);
                }
            }
            _ => {}
        }
        self.draw();
    }

    fn begin(&mut self, spec: &str) {
        if self.running.contains_key(spec) {
            return;
        }
        let bar = self.lines.add(ProgressBar::new_spinner());
        bar.set_style(moving());
        let running = Running {
            bar,
            since: Instant::now(),
            step: None,
            usd_micros: 0,
            tasks: None,
            until_ms: None,
        };
        self.running.insert(spec.to_owned(), running);
    }

    fn tick(&mut self) {
        if self.last_look.elapsed() >= Duration::from_secs(1) {
            self.last_look = Instant::now();
            for (name, running) in &mut self.running {
                running.tasks = tasks(&self.project, name);
            }
        }
        for running in self.running.values() {
            running.bar.tick();
        }
        self.draw();
    }

    fn draw(&self) {
        for (name, running) in &self.running {
            let text = format!("{name:width$}  {}", running.text(), width = self.width);
            running.bar.set_message(text);
        }
    }
}

impl Running {
    /// Phase, round n/7, tasks done, elapsed, cost.
    fn text(&self) -> String {
        let mut parts = Vec::new();
        if let Some(step) = self.step {
            parts.push(format!("{:15}", step.phase().name()));
            parts.push(place(step));
        }
        if let Some(until_ms) = self.until_ms {
            let left = until_ms.saturating_sub(now_ms()) / 1000;
            parts.push(format!("usage limit, {} left", render::elapsed(left)));
        }
        if let Some((done, total)) = self.tasks.filter(|(_, total)| *total > 0) {
            parts.push(format!("tasks {done}/{total}"));
        }
        parts.push(render::elapsed(self.since.elapsed().as_secs()));
        parts.push(format!("${:.2}", usd(self.usd_micros)));
        parts.join("  ")
    }
}

/// The position of a step in its loop.
fn place(step: Step) -> String {
    let of = |round: kumite_core::run::Round| {
        format!("{}/{}", round.number, round.number + u32::from(round.left))
    };
    match step {
        Step::Review(round) | Step::Reply(round) => {
            format!("round {} {}", of(round), step.name())
        }
        Step::Inspect(round) | Step::Fix(round) => format!("{} {}", step.name(), of(round)),
        Step::Implement(attempt) if attempt.retry > 0 => {
            format!("retry {}/{}", attempt.retry, attempt.retry + attempt.left)
        }
        Step::Implement(_) => "first try".to_owned(),
        Step::Write(_)
        | Step::Merge
        | Step::Baseline
        | Step::Prepare(_)
        | Step::Verify(_)
        | Step::Undo(_) => wording::step_words(step),
    }
}

fn tasks(project: &Project, spec: &str) -> Option<(u32, u32)> {
    let spec = project.spec_place(&spec.parse().ok()?);
    match evidence::tasks(&spec.files_in(&spec.workplace())) {
        TaskFacts::Counted { done, total } => Some((done, total)),
        TaskFacts::Unreadable => None,
    }
}

/// News that is not printed, because the live line shows it anyway.
fn is_on_live_line(notice: &Notice) -> bool {
    match notice {
        Notice::StepStarted { resumed, .. } => !resumed,
        Notice::StepEnded { outcome, .. } => *outcome == kumite_core::outcome::Outcome::Finished,
        Notice::PhaseEnded(phase) => *phase != Phase::Deploy,
        _ => false,
    }
}
