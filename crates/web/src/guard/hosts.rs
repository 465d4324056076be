//! The host names under which we answer. A foreign name that points to our address (DNS rebinding)
//! would make a browser believe that a foreign page is ours, so only known names are answered.

use std::net::{IpAddr, SocketAddr};

pub struct Hosts {
    is_tls: bool,
    port: u16,
    /// In lower case, without port.
    names: Vec<String>,
}

impl Hosts {
    /// `names` are added to `localhost` and the address that a connection arrived at.
    pub fn new(is_tls: bool, port: u16, names: impl IntoIterator<Item = String>) -> Hosts {
        let names = names.into_iter().map(|name| name.to_ascii_lowercase());
        Hosts {
            is_tls,
            port,
            names: names.collect(),
        }
    }

    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Whether `Host` names us. `local` is the address that the connection arrived at, which can
    /// only mean us.
    pub fn is_host(&self, host: &str, local: SocketAddr) -> bool {
        let host = host.to_ascii_lowercase();
        let default = if self.is_tls { ":443" } else { ":80" };
        let port = format!(":{}", self.port);
        let name = match host.strip_suffix(&port) {
            Some(name) => name,
            None if port == default => &host,
            None => return false,
        };
        let local = local.ip().to_canonical();
        name == written(local)
            || (local.is_loopback() && ["127.0.0.1", "localhost", "[::1]"].contains(&name))
            || self.names.iter().any(|it| it == name)
    }

    /// Whether `Origin` is one of our pages.
    pub fn is_origin(&self, origin: &str, local: SocketAddr) -> bool {
        let scheme = if self.is_tls { "https://" } else { "http://" };
        origin
            .strip_prefix(scheme)
            .is_some_and(|host| self.is_host(host, local))
    }
}

/// An address as it is written in a URL.
pub fn written(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(hosts: &Hosts, local: &str, host: &str, is_ours: bool) {
        let local = local.parse().unwrap();
        assert_eq!(hosts.is_host(host, local), is_ours, "{host} at {local}");
    }

    #[test]
    fn on_loopback_its_names_are_ours_with_the_port() {
        let hosts = Hosts::new(false, 4000, []);
        for ours in [
            "127.0.0.1:4000",
            "localhost:4000",
            "LOCALHOST:4000",
            "[::1]:4000",
        ] {
            check(&hosts, "127.0.0.1:4000", ours, true);
        }
        for foreign in [
            "evil.example:4000",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:04000",
            "localhost.:4000",
            "localhost.evil.example:4000",
            "evil.example@localhost:4000",
            "localhost:4000:4000",
            "127.0.0.2:4000",
            "2130706433:4000",
            "0.0.0.0:4000",
            "",
            ":4000",
        ] {
            check(&hosts, "127.0.0.1:4000", foreign, false);
        }
    }

    #[test]
    fn beyond_loopback_the_address_that_was_reached_and_given_names_are_ours() {
        let hosts = Hosts::new(true, 443, ["Desk".to_owned()]);
        for ours in ["192.0.2.7", "192.0.2.7:443", "desk", "desk:443"] {
            check(&hosts, "192.0.2.7:443", ours, true);
            check(&hosts, "[::ffff:192.0.2.7]:443", ours, true);
        }
        for foreign in [
            "192.0.2.8",
            "localhost",
            "127.0.0.1",
            "desk:80",
            "desk.example",
        ] {
            check(&hosts, "192.0.2.7:443", foreign, false);
        }
    }

    #[test]
    fn an_origin_has_our_scheme_our_name_and_our_port() {
        let hosts = Hosts::new(false, 4000, []);
        let local = "127.0.0.1:4000".parse().unwrap();
        assert!(hosts.is_origin("http://localhost:4000", local));
        for foreign in [
            "null",
            "",
            "https://localhost:4000",
            "http://localhost",
            "http://localhost:4001",
            "http://evil.example:4000",
            "http://localhost:4000/",
            "http://localhost:4000.evil.example",
            "//localhost:4000",
        ] {
            assert!(!hosts.is_origin(foreign, local), "{foreign}");
        }
    }
}
