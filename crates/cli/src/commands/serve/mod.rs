//! `kumite serve`: the page and the HTTP API.

mod link;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::{Args, Subcommand};
use kumite_project::settings::Flags;
use kumite_project::spec_file::sentence;
use kumite_web::{Listen, Options, Server, TlsFiles};

use crate::args::Setting;
use crate::out::out;
use crate::trouble::{Result, Trouble};
use crate::{exit, signals};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ServeArgs {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    /// Where to listen; port 0 takes the port of the last time, or a free one
    ///
    /// Beyond loopback TLS is used, with our own certificate if none is given.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = listen)]
    listen: SocketAddr,
    /// A name of this machine that browsers may use; can be given several times
    #[arg(long, value_name = "NAME", value_parser = host)]
    host: Vec<String>,
    /// A certificate (PEM) instead of our own
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// End when stdin ends: the process that started us has gone
    #[arg(long, hide = true)]
    attached: bool,
}

#[derive(Subcommand)]
enum ServeCommand {
    /// Print a one-time link to the page of the running server
    Link(link::LinkArgs),
}

pub fn serve(setting: &Setting, args: &ServeArgs) -> Result {
    if let Some(ServeCommand::Link(args)) = &args.command {
        return link::link(setting, args);
    }
    let project = setting.project()?;
    let loader = setting.loader(&project, Flags::default())?;
    let options = Options { project, loader };
    let files = args.tls_cert.clone().zip(args.tls_key.clone());
    let listen = Listen {
        address: args.listen,
        hosts: args.host.clone(),
        tls: files.map(|(cert, key)| TlsFiles { cert, key }),
    };
    let server =
        Server::start(options, &listen).map_err(|error| Trouble::failed(sentence(&error)))?;
    let end = server.ender();
    let caught = signals::catch(move |_| end())?;
    if args.attached {
        let end = server.ender();
        thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            end();
        });
    }
    match setting.json() {
        true => out!(
            "{}",
            serde_json::json!({"url": server.url, "login_url": server.login_url})
        ),
        false => out!("{}", server.login_url),
    }
    if !setting.global.quiet {
        explain(setting, &server);
    }
    server.wait();
    Ok(ExitCode::from(caught.code().unwrap_or(exit::DONE)))
}

/// For people, beside the link itself.
fn explain(setting: &Setting, server: &Server) {
    if let Some(phone) = &server.phone_url {
        link::picture(phone);
    }
    if let Some(fingerprint) = &server.fingerprint {
        eprintln!(
            "The certificate is our own, so browsers warn once; compare its SHA-256 fingerprint:\n\
            {fingerprint}"
        );
    }
    if !setting.json() {
        eprintln!(
            "Open the link within an hour; it works once, and `kumite serve link` prints another \
            one. Ctrl-C ends the server and its agents."
        );
    }
}

/// An address, or a name that has one. IPv4 comes first, because every machine has it.
fn listen(text: &str) -> std::result::Result<SocketAddr, String> {
    let wrong = |why: &str| {
        format!("{why}; an address has a port, such as `127.0.0.1:0` or `localhost:7000`")
    };
    let found = text.to_socket_addrs();
    let mut found: Vec<SocketAddr> = found.map_err(|error| wrong(&error.to_string()))?.collect();
    found.sort_by_key(|address| !address.is_ipv4());
    let first = found.first().copied();
    first.ok_or_else(|| wrong("the name has no address"))
}

/// A name as it appears in the header Host, without a port.
fn host(text: &str) -> std::result::Result<String, String> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
    }
    let is_name = |it: char| it.is_ascii_alphanumeric() || ['-', '.', '_'].contains(&it);
    match !text.is_empty() && text.chars().all(is_name) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err("a name such as `desk.example`, without scheme and port".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_needs_an_address_or_a_name_that_has_one_and_a_port() {
        for (text, address) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:7000", "[::1]:7000"),
            ("0.0.0.0:7000", "0.0.0.0:7000"),
            ("localhost:7000", "127.0.0.1:7000"),
        ] {
            assert_eq!(listen(text), Ok(address.parse().unwrap()));
        }
        for bad in [
            "",
            "localhost",
            "7000",
            ":70000",
            "none.invalid:0",
            "127.0.0.1:x",
        ] {
            assert!(listen(bad).unwrap_err().contains("127.0.0.1:0"), "{bad}");
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address_without_a_port() {
        for (text, name) in [
            ("Desk.example", "desk.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "[2001:db8::1]"),
            ("[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(host(text).as_deref(), Ok(name));
        }
        for bad in ["", "desk:80", "http://desk", "a b", "desk/", "*"] {
            assert!(host(bad).is_err(), "{bad}");
        }
    }
}
