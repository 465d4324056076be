//! One-time links: a file of hashes, so that `kumite serve link` needs no server to make one, and
//! nobody who reads the file can use one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use kumite_host::clock::now_ms;
use ring::digest;
use serde::{Deserialize, Serialize};

use super::{Error, Role, hex, random};

#[derive(Serialize, Deserialize)]
struct Link {
    hash: String,
    read_only: bool,
    until_ms: u64,
}

/// Makes a link and gives its key.
pub fn make(runtime: &Path, role: Role, ttl: Duration) -> Result<String, Error> {
    let key = hex(&random::<16>()?);
    let until_ms = now_ms().saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
    change(runtime, |links| {
        links.push(Link {
            hash: hash(&key),
            read_only: role == Role::ReadOnly,
            until_ms,
        });
    })?;
    Ok(key)
}

/// Uses a link up.
pub fn take(runtime: &Path, key: &str) -> Result<Option<Role>, Error> {
    let hash = hash(key);
    change(runtime, |links| {
        let at = links.iter().position(|link| link.hash == hash)?;
        Some(match links.remove(at).read_only {
            true => Role::ReadOnly,
            false => Role::Full,
        })
    })
}

fn hash(key: &str) -> String {
    hex(digest::digest(&digest::SHA256, key.as_bytes()).as_ref())
}

fn change<T>(runtime: &Path, change: impl FnOnce(&mut Vec<Link>) -> T) -> Result<T, Error> {
    let path = runtime.join("links.json");
    let work = || -> io::Result<T> {
        fs::create_dir_all(runtime)?;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&path)?;
        file.lock()?;
        let mut links = read(&mut file)?;
        let now = now_ms();
        links.retain(|link| link.until_ms > now);
        let changed = change(&mut links);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&serde_json::to_vec(&links)?)?;
        Ok(changed)
    };
    work().map_err(|source| Error::File {
        path: path.clone(),
        source,
    })
}

/// A file that is garbled holds no link.
fn read(file: &mut File) -> io::Result<Vec<Link>> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}
