//! The difference between two texts, as lines that begin with `+`, `-` or a blank.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline, group_diff_ops};

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;
/// For two large texts that differ everywhere: after this time the rest counts as replaced.
const TIME_MAX: Duration = Duration::from_millis(500);

/// The changes with the lines around them; a line of dots marks a gap.
pub fn diff(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let deadline = Instant::now() + TIME_MAX;
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    let places = group_diff_ops(changes, AROUND);
    let shown = places.iter().map(|place| {
        let lines = place
            .iter()
            .flat_map(|change| change.iter_changes(&old, &new));
        lines
            .map(|line| format!("{}{}\n", sign(line.tag()), line.value()))
            .collect::<String>()
    });
    shown.collect::<Vec<_>>().join(" ...\n")
}

fn sign(tag: ChangeTag) -> char {
    match tag {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn a_new_file_is_all_added_and_an_emptied_one_all_removed() {
        assert_eq!(diff("", "a\nb\n"), "+a\n+b\n");
        assert_eq!(diff("a\nb\n", ""), "-a\n-b\n");
        assert_eq!(diff("a\n", "a\n"), "");
    }

    #[test]
    fn two_changes_far_apart_are_shown_with_what_is_around_them() {
        let old = numbered(20);
        let new = old.replace("2\n3\n", "2\nthree\n").replace("18\n", "");
        let expected = " 1\n 2\n-3\n+three\n 4\n 5\n 6\n ...\n 15\n 16\n 17\n-18\n 19\n 20\n";
        assert_eq!(diff(&old, &new), expected);
    }

    #[test]
    fn a_repeated_line_belongs_to_one_place_only() {
        assert_eq!(diff("a\na\n", "a\na\na\n"), " a\n a\n+a\n");
        assert_eq!(diff("x\na\nx\n", "x\nx\n"), " x\n-a\n x\n");
    }

    #[test]
    fn two_large_texts_without_a_common_line_are_replaced_as_a_whole() {
        let old: String = (0..2000).map(|number| format!("old {number}\n")).collect();
        let new = old.replace("old", "new");
        let lines = diff(&old, &new);
        assert_eq!(lines.lines().count(), 4000);
        assert!(lines.starts_with("-old 0\n-old 1\n"));
    }
}
