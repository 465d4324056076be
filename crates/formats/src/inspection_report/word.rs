//! The verdict in the words beside a judgment label.

use std::ops::Range;

use kumite_core::facts::Verdict;

use crate::markdown::plain;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    /// Neither GO nor NOGO.
    Nothing,
    Clearly(Verdict),
    /// Both, or one of them with a condition.
    Unclear,
}

/// The verdict must come first; the following words may explain it, but not take it back.
pub(super) fn said(value: &str) -> Said {
    let struck_out = value.contains("~~");
    let value = plain(value);
    let words = words(&value);
    let Some(first) = words.iter().position(|word| word.verdict.is_some()) else {
        return Said::Nothing;
    };
    let verdict = words[first].verdict;
    let differs = |word: &Word<'_>| word.verdict.is_some() && word.verdict != verdict;
    let qualified = verdict == Some(Verdict::Go) && is_qualified(&value);
    match verdict {
        Some(verdict) if first == 0 && !struck_out && !qualified && !words.iter().any(differs) => {
            Said::Clearly(verdict)
        }
        _ => Said::Unclear,
    }
}

fn is_qualified(value: &str) -> bool {
    let marks = [
        "condition",
        "条件",
        "pending",
        "provisional",
        "tentative",
        "暫定",
        "保留",
        "not ",
        "?",
        "tbd",
        "unless",
        "ない",
        "不可",
        "見送",
    ];
    marks.iter().any(|mark| value.contains(mark))
}

struct Word<'a> {
    text: &'a str,
    verdict: Option<Verdict>,
}

/// Consecutive letters and digits form a word; `no go` and `no-go` count as one word. Japanese has
/// no spaces between words (`条件付きGO`), so a change of script ends a word too.
fn words(value: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut end = 0;
    for span in spans(value) {
        let text = &value[span.clone()];
        let close = is_joint(&value[end..span.start]);
        end = span.end;
        let verdict = match text {
            "go" => Some(Verdict::Go),
            "nogo" => Some(Verdict::Nogo),
            _ => None,
        };
        match words.last_mut() {
            Some(before) if before.text == "no" && text == "go" && close => {
                before.verdict = Some(Verdict::Nogo);
            }
            _ => words.push(Word { text, verdict }),
        }
    }
    words
}

fn spans(value: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<(Range<usize>, bool)> = Vec::new();
    for (at, character) in value.char_indices().filter(|(_, it)| it.is_alphanumeric()) {
        let (ascii, next) = (character.is_ascii(), at + character.len_utf8());
        match spans.last_mut() {
            Some((span, same)) if span.end == at && *same == ascii => span.end = next,
            _ => spans.push((at..next, ascii)),
        }
    }
    spans.into_iter().map(|(span, _)| span).collect()
}

fn is_joint(between: &str) -> bool {
    let joints = [' ', '-', '\u{2010}', '\u{2011}', '\u{2012}', '–', '—', '−'];
    between.len() <= 9 && between.chars().all(|character| joints.contains(&character))
}
