//! The past rounds of a team, within a budget of characters.

use kumite_core::contest::judge::{Past, Remark, TeamRecord};

use super::Texts;
use super::fence::{block, clean, shorten};

/// The limit of one remark, and of the reason of a failure.
const REMARK_CHARS: usize = 2_000;

/// All finished rounds, oldest first. The newest and the best submission are complete as long as
/// they fit into `chars`; the others share the rest.
pub fn history(case: &TeamRecord, chars: usize, texts: &Texts<'_>) -> String {
    if case.past.is_empty() {
        return "There are no past rounds yet.".to_owned();
    }
    // Texts are read one by one: only one is ever in memory.
    let text = |past: &Past| past.score.and_then(|_| texts(past.round));
    let sizes: Vec<usize> = case
        .past
        .iter()
        .map(|past| text(past).map_or(0, |text| clean(&text).chars().count()))
        .collect();
    let allowed = allow(case, &sizes, chars);
    let mut parts = Vec::new();
    if allowed != sizes {
        parts.push(
            "Not all submissions are shown in full: a line in brackets says where and how much of \
             one is left out."
                .to_owned(),
        );
    }
    for (past, allowed) in case.past.iter().zip(allowed) {
        parts.push(round(past, text(past), allowed));
    }
    parts.join("\n\n")
}

fn round(past: &Past, text: Option<String>, chars: usize) -> String {
    let number = past.round;
    let Some(score) = past.score else {
        let why = past.failed.as_deref().unwrap_or("nobody knows why");
        let why = block("reason", &shorten(&clean(why), REMARK_CHARS));
        return format!("## Round {number} - failed, no score\n\nThis round failed:\n{why}");
    };
    let mut parts = vec![format!("## Round {number} - score: {score}/100")];
    parts.extend(past.remarks.iter().map(remark));
    if let Some(text) = text {
        let text = block("submission", &shorten(&clean(&text), chars));
        parts.push(format!("Submission of round {number}:\n{text}"));
    }
    parts.join("\n\n")
}

fn remark(remark: &Remark) -> String {
    let Remark {
        metric,
        score,
        text,
    } = remark;
    let text = clean(text);
    if text.is_empty() {
        return format!("{metric}: {score}/100, no remark");
    }
    let text = block("remark", &shorten(&text, REMARK_CHARS));
    format!("{metric}: {score}/100\n{text}")
}

/// How many characters of each submission are shown.
fn allow(case: &TeamRecord, sizes: &[usize], chars: usize) -> Vec<usize> {
    let best = case.best().map(|(_, round)| round);
    let newest = case.past.iter().rev().find(|past| past.score.is_some());
    let newest = newest.map(|past| past.round);
    let is_key = |past: &Past| Some(past.round) == best || Some(past.round) == newest;
    let pick = |key: bool| {
        let sizes = case.past.iter().zip(sizes);
        sizes
            .map(|(past, size)| if is_key(past) == key { *size } else { 0 })
            .collect::<Vec<usize>>()
    };
    let (key, rest) = (pick(true), pick(false));
    // If even these two do not fit, a quarter is kept for the others.
    let reserved = match key.iter().sum::<usize>() <= chars {
        true => 0,
        false => share(&rest, chars / 4).iter().sum(),
    };
    let key = share(&key, chars - reserved);
    let rest = share(&rest, chars - key.iter().sum::<usize>());
    key.iter().zip(rest).map(|(key, rest)| key + rest).collect()
}

/// Divides `chars`: nobody gets more than it needs, and what the small ones leave goes to the large
/// ones.
fn share(needs: &[usize], chars: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|index| needs[*index]);
    let mut given = vec![0; needs.len()];
    let mut left = chars;
    for (done, index) in order.iter().enumerate() {
        let part = left / (needs.len() - done);
        given[*index] = needs[*index].min(part);
        left -= given[*index];
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_small_do_not_need_goes_to_the_large() {
        for (needs, chars, given) in [
            (&[10, 20, 30][..], 100, &[10, 20, 30][..]),
            (&[10, 100, 100], 110, &[10, 50, 50]),
            (&[100, 1, 100], 51, &[25, 1, 25]),
            (&[0, 100, 0], 60, &[0, 60, 0]),
            (&[], 10, &[]),
            (&[5, 5], 0, &[0, 0]),
        ] {
            assert_eq!(share(needs, chars), given, "{needs:?} {chars}");
        }
    }
}
