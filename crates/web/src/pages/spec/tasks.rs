//! tasks.md as a tree.

use std::collections::HashSet;

use kumite_core::names::Document;
use kumite_formats::tasks_md::{self, Node, Task, tree};
use maud::{Markup, html};

use super::documents::link;
use super::seen::SeenSpec;
use super::words::prose;
use crate::render::marks::progress;

/// The page shows at most this many tasks. All tasks are counted.
const SHOWN_MAX: usize = 2000;

pub fn tasks(seen: &SeenSpec) -> Markup {
    let file = Document::Tasks.file();
    let text = seen.text(file).unwrap_or_default();
    let mut items = tasks_md::parse(text.as_bytes()).items;
    let left_out = items.len().saturating_sub(SHOWN_MAX);
    items.truncate(SHOWN_MAX);
    let count = seen.status.tasks;
    if !seen.has(file) {
        return html! {};
    }
    html! {
        section.card.stack #tasks aria-labelledby="tasks-title" {
            div.row {
                h2 #tasks-title { "Tasks" }
                @if count.total > 0 { (progress(count.done, count.total, "tasks")) }
                (link(seen, file, file))
            }
            @if items.is_empty() {
                p.empty { "tasks.md has no check box, so nothing can be counted." }
            } @else {
                (forest(&tree(&items), &mut HashSet::new()))
            }
            @if left_out > 0 { p.muted { (left_out) " more are in " (file) "." } }
        }
    }
}

/// The required open tasks, at most `max`.
pub fn open_ones(seen: &SeenSpec, max: usize) -> Vec<Task> {
    let text = seen.text(Document::Tasks.file()).unwrap_or_default();
    let items = tasks_md::parse(text.as_bytes()).items.into_iter();
    let open = items.filter(|task| task.counts && !task.done);
    open.take(max).collect()
}

fn forest<'a>(nodes: &[Node<'a>], ids: &mut HashSet<&'a str>) -> Markup {
    html! {
        ul.tree {
            @for node in nodes {
                li.done[node.is_done()].open[!node.is_done()] id=[id(node.task, ids)] {
                    @match node.below.is_empty() {
                        true => (line(node.task)),
                        false => (group(node, ids)),
                    }
                }
            }
        }
    }
}

/// A group that is completely done is folded.
fn group<'a>(node: &Node<'a>, ids: &mut HashSet<&'a str>) -> Markup {
    let done = node.below.iter().filter(|below| below.is_done()).count();
    html! {
        details.fold open[!node.is_done()] {
            summary {
                (line(node.task))
                " " span.muted.small.nowrap { (done) "/" (node.below.len()) }
            }
            (forest(&node.below, ids))
        }
    }
}

pub fn line(task: &Task) -> Markup {
    html! {
        span.hide { @if task.done { "done: " } @else { "open: " } }
        @if let Some(id) = &task.id { span.num { (id) } " " }
        (prose(&task.title))
        @if task.optional { " " span.muted.small { "(optional)" } }
    }
}

/// If a number occurs twice, only the first task gets it as an id.
fn id<'a>(task: &'a Task, ids: &mut HashSet<&'a str>) -> Option<String> {
    let id = task.id.as_deref().filter(|id| ids.insert(id))?;
    Some(format!("task-{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> String {
        let items = tasks_md::parse(text.as_bytes()).items;
        forest(&tree(&items), &mut HashSet::new()).into_string()
    }

    #[test]
    fn a_group_that_is_done_is_folded_and_one_with_open_tasks_is_not() {
        let html = drawn("- [x] 1. A\n- [x] 1.1 B\n- [ ] 2. C\n- [x] 2.1 D\n- [ ] 2.2 E\n");
        let (first, second) = html.split_once("id=\"task-2\"").unwrap();
        assert!(
            first.contains("<details class=\"fold\"><summary>"),
            "{first}"
        );
        assert!(second.contains("<details class=\"fold\" open>"), "{second}");
        assert!(second.contains("1/2"), "{second}");
    }

    #[test]
    fn a_number_that_occurs_twice_is_one_id() {
        let html = drawn("- [ ] 1. A\n- [ ] 2. B\n- [ ] 1. C\n");
        assert_eq!(html.matches("id=\"task-1\"").count(), 1, "{html}");
    }

    #[test]
    fn a_hostile_title_is_text() {
        let html = drawn("- [ ] 1. <img src=x onerror=alert(1)> `<b>`\n");
        assert!(html.contains("&lt;img src=x"), "{html}");
        assert!(html.contains("<code>&lt;b&gt;</code>"), "{html}");
    }
}
