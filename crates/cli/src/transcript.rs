//! What agents said and did, as a person reads it.

use std::collections::BTreeMap;

use console::{Style, style};
use kumite_agents::{Said, TranscriptLine, clean, clean_line};
use kumite_core::journal::AgentId;
use kumite_core::outcome::{Outcome, Usage};
use kumite_project::announce::{outcome_detail, outcome_name};
use kumite_project::clock::local_time;

/// How many lines of a diff are shown.
const DIFF_MAX: usize = 20;
/// How many characters of a failed tool's output are shown.
const GIST_MAX: usize = 200;

/// Renders the transcript of one agent, line by line.
#[derive(Default)]
pub struct Renderer {
    is_headed: bool,
    /// The tools that have not answered yet, by their ids.
    tools: BTreeMap<String, String>,
    /// The tool whose line has no newline yet, because its result may follow on that line.
    open: Option<String>,
    /// The last text, because a result often repeats it.
    last_text: String,
}

impl Renderer {
    /// What to print for a line of the transcript: whole lines, except for the call of a tool.
    pub fn render(&mut self, agent: AgentId, line: &TranscriptLine) -> String {
        let head = self.head(agent, line);
        let shown = match &line.said {
            Said::Launched { .. } => String::new(),
            Said::Started { model, .. } => match model {
                Some(model) => dim(&format!("model {}", clean_line(model))),
                None => String::new(),
            },
            Said::Text { text } => {
                self.last_text = text.trim().to_owned();
                with_end(&clean(text))
            }
            Said::Thought { text } => dim(&clean(text)),
            Said::Tool { id, name, what } => return head + &self.tool(id, name, what),
            Said::ToolEnded { id, ok, text } => return head + &self.tool_ended(id, *ok, text),
            Said::Changed { path, diff } => changed(path, diff),
            Said::Note { text } => dim(&format!("· {}", clean(text))),
            Said::Trouble { text } => paint(&Style::new().red(), &format!("! {}", clean(text))),
            Said::Ended {
                outcome,
                text,
                usage,
            } => self.ended(outcome, text, usage),
        };
        match shown.is_empty() {
            true => head,
            false => head + &self.close() + &shown,
        }
    }

    /// A line of a raw log, for an agent that has no transcript.
    pub fn render_raw(&mut self, agent: AgentId, line: &str) -> String {
        let text = line.to_owned();
        let said = Said::Text { text };
        let at_ms = agent.at_ms;
        self.render(agent, &TranscriptLine { at_ms, said })
    }

    /// Ends the line of a tool that has not answered yet.
    pub fn close(&mut self) -> String {
        match self.open.take() {
            Some(_) => "\n".to_owned(),
            None => String::new(),
        }
    }

    /// The heading of the agent, above its first line.
    fn head(&mut self, agent: AgentId, line: &TranscriptLine) -> String {
        if std::mem::replace(&mut self.is_headed, true) {
            return String::new();
        }
        let mut words = Vec::new();
        if let Said::Launched {
            program,
            step,
            round,
        } = &line.said
        {
            let round = round.map_or(String::new(), |round| format!(" {round}"));
            words.extend(step.as_ref().map(|step| clean_line(step) + &round));
            words.push(clean_line(program));
        }
        words.push(agent.to_string());
        words.push(local_time(line.at_ms));
        let title = format!("── {}", words.join(" · "));
        format!("{}\n", style(title).bold().cyan())
    }

    fn tool(&mut self, id: &str, name: &str, what: &str) -> String {
        let (name, what) = (clean_line(name), clean_line(what));
        let call = format!("{}  {}", style(&name).bold(), what);
        let line = format!("{}{} {}", self.close(), style("●").cyan(), call.trim_end());
        let short = format!("{name} {what}");
        self.tools
            .insert(id.to_owned(), short.trim_end().to_owned());
        self.open = Some(id.to_owned());
        line
    }

    /// The result stands on the line of its tool if nothing was printed in between.
    fn tool_ended(&mut self, id: &str, ok: bool, text: &str) -> String {
        let call = self.tools.remove(id);
        let end = match ok {
            true => style("✓").green().to_string(),
            false => {
                let gist = format!("✗ {}", gist(text));
                style(gist.trim_end()).red().to_string()
            }
        };
        if self.open.as_deref() == Some(id) {
            self.open = None;
            return format!(" {end}\n");
        }
        let call = call.unwrap_or_else(|| "an earlier tool".to_owned());
        format!("{}  {} {end}\n", self.close(), style(call).dim())
    }

    fn ended(&self, outcome: &Outcome, text: &str, usage: &Usage) -> String {
        let detail = outcome_detail(outcome).unwrap_or_default();
        let mut out = String::new();
        let words = text.trim();
        if !words.is_empty() && words != self.last_text && !detail.contains(words) {
            out += &with_end(&clean(text));
        }
        let (mark, colour) = match outcome {
            Outcome::Finished => ("✓", Style::new().green()),
            Outcome::Killed | Outcome::Limited(_) => ("!", Style::new().yellow()),
            _ => ("✗", Style::new().red()),
        };
        let mut sentence = format!("{mark} {}", outcome_name(outcome).replace('_', " "));
        if !detail.is_empty() {
            sentence += &format!(": {}", clean_line(detail));
        }
        out += &colour.apply_to(sentence).to_string();
        let used = used(usage);
        if !used.is_empty() {
            out += &format!("  {}", style(used).dim());
        }
        out + "\n"
    }
}

/// The path, and the beginning of the changes.
fn changed(path: &str, diff: &str) -> String {
    let mut out = format!("  {}\n", style(clean_line(path)).bold());
    let diff = clean(diff);
    for line in diff.lines().take(DIFF_MAX) {
        let colour = match line.chars().next() {
            Some('+') => Style::new().green(),
            Some('-') => Style::new().red(),
            _ => Style::new().dim(),
        };
        out += &format!("  {}\n", colour.apply_to(line));
    }
    let more = diff.lines().count().saturating_sub(DIFF_MAX);
    if more > 0 {
        out += &format!("  {}\n", style(format!("… {more} more")).dim());
    }
    out
}

/// Why a tool failed: the first line of its answer and, if that is short, the last one.
fn gist(text: &str) -> String {
    let text = clean(text);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let gist = match lines.next_back() {
        Some(last) if first.len() < 40 => format!("{}: {last}", first.trim_end_matches(':')),
        _ => first.to_owned(),
    };
    let mut letters = gist.chars();
    let mut short: String = letters.by_ref().take(GIST_MAX).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

fn used(usage: &Usage) -> String {
    let dollars = usage.usd_micros as f64 / 1e6;
    let cost = match usage.usd_micros {
        0 => None,
        1..10_000 => Some(format!("${dollars:.4}")),
        _ => Some(format!("${dollars:.2}")),
    };
    let (input, output) = (usage.input_tokens, usage.output_tokens);
    let tokens = (input > 0 || output > 0).then(|| format!("{input} tokens in, {output} out"));
    let words: Vec<String> = cost.into_iter().chain(tokens).collect();
    words.join(", ")
}

fn dim(text: &str) -> String {
    paint(&Style::new().dim(), text)
}

/// Colours each line separately, so that a colour never continues after its line.
fn paint(colour: &Style, text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| format!("{}\n", colour.apply_to(line)));
    lines.collect()
}

fn with_end(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

#[cfg(test)]
mod tests;
