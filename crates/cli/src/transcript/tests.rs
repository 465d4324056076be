use kumite_core::outcome::Limit;
use kumite_core::outcome::LimitKind;

use super::*;

fn agent() -> AgentId {
    AgentId {
        at_ms: 1_700_000_000_000,
        seq: 3,
    }
}

/// What is shown after the header.
#[track_caller]
fn check(said: Vec<Said>, expected: &str) {
    assert_eq!(shown(said), expected);
}

fn shown(said: Vec<Said>) -> String {
    let mut renderer = Renderer {
        is_headed: true,
        ..Renderer::default()
    };
    let lines = said
        .into_iter()
        .map(|said| TranscriptLine { at_ms: 1, said });
    let mut out: String = lines.map(|line| renderer.render(agent(), &line)).collect();
    out += &renderer.close();
    console::strip_ansi_codes(&out).into_owned()
}

fn text(text: &str) -> Said {
    let text = text.to_owned();
    Said::Text { text }
}

fn tool(id: &str, name: &str, what: &str) -> Said {
    Said::Tool {
        id: id.to_owned(),
        name: name.to_owned(),
        what: what.to_owned(),
    }
}

fn answer(id: &str, ok: bool, text: &str) -> Said {
    Said::ToolEnded {
        id: id.to_owned(),
        ok,
        text: text.to_owned(),
    }
}

fn changed_lines(count: usize) -> Said {
    Said::Changed {
        path: "src/main.rs".to_owned(),
        diff: (0..count)
            .map(|number| format!("+line {number}\n"))
            .collect(),
    }
}

fn ended(outcome: Outcome, words: &str) -> Said {
    Said::Ended {
        outcome,
        text: words.to_owned(),
        usage: Usage::default(),
    }
}

#[test]
fn the_header_names_step_round_program_agent_and_time() {
    let said = Said::Launched {
        program: "claude".to_owned(),
        step: Some("review".to_owned()),
        round: Some(2),
    };
    let mut renderer = Renderer::default();
    let line = TranscriptLine {
        at_ms: 1_700_000_001_000,
        said,
    };
    let head = renderer.render(agent(), &line);
    let time = local_time(1_700_000_001_000);
    let id = "agent-1700000000000-00000003";
    let head = console::strip_ansi_codes(&head).into_owned();
    assert_eq!(head, format!("── review 2 · claude · {id} · {time}\n"));
    assert_eq!(renderer.render(agent(), &line), "", "once");

    let mut old = Renderer::default();
    let shown = old.render_raw(agent(), "words");
    let time = local_time(1_700_000_000_000);
    let shown = console::strip_ansi_codes(&shown).into_owned();
    assert_eq!(shown, format!("── {id} · {time}\nwords\n"));
}

#[test]
fn texts_notes_and_trouble_are_told_apart() {
    let note = |text: &str| Said::Note {
        text: text.to_owned(),
    };
    let trouble = Said::Trouble {
        text: "no access".to_owned(),
    };
    check(vec![text("two\nlines\n")], "two\nlines\n");
    check(vec![note("retry 1 of 3")], "· retry 1 of 3\n");
    check(vec![trouble], "! no access\n");
    let started = Said::Started {
        session: None,
        model: Some("model-5".to_owned()),
    };
    check(vec![started], "model model-5\n");
}

#[test]
fn a_tool_call_is_one_line() {
    let call = || tool("1", "Bash", "cargo test");
    check(
        vec![call(), answer("1", true, "lots\nof\noutput")],
        "● Bash  cargo test ✓\n",
    );
    check(
        vec![
            call(),
            answer("1", false, "Exit code 1\nmuch\nerror: no such file\n"),
        ],
        "● Bash  cargo test ✗ Exit code 1: error: no such file\n",
    );
    check(
        vec![call(), answer("1", false, "")],
        "● Bash  cargo test ✗\n",
    );
    check(vec![call()], "● Bash  cargo test\n");
    check(vec![tool("1", "List", "")], "● List\n");
}

#[test]
fn tools_that_work_at_the_same_time_are_told_apart() {
    check(
        vec![
            tool("1", "Bash", "make"),
            tool("2", "Read", "a.rs"),
            answer("1", false, "no rule"),
            answer("2", true, ""),
            answer("3", true, ""),
        ],
        "● Bash  make\n● Read  a.rs\n  Bash make ✗ no rule\n  Read a.rs ✓\n  an earlier tool ✓\n",
    );
    check(
        vec![
            tool("1", "Bash", "make"),
            text("meanwhile"),
            answer("1", true, ""),
        ],
        "● Bash  make\nmeanwhile\n  Bash make ✓\n",
    );
}

#[test]
fn a_diff_shows_its_beginning() {
    check(
        vec![changed_lines(2)],
        "  src/main.rs\n  +line 0\n  +line 1\n",
    );
    let long = shown(vec![changed_lines(60)]);
    assert!(long.ends_with("  +line 19\n  … 40 more\n"), "{long}");
    assert_eq!(long.lines().count(), 1 + 20 + 1);
}

#[test]
fn the_end_tells_outcome_and_what_was_used() {
    let usage = |usd_micros| Usage {
        usd_micros,
        input_tokens: 1000,
        output_tokens: 100,
    };
    let end = |usage| Said::Ended {
        outcome: Outcome::Finished,
        text: String::new(),
        usage,
    };
    check(
        vec![end(usage(1_234_567))],
        "✓ finished  $1.23, 1000 tokens in, 100 out\n",
    );
    check(
        vec![end(usage(300))],
        "✓ finished  $0.0003, 1000 tokens in, 100 out\n",
    );
    check(vec![end(Usage::default())], "✓ finished\n");
    let failed = Outcome::Failed("exit code 1: no\nluck".to_owned());
    check(vec![ended(failed, "")], "✗ failed: exit code 1: no luck\n");
    check(vec![ended(Outcome::TimedOut, "")], "✗ timed out\n");
    check(vec![ended(Outcome::Killed, "")], "! killed\n");
    let limit = Limit {
        kind: LimitKind::Usage,
        until_ms: None,
        words: "until 3pm".to_owned(),
    };
    check(
        vec![ended(Outcome::Limited(limit), "")],
        "! limited: until 3pm\n",
    );
}

#[test]
fn a_result_does_not_repeat_the_last_text() {
    let done = || ended(Outcome::Finished, "All done.");
    check(vec![done()], "All done.\n✓ finished\n");
    check(vec![text("All done.\n"), done()], "All done.\n✓ finished\n");
    let failed = Outcome::Failed("reported an error: Not logged in".to_owned());
    check(
        vec![ended(failed, "Not logged in")],
        "✗ failed: reported an error: Not logged in\n",
    );
}

#[test]
fn agents_cannot_steer_the_terminal() {
    let evil = "a\u{1b}[2Jb\u{7}c";
    let thought = Said::Thought {
        text: evil.to_owned(),
    };
    let change = Said::Changed {
        path: evil.to_owned(),
        diff: format!("+{evil}"),
    };
    check(
        vec![
            text(evil),
            thought,
            tool("1", evil, evil),
            answer("1", false, evil),
            change,
            ended(Outcome::Failed(evil.to_owned()), evil),
        ],
        "abc\nabc\n● abc  abc ✗ abc\n  abc\n  +abc\n✗ failed: abc\n",
    );
}
