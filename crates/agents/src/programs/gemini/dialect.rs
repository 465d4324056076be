//! Gemini CLI's output format `stream-json`. Its last line is a `result`. Only the exit code shows
//! the kind of an error: it is the HTTP status modulo 256. Only stderr shows that the program will
//! wait for hours.

use kumite_core::outcome::{LimitKind, Outcome, Usage};
use serde_json::Value;

use crate::files::unix_ms;
use crate::protocol::what::what;
use crate::protocol::{Dialect, Heard, service, shorten};
use crate::said::Said;

const LOGIN: &str = "gemini";
/// If a program wants to wait longer than this, kumite ends it and waits itself.
const PATIENCE_MS: u64 = 5 * 60 * 1000;

#[derive(Default)]
pub struct Gemini {
    /// Pieces of an unfinished text.
    text: String,
    /// Gemini CLI stopped because it repeated itself. It reports that as a success.
    looped: bool,
    /// The error message of the last result.
    words: String,
    /// The line that names unknown arguments. It is kept because pages of help follow it.
    wrong: Option<String>,
}

impl Dialect for Gemini {
    fn telltales(&self) -> &'static [&'static str] {
        &["\"init\"", "\"result\"", "\"error\""]
    }

    fn hear(&mut self, line: &Value, heard: &mut Heard, said: &mut Vec<Said>) {
        let text = |name: &str| line[name].as_str().unwrap_or_default();
        let kind = text("type");
        if kind == "message" {
            if line["role"] == "assistant" {
                self.text.push_str(text("content"));
            }
            return;
        }
        // A newer program may have kinds that this code does not know. They do not end a text.
        let known = ["init", "tool_use", "tool_result", "error", "result"];
        if known.contains(&kind) && !self.text.is_empty() {
            said.push(Said::Text {
                text: std::mem::take(&mut self.text),
            });
        }
        match kind {
            "init" => {
                if let Some(session) = line["session_id"].as_str() {
                    heard.session = Some(session.to_owned());
                }
                said.push(Said::Started {
                    session: heard.session.clone(),
                    model: line["model"].as_str().map(str::to_owned),
                });
            }
            "tool_use" => said.push(Said::Tool {
                id: text("tool_id").to_owned(),
                name: text("tool_name").to_owned(),
                what: what(&line["parameters"]),
            }),
            "tool_result" => said.push(Said::ToolEnded {
                id: text("tool_id").to_owned(),
                ok: line["status"] == "success",
                text: line["error"]["message"]
                    .as_str()
                    .unwrap_or(text("output"))
                    .to_owned(),
            }),
            "error" => {
                self.looped |= text("message").contains("Loop detected");
                said.push(Said::Trouble {
                    text: text("message").to_owned(),
                });
            }
            "result" => {
                let outcome = self.verdict(line);
                heard.usage = usage(&line["stats"]);
                heard.end(outcome, said);
            }
            _ => {}
        }
    }

    fn complain(&mut self, line: &str, heard: &mut Heard, said: &mut Vec<Said>) {
        if line.starts_with("Unknown argument") {
            self.wrong = Some(line.to_owned());
        }
        let Some(wait_ms) = service::status_in(line, "Retrying after") else {
            return;
        };
        let words = shorten(line);
        said.push(Said::Note {
            text: words.clone(),
        });
        if wait_ms > PATIENCE_MS {
            let until_ms = unix_ms().saturating_add(wait_ms);
            heard.result(service::limited(LimitKind::Usage, Some(until_ms), words));
        }
    }

    fn exited(&self, code: i32, complaints: &str) -> Option<Outcome> {
        let line = |part: &str| complaints.lines().find(|line| line.contains(part));
        let words = match self.words.as_str() {
            "" => crate::protocol::last_line(complaints.as_bytes()),
            words => words.to_owned(),
        };
        match code {
            1 if self.wrong.is_some() => self.wrong.as_deref().map(service::refused_arguments),
            1 if is_cut(&words) => Some(service::overload(words)),
            41 => Some(service::not_logged_in(LOGIN, words)),
            42 => line("Error resuming session").map(|line| Outcome::SessionGone(shorten(line))),
            173 if is_plan(&words) => Some(service::usage_limit(words)),
            173 => Some(service::overload(words)),
            244 | 246..=248 => Some(service::overload(words)),
            145 | 147 => Some(service::not_logged_in(LOGIN, words)),
            144 if words.contains("API key") => Some(service::not_logged_in(LOGIN, words)),
            _ => None,
        }
    }
}

/// The network is down: nothing could be sent, or an answer broke off.
fn is_cut(words: &str) -> bool {
    service::is_unreachable(words) || words.contains("[API Error: terminated]")
}

/// The quota of the plan is used up. Otherwise there were only too many requests in a minute.
fn is_plan(words: &str) -> bool {
    ["daily quota", "exhausted your capacity", "will reset after"]
        .iter()
        .any(|part| words.contains(part))
}

impl Gemini {
    fn verdict(&mut self, line: &Value) -> Outcome {
        if line["status"] == "success" {
            return match self.looped {
                true => {
                    Outcome::Failed("stopped itself: it did the same again and again".to_owned())
                }
                false => Outcome::Finished,
            };
        }
        self.words = shorten(line["error"]["message"].as_str().unwrap_or("an error"));
        Outcome::Failed(format!("reported an error: {}", self.words))
    }
}

/// The usage of this process only. Gemini CLI reports no price.
fn usage(stats: &Value) -> Usage {
    let count = |name: &str| stats[name].as_u64().unwrap_or(0);
    Usage {
        usd_micros: 0,
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::recorded::{Recorded, recorded};

    fn heard(name: &str) -> Recorded {
        recorded("gemini", name)
    }

    #[test]
    fn every_recording_has_the_outcome_that_it_deserves() {
        for name in [
            "ok",
            "tool_write",
            "tool_error",
            "resume",
            "rate_429",
            "auto_model",
        ] {
            assert_eq!(heard(name).outcome(), Outcome::Finished, "{name}");
        }
        for name in ["bad_model", "loop", "turn_limit", "untrusted", "interrupt"] {
            let outcome = heard(name).outcome();
            assert!(matches!(outcome, Outcome::Failed(_)), "{name}: {outcome:?}");
        }
        for name in [
            "auth_401",
            "auth_403",
            "auth_400_bad_key",
            "no_key",
            "no_auth",
        ] {
            let Outcome::Failed(sentence) = heard(name).outcome() else {
                panic!("{name}: {:?}", heard(name).outcome());
            };
            assert!(
                sentence.contains("log in with `gemini`"),
                "{name}: {sentence}"
            );
        }
        for name in ["resume_missing", "resume_other_cwd"] {
            let gone = heard(name).outcome();
            assert!(matches!(gone, Outcome::SessionGone(_)), "{name}: {gone:?}");
        }
    }

    #[test]
    fn t1_limits_and_busy_services_are_told_apart() {
        use LimitKind::{Overload, Usage};
        let rows = [
            ("limit", Usage, false),
            ("limit_auto", Usage, false),
            ("limit_reset", Usage, true),
            ("rate_429_exhausted", Overload, false),
            ("rate_429_bare", Overload, false),
            ("overload_503", Overload, false),
            ("server_500", Overload, false),
            ("no_server", Overload, false),
            ("stream_cut", Overload, false),
        ];
        for (name, kind, has_reset) in rows {
            let Outcome::Limited(limit) = heard(name).outcome() else {
                panic!("{name}: {:?}", heard(name).outcome());
            };
            assert_eq!(
                (limit.kind, limit.until_ms.is_some()),
                (kind, has_reset),
                "{name}"
            );
        }
    }

    #[test]
    fn t1_a_program_that_would_wait_for_hours_in_silence_is_limited() {
        let Some(Outcome::Limited(limit)) = heard("limit_reset_retryinfo").heard.said else {
            panic!("not limited");
        };
        let left_ms = limit.until_ms.unwrap() - unix_ms();
        assert!((34_900_000..34_990_000).contains(&left_ms), "{left_ms}");
    }

    #[test]
    fn an_argument_that_it_does_not_know_is_named() {
        let mut gemini = Gemini::default();
        let (mut heard, mut said) = (Heard::default(), Vec::new());
        for line in ["Unknown arguments: wrong", "Usage: gemini [options]"] {
            gemini.complain(line, &mut heard, &mut said);
        }
        let Some(Outcome::Failed(words)) = gemini.exited(1, "-h, --help  Show help") else {
            panic!("not refused");
        };
        assert!(words.contains("Unknown arguments: wrong"), "{words}");
    }

    #[test]
    fn an_unknown_event_ends_no_text() {
        let message = |text: &str| serde_json::json!({"type": "message", "role": "assistant", "content": text});
        let mut gemini = Gemini::default();
        let (mut heard, mut said) = (Heard::default(), Vec::new());
        for line in [
            message("one "),
            serde_json::json!({"type": "unheard_of"}),
            message("two"),
            serde_json::json!({"type": "result", "status": "success"}),
        ] {
            gemini.hear(&line, &mut heard, &mut said);
        }
        let text = "one two".to_owned();
        assert_eq!(said[0], Said::Text { text });
    }

    #[test]
    fn pieces_of_a_text_are_joined() {
        let said = heard("ok").said;
        let text = "Hello from the model, all is well.".to_owned();
        assert!(said.contains(&Said::Text { text }), "{said:?}");
        assert_eq!(heard("ok").heard.usage.input_tokens, 11_851);
    }
}
