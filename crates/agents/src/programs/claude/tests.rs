//! Lines in the format of Claude Code 2.1.325, with `type` in any position.

use kumite_core::program::ProgramKind;

use super::*;
use crate::protocol::Reader;
use crate::request::Protocol;

const INIT: &str = r#"{"type":"system","subtype":"init","cwd":"/repo","session_id":"s-1","tools":["Task"],"slash_commands":["init","doctor"]}"#;
const SUCCESS: &str = r#"{"duration_api_ms":191,"session_id":"s-1","total_cost_usd":0.095488,"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":3,"output_tokens":26,"cache_creation":{"ephemeral_1h_input_tokens":0}},"modelUsage":{"m":{"costUSD":0.095488}},"permission_denials":[],"is_error":false,"num_turns":2,"subtype":"success","result":"Wrote the file.","type":"result","duration_ms":306}"#;
const MAX_TURNS: &str = r#"{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s-1","total_cost_usd":0.1,"permission_denials":[{"tool_name":"Write"},{"tool_name":"Bash"}],"errors":["Reached maximum number of turns (2)"]}"#;

fn heard(text: impl AsRef<[u8]>) -> Heard {
    let mut reader = Reader::new(
        Protocol::Program(ProgramKind::Claude),
        Some("given".to_owned()),
    );
    reader.feed(text.as_ref());
    reader.look_at_tail();
    reader.heard().clone()
}

#[test]
fn a_recorded_run_is_read_right() {
    let user = r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"a \"result\" of \"init\""}]},"session_id":"s-1"}"#;
    let heard = heard(format!("{INIT}\n{user}\n{SUCCESS}\n"));
    assert_eq!(heard.session.as_deref(), Some("s-1"));
    assert_eq!(heard.said, Some(Outcome::Finished));
    assert_eq!(
        heard.usage,
        Usage {
            usd_micros: 95_488,
            input_tokens: 123,
            output_tokens: 26
        }
    );
}

#[test]
fn how_the_bytes_arrive_makes_no_difference() {
    let text = format!("{INIT}\n{{\"type\":\"assistant\"}}\n{SUCCESS}");
    let whole = heard(&text);
    for size in [1, 2, 7, 100, 1000] {
        let mut reader = Reader::new(Protocol::Program(ProgramKind::Claude), None);
        text.as_bytes()
            .chunks(size)
            .for_each(|piece| reader.feed(piece));
        reader.look_at_tail();
        let heard = reader.heard().clone();
        assert_eq!(
            (heard.said, heard.usage, heard.session),
            (whole.said.clone(), whole.usage, whole.session.clone())
        );
    }
}

/// The result of reading a recording of the real program.
fn recorded(name: &str) -> Heard {
    let path = format!(
        "{}/fixtures/claude/{name}.jsonl",
        env!("CARGO_MANIFEST_DIR")
    );
    heard(std::fs::read(path).unwrap())
}

#[test]
fn every_recording_has_the_outcome_that_it_deserves() {
    let finished = [
        "ok",
        "tool_write",
        "tool_edit",
        "tool_bash",
        "tool_error",
        "thinking",
    ];
    for name in finished
        .into_iter()
        .chain(["resume", "limit_warning", "two_prompts"])
    {
        assert_eq!(recorded(name).said, Some(Outcome::Finished), "{name}");
    }
    for name in [
        "auth_401",
        "no_key",
        "bad_model",
        "credit_400",
        "max_turns",
        "interrupt",
    ] {
        let said = recorded(name).said;
        assert!(matches!(said, Some(Outcome::Failed(_))), "{name}: {said:?}");
    }
    for name in ["auth_401", "no_key"] {
        let Some(Outcome::Failed(sentence)) = recorded(name).said else {
            panic!("{name}");
        };
        assert!(
            sentence.contains("log in with `claude`"),
            "{name}: {sentence}"
        );
    }
    for name in ["terminate", "session_taken", "bad_option"] {
        assert_eq!(recorded(name).said, None, "{name}");
    }
    let gone = recorded("resume_missing").said;
    assert!(matches!(gone, Some(Outcome::SessionGone(_))), "{gone:?}");
    let spent = recorded("max_budget").said;
    assert!(matches!(spent, Some(Outcome::OverBudget(_))), "{spent:?}");
}

#[test]
fn t1_limits_and_busy_services_are_told_apart() {
    use LimitKind::{Overload, Usage};
    let rows = [
        ("limit", Usage, Some(1_794_801_667_000)),
        ("limit_midway", Usage, Some(1_794_801_667_000)),
        ("limit_week", Usage, Some(1_795_053_667_000)),
        ("limit_key", Overload, None),
        ("limit_token", Overload, None),
        ("rate_429", Overload, None),
        ("overload_529", Overload, None),
        ("server_500", Overload, None),
        ("refused", Overload, None),
    ];
    for (name, kind, until_ms) in rows {
        let Some(Outcome::Limited(limit)) = recorded(name).said else {
            panic!("{name}: {:?}", recorded(name).said);
        };
        assert_eq!((limit.kind, limit.until_ms), (kind, until_ms), "{name}");
        assert!(!limit.words.is_empty(), "{name}");
    }
}

#[test]
fn t1_the_latest_reset_of_the_full_windows_counts_and_the_overage_does_not() {
    let event = |status: &str, five: f64, week: f64| {
        format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":100,"overageStatus":"rejected","unifiedWindows":{{"five_hour":{{"utilization":{five},"resetsAt":100}},"seven_day":{{"utilization":{week},"resetsAt":900}}}}}}}}"#
        )
    };
    let ended = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit"}"#;
    let until = |event: String| match heard(format!("{event}\n{ended}\n")).said {
        Some(Outcome::Limited(limit)) => (limit.kind, limit.until_ms),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        until(event("rejected", 1.0, 0.2)),
        (LimitKind::Usage, Some(100_000))
    );
    assert_eq!(
        until(event("rejected", 1.0, 1.0)),
        (LimitKind::Usage, Some(900_000))
    );
    assert_eq!(
        until(event("rejected", 0.9, 0.2)),
        (LimitKind::Usage, Some(100_000))
    );
    assert_eq!(
        until(event("allowed", 0.9, 0.2)),
        (LimitKind::Overload, None)
    );
}

#[test]
fn t10_what_a_resumed_session_used_before_is_not_counted_again() {
    let (first, second) = (recorded("ok").usage, recorded("resume").usage);
    assert!(first.usd_micros > 0 && second.usd_micros > 0);
    assert!(
        second.usd_micros < first.usd_micros * 3 / 2,
        "{first:?} {second:?}"
    );
}

#[test]
fn the_sentence_names_the_kind_the_reason_and_the_denials() {
    let expected =
        "reported error_max_turns: Reached maximum number of turns (2) (2 permissions denied)";
    assert_eq!(
        heard(MAX_TURNS).said,
        Some(Outcome::Failed(expected.to_owned()))
    );
}

#[test]
fn of_two_results_the_last_one_counts() {
    let bad = heard(format!("{SUCCESS}\n{MAX_TURNS}\n")).said;
    assert!(matches!(bad, Some(Outcome::Failed(_))), "{bad:?}");
    let good = heard(format!("{MAX_TURNS}\n{SUCCESS}\n"));
    assert_eq!(
        (good.said, good.usage.usd_micros, good.results),
        (Some(Outcome::Finished), 95_488, 2)
    );
}

#[test]
fn the_newest_session_wins() {
    let second = INIT.replace("s-1", "s-2");
    assert_eq!(
        heard(format!("{INIT}\n{second}\n")).session.as_deref(),
        Some("s-2")
    );
    let other = r#"{"type":"assistant","session_id":"s-3","name":"init"}"#;
    assert_eq!(
        heard(format!("{INIT}\n{other}\n")).session.as_deref(),
        Some("s-1")
    );
    assert_eq!(heard("").session.as_deref(), Some("given"));
}

#[test]
fn a_result_inside_another_line_is_none() {
    let quoted = format!("{{\"type\":\"assistant\",\"message\":{SUCCESS}}}\n");
    assert_eq!(heard(quoted).said, None);
    assert_eq!(
        heard("\"result\"\n[\"result\"]\n{\"type\":\"result\"\n").said,
        None
    );
}

#[test]
fn carriage_returns_bad_bytes_and_no_newline_are_survived() {
    assert_eq!(
        heard(format!("{INIT}\r\n{SUCCESS}\r\n")).said,
        Some(Outcome::Finished)
    );
    assert_eq!(heard(SUCCESS).said, Some(Outcome::Finished));
    let mut bytes = b"\xff\xfe garbage\n".to_vec();
    let text = SUCCESS.as_bytes();
    let at = memchr::memmem::find(text, b"Wrote").unwrap();
    bytes.extend_from_slice(&text[..at]);
    bytes.push(0xff);
    bytes.extend_from_slice(&text[at..]);
    assert_eq!(heard(bytes).said, Some(Outcome::Finished));
}

#[test]
fn strange_figures_cost_nothing_and_hide_nothing() {
    for figure in ["-1", "null", "\"much\"", "NaN", "-Infinity", "{}"] {
        let heard = heard(
            SUCCESS
                .replace("0.095488", figure)
                .replace("\"input_tokens\":100", "\"input_tokens\":-5"),
        );
        assert_eq!(
            (heard.said, heard.usage.usd_micros, heard.usage.input_tokens),
            (Some(Outcome::Finished), 0, 23)
        );
    }
}

#[test]
fn a_doubtful_success_is_none() {
    for (from, to) in [
        ("\"is_error\":false", "\"is_error\":\"no\""),
        ("\"subtype\":\"success\",", ""),
    ] {
        let said = heard(SUCCESS.replace(from, to)).said;
        assert!(matches!(said, Some(Outcome::Failed(_))), "{said:?}");
    }
}
