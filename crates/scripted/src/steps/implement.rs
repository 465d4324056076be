//! The implementation: ticks the first open boxes and writes the code for them.

use super::counted;
use crate::code::{self, Defect, PARTS};
use crate::page;
use crate::script::Script;
use crate::tasks;
use crate::trouble::Trouble;
use crate::workplace::Workplace;

pub(super) fn implement(
    script: &Script,
    attempt: u32,
    workplace: &mut Workplace<'_>,
) -> Result<String, Trouble> {
    let plan = workplace.document("tasks.md");
    let text = workplace.read(&plan)?;
    let (ticked, titles) = tasks::tick(&text, script.r#impl.ticks.at(attempt));
    match titles.as_slice() {
        [] => workplace
            .say("Every box is ticked already; I only look whether the code is complete.")?,
        titles => workplace.say(&format!("I take these tasks: {}.", titles.join("; ")))?,
    }
    let (done, total) = tasks::progress(&ticked);
    let defects = code::defects(&script.inspection)?;
    for part in &PARTS[..parts_due(done, total)] {
        write_part(part, &defects, workplace)?;
    }
    // Boxes come last: if this process died here, a tick without its code would be a lie.
    if !titles.is_empty() {
        let count = script.r#impl.ticks.at(attempt);
        workplace.change(&plan, |text| Ok(tasks::tick(text, count).0))?;
    }
    Ok(match total - done {
        0 => format!(
            "All {total} boxes are ticked. The code is in demo/{}/.",
            workplace.spec()
        ),
        open => format!(
            "{done} of {total} boxes are ticked, {} open. This is as far as I get now.",
            counted(open, "is", "are")
        ),
    })
}

/// The code grows with the boxes, even for a plan from the script.
fn parts_due(done: usize, total: usize) -> usize {
    match total {
        0 => PARTS.len(),
        total => (done * PARTS.len()).div_ceil(total),
    }
}

/// Writes only missing files: an attempt never undoes the work of another attempt or of a fix.
fn write_part(
    part: &[code::File],
    defects: &[Defect],
    workplace: &mut Workplace<'_>,
) -> Result<(), Trouble> {
    for file in part {
        let path = workplace.code(file.0);
        if !path.exists() {
            let text = code::first_draft(file, defects);
            workplace.write(&path, &page::fill(&text, workplace.spec()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_due_when_its_boxes_are_ticked() {
        let due = |done| parts_due(done, 9);
        assert_eq!([0, 1, 3, 4, 6, 7, 9].map(due), [0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(parts_due(0, 0), 3);
    }
}
