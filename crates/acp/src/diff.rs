//! The difference between two texts, as lines that begin with `+`, `-` or a blank.

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;
/// Above this many comparisons, all lines between the first and the last change count as replaced.
const COMPARISONS_MAX: usize = 1_000_000;

pub fn diff(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let pairs = || old.iter().zip(&new);
    let head = pairs().take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - head;
    let backwards = old.iter().rev().zip(new.iter().rev());
    let tail = backwards
        .take(room)
        .take_while(|(old, new)| old == new)
        .count();

    let mut lines: Vec<(char, &str)> = Vec::new();
    lines.extend(old[..head].iter().map(|line| (' ', *line)));
    middle(
        &old[head..old.len() - tail],
        &new[head..new.len() - tail],
        &mut lines,
    );
    lines.extend(old[old.len() - tail..].iter().map(|line| (' ', *line)));
    shown(&lines)
}

/// Keeps the longest common subsequence, if finding it does not take too long.
fn middle<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<(char, &'a str)>) {
    if old.len().saturating_mul(new.len()) > COMPARISONS_MAX {
        lines.extend(old.iter().map(|line| ('-', *line)));
        lines.extend(new.iter().map(|line| ('+', *line)));
        return;
    }
    // `common[i][j]`: how many lines old[i..] and new[j..] have in common.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
}

/// The changes with the lines around them; a line of dots marks a gap.
fn shown(lines: &[(char, &str)]) -> String {
    let mut near = vec![false; lines.len()];
    for at in (0..lines.len()).filter(|at| lines[*at].0 != ' ') {
        let until = lines.len().min(at + AROUND + 1);
        near[at.saturating_sub(AROUND)..until].fill(true);
    }
    let mut text = String::new();
    let mut gap = false;
    for ((sign, line), near) in lines.iter().zip(near) {
        if !near {
            gap = !text.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            text.push_str(" ...\n");
        }
        text.push(*sign);
        text.push_str(line);
        text.push('\n');
    }
    text
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
