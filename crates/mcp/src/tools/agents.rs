//! The agents that worked on a spec, and what they said.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use kumite_project::picture::Picture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::page::{BYTES_MAX, Part, clipped, page};
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Reach, Tool, tool};

/// The most bytes of one line that are shown.
const LINE_MAX: usize = 4 * 1024;
/// How many lines are shown by default.
const USUAL: u64 = 200;
/// How many lines can be requested at once.
const MOST: u64 = 2000;

pub fn tools() -> [Tool; 2] {
    [
        tool(
            "list_agents",
            Reach::Reads,
            "The agents that worked on a spec, newest first: step, round, program, how each ended, \
             cost.",
            list_agents,
        ),
        tool(
            "get_agent_log",
            Reach::Reads,
            "What the agents of a spec said and did, as text: messages, tools, changed files, \
             results. The last 200 lines unless told otherwise.",
            get_agent_log,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAgents {
    /// Name of the spec.
    spec: String,
    /// Number of the first one, from 1, the newest.
    from: Option<u64>,
    /// How many; default 50, at most 1000.
    count: Option<u64>,
}

fn list_agents(call: &Call<'_>, args: ListAgents) -> Result<Answer> {
    let (project, spec) = call.access.spec(&args.spec)?;
    let part = Part::new(args.from.or(Some(1)), args.count);
    let picture = Picture::read(&project, spec).readable()?;
    let page = page(picture.worked(), part, 50)?;
    Answer::of(&json!({
        "spec": picture.spec.name,
        "total": page.total,
        "next": page.next,
        "agents": page.items,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetAgentLog {
    /// Name of the spec.
    spec: String,
    /// One agent only: its id, or the end of its id, from list_agents.
    agent: Option<String>,
    /// Number of the first line, from 1; by default the last lines are shown.
    from: Option<u64>,
    /// How many lines, at most 2000.
    count: Option<u64>,
}

/// The output of `kumite log`, read only as far as needed.
fn get_agent_log(call: &Call<'_>, args: GetAgentLog) -> Result<Answer> {
    let (_, spec) = call.access.spec(&args.spec)?;
    let part = Part::new(args.from, args.count);
    let (first, count) = (part.first()?, part.count(USUAL, MOST)?);
    if let Some(agent) = &args.agent {
        let known = kumite_agents::agent_logs(&spec.logs())?;
        if !known.iter().any(|it| it.agent.to_string().ends_with(agent)) {
            return Err(Refusal(format!(
                "agent: {} has no log of an agent {agent:?}; list_agents tells which it has",
                spec.name
            )));
        }
    }
    let only = args.agent.as_ref().map(|agent| format!("--agent={agent}"));
    let words = ["log", "--color=never"].into_iter().chain(only.as_deref());
    let words: Vec<&str> = words.collect();
    let mut child = call
        .access
        .command(&words, &[&spec.name])
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| call.access.cannot_run(&error))?;
    let excerpt = child
        .stdout
        .take()
        .map(|out| excerpt(BufReader::new(out), first, count));
    // The rest of its output is not needed.
    let _ = child.kill();
    child.wait()?;
    let excerpt = excerpt.unwrap_or_else(|| Ok(Excerpt::default()))?;
    let data = json!({
        "spec": spec.name,
        "agent": args.agent,
        "from": excerpt.from,
        "next": excerpt.next,
        "text": excerpt.text,
    });
    Answer::with_text(&data, excerpt.text)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Excerpt {
    from: u64,
    /// The number of the next line, if there is one.
    next: Option<u64>,
    text: String,
}

/// `count` lines starting at `first`, or else the last ones, as many as fit.
fn excerpt(log: impl BufRead, first: Option<u64>, count: u64) -> std::io::Result<Excerpt> {
    let mut lines: VecDeque<String> = VecDeque::new();
    let mut bytes = 0;
    let mut number = 0;
    let mut next = None;
    for line in log.split(b'\n') {
        let line = clipped(&String::from_utf8_lossy(&line?), LINE_MAX) + "\n";
        number += 1;
        if first.is_some_and(|first| number < first) {
            continue;
        }
        let is_full = lines.len() as u64 >= count || bytes + line.len() > BYTES_MAX;
        if first.is_some() && is_full {
            next = Some(number);
            break;
        }
        bytes += line.len();
        lines.push_back(line);
        while lines.len() as u64 > count || bytes > BYTES_MAX {
            bytes -= lines.pop_front().map_or(0, |line| line.len());
        }
    }
    let from = first.unwrap_or(number + 1 - lines.len() as u64);
    let text = lines.into_iter().collect();
    Ok(Excerpt { from, next, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(first: Option<u64>, count: u64) -> (u64, Option<u64>, String) {
        let log = "a\nb\nc\nd\n";
        let found = excerpt(log.as_bytes(), first, count).unwrap();
        (found.from, found.next, found.text.replace('\n', ""))
    }

    #[test]
    fn the_end_of_a_log_is_shown_unless_a_beginning_is_told() {
        assert_eq!(read(None, 2), (3, None, "cd".to_owned()));
        assert_eq!(read(None, 9), (1, None, "abcd".to_owned()));
        assert_eq!(read(Some(1), 3), (1, Some(4), "abc".to_owned()));
        assert_eq!(read(Some(4), 3), (4, None, "d".to_owned()));
        assert_eq!(read(Some(9), 3), (9, None, String::new()));
    }

    #[test]
    fn a_log_without_end_fits_into_an_answer() {
        let log = format!("{}\n", "x".repeat(LINE_MAX * 2)).repeat(100);
        for first in [None, Some(1)] {
            let found = excerpt(log.as_bytes(), first, MOST).unwrap();
            assert!(found.text.len() <= BYTES_MAX && found.text.len() > BYTES_MAX / 2);
        }
    }
}
