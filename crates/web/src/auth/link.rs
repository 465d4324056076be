//! One-time links, kept as a file of hashes: `kumite serve link` needs no running server to make a
//! link, and a reader of the file cannot use one.

use std::io;
use std::path::Path;
use std::time::Duration;

use kumite_project::clock::now_ms;
use ring::digest;
use serde::{Deserialize, Serialize};

use super::{Error, Role, hex, private, random};

const FILE: &str = "links.json";

/// More than anybody needs at the same time; the oldest are dropped first.
const LINKS_MAX: usize = 100;

#[derive(Serialize, Deserialize)]
struct Link {
    hash: String,
    read_only: bool,
    until_ms: u64,
}

/// A link that was used.
#[derive(Debug)]
pub struct Taken {
    pub role: Role,
    /// When the link would have expired.
    pub until_ms: u64,
}

/// Makes a link and returns its key.
pub fn make(runtime: &Path, role: Role, ttl: Duration) -> Result<String, Error> {
    let key = hex(&random::<16>()?);
    let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
    change(runtime, |links| {
        links.push(Link {
            hash: hash(&key),
            read_only: role == Role::ReadOnly,
            until_ms: now_ms().saturating_add(ttl_ms),
        });
        let extra = links.len().saturating_sub(LINKS_MAX);
        links.drain(..extra);
    })?;
    Ok(key)
}

/// Uses a link up.
pub fn take(runtime: &Path, key: &str) -> Result<Option<Taken>, Error> {
    let hash = hash(key);
    change(runtime, |links| {
        let at = links.iter().position(|link| link.hash == hash)?;
        let link = links.remove(at);
        Some(Taken {
            role: match link.read_only {
                true => Role::ReadOnly,
                false => Role::Full,
            },
            until_ms: link.until_ms,
        })
    })
}

fn hash(key: &str) -> String {
    hex(digest::digest(&digest::SHA256, key.as_bytes()).as_ref())
}

/// One change at a time. A link counts as used once the file without it is in place.
fn change<T>(runtime: &Path, change: impl FnOnce(&mut Vec<Link>) -> T) -> Result<T, Error> {
    let path = runtime.join(FILE);
    let work = || -> io::Result<T> {
        kumite_files::make_private_dir(runtime)?;
        let _lock = private::lock(&runtime.join("links.lock"))?;
        let text = private::read(&path)?.unwrap_or_default();
        // A damaged file holds no links.
        let mut links: Vec<Link> = serde_json::from_slice(&text).unwrap_or_default();
        let now = now_ms();
        links.retain(|link| link.until_ms > now);
        let changed = change(&mut links);
        let new = serde_json::to_vec(&links)?;
        if new != text {
            private::replace(&path, &new)?;
        }
        Ok(changed)
    };
    work().map_err(|source| Error::File {
        path: path.clone(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn role(dir: &Path, key: &str) -> Option<Role> {
        take(dir, key).unwrap().map(|taken| taken.role)
    }

    #[test]
    fn a_link_works_once_and_has_the_role_it_was_made_for() {
        let dir = tempfile::tempdir().unwrap();
        let full = make(dir.path(), Role::Full, HOUR).unwrap();
        let read = make(dir.path(), Role::ReadOnly, HOUR).unwrap();
        assert_eq!(role(dir.path(), &read), Some(Role::ReadOnly));
        assert_eq!(role(dir.path(), &read), None);
        assert_eq!(role(dir.path(), &full), Some(Role::Full));
        assert_eq!(role(dir.path(), &full), None);
        assert_eq!(role(dir.path(), ""), None);
    }

    #[test]
    fn a_link_whose_time_is_over_does_not_work() {
        let dir = tempfile::tempdir().unwrap();
        let key = make(dir.path(), Role::Full, Duration::ZERO).unwrap();
        assert_eq!(role(dir.path(), &key), None);
    }

    #[test]
    fn the_file_tells_no_key_and_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let keys: Vec<String> = (0..LINKS_MAX + 1)
            .map(|_| make(dir.path(), Role::Full, HOUR).unwrap())
            .collect();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert!(keys.iter().all(|key| !text.contains(key)));
        assert_eq!(role(dir.path(), &keys[0]), None);
        assert_eq!(role(dir.path(), &keys[1]), Some(Role::Full));
    }

    #[test]
    fn of_many_who_use_a_link_at_once_one_gets_in() {
        let dir = tempfile::tempdir().unwrap();
        let key = make(dir.path(), Role::Full, HOUR).unwrap();
        let won = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| take(dir.path(), &key).unwrap()))
                .collect();
            let ends = tries.into_iter().map(|it| it.join().unwrap());
            ends.flatten().count()
        });
        assert_eq!(won, 1);
    }
}
