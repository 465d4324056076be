//! Every setting that has a fixed name.

use kumite_core::place::Baseline;

use super::value::{Allowed, Plain, quoted, quoted_list};
use super::verify::show as commands;
use super::worktree::show_commands as setup;
use super::{Guard, Network, SandboxMode, Settings, Size, WorktreeMode};

/// One setting: its name, its meaning, how it is read and how it is shown.
pub struct Key {
    /// Section and key, with a dot between them.
    pub name: &'static str,
    pub doc: &'static str,
    pub(super) read: fn(&mut Settings, &Plain) -> Result<(), Allowed>,
    pub(super) show: fn(&Settings) -> String,
}

/// Each row has the name of a setting, its field, how its value is read (a method of [`Plain`]), how
/// it is shown, and its meaning.
macro_rules! keys {
    ($($name:literal, $($field:ident).+, $read:ident($($arg:expr)?), $show:ident: $doc:literal;)*) => {
        pub const KEYS: &[Key] = &[$(Key {
            name: $name,
            doc: $doc,
            read: |it, value| put(&mut it.$($field).+, value.$read($($arg)?)),
            show: |it| $show(&it.$($field).+),
        }),*];
    };
}

keys! {
    "run.jobs", run.jobs, count(1..=1000), bare:
        "how many specs run at the same time";
    "run.auto_approve", run.auto_approve, bool(), bare:
        "approve each document as soon as it is written";
    "run.step_timeout", run.step_timeout, span_above_zero(), text:
        "how long one step may take";
    "review.rounds_max", review.rounds_max, count(1..=7), bare:
        "review rounds before a person is asked";
    "review.stall_rounds", review.stall_rounds, count(0..=7), bare:
        "rounds in a row without a resolved finding, or returns of the same finding, before a \
         person is asked; 0: not counted";
    "impl.retries_max", implementation.retries_max, count(0..=7), bare:
        "how often the implementation is started again while tasks are open";
    "impl.guard", implementation.guard, word(&Guard::ALL.map(|it| (it.name(), it))), text:
        "\"seed\": no check box, or no tasks.md, means nothing is left; \"strict\": it pauses";
    "inspection.rounds_max", inspection.rounds_max, count(1..=9), bare:
        "inspections in all before a person is asked";
    "agent.default", agent.default, some_text(), text:
        "the agent for every phase that names no other";
    "agent.silence_timeout", agent.silence_timeout, span_above_zero(), text:
        "an agent that says nothing for so long counts as hung";
    "agent.exit_grace", agent.exit_grace, span(), text:
        "how long an agent may take to end after its result";
    "agent.term_grace", agent.term_grace, span(), text:
        "how long an agent may take to end when told to, before it is killed";
    "agent.spawn_retries", agent.spawn_retries, count(0..=100), bare:
        "how often an agent that cannot be started is tried again";
    "limit.wait", limit.wait, bool(), bare:
        "wait for the end of a usage limit";
    "limit.min_wait", limit.min_wait, span(), text:
        "the shortest wait for a usage limit";
    "limit.max_wait", limit.max_wait, span(), text:
        "the longest wait for a usage limit";
    "limit.jitter", limit.jitter, span(), text:
        "up to so much is added to each wait, so that runs do not wake at once";
    "budget.usd_per_run", budget.usd_per_run, usd(), bare:
        "US dollars that one run may cost; 0: any";
    "budget.usd_per_day", budget.usd_per_day, usd(), bare:
        "US dollars that all runs of a day may cost; 0: any";
    "log.max_size", log.max_size, log_size(), text:
        "how large the log of one agent may grow; 0: any size";
    "log.max_total", log.max_total, size(), text:
        "how large all logs of one spec may be together; 0: any size";
    "notify.webhook", notify.webhook, webhooks(), webhooks:
        "an address, or a list of them, that is told when a run ends or needs a person; empty: none";
    "notify.desktop", notify.desktop, bool(), bare:
        "show a notice on the desktop when a run ends or needs a person";
    "worktree.mode", worktree.mode, word(&WorktreeMode::ALL.map(|it| (it.name(), it))), text:
        "\"auto\": from impl on, each spec has a git worktree of its own; \"off\": specs share the \
         checkout";
    "worktree.branch", worktree.branch, spec_branch(), text:
        "the branch of a spec; {spec} is filled in";
    "worktree.base", worktree.base, base_branch(), text:
        "the branch that a spec begins with and is merged into; empty: the one that is checked out \
         when a run begins";
    "worktree.setup", worktree.setup, argument_lists(), setup:
        "commands that make a fresh worktree usable, each a list of words";
    "worktree.copy", worktree.copy, globs(), list:
        "untracked files that a worktree needs: patterns for paths inside the project";
    "worktree.max", worktree.max, size(), text:
        "how large all worktrees may be together; 0: any size";
    "verify.timeout", verify.timeout, span_above_zero(), text:
        "how long one command may take";
    "verify.baseline", verify.baseline, word(&Baseline::ALL.map(|it| (it.name(), it))), text:
        "if the commands fail before any work: \"pause\", \"warn\", or \"off\": they are not run then";
    "verify.flaky", verify.flaky, count(0..=9), bare:
        "how often a command that failed is run again; if it passes then, it counts as flaky";
    "verify.protect", verify.protect, globs(), list:
        "files that impl and fix may not change: patterns for paths inside the project";
    "verify.command", verify.commands, command_list(), commands:
        "the commands that show whether the work is good, one `[[verify.command]]` each; without \
         this key, those of .kiro/steering/verification-commands.md";
    "sandbox.mode", sandbox.mode, word(&SandboxMode::ALL.map(|it| (it.name(), it))), text:
        "what keeps agents inside: \"agent\": the program's own sandbox; \"bwrap\": bubblewrap; \
         \"off\": nothing";
    "sandbox.write", sandbox.write, places(), list:
        "further places that agents may write to";
    "sandbox.deny_read", sandbox.deny_read, places(), list:
        "places that agents may not even read";
    "sandbox.network", sandbox.network, word(&Network::ALL.map(|it| (it.name(), it))), text:
        "\"none\": no network for verify commands, and for agents that need none";
}

fn put<T>(slot: &mut T, value: Result<T, Allowed>) -> Result<(), Allowed> {
    *slot = value?;
    Ok(())
}

fn bare(value: &impl ToString) -> String {
    value.to_string()
}

fn text(value: &impl ToString) -> String {
    quoted(&value.to_string())
}

fn list(texts: &[String]) -> String {
    quoted_list(texts)
}

fn webhooks(addresses: &[String]) -> String {
    let shown: Vec<String> = addresses.iter().map(|it| without_secret(it)).collect();
    match shown.as_slice() {
        [] => quoted(""),
        [one] => quoted(one),
        several => quoted_list(several),
    }
}

impl Plain {
    /// A smaller log could not hold an agent's last words.
    fn log_size(&self) -> Result<Size, Allowed> {
        let size = self.size()?;
        match size.bytes() {
            1..1_000_000 => Err("at least \"1MB\", or 0 for no limit".to_owned()),
            _ => Ok(size),
        }
    }

    fn webhooks(&self) -> Result<Vec<String>, Allowed> {
        let given = match self {
            Plain::List(_) => self.texts().ok(),
            _ => self.text().ok().map(|text| match text.is_empty() {
                true => Vec::new(),
                false => vec![text],
            }),
        };
        let given = given.filter(|addresses| addresses.iter().all(|it| is_web_address(it)));
        given.ok_or_else(|| {
            "an address that begins with https:// or http://, a list of them, or \"\"".to_owned()
        })
    }
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
