//! The tree of tasks: `1.2` belongs to `1`, and an indented task to the one above it.

use super::Task;

/// A task and the tasks below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    pub task: &'a Task,
    pub below: Vec<Node<'a>>,
}

impl Node<'_> {
    /// Whether it and all tasks below it are done.
    pub fn is_done(&self) -> bool {
        self.task.done && self.below.iter().all(Node::is_done)
    }
}

/// Nobody nests deeper; a deeper task is placed beside its parent.
const DEPTH_MAX: usize = 8;

pub fn tree(tasks: &[Task]) -> Vec<Node<'_>> {
    let mut roots: Vec<Node<'_>> = Vec::new();
    let mut path: Vec<&Task> = Vec::new();
    for task in tasks {
        while path.last().is_some_and(|above| !belongs(task, above)) {
            path.pop();
        }
        path.truncate(DEPTH_MAX - 1);
        put(&mut roots, path.len(), task);
        path.push(task);
    }
    roots
}

/// Adds a task `depth` levels down, always below the last task.
fn put<'a>(nodes: &mut Vec<Node<'a>>, depth: usize, task: &'a Task) {
    match nodes.last_mut().filter(|_| depth > 0) {
        Some(last) => put(&mut last.below, depth - 1, task),
        None => nodes.push(Node {
            task,
            below: Vec::new(),
        }),
    }
}

fn belongs(task: &Task, above: &Task) -> bool {
    if task.depth != above.depth {
        return task.depth > above.depth;
    }
    match (&task.id, &above.id) {
        (Some(id), Some(above)) => id
            .strip_prefix(above.as_str())
            .is_some_and(|rest| rest.starts_with('.')),
        _ => false,
    }
}
