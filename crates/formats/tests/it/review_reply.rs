use kumite_core::facts::Findings;
use kumite_formats::review_reply::{Judgment, parse, points};

fn read(text: &str) -> Option<(u32, u32)> {
    let found = parse(text.as_bytes());
    found.map(
        |Findings {
             fix_required,
             needs_discussion,
         }| (fix_required, needs_discussion),
    )
}

fn table(rows: &str) -> String {
    format!(
        "# Response to Document Review #1\n\n## Response Summary\n\n\
         | Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n\
         |----------|--------|--------------|---------------|------------------|\n{rows}\n---\n"
    )
}

fn cell(fix: &str) -> Option<u32> {
    read(&table(&format!("| Critical | 9 | {fix} | 0 | 0 |\n"))).map(|(fix, _)| fix)
}

#[test]
fn the_rows_are_added_up() {
    let rows =
        "| Critical | 1 | 1 | 0 | 0 |\n| Warning | 4 | 2 | 1 | 1 |\n| Info | 2 | 0 | 2 | 0 |\n";
    assert_eq!(read(&table(rows)), Some((3, 1)));
    assert_eq!(read(&table(rows).replace('\n', "\r\n")), Some((3, 1)));
}

#[test]
fn the_order_of_the_columns_is_free_and_outer_pipes_are_optional() {
    let text = "Needs Discussion | Severity | **Fix Required**\n:---: | --- | ---:\n2 | Critical | 1\n1 | Info | 0\n";
    assert_eq!(read(text), Some((1, 3)));
}

#[test]
fn japanese_headers_are_read() {
    for (fix, none, discuss) in [
        ("修正必要", "修正不要", "要議論"),
        ("要修正", "対応不要", "要検討"),
        ("修正が必要", "修正不要", "議論が必要"),
    ] {
        let text = format!(
            "## 対応サマリー\n\n| 重要度 | 件数 | {fix} | {none} | {discuss} |\n|--|--|--|--|--|\n| 重大 | 2 | 1件 | 1件 | ０件 |\n| 合計 | 2 | 1 | 1 | 0 |\n"
        );
        assert_eq!(read(&text), Some((1, 0)), "{fix}");
    }
}

#[test]
fn a_total_is_not_added_twice_and_must_not_contradict() {
    let rows = "| Critical | 1 | 1 | 0 | 0 |\n| Warning | 1 | 1 | 0 | 0 |\n";
    assert_eq!(
        read(&table(&format!(
            "{rows}| **Total** | 2 | **2** | 0 | 0 |\n"
        ))),
        Some((2, 0))
    );
    assert_eq!(
        read(&table(&format!("{rows}| Total | 2 | 3 | 0 | 0 |\n"))),
        None
    );
    assert_eq!(read(&table("| Total | 2 | 2 | 0 | 0 |\n")), Some((2, 0)));
}

#[test]
fn a_cell_may_carry_a_note_or_be_empty() {
    for (text, count) in [
        ("2", 2),
        ("**2**", 2),
        ("`2`", 2),
        ("2 (see below)", 2),
        ("2 (C1, C2)", 2),
        ("0件", 0),
        ("３", 3),
        ("✅ 0", 0),
        ("1 issue", 1),
    ] {
        assert_eq!(cell(text), Some(count), "{text}");
    }
    for nothing in ["", "-", "—", "n/a", "N/A", "None", "なし"] {
        assert_eq!(cell(nothing), Some(0), "{nothing}");
    }
}

#[test]
fn a_cell_that_is_no_plain_count_makes_the_table_unclear() {
    for text in [
        "some",
        "see below",
        "-1",
        "− 1",
        "1.5",
        "1,000",
        "1/2",
        "1-2",
        "2 → 0",
        "~~2~~ 0",
        "C1",
        "50%",
        "<3",
        "~3",
        "1 (open",
        "99999999999",
        "1 or 2",
        "?",
        "TBD",
    ] {
        assert_eq!(cell(text), None, "{text}");
    }
}

#[test]
fn a_row_with_too_few_cells_or_cut_off_is_unclear() {
    assert_eq!(read(&table("| Critical | 1 |\n")), None);
    let whole = table("| Critical | 1 | 1 | 0 | 10 |");
    let cut = &whole[..whole.find("10 |").unwrap() + 1];
    assert_eq!(read(cut), None);
}

#[test]
fn no_table_and_no_rows_say_nothing() {
    assert_eq!(read(""), None);
    assert_eq!(read("Fix Required: 0, Needs Discussion: 0"), None);
    assert_eq!(read(&table("")), None);
    assert_eq!(
        read("| Fix Required | Needs Discussion |\n| 0 | 0 |\n"),
        None
    );
}

#[test]
fn tables_without_both_columns_are_ignored() {
    let other = "\n## Applied Fixes\n\n| File | Fix Required |\n|---|---|\n| a | 7 |\n| No Fix Required | Needs Discussion |\n";
    assert_eq!(
        read(&(table("| Critical | 1 | 1 | 0 | 0 |\n") + other)),
        Some((1, 0))
    );
}

#[test]
fn two_tables_that_disagree_are_unclear() {
    let one = table("| Critical | 1 | 1 | 0 | 0 |\n");
    let two = table("| Critical | 1 | 0 | 1 | 0 |\n");
    assert_eq!(read(&format!("{one}{two}")), None);
    assert_eq!(read(&format!("{one}{one}")), Some((1, 0)));
}

#[test]
fn a_table_under_the_summary_goes_before_others() {
    let other = "## Details\n\n| Fix Required | Needs Discussion |\n|---|---|\n| 5 | 5 |\n\n";
    assert_eq!(
        read(&format!("{other}{}", table("| Info | 0 | 0 | 0 | 0 |\n"))),
        Some((0, 0))
    );
    assert_eq!(read(other), Some((5, 5)));
}

#[test]
fn tables_in_code_and_comments_are_ignored() {
    let hidden = table("| Critical | 9 | 9 | 0 | 0 |\n");
    let text = format!(
        "```md\n{hidden}```\n\n<!--\n{hidden}-->\n\n{}",
        table("| Info | 1 | 1 | 0 | 0 |\n")
    );
    assert_eq!(read(&text), Some((1, 0)));
    assert_eq!(read(&format!("~~~~\n{hidden}~~~\n")), None);
}

#[test]
fn issues_that_nobody_judged_are_no_answer() {
    assert_eq!(read(&table("| Critical | 3 |  |  |  |\n")), None);
    assert_eq!(read(&table("| Critical | 3 | none | none | N/A |\n")), None);
    assert_eq!(read(&table("| Critical | 3 | - | 3 | - |\n")), Some((0, 0)));
    assert_eq!(read(&table("| Critical | 0 |  |  |  |\n")), Some((0, 0)));
}

#[test]
fn a_byte_order_mark_hides_nothing() {
    let text = format!("\u{feff}{}", table("| Critical | 1 | 1 | 0 | 0 |\n"));
    assert_eq!(read(&text), Some((1, 0)));
}

fn judged(text: &str) -> Vec<(String, Option<Judgment>)> {
    let points = points(text.as_bytes()).into_iter();
    points.map(|point| (point.title, point.judgment)).collect()
}

#[test]
fn a7_the_points_of_a_reply_are_the_sections_with_a_judgment() {
    let text = "# Response\n\n## Response Summary\n\n| Fix Required |\n|---|\n| 1 |\n\n\
        ### C1: No unit\n\n**Issue**: It has none.\n\n**Judgment**: Fix Required\n\n**Analysis**: True.\n\n---\n\n\
        ### W1: Who locks?\n\nJudgment: Needs Discussion\n\n- Reason: taste\n\n\
        ### I1: Nits\n- **Judgment:** No Fix Needed\n\n## Conclusion\n\nDone.\n";
    let wanted = [
        ("C1: No unit", Judgment::FixRequired),
        ("W1: Who locks?", Judgment::NeedsDiscussion),
        ("I1: Nits", Judgment::NoFixNeeded),
    ];
    let wanted = wanted.map(|(title, judgment)| (title.to_owned(), Some(judgment)));
    assert_eq!(judged(text), wanted);
    let first = &points(text.as_bytes())[0];
    assert!(first.text.starts_with("**Issue**: It has none."));
    assert!(first.text.ends_with("**Analysis**: True."));
}

#[test]
fn a7_a_judgment_that_is_not_clear_is_none() {
    let one = |line: &str| judged(&format!("### C1\n\n{line}\n"));
    let read = |line: &str| one(line).first().map(|(_, judgment)| *judgment);
    let rows = [
        (
            "Judgment: **Fix Required** ✅",
            Some(Some(Judgment::FixRequired)),
        ),
        ("**判定**：修正不要", Some(Some(Judgment::NoFixNeeded))),
        ("判定: 要議論", Some(Some(Judgment::NeedsDiscussion))),
        ("判定: 修正必要", Some(Some(Judgment::FixRequired))),
        (
            "Judgment: Fix Required / No Fix Needed / Needs Discussion",
            Some(None),
        ),
        (
            "Judgment: Fix Required (no discussion needed)",
            Some(Some(Judgment::FixRequired)),
        ),
        ("Judgment: maybe", Some(None)),
        ("The judgment: of the reviewer", None),
        ("```\nJudgment: Fix Required\n```", None),
        ("<!-- Judgment: Fix Required -->", None),
    ];
    for (line, wanted) in rows {
        assert_eq!(read(line), wanted, "{line}");
    }
    assert!(points(b"Judgment: Fix Required\n").is_empty(), "no heading");
    assert!(points(b"").is_empty());
}

#[test]
fn a7_many_sections_are_read_in_time_and_bytes_that_are_no_text_do_no_harm() {
    let text = "### C1\nJudgment: Fix Required\n".repeat(20_000);
    assert_eq!(points(text.as_bytes()).len(), 20_000);
    assert_eq!(points(b"### \xff\nJudgment: \xff Fix Required\n").len(), 1);
}
