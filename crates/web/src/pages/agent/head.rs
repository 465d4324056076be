//! Above the log: who worked, on what, and with what result.

use kumite_agents::{Said, TranscriptLine, clean_line};
use kumite_project::announce::{outcome_detail, usd};
use kumite_project::clock::rfc3339;
use kumite_project::project::Spec;
use kumite_project::worked::Worked;
use maud::{Markup, html};

use super::entry::{outcome_badge, tokens};
use super::viewer::View;
use crate::render::marks::since;
use crate::render::words::{elapsed, milliseconds, moment, money};

/// The agents that worked before and after this one.
pub struct Neighbours<'a> {
    pub earlier: Option<&'a Worked>,
    pub later: Option<&'a Worked>,
}

/// What the agent worked on, as far as known.
pub fn title(worked: &Worked) -> String {
    let round = worked.round.map(|round| format!(", round {round}"));
    let attempt = worked.attempt.filter(|attempt| *attempt > 0);
    let attempt = attempt.map(|attempt| format!(", retry {attempt}"));
    let parts = [round, attempt].into_iter().flatten();
    match worked.step {
        Some(step) => std::iter::once(step.to_owned()).chain(parts).collect(),
        None => "An agent".to_owned(),
    }
}

pub fn head(
    spec: &Spec,
    worked: &Worked,
    neighbours: &Neighbours<'_>,
    view: Option<&View>,
    may_change: bool,
) -> Markup {
    html! {
        nav.row.small aria-label="Where this is" {
            a href={ "/specs/" (spec.name) } { "← " (spec.name) }
            span.grow {}
            (neighbour(spec, "Agent before", neighbours.earlier))
            (neighbour(spec, "Agent after", neighbours.later))
        }
        div.row {
            h1 { (title(worked)) }
            (state(worked))
            span.grow {}
            div.actions {
                @if view.is_some() {
                    a.button href={ "/specs/" (spec.name) "/agents/" (worked.id) "/raw" } download {
                        "Raw log"
                    }
                }
                @if worked.alive && may_change {
                    button.danger type="button" data-post={ "/api/specs/" (spec.name) "/stop" } {
                        "Stop"
                    }
                }
            }
        }
        @if let Some(message) = &worked.message { p.why { (clean_line(message)) } }
        (facts(worked, view))
    }
}

fn neighbour(spec: &Spec, words: &str, worked: Option<&Worked>) -> Markup {
    html! {
        @if let Some(worked) = worked {
            a href={ "/specs/" (spec.name) "/agents/" (worked.id) } title=(title(worked)) { (words) }
        }
    }
}

fn state(worked: &Worked) -> Markup {
    match (&worked.outcome, worked.alive) {
        (Some(outcome), _) => outcome_badge(outcome),
        (None, true) => html! { span.badge.working { "working" } },
        (None, false) => html! { span.badge.idle { "nobody saw its end" } },
    }
}

fn facts(worked: &Worked, view: Option<&View>) -> Markup {
    let mut facts: Vec<(&str, Markup)> = vec![("Agent", html! { code { (worked.id) } })];
    let told = view.map(Told::new).unwrap_or_default();
    let mut text = |name, text: Option<String>| {
        facts.extend(text.map(|text| (name, html! { (text) })));
    };
    text("Program", program(worked).or(told.program));
    text("Model", told.model);
    facts.push(("Started", moment(&worked.started_at)));
    match &worked.ended_at {
        Some(ended_at) => {
            facts.push(("Ended", moment(ended_at)));
            let took = milliseconds(ended_at).zip(milliseconds(&worked.started_at));
            let took = took.and_then(|(end, start)| u64::try_from((end - start) / 1000).ok());
            facts.extend(took.map(|took| ("Took", html! { (elapsed(took)) })));
        }
        None if worked.alive => facts.push(("Works for", since(&worked.started_at))),
        None => {}
    }
    let mut text = |name, text: Option<String>| {
        facts.extend(text.map(|text| (name, html! { (text) })));
    };
    text("Cost", worked.cost_usd.map(money));
    let (input, output) = (worked.input_tokens, worked.output_tokens);
    text(
        "Tokens",
        (input + output > 0).then(|| tokens(input, output)),
    );
    text("Process", worked.pid.map(|pid| pid.to_string()));
    facts.extend(
        told.session
            .map(|session| ("Session", html! { code { (session) } })),
    );
    html! {
        dl.about {
            @for (name, fact) in facts { div { dt { (name) } dd { (fact) } } }
        }
    }
}

/// Its name in the settings, and its kind if that is different.
fn program(worked: &Worked) -> Option<String> {
    let name = worked.program.as_ref()?;
    let kind = worked.kind.as_ref().filter(|kind| *kind != name);
    Some(match kind {
        Some(kind) => format!("{name} ({kind})"),
        None => name.clone(),
    })
}

/// What the log tells about the agent.
#[derive(Default)]
struct Told {
    program: Option<String>,
    model: Option<String>,
    session: Option<String>,
}

impl Told {
    fn new(view: &View) -> Told {
        let mut told = Told::default();
        let clean = |text: String| clean_line(&text);
        for line in view.early() {
            match line.said {
                Said::Launched { program, .. } => told.program = Some(clean(program)),
                Said::Started { session, model } => {
                    told.model = model.map(clean).or(told.model);
                    told.session = session.map(clean).or(told.session);
                }
                _ => {}
            }
        }
        told
    }
}

/// If the journal of an agent is gone, the end is taken from its log.
pub fn completed(worked: &Worked, view: Option<&View>) -> Worked {
    let mut worked = worked.clone();
    let last = view.and_then(View::last).filter(|_| !worked.alive);
    if worked.outcome.is_none()
        && let Some(TranscriptLine {
            at_ms,
            said: Said::Ended { outcome, usage, .. },
        }) = last
    {
        worked.message = outcome_detail(&outcome).map(str::to_owned);
        worked.outcome = Some(outcome);
        worked.ended_at = Some(rfc3339(at_ms));
        worked.cost_usd = (usage.usd_micros > 0).then(|| usd(usage.usd_micros));
        worked.input_tokens = usage.input_tokens;
        worked.output_tokens = usage.output_tokens;
    }
    worked
}
