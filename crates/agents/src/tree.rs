//! The tree of processes, read from `/proc`.

use std::collections::HashSet;
use std::fs;

use crate::process::Identity;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub identity: Identity,
    pub parent: u32,
    pub zombie: bool,
}

/// What `/proc/<pid>/stat` says; `None` if there is no such process.
pub fn stat(pid: u32) -> Option<Stat> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// All visible processes.
pub fn all() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(stat).collect()
}

/// The running descendants of `ancestors`, without the ancestors themselves.
pub fn descendants(ancestors: &[u32], all: &[Stat]) -> Vec<Identity> {
    let mut by_parent: Vec<&Stat> = all.iter().collect();
    by_parent.sort_by_key(|stat| stat.parent);
    let mut seen: HashSet<u32> = ancestors.iter().copied().collect();
    let mut open = ancestors.to_vec();
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        let first = by_parent.partition_point(|stat| stat.parent < parent);
        for child in by_parent[first..]
            .iter()
            .take_while(|stat| stat.parent == parent)
        {
            if seen.insert(child.identity.pid) {
                open.push(child.identity.pid);
                found.push(child);
            }
        }
    }
    found
        .iter()
        .filter(|stat| !stat.zombie)
        .map(|stat| stat.identity)
        .collect()
}

/// The running descendants of one process, found from child to child: the cost depends on their
/// number, not on all processes of the machine.
pub fn family(ancestor: u32) -> Vec<Identity> {
    let mut open = vec![ancestor];
    let mut found = Vec::new();
    while let Some(parent) = open.pop() {
        let living = children(parent).into_iter().filter_map(stat);
        for child in living.filter(|child| !child.zombie) {
            open.push(child.identity.pid);
            found.push(child.identity);
        }
    }
    found
}

/// Each thread has its own list.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter();
    let threads = threads.flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let pids = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

/// The command's name may contain spaces and brackets, so the fields count from the last bracket.
fn parse(line: &[u8]) -> Option<Stat> {
    let open = memchr::memchr(b'(', line)?;
    let close = memchr::memrchr(b')', line)?;
    let pid = std::str::from_utf8(&line[..open])
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let mut fields = std::str::from_utf8(&line[close + 1..])
        .ok()?
        .split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // State is field 3, the parent 4, the start time 22.
    let start = fields.nth(17)?.parse().ok()?;
    let zombie = matches!(state, "Z" | "X" | "x");
    Some(Stat {
        identity: Identity { pid, start },
        parent,
        zombie,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32) -> Stat {
        Stat {
            identity: Identity { pid, start: 1 },
            parent,
            zombie: false,
        }
    }

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let line = b"42 (a) b (c)) S 7 42 42 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 12345 1 2";
        let expected = Stat {
            identity: Identity {
                pid: 42,
                start: 12345,
            },
            parent: 7,
            zombie: false,
        };
        assert_eq!(parse(line), Some(expected));
    }

    #[test]
    fn descendants_are_found_in_any_order_and_never_twice() {
        let all = [
            process(30, 20),
            process(20, 10),
            process(40, 1),
            process(31, 20),
            process(10, 1),
        ];
        let mut pids: Vec<u32> = descendants(&[10], &all).iter().map(|id| id.pid).collect();
        pids.sort_unstable();
        assert_eq!(pids, [20, 30, 31]);
    }

    #[test]
    fn our_own_start_time_is_ours() {
        let me = Identity::of(std::process::id()).unwrap();
        assert!(me.is_alive());
        assert!(
            !Identity {
                start: me.start + 1,
                ..me
            }
            .is_alive()
        );
    }
}
