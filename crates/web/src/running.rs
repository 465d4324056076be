//! `serve.json`: the servers that run in a project, so that `kumite serve link` finds one.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::auth::{Error, Role, link, private};
use crate::pages;

const FILE: &str = "serve.json";
const LOCK: &str = "serve.lock";
/// The port of the last server: an open page finds the next server there.
const PORT: &str = "serve.port";
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub url: String,
    pub pid: u32,
    /// Where it listens; reachable there from this machine.
    pub address: SocketAddr,
}

impl Running {
    /// The most recent server of a project that is alive.
    pub fn find(runtime: &Path) -> Option<Running> {
        let told = told(runtime).ok()?;
        told.into_iter().rev().find(Running::answers)
    }

    fn is_process(&self) -> bool {
        Path::new("/proc").join(self.pid.to_string()).exists() || !Path::new("/proc/self").exists()
    }

    fn answers(&self) -> bool {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.is_ipv4() {
                true => [127, 0, 0, 1].into(),
                false => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        self.is_process() && TcpStream::connect_timeout(&address, PATIENCE).is_ok()
    }

    /// Whether other machines can reach it.
    pub fn is_beyond_loopback(&self) -> bool {
        !self.address.ip().to_canonical().is_loopback()
    }

    /// Makes a one-time link to it.
    pub fn link(&self, runtime: &Path, role: Role, ttl: Duration) -> Result<String, Error> {
        let key = link::make(runtime, role, ttl)?;
        Ok(format!("{}{}?key={key}", self.url, pages::LOGIN))
    }

    /// Registers the server.
    pub(crate) fn begin(&self, runtime: &Path) -> io::Result<()> {
        change(runtime, |told| {
            told.retain(|other| other.pid != self.pid);
            told.push(self.clone());
        })?;
        let port = self.address.port().to_string();
        private::replace(&runtime.join(PORT), port.as_bytes())
    }

    /// Removes this server's entry; other entries stay.
    pub(crate) fn end(&self, runtime: &Path) {
        // An entry that cannot be removed is detected by the next reader.
        let _ = change(runtime, |told| told.retain(|other| other.pid != self.pid));
    }
}

/// The registered servers, the most recent last. A damaged file counts as empty.
fn told(runtime: &Path) -> io::Result<Vec<Running>> {
    let text = private::read(&runtime.join(FILE))?.unwrap_or_default();
    Ok(serde_json::from_slice(&text).unwrap_or_default())
}

/// One change at a time. Servers that died without removing their entry are dropped.
fn change(runtime: &Path, change: impl FnOnce(&mut Vec<Running>)) -> io::Result<()> {
    kumite_files::make_private_dir(runtime)?;
    let _lock = private::lock(&runtime.join(LOCK))?;
    let mut told = told(runtime)?;
    told.retain(Running::is_process);
    change(&mut told);
    let path = runtime.join(FILE);
    match told.is_empty() {
        true => std::fs::remove_file(path),
        false => private::replace(&path, &serde_json::to_vec(&told)?),
    }
}

/// The port of this project's last server.
pub(crate) fn last_port(runtime: &Path) -> Option<u16> {
    let text = private::read(&runtime.join(PORT)).ok()??;
    let port = String::from_utf8(text).ok()?.trim().parse().ok()?;
    (port != 0).then_some(port)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn server(pid: u32) -> (TcpListener, Running) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let running = Running {
            url: format!("http://{address}"),
            pid,
            address,
        };
        (listener, running)
    }

    fn found(runtime: &Path) -> Option<String> {
        Running::find(runtime).map(|running| running.url)
    }

    #[test]
    fn a_server_is_found_as_long_as_it_lives_and_its_port_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let (listener, running) = server(std::process::id());
        assert_eq!(found(dir.path()), None);
        running.begin(dir.path()).unwrap();
        assert_eq!(found(dir.path()).as_ref(), Some(&running.url));
        drop(listener);
        assert_eq!(found(dir.path()), None);
        running.end(dir.path());
        assert!(!dir.path().join(FILE).exists());
        assert_eq!(last_port(dir.path()), Some(running.address.port()));
    }

    #[test]
    fn of_several_servers_each_is_found_as_long_as_it_is_the_last_one_that_lives() {
        // Both processes live as long as this test.
        let (us, parent) = (std::process::id(), std::os::unix::process::parent_id());
        for ends_first in [us, parent] {
            let dir = tempfile::tempdir().unwrap();
            let (_first, first) = server(us);
            let (second_listens, second) = server(parent);
            first.begin(dir.path()).unwrap();
            second.begin(dir.path()).unwrap();
            assert_eq!(found(dir.path()).as_ref(), Some(&second.url));
            if ends_first == us {
                first.end(dir.path());
                assert_eq!(found(dir.path()).as_ref(), Some(&second.url));
                continue;
            }
            // A killed server does not remove its entry.
            drop(second_listens);
            assert_eq!(found(dir.path()).as_ref(), Some(&first.url));
            second.end(dir.path());
            assert_eq!(found(dir.path()).as_ref(), Some(&first.url));
        }
    }

    #[test]
    fn who_died_without_a_word_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        // No process has such an id.
        for pid in (0..50).map(|number| u32::MAX - number) {
            server(pid).1.begin(dir.path()).unwrap();
        }
        assert_eq!(told(dir.path()).unwrap().len(), 1);
        private::replace(&dir.path().join(FILE), b"garbled").unwrap();
        assert_eq!(found(dir.path()), None);
        let (_listener, running) = server(std::process::id());
        running.begin(dir.path()).unwrap();
        assert_eq!(found(dir.path()), Some(running.url));
    }
}
