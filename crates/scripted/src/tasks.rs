//! tasks.md: finding boxes that count, ticking them, adding fixes.

use std::ops::Range;

/// A box that counts as a task. Optional boxes (`- [ ]* 1.2`, `- [ ] 1.2*`), those in code and
/// those in the appendix do not count.
struct TaskBox {
    /// The position of the mark between the brackets.
    mark: Range<usize>,
    done: bool,
    title: String,
}

/// How many boxes are ticked, and how many there are.
pub(crate) fn progress(text: &str) -> (usize, usize) {
    let boxes = boxes(text);
    (boxes.iter().filter(|b| b.done).count(), boxes.len())
}

/// Ticks the first open boxes, at most `count`; returns the text and the titles ticked.
pub(crate) fn tick(text: &str, count: u32) -> (String, Vec<String>) {
    let open: Vec<TaskBox> = boxes(text)
        .into_iter()
        .filter(|task| !task.done)
        .take(count as usize)
        .collect();
    let mut ticked = text.to_string();
    // From the end, so that earlier positions stay valid.
    for task in open.iter().rev() {
        ticked.replace_range(task.mark.clone(), "x");
    }
    (ticked, open.into_iter().map(|task| task.title).collect())
}

/// Adds a ticked task for a repaired finding, before the appendix. None if it is already there.
pub(crate) fn add_fix(text: &str, round: u32, date: &str, fix: &str) -> Option<String> {
    let heading = format!("### Round {round} (");
    if text.contains(&heading) {
        return None;
    }
    let (head, appendix) = text.split_at(appendix_start(text));
    let section = if head.contains("## Inspection Fixes\n") {
        ""
    } else {
        "## Inspection Fixes\n\n"
    };
    let number = next_major(text);
    Some(format!(
        "{}\n\n{section}{heading}{date})\n\n- [x] {number}.1 {fix}\n\n{appendix}",
        head.trim_end()
    ))
}

/// The next major number, such as `4` after `- [x] 3.2 ...`.
fn next_major(text: &str) -> u32 {
    let majors = boxes(text).into_iter().filter_map(|task| {
        let number = task.title.split(['.', ' ']).next()?;
        number.parse::<u32>().ok()
    });
    majors.max().unwrap_or(0) + 1
}

fn appendix_start(text: &str) -> usize {
    let lines = located(text);
    let appendix = lines
        .into_iter()
        .find(|(_, line, fenced)| !fenced && is_appendix(line));
    appendix.map_or(text.len(), |(at, ..)| at)
}

fn boxes(text: &str) -> Vec<TaskBox> {
    let mut found = Vec::new();
    let mut in_appendix = false;
    for (at, line, fenced) in located(text) {
        if fenced {
            continue;
        }
        if line.starts_with("# ") || line.starts_with("## ") {
            in_appendix = is_appendix(line);
        }
        if !in_appendix {
            found.extend(task_box(at, line));
        }
    }
    found
}

fn is_appendix(line: &str) -> bool {
    let heading = line.strip_prefix("## ").or(line.strip_prefix("# "));
    heading.is_some_and(|heading| heading.starts_with("Appendix"))
}

fn task_box(at: usize, line: &str) -> Option<TaskBox> {
    let start = line.trim_start();
    let rest = start.strip_prefix("- [").or(start.strip_prefix("* ["))?;
    let mark_at = at + line.len() - rest.len();
    let (mark, rest) = rest.split_once("] ")?;
    let number = rest.split_whitespace().next().unwrap_or_default();
    let is_optional = number.ends_with('*') && number.starts_with(|c: char| c.is_ascii_digit());
    // Any mark but an x leaves the box open.
    let is_box = mark.chars().count() <= 1 && !is_optional;
    is_box.then(|| TaskBox {
        mark: mark_at..mark_at + mark.len(),
        done: matches!(mark, "x" | "X"),
        title: rest.trim().to_string(),
    })
}

/// Every line with its position, and whether it is code.
fn located(text: &str) -> Vec<(usize, &str, bool)> {
    let mut at = 0;
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        let fenced = fence.is_some() || mark.is_some();
        fence = match (fence, mark) {
            (None, opened) => opened,
            (Some(open), Some(mark)) if open == mark => None,
            (Some(open), _) => Some(open),
        };
        lines.push((at, line, fenced));
        at += line.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "# Plan\n\n- [x] 1. A\n- [ ] 1.1 B\n- [ ]* 1.2 optional\n```\n- [ ] code\n```\n- [ ] 2. C\n\n## Appendix\n\n- [ ] not a task\n";

    #[test]
    fn only_boxes_that_are_tasks_count() {
        assert_eq!(progress(PLAN), (1, 3));
    }

    #[test]
    fn the_first_open_boxes_are_ticked_and_the_rest_stays() {
        let (text, titles) = tick(PLAN, 1);
        assert_eq!(titles, ["1.1 B"]);
        assert_eq!(text, PLAN.replace("- [ ] 1.1 B", "- [x] 1.1 B"));
        assert_eq!(progress(&tick(PLAN, 99).0), (3, 3));
    }

    #[test]
    fn a_box_is_open_whatever_mark_it_has_and_a_star_makes_it_optional() {
        let plan = "- [-] 1. A\n- [~] 1.1 B\n- [] 1.2 C\n- [ ] 1.3* optional\n- [✓] 2. D\n";
        assert_eq!(progress(plan), (0, 4));
        let ticked = "- [x] 1. A\n- [x] 1.1 B\n- [x] 1.2 C\n- [ ] 1.3* optional\n- [x] 2. D\n";
        assert_eq!(tick(plan, 99).0, ticked);
    }

    #[test]
    fn fixes_come_before_the_appendix_once_per_round() {
        let first = add_fix(PLAN, 1, "2026-11-15", "Mend").unwrap();
        assert!(first.contains(
            "## Inspection Fixes\n\n### Round 1 (2026-11-15)\n\n- [x] 3.1 Mend\n\n## Appendix"
        ));
        assert_eq!(add_fix(&first, 1, "2026-11-16", "Mend"), None);
        let second = add_fix(&first, 2, "2026-11-16", "Mend more").unwrap();
        assert_eq!(second.matches("## Inspection Fixes").count(), 1);
        assert!(second.contains("- [x] 4.1 Mend more\n\n## Appendix"));
    }
}
