//! `serve.json`: the server that runs in a project, for whoever wants another link to it.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::auth::{Error, Role, link, private};
use crate::pages;

const FILE: &str = "serve.json";
/// The port of the last server: a page that is open finds its successor there.
const PORT: &str = "serve.port";
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub url: String,
    pub pid: u32,
    /// Where it listens; from this machine it can be reached there.
    pub address: SocketAddr,
}

impl Running {
    /// The server of a project, if it lives.
    pub fn find(runtime: &Path) -> Option<Running> {
        let text = private::read(&runtime.join(FILE)).ok()??;
        let running: Running = serde_json::from_slice(&text).ok()?;
        running.answers().then_some(running)
    }

    fn answers(&self) -> bool {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.is_ipv4() {
                true => [127, 0, 0, 1].into(),
                false => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let is_process = Path::new("/proc").join(self.pid.to_string()).exists()
            || !Path::new("/proc/self").exists();
        is_process && TcpStream::connect_timeout(&address, PATIENCE).is_ok()
    }

    /// Whether others than this machine can reach it.
    pub fn is_beyond_loopback(&self) -> bool {
        !self.address.ip().to_canonical().is_loopback()
    }

    /// Makes a one-time link to it.
    pub fn link(&self, runtime: &Path, role: Role, ttl: Duration) -> Result<String, Error> {
        let key = link::make(runtime, role, ttl)?;
        Ok(format!("{}{}?key={key}", self.url, pages::LOGIN))
    }

    /// Says that it runs.
    pub(crate) fn begin(&self, runtime: &Path) -> io::Result<()> {
        private::replace(&runtime.join(FILE), &serde_json::to_vec(self)?)?;
        let port = self.address.port().to_string();
        private::replace(&runtime.join(PORT), port.as_bytes())
    }

    /// Takes that back, unless another one has begun since.
    pub(crate) fn end(&self, runtime: &Path) {
        let path = runtime.join(FILE);
        let text = private::read(&path).ok().flatten().unwrap_or_default();
        let told: Option<Running> = serde_json::from_slice(&text).ok();
        if told.is_some_and(|told| told.pid == self.pid) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The port that the last server of this project had.
pub(crate) fn last_port(runtime: &Path) -> Option<u16> {
    let text = private::read(&runtime.join(PORT)).ok()??;
    let port = String::from_utf8(text).ok()?.trim().parse().ok()?;
    (port != 0).then_some(port)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_is_found_as_long_as_it_lives_and_its_port_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let running = Running {
            url: format!("http://{address}"),
            pid: std::process::id(),
            address,
        };
        assert!(Running::find(dir.path()).is_none());
        running.begin(dir.path()).unwrap();
        let found = Running::find(dir.path()).unwrap();
        assert_eq!(found.url, running.url);
        drop(listener);
        assert!(Running::find(dir.path()).is_none());
        running.end(dir.path());
        assert!(!dir.path().join(FILE).exists());
        assert_eq!(last_port(dir.path()), Some(address.port()));
    }

    #[test]
    fn who_ends_leaves_the_word_of_another_alone() {
        let dir = tempfile::tempdir().unwrap();
        let running = |pid| Running {
            url: String::new(),
            pid,
            address: "127.0.0.1:1".parse().unwrap(),
        };
        running(2).begin(dir.path()).unwrap();
        running(1).end(dir.path());
        assert!(dir.path().join(FILE).exists());
    }
}
