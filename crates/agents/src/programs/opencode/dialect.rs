//! OpenCode's output of `run --format json`. It has no special first or last line: every line names
//! the session, and the work is done when a step ends without tool calls.

use kumite_core::outcome::{Outcome, Usage};
use serde_json::Value;

use crate::protocol::what::what;
use crate::protocol::{Dialect, Heard, service, shorten, usd_micros};
use crate::said::Said;

const LOGIN: &str = "opencode auth login";

#[derive(Default)]
pub struct Opencode {
    started: bool,
    /// OpenCode printed its usage text: its only reaction to unknown arguments.
    helped: bool,
}

impl Dialect for Opencode {
    fn telltales(&self) -> &'static [&'static str] {
        &["\"step_start\"", "\"step_finish\"", "\"error\""]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        if let Some(session) = line["sessionID"].as_str() {
            heard.session = Some(session.to_owned());
        }
        if !std::mem::replace(&mut self.started, true) {
            said.push(Said::Started {
                session: heard.session.clone(),
                model: None,
            });
        }
        let part = &line["part"];
        let text = || part["text"].as_str().unwrap_or_default().to_owned();
        match line["type"].as_str().unwrap_or_default() {
            "text" => said.push(Said::Text { text: text() }),
            "reasoning" => said.push(Said::Thought { text: text() }),
            "tool_use" => used(part, said),
            "step_finish" => {
                heard.usage += usage(part);
                if let Some(outcome) = finished(part["reason"].as_str().unwrap_or_default()) {
                    heard.end(outcome, said);
                }
            }
            "error" => heard.end(verdict(&line["error"]), said),
            _ => {}
        }
    }

    /// OpenCode silently obeys any `retry-after`, even for hours. Only its log mentions the wait,
    /// without the duration. So kumite ends OpenCode, and resumes its session later.
    fn complain(&mut self, line: &str, heard: &mut Heard, said: &mut Vec<Said>) {
        self.helped |= line.starts_with("opencode run [message..]");
        let is_limit = ["rate limit", "usage limit", "quota"]
            .iter()
            .any(|part| line.contains(part));
        if line.contains("AI_APICallError") && is_limit {
            let words = shorten(line.split("AI_APICallError").last().unwrap_or(line));
            said.push(Said::Trouble {
                text: words.clone(),
            });
            heard.result(service::overload(
                words.trim_matches([':', ' ', '"']).to_owned(),
            ));
        }
    }

    fn exited(&self, code: i32, complaints: &str) -> Option<Outcome> {
        if self.helped && code != 0 {
            return Some(service::refused_arguments("it does not say which"));
        }
        let gone = complaints
            .lines()
            .find(|line| line.contains("Session not found"))?;
        Some(Outcome::SessionGone(shorten(gone)))
    }
}

/// What the end of a step means. `None`: another step follows.
fn finished(reason: &str) -> Option<Outcome> {
    match reason {
        "tool-calls" => None,
        "stop" => Some(Outcome::Finished),
        "length" => Some(Outcome::Failed(
            "its answer was cut off: it was too long".to_owned(),
        )),
        other => Some(Outcome::Failed(format!("stopped: {}", shorten(other)))),
    }
}

fn verdict(error: &Value) -> Outcome {
    let data = &error["data"];
    let words = shorten(data["message"].as_str().unwrap_or("an error"));
    match (error["name"].as_str(), data["statusCode"].as_u64()) {
        (Some("ProviderAuthError"), _) => service::not_logged_in(LOGIN, words),
        (_, Some(status)) => service::of_status(status, LOGIN, words),
        // Without the first letter, which may be upper or lower case.
        _ if words.contains("verloaded") => service::overload(words),
        _ => service::of_words(words),
    }
}

/// The usage of one step; the agent's usage is the sum of all its steps.
fn usage(part: &Value) -> Usage {
    let tokens = &part["tokens"];
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let cached = count(&tokens["cache"]["read"]).saturating_add(count(&tokens["cache"]["write"]));
    Usage {
        usd_micros: usd_micros(part["cost"].as_f64().unwrap_or(0.0)),
        input_tokens: count(&tokens["input"]).saturating_add(cached),
        output_tokens: count(&tokens["output"]).saturating_add(count(&tokens["reasoning"])),
    }
}

/// OpenCode reports a tool only after the tool has answered.
fn used(part: &Value, said: &mut Vec<Said>) {
    let state = &part["state"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let id = text(&part["callID"]);
    said.push(Said::Tool {
        id: id.clone(),
        name: text(&part["tool"]),
        what: what(&state["input"]),
    });
    let answer = state["error"].as_str().or(state["output"].as_str());
    said.push(Said::ToolEnded {
        id,
        ok: state["status"] == "completed" && state["metadata"]["exit"].as_i64().unwrap_or(0) == 0,
        text: answer.unwrap_or_default().to_owned(),
    });
    let path = state["input"]["filePath"].as_str();
    if let (Some(path), Some(diff)) = (path, state["metadata"]["diff"].as_str()) {
        let lines = diff.lines().skip_while(|line| !line.starts_with("@@"));
        said.push(Said::Changed {
            path: path.to_owned(),
            diff: lines.collect::<Vec<_>>().join("\n"),
        });
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::outcome::LimitKind;

    use super::*;
    use crate::protocol::recorded::{Recorded, recorded};

    fn heard(name: &str) -> Recorded {
        recorded("opencode", name)
    }

    #[test]
    fn every_recording_has_the_outcome_that_it_deserves() {
        for name in [
            "ok",
            "tool_write",
            "tool_edit",
            "tool_error",
            "resume",
            "rate_429",
        ] {
            assert_eq!(heard(name).outcome(), Outcome::Finished, "{name}");
        }
        for name in [
            "bad_model",
            "credit_400",
            "max_tokens",
            "refusal",
            "no_input",
        ] {
            let outcome = heard(name).outcome();
            assert!(matches!(outcome, Outcome::Failed(_)), "{name}: {outcome:?}");
        }
        for name in ["auth_401", "auth_403", "no_key"] {
            let Outcome::Failed(sentence) = heard(name).outcome() else {
                panic!("{name}");
            };
            assert!(
                sentence.contains("opencode auth login"),
                "{name}: {sentence}"
            );
        }
        let gone = heard("resume_missing").outcome();
        assert!(matches!(gone, Outcome::SessionGone(_)), "{gone:?}");
    }

    #[test]
    fn t1_a_busy_service_is_waited_for() {
        for name in [
            "overload_503",
            "overload_529",
            "server_500",
            "rate_429_exhausted",
            "stream_cut",
        ] {
            let Outcome::Limited(limit) = heard(name).outcome() else {
                panic!("{name}: {:?}", heard(name).outcome());
            };
            assert_eq!(limit.kind, LimitKind::Overload, "{name}");
        }
    }

    #[test]
    fn t1_a_limit_that_only_its_log_tells_of_is_heard() {
        let line = r#"level=ERROR message="stream error" error.error="AI_APICallError: This request would exceed your account's rate limit.""#;
        let (mut heard, mut said) = (Heard::default(), Vec::new());
        Opencode::default().complain(line, &mut heard, &mut said);
        assert!(matches!(heard.said, Some(Outcome::Limited(_))), "{heard:?}");
        let mut quiet = Heard::default();
        Opencode::default().complain("level=ERROR models fetch", &mut quiet, &mut said);
        assert_eq!(quiet.said, None);
    }

    #[test]
    fn help_instead_of_work_means_that_an_argument_is_wrong() {
        let mut opencode = Opencode::default();
        let (mut heard, mut said) = (Heard::default(), Vec::new());
        opencode.complain("opencode run [message..]", &mut heard, &mut said);
        let outcome = opencode.exited(1, "[boolean] [default: false]");
        let Some(Outcome::Failed(words)) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(words.contains("arguments"), "{words}");
    }

    #[test]
    fn money_and_tokens_are_the_sum_of_all_steps() {
        let usage = heard("tool_write").heard.usage;
        assert_eq!(
            (usage.usd_micros, usage.input_tokens),
            (23_502 + 23_487, 7714 + 7819)
        );
    }
}
