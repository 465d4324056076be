//! The lines below a task that name what it belongs to: `_Requirements: 1.1, 2.3_`.

use super::{Found, Task, Tasks};

/// Each line is read once: the lines below a task end where the next task begins.
pub(super) fn read(text: &str, found: Vec<Found>) -> Tasks {
    let starts: Vec<usize> = found.iter().map(|found| found.span.start).collect();
    let mut items = Vec::with_capacity(found.len());
    for (index, Found { mut task, span }) in found.into_iter().enumerate() {
        let next = starts.get(index + 1).copied().unwrap_or(text.len());
        let below = text.get(span.start..span.end.min(next)).unwrap_or_default();
        for line in below.lines().skip(1) {
            read_line(line, &mut task);
        }
        items.push(task);
    }
    Tasks { items }
}

fn read_line(line: &str, task: &mut Task) {
    let around = ['-', '*', '+', '_', ' ', '\t', '>'];
    let Some((name, said)) = line.trim_start_matches(around).split_once([':', '：']) else {
        return;
    };
    let said = said.trim().trim_matches(['_', '*', ' ', '.']);
    match name
        .trim_end_matches(['*', '_', ' '])
        .to_lowercase()
        .as_str()
    {
        "requirements" | "requirement" | "要件" => task.requirements.extend(list(said)),
        "depends" | "depends on" | "dependencies" | "依存" => task.depends.extend(list(said)),
        "boundary" | "境界" if !said.is_empty() => task.boundary = Some(said.to_owned()),
        _ => {}
    }
}

fn list(said: &str) -> impl Iterator<Item = String> {
    let parts = said.split([',', '、', '，']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned)
}
