//! Every setting that has a fixed name.

use super::value::{Allowed, Plain, quoted, quoted_list};
use super::{Guard, Settings, Size, Span};

/// One setting: its name, its meaning, how it is read and how it is shown.
pub struct Key {
    /// Section and key, with a dot between them.
    pub name: &'static str,
    pub doc: &'static str,
    pub(super) read: fn(&mut Settings, &Plain) -> Result<(), Allowed>,
    pub(super) show: fn(&Settings) -> String,
}

const GUARDS: [(&str, Guard); 2] = [("seed", Guard::Seed), ("strict", Guard::Strict)];

pub const KEYS: &[Key] = &[
    Key {
        name: "run.jobs",
        doc: "how many specs run at the same time",
        read: |it, value| put(&mut it.run.jobs, value.count(1..=1000)),
        show: |it| it.run.jobs.to_string(),
    },
    Key {
        name: "run.auto_approve",
        doc: "approve each document as soon as it is written",
        read: |it, value| put(&mut it.run.auto_approve, value.bool()),
        show: |it| it.run.auto_approve.to_string(),
    },
    Key {
        name: "run.step_timeout",
        doc: "how long one step may take",
        read: |it, value| put(&mut it.run.step_timeout, value.span_above_zero()),
        show: |it| span(it.run.step_timeout),
    },
    Key {
        name: "review.rounds_max",
        doc: "review rounds before a person is asked",
        read: |it, value| put(&mut it.review.rounds_max, value.count(1..=7)),
        show: |it| it.review.rounds_max.to_string(),
    },
    Key {
        name: "impl.retries_max",
        doc: "how often the implementation is started again while tasks are open",
        read: |it, value| put(&mut it.implementation.retries_max, value.count(0..=7)),
        show: |it| it.implementation.retries_max.to_string(),
    },
    Key {
        name: "impl.guard",
        doc: "\"seed\": no check box, or no tasks.md, means nothing is left; \"strict\": it pauses",
        read: |it, value| put(&mut it.implementation.guard, value.word(&GUARDS)),
        show: |it| {
            let names = GUARDS
                .iter()
                .find(|(_, guard)| *guard == it.implementation.guard);
            quoted(names.map_or("seed", |(name, _)| name))
        },
    },
    Key {
        name: "inspection.rounds_max",
        doc: "inspections in all before a person is asked",
        read: |it, value| put(&mut it.inspection.rounds_max, value.count(1..=9)),
        show: |it| it.inspection.rounds_max.to_string(),
    },
    Key {
        name: "agent.default",
        doc: "the agent for every phase that names no other",
        read: |it, value| put(&mut it.agent.default, value.some_text()),
        show: |it| quoted(&it.agent.default),
    },
    Key {
        name: "agent.silence_timeout",
        doc: "an agent that says nothing for so long counts as hung",
        read: |it, value| put(&mut it.agent.silence_timeout, value.span_above_zero()),
        show: |it| span(it.agent.silence_timeout),
    },
    Key {
        name: "agent.exit_grace",
        doc: "how long an agent may take to end after its result",
        read: |it, value| put(&mut it.agent.exit_grace, value.span()),
        show: |it| span(it.agent.exit_grace),
    },
    Key {
        name: "agent.term_grace",
        doc: "how long an agent may take to end when told to, before it is killed",
        read: |it, value| put(&mut it.agent.term_grace, value.span()),
        show: |it| span(it.agent.term_grace),
    },
    Key {
        name: "agent.spawn_retries",
        doc: "how often an agent that cannot be started is tried again",
        read: |it, value| put(&mut it.agent.spawn_retries, value.count(0..=100)),
        show: |it| it.agent.spawn_retries.to_string(),
    },
    Key {
        name: "limit.wait",
        doc: "wait for the end of a usage limit",
        read: |it, value| put(&mut it.limit.wait, value.bool()),
        show: |it| it.limit.wait.to_string(),
    },
    Key {
        name: "limit.min_wait",
        doc: "the shortest wait for a usage limit",
        read: |it, value| put(&mut it.limit.min_wait, value.span()),
        show: |it| span(it.limit.min_wait),
    },
    Key {
        name: "limit.max_wait",
        doc: "the longest wait for a usage limit",
        read: |it, value| put(&mut it.limit.max_wait, value.span()),
        show: |it| span(it.limit.max_wait),
    },
    Key {
        name: "limit.jitter",
        doc: "up to so much is added to each wait, so that runs do not wake at once",
        read: |it, value| put(&mut it.limit.jitter, value.span()),
        show: |it| span(it.limit.jitter),
    },
    Key {
        name: "budget.usd_per_run",
        doc: "US dollars that one run may cost; 0: any",
        read: |it, value| put(&mut it.budget.usd_per_run, value.usd()),
        show: |it| it.budget.usd_per_run.to_string(),
    },
    Key {
        name: "budget.usd_per_day",
        doc: "US dollars that all runs of a day may cost; 0: any",
        read: |it, value| put(&mut it.budget.usd_per_day, value.usd()),
        show: |it| it.budget.usd_per_day.to_string(),
    },
    Key {
        name: "log.max_size",
        doc: "how large the log of one agent may grow; 0: any size",
        read: |it, value| put(&mut it.log.max_size, log_size(value)),
        show: |it| quoted(&it.log.max_size.to_string()),
    },
    Key {
        name: "log.max_total",
        doc: "how large all logs of one spec may be together; 0: any size",
        read: |it, value| put(&mut it.log.max_total, value.size()),
        show: |it| quoted(&it.log.max_total.to_string()),
    },
    Key {
        name: "notify.webhook",
        doc: "an address, or a list of them, that is told when a run ends or needs a person; empty: none",
        read: |it, value| put(&mut it.notify.webhook, webhooks(value)),
        show: |it| {
            let shown: Vec<String> = it
                .notify
                .webhook
                .iter()
                .map(|it| without_secret(it))
                .collect();
            match shown.as_slice() {
                [] => quoted(""),
                [one] => quoted(one),
                several => quoted_list(several),
            }
        },
    },
    Key {
        name: "notify.desktop",
        doc: "show a notice on the desktop when a run ends or needs a person",
        read: |it, value| put(&mut it.notify.desktop, value.bool()),
        show: |it| it.notify.desktop.to_string(),
    },
];

fn put<T>(slot: &mut T, value: Result<T, Allowed>) -> Result<(), Allowed> {
    *slot = value?;
    Ok(())
}

fn span(span: Span) -> String {
    quoted(&span.to_string())
}

/// A smaller log could not hold an agent's last words.
fn log_size(value: &Plain) -> Result<Size, Allowed> {
    let size = value.size()?;
    match size.bytes() {
        1..1_000_000 => Err("at least \"1MB\", or 0 for no limit".to_owned()),
        _ => Ok(size),
    }
}

fn webhooks(value: &Plain) -> Result<Vec<String>, Allowed> {
    let given = match value {
        Plain::List(_) => value.texts().ok(),
        _ => value.text().ok().map(|text| match text.is_empty() {
            true => Vec::new(),
            false => vec![text],
        }),
    };
    let given = given.filter(|addresses| addresses.iter().all(|it| is_web_address(it)));
    given.ok_or_else(|| {
        "an address that begins with https:// or http://, a list of them, or \"\"".to_owned()
    })
}

fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let has_host = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    has_host && !text.contains(char::is_whitespace)
}

/// The path of a webhook is secret, and so is everything before an `@`.
pub fn without_secret(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return String::new();
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    let hidden = if path.len() > 1 { "/…" } else { path };
    format!("{scheme}://{host}{hidden}")
}
