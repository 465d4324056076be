use kumite_core::facts::Verdict;
use kumite_formats::inspection_report::parse;

fn check(text: &str, expected: Option<Verdict>) {
    assert_eq!(parse(text.as_bytes()), expected, "{text}");
}

#[test]
fn a_clear_go_is_go() {
    for text in [
        "Judgment: GO",
        "- **Judgment**: GO",
        "- **Judgment:** ✅ **GO**",
        "**Judgment**: `GO`\r\n",
        "* Judgement: go",
        "## Verdict: GO",
        "Final Verdict: GO (no critical, 1 major)",
        "判定: GO",
        "**総合判定**：ＧＯ",
        "- **判定 (Judgment)**: 🟢 GO - all checks passed",
        "| Judgment | GO |",
        "| **判定** | **GO** ✅ |",
        "> **Judgment**: GO",
        "## Judgment\n\n**GO**\n",
        "### 2. 判定\nGO\n",
        "**Judgment**:\nGO",
        "Judgment — GO",
        "GO/NOGO判定: GO",
        "| Date | Judgment | Inspector |\n|---|---|---|\n| 2026-01-01 | GO | claude |\n",
        "| Item | Value |\n|---|---|\n| Date | x |\n| Judgment | GO |\n",
        "判定: GOとする",
    ] {
        check(text, Some(Verdict::Go));
    }
}

#[test]
fn a_nogo_in_any_spelling_is_nogo() {
    for text in [
        "Judgment: NOGO",
        "- **Judgment**: ❌ **NO-GO**",
        "Judgment: No Go",
        "Judgment: NO‑GO",
        "Judgment: no–go (2 critical)",
        "判定：ＮＯＧＯ",
        "判定: ＮＯ－ＧＯ",
        "| Judgment | NOGO - 1 Critical |",
        "## Judgment\n\n**NOGO**",
        "Verdict: NO\u{200b}GO",
        "Verdict: **NO**GO",
        "Verdict: NO_GO",
    ] {
        check(text, Some(Verdict::Nogo));
    }
}

#[test]
fn what_is_not_clear_is_no_verdict() {
    for text in [
        "",
        "GO",
        "NOGO",
        "Judgment: GO / NOGO",
        "Judgment: GO/NOGO",
        "Judgment: [GO|NOGO]",
        "| Judgment | GO|NOGO |",
        "| Judgment | GO / NO-GO |",
        "Judgment: {GO or NO GO}",
        "Judgment: Conditional GO",
        "Judgment: GO (conditional)",
        "Judgment: GO with conditions",
        "判定: 条件付きGO",
        "判定: GO（条件付き）",
        "判定: GOではない",
        "Judgment: GO?",
        "Judgment: not GO",
        "Judgment: ~~NOGO~~ GO",
        "Judgment: ~~GO~~",
        "Judgment: PASS",
        "Judgment: Golang",
        "Judgment: pending",
        "Judgment criteria: GO",
        "判定基準: GO は Critical 0 件",
        "The judgment: GO",
        "Judgment",
        "| Requirement | Judgment |\n|---|---|\n| 1 | GO |\n| 2 | GO |\n",
    ] {
        check(text, None);
    }
}

#[test]
fn judgments_that_differ_are_no_verdict_and_those_that_agree_are_one() {
    check("Judgment: GO\n\n## Judgment\n\nNOGO\n", None);
    check("Judgment: NOGO\n| Judgment | NOGO |\n", Some(Verdict::Nogo));
    check(
        "Judgment: see below\n\n## Judgment\n\nGO\n",
        Some(Verdict::Go),
    );
    check("Judgment: GO\nVerdict: Conditional GO\n", None);
}

#[test]
fn code_and_comments_are_not_judged() {
    check(
        "```\nJudgment: GO\n```\n<!-- Judgment: GO -->\n<!--\nJudgment: GO / NOGO\n-->\n",
        None,
    );
    check(
        "<!-- GO or NOGO --> Judgment: NOGO <!-- x -->",
        Some(Verdict::Nogo),
    );
}

#[test]
fn a_whole_report_is_read() {
    let text = "# Inspection Report - login\n\n## Summary\n- **Date**: 2026-01-01\n- **Judgment**: NOGO\n- **Inspector**: agent\n\n\
                ## Findings by Category\n\n| Item | Status | Severity | Details |\n|---|---|---|---|\n| 1.1 | PASS | - | go on |\n\n\
                ## Next Steps\n- For NOGO: run again\n- For GO: deploy\n";
    check(text, Some(Verdict::Nogo));
}
