//! Codex's `exec --json`. A turn ends with `turn.completed` or `turn.failed`; after a plain `error`
//! a retry may still succeed. It contains no money, and reports a limit only in prose.

use kumite_core::outcome::{Outcome, Usage};
use serde_json::Value;

use crate::protocol::{Dialect, Heard, service, shorten};
use crate::said::Said;

#[derive(Default)]
pub struct Codex {}

impl Dialect for Codex {
    fn telltales(&self) -> &'static [&'static str] {
        &[
            "\"thread.started\"",
            "\"turn.completed\"",
            "\"turn.failed\"",
        ]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match line["type"].as_str().unwrap_or_default() {
            "thread.started" => {
                if let Some(thread) = line["thread_id"].as_str() {
                    heard.session = Some(thread.to_owned());
                }
                said.push(Said::Started {
                    session: heard.session.clone(),
                    model: None,
                });
            }
            "turn.completed" => {
                heard.usage = usage(&line["usage"]);
                heard.end(Outcome::Finished, said);
            }
            "turn.failed" => heard.end(verdict(&text(&line["error"]["message"])), said),
            "error" => said.push(Said::Trouble {
                text: text(&line["message"]),
            }),
            "item.started" => said.extend(begun(&line["item"])),
            "item.completed" => completed(&line["item"], said),
            _ => {}
        }
    }

    fn exited(&self, code: i32, complaints: &str) -> Option<Outcome> {
        let mut lines = complaints.lines();
        // The usage text follows, so the last line tells nothing.
        if code == 2 {
            let wrong = lines.find(|line| line.starts_with("error: "))?;
            return Some(service::refused_arguments(wrong));
        }
        let gone = lines.find(|line| line.contains("no rollout found"))?;
        Some(Outcome::SessionGone(shorten(gone)))
    }
}

fn verdict(words: &str) -> Outcome {
    let words = shorten(words);
    if words.contains("hit your usage limit") {
        return service::usage_limit(words);
    }
    let busy = ["at capacity", "high demand"];
    if busy.iter().any(|part| words.contains(part)) {
        return service::overload(words);
    }
    if words.contains("Missing environment variable") {
        return service::not_logged_in("codex login", words);
    }
    match service::status_in(&words, "status") {
        Some(status) => service::of_status(status, "codex login", words),
        None => service::of_words(words),
    }
}

/// The usage of the whole thread. kumite resumes only threads whose turn did not complete, and for
/// those nothing was counted before.
fn usage(usage: &Value) -> Usage {
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    Usage {
        usd_micros: 0,
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
    }
}

fn begun(item: &Value) -> Option<Said> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let (name, what) = match text("type") {
        "command_execution" => ("shell", text("command").to_owned()),
        "mcp_tool_call" => ("mcp", format!("{} {}", text("server"), text("tool"))),
        "web_search" => ("search", text("query").to_owned()),
        _ => return None,
    };
    Some(Said::Tool {
        id: text("id").to_owned(),
        name: name.to_owned(),
        what: shorten(&what),
    })
}

fn completed(item: &Value, said: &mut Vec<Said>) {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let ended = |text: &str| Said::ToolEnded {
        id: item["id"].as_str().unwrap_or_default().to_owned(),
        ok: item["status"] != "failed",
        text: text.to_owned(),
    };
    match text("type") {
        "agent_message" => said.push(Said::Text {
            text: text("text").to_owned(),
        }),
        "reasoning" => said.push(Said::Thought {
            text: text("text").to_owned(),
        }),
        "command_execution" => said.push(ended(text("aggregated_output"))),
        "mcp_tool_call" => said.push(ended(item["error"]["message"].as_str().unwrap_or_default())),
        "web_search" => said.push(ended("")),
        "file_change" => {
            let changes = item["changes"].as_array().into_iter().flatten();
            said.extend(changes.map(|change| Said::Changed {
                path: change["path"].as_str().unwrap_or_default().to_owned(),
                diff: String::new(),
            }));
        }
        "error" => said.push(Said::Note {
            text: text("message").to_owned(),
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use kumite_core::outcome::LimitKind;

    use super::*;
    use crate::protocol::recorded::{Recorded, recorded};

    fn heard(name: &str) -> Recorded {
        recorded("codex", name)
    }

    #[test]
    fn every_recording_has_the_outcome_that_it_deserves() {
        for name in [
            "ok",
            "tool_write",
            "tool_error",
            "resume",
            "rate_429_recovers",
            "stream_cut",
        ] {
            assert_eq!(heard(name).outcome(), Outcome::Finished, "{name}");
        }
        for name in [
            "bad_model",
            "context_full",
            "limit_credits",
            "limit_spend_cap",
            "quota",
        ] {
            let outcome = heard(name).outcome();
            assert!(matches!(outcome, Outcome::Failed(_)), "{name}: {outcome:?}");
        }
        for name in ["auth_401", "no_key", "not_logged_in"] {
            let Outcome::Failed(sentence) = heard(name).outcome() else {
                panic!("{name}");
            };
            assert!(sentence.contains("codex login"), "{name}: {sentence}");
        }
        for name in ["interrupt", "terminate", "bad_flag"] {
            assert_eq!(heard(name).heard.said, None, "{name}");
        }
        let gone = heard("resume_missing").outcome();
        assert!(matches!(gone, Outcome::SessionGone(_)), "{gone:?}");
        let wrong = heard("bad_flag").outcome();
        assert!(
            matches!(&wrong, Outcome::Failed(words) if words.contains("unexpected argument '--max-turns'")),
            "{wrong:?}"
        );
    }

    #[test]
    fn t1_limits_and_busy_services_are_told_apart() {
        for name in [
            "limit_today",
            "limit_other_day",
            "limit_named",
            "limit_tz",
            "limit_no_reset",
        ] {
            let Outcome::Limited(limit) = heard(name).outcome() else {
                panic!("{name}: {:?}", heard(name).outcome());
            };
            assert_eq!(limit.kind, LimitKind::Usage, "{name}");
            assert_eq!(limit.until_ms.is_some(), name != "limit_no_reset", "{name}");
        }
        for name in [
            "rate_429",
            "overload_503",
            "overload_capacity",
            "hang_stream",
            "stream_cut_failed",
            "stream_error",
            "unreachable_bounded",
        ] {
            let Outcome::Limited(limit) = heard(name).outcome() else {
                panic!("{name}: {:?}", heard(name).outcome());
            };
            assert_eq!(
                (limit.kind, limit.until_ms),
                (LimitKind::Overload, None),
                "{name}"
            );
        }
    }

    #[test]
    fn the_thread_is_the_session_and_tokens_have_no_price() {
        let ok = heard("ok").heard;
        assert_eq!(
            ok.session.as_deref(),
            Some("01a1e229-5ffc-7c82-aa89-345c05f9b4ae")
        );
        let usage = Usage {
            usd_micros: 0,
            input_tokens: 1200,
            output_tokens: 12,
        };
        assert_eq!(ok.usage, usage);
    }

    #[test]
    fn a_transcript_has_what_was_said_run_and_changed() {
        let said = heard("tool_shell").said;
        assert!(
            said.iter()
                .any(|it| matches!(it, Said::Tool { name, what, .. }
            if name == "shell" && what.contains("echo hi")))
        );
        assert!(
            said.iter()
                .any(|it| matches!(it, Said::ToolEnded { ok: true, text, .. } if text == "hi\n"))
        );
        let failed = heard("tool_error").said;
        assert!(
            failed
                .iter()
                .any(|it| matches!(it, Said::ToolEnded { ok: false, .. }))
        );
        let wrote = heard("tool_write").said;
        assert!(
            wrote
                .iter()
                .any(|it| matches!(it, Said::Changed { path, .. } if path == "/project/hello.txt"))
        );
        assert!(
            wrote
                .iter()
                .any(|it| matches!(it, Said::Text { text } if text == "All done."))
        );
    }
}
