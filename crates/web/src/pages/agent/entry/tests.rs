use super::*;

const HOSTILE: &str = "</pre><script>alert(1)</script>\"'&\u{1b}[31m";

fn row(number: u64, said: Said) -> Row {
    let line = TranscriptLine {
        at_ms: 1_700_000_000_000,
        said,
    };
    Row {
        number,
        bytes: serde_json::to_vec(&line).unwrap(),
        is_cut: false,
    }
}

fn shown(said: Said) -> String {
    let mut entries = Entries::new(Form::Transcript);
    entries.entry(&row(7, said)).into_string()
}

fn tool(id: &str, what: &str) -> Said {
    Said::Tool {
        id: id.to_owned(),
        name: "Bash".to_owned(),
        what: what.to_owned(),
    }
}

fn answered(id: &str, text: &str) -> Said {
    Said::ToolEnded {
        id: id.to_owned(),
        ok: true,
        text: text.to_owned(),
    }
}

#[test]
fn no_word_of_an_agent_becomes_part_of_the_page() {
    let text = || HOSTILE.to_owned();
    let all = [
        Said::Launched {
            program: text(),
            step: Some(text()),
            round: None,
        },
        Said::Started {
            session: Some(text()),
            model: Some(text()),
        },
        Said::Text { text: text() },
        Said::Thought { text: text() },
        Said::Tool {
            id: text(),
            name: text(),
            what: text(),
        },
        Said::ToolEnded {
            id: text(),
            ok: false,
            text: text(),
        },
        Said::Changed {
            path: text(),
            diff: format!("+{HOSTILE}\n-{HOSTILE}"),
        },
        Said::Note { text: text() },
        Said::Trouble { text: text() },
        Said::Ended {
            outcome: Outcome::Failed(text()),
            text: "more".to_owned(),
            usage: Usage::default(),
        },
    ];
    for said in all {
        let html = shown(said.clone());
        assert!(!html.contains("<script"), "{said:?}: {html}");
        assert!(!html.contains('\u{1b}'), "{said:?}: {html}");
        assert!(html.contains("id=\"line-7\""), "{html}");
    }
    let mut entries = Entries::new(Form::Raw);
    let raw = Row {
        number: 1,
        bytes: HOSTILE.as_bytes().to_vec(),
        is_cut: true,
    };
    let html = entries.entry(&raw).into_string();
    assert!(
        !html.contains("<script") && !html.contains('\u{1b}'),
        "{html}"
    );
    assert!(html.contains("cut here"), "{html}");
}

#[test]
fn a_line_that_is_damaged_is_shown_as_it_is() {
    let mut entries = Entries::new(Form::Transcript);
    for bytes in [&b"{\"at_ms\":1,\"kind\":\"te"[..], b"\xff\xfe<b>", b""] {
        let row = Row {
            number: 3,
            bytes: bytes.to_vec(),
            is_cut: false,
        };
        let html = entries.entry(&row).into_string();
        assert!(
            html.contains("id=\"line-3\"") && html.contains("class=\"entry raw\""),
            "{html}"
        );
        assert!(!html.contains("<b>"), "{html}");
    }
}

#[test]
fn an_answer_names_its_call_also_one_that_is_not_shown() {
    let mut entries = Entries::new(Form::Transcript);
    entries.remember(&row(1, tool("a", "cargo test")));
    let html = entries
        .entry(&row(2, answered("a", "ok\nfine")))
        .into_string();
    assert!(
        html.contains("Bash cargo test") && html.contains("2 lines"),
        "{html}"
    );
    let html = entries.entry(&row(3, answered("b", ""))).into_string();
    assert!(
        html.contains("an earlier tool") && !html.contains("<details"),
        "{html}"
    );
}

#[test]
fn a_text_is_markdown_and_everything_else_is_as_it_was_written() {
    let text = || "**one**\ntwo\n\nthree".to_owned();
    let html = shown(Said::Text { text: text() });
    assert!(html.contains("<strong>one</strong>"), "{html}");
    let line = "  # __init__.py".to_owned();
    assert!(shown(Said::Text { text: line }).contains("<p>  # __init__.py</p>"));
    for said in [
        Said::Thought { text: text() },
        Said::Trouble { text: text() },
    ] {
        let html = shown(said);
        assert!(html.contains("<p>**one**\ntwo\n\nthree</p>"), "{html}");
    }
}

#[test]
fn a_call_is_repeated_in_its_fold_only_if_it_does_not_fit_on_its_line() {
    assert!(!shown(tool("a", "cargo test")).contains("<pre"));
    for long in ["cd x\ncargo test", &"x".repeat(GIST_MAX + 1)] {
        assert!(shown(tool("a", long)).contains("<pre class=\"what\">"));
    }
}

#[test]
fn a_result_that_repeats_the_last_text_is_not_said_twice() {
    let mut entries = Entries::new(Form::Transcript);
    let text = "All done.".to_owned();
    entries.entry(&row(1, Said::Text { text: text.clone() }));
    let usage = Usage {
        usd_micros: 1_250_000,
        input_tokens: 12_345,
        output_tokens: 678,
    };
    let outcome = Outcome::Finished;
    let end = entries
        .entry(&row(
            2,
            Said::Ended {
                outcome,
                text,
                usage,
            },
        ))
        .into_string();
    assert!(!end.contains("All done."), "{end}");
    assert!(end.contains("badge done") && end.contains("$1.25"), "{end}");
    assert!(end.contains("12,345 tokens in, 678 out"), "{end}");
}

#[test]
fn a_long_diff_is_folded_and_a_short_one_is_open() {
    let change = |lines: usize| {
        shown(Said::Changed {
            path: "src/a.rs".to_owned(),
            diff: "+new\n".repeat(lines),
        })
    };
    assert!(change(DIFF_OPEN_MAX).contains("<details class=\"fold\" open>"));
    assert!(!change(DIFF_OPEN_MAX + 1).contains("open>"));
}
