//! Work that all cores share.

use std::thread;

pub fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Reads each item, in order. Each share has a thread, and the first one has ours.
pub fn read_each<'a, I: Sync + 'a, T: Send>(
    mut shares: impl Iterator<Item = &'a [I]>,
    read: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    let read = |share: &[I]| -> Vec<T> { share.iter().map(&read).collect() };
    let read = &read;
    thread::scope(|scope| {
        let first = shares.next().unwrap_or_default();
        let others: Vec<_> = shares
            .map(|share| scope.spawn(move || read(share)))
            .collect();
        let mut all = read(first);
        for other in others {
            all.extend(other.join().expect("reading does not panic"));
        }
        all
    })
}
