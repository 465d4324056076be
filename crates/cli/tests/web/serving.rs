//! How a server begins, where it listens, and how it ends.

use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;

use crate::served::{Answer, STDERR, Served};
use crate::watch::held;
use crate::world::{World, is_alive, until};

#[test]
fn a_person_is_told_the_link_and_a_program_one_line() {
    let world = World::new();
    let (mut child, said) = told(&world, &["serve"]);
    assert!(
        said.starts_with("http://127.0.0.1:") && said.contains("/login?key="),
        "{said}"
    );
    until("the words for people", || {
        let words = world.read(STDERR);
        words.contains("Ctrl-C") && words.contains("kumite serve link")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let mut served = world.serve();
    assert_eq!(served.end("TERM"), 143);
    assert_eq!(served.rest_of_stdout(), "");
    assert_eq!(world.read(STDERR), "");
}

/// The first line of stdout.
fn told(world: &World, args: &[&str]) -> (std::process::Child, String) {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let stderr = std::fs::File::create(world.path(STDERR)).unwrap();
    let mut command = world.command(args);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    (child, line)
}

#[test]
fn a_port_that_is_taken_is_said_in_a_sentence() {
    let world = World::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let out = world.kumite(&["serve", "--json", "--listen", &address]);
    assert_eq!((out.code, &*out.stdout), (1, ""), "{out:?}");
    assert!(
        out.stderr.contains(&format!("cannot listen on {address}"))
            && out.stderr.contains("port 0 takes a free one"),
        "{out:?}"
    );
    assert!(!world.path(".kiro/runtime/kumite/serve.json").exists());
}

#[test]
fn the_port_of_the_last_time_is_taken_again_unless_somebody_has_it() {
    let world = World::new();
    let first = world.serve();
    // Two servers in one project both work.
    let second = world.serve();
    assert_ne!(first.port, second.port);
    first.get("/api/specs").assert_status(200);
    second.get("/api/specs").assert_status(200);
    let port = second.port;
    drop(second);
    assert_eq!(world.serve().port, port);
}

#[test]
fn of_two_servers_the_one_that_is_left_is_found() {
    let world = World::new();
    let link_leads_to = |served: &Served| {
        let out = world.kumite(&["serve", "link"]);
        let link = out.assert_code(0).stdout.trim().to_owned();
        served.login_with(&link).get("/").assert_status(200);
    };
    let mut first = world.serve();
    let mut second = world.serve();
    link_leads_to(&second);
    assert_eq!(second.end("INT"), 130);
    link_leads_to(&first);
    let mut third = world.serve();
    assert_eq!(first.end("INT"), 130);
    link_leads_to(&third);
    let fourth = world.serve();
    third.end("KILL");
    link_leads_to(&fourth);
    drop(fourth);
    world.kumite(&["serve", "link"]).assert_code(5);
}

#[test]
fn a_name_to_listen_on_is_looked_up() {
    let world = World::new();
    let served = world.serve_with(&["--listen", "localhost:0"]);
    assert!(
        served.url.starts_with("http://127.0.0.1:"),
        "{}",
        served.url
    );
    served.login().get("/").assert_status(200);
    for bad in ["none.invalid:0", "localhost"] {
        let out = world.kumite(&["serve", "--listen", bad]);
        assert!(
            out.assert_code(2).stderr.contains("an address has a port"),
            "{out:?}"
        );
    }
}

#[test]
fn other_names_are_answered_if_the_person_says_so() {
    let world = World::new();
    let served = world.serve_with(&["--host", "desk.example", "--host", "Other"]);
    let ask = |host: &str| {
        let head = format!(
            "GET /api/specs HTTP/1.1\r\nHost: {host}\r\n{}\r\n",
            served.bearer()
        );
        served
            .raw(format!("{head}Connection: close\r\n\r\n").as_bytes())
            .status
    };
    let port = served.port;
    assert_eq!(ask(&format!("desk.example:{port}")), 200);
    assert_eq!(ask(&format!("other:{port}")), 200);
    assert_eq!(ask(&format!("evil.example:{port}")), 403);
    world
        .kumite(&["serve", "--host", "http://desk"])
        .assert_code(2);
}

#[test]
fn a_signal_ends_agents_streams_and_the_server_and_the_run_can_go_on() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let world = World::new();
        world.spec("login");
        world.play(json!({"steps": {"requirements": held()}}));
        let mut served = world.serve();
        served
            .post("/api/specs/login/run", &json!({}))
            .assert_status(202);
        world.wait_for_step("login", "requirements 1");
        let mut stream = events(&served);
        assert_eq!(served.end(signal), code);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        world.assert_nothing_left();
        assert_eq!(world.stands("login"), "stopped interrupted");
        assert!(!world.path(".kiro/runtime/kumite/serve.json").exists());
        world.go();
        world.kumite(&["run", "login"]).assert_code(0);
    }
}

/// A stream of news that is open.
fn events(served: &Served) -> std::net::TcpStream {
    use std::io::Write;
    let mut stream = served.connect();
    let (port, bearer) = (served.port, served.bearer());
    let head = format!("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{bearer}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

#[test]
fn a_second_signal_does_not_wait_for_an_agent_that_does_not_listen() {
    let world = World::new();
    world.settings("[agent]\nterm_grace = \"10m\"\n");
    world.spec("login");
    world.play(json!({"steps": {"requirements": {"ignore_term": true, "hang": "middle"}}}));
    let mut served = world.serve();
    served
        .post("/api/specs/login/run", &json!({}))
        .assert_status(202);
    world.wait_for_step("login", "requirements 1");
    let agent = world.launches()[0]["pid"].as_u64().unwrap();
    let agent = u32::try_from(agent).unwrap();
    crate::world::kill(served.pid(), "INT");
    // Changes are refused from then on, but reading still works.
    until("the server to refuse changes", || {
        // A route that does not exist: a stop that came before the signal would wait for the agent.
        served.post("/api/none", &json!({})).status == 503
    });
    served.get("/api/specs").assert_status(200);
    assert!(is_alive(agent));
    assert_eq!(served.end("INT"), 130);
    world.assert_nothing_left();
}

#[test]
fn beyond_loopback_only_tls_is_spoken() {
    let world = World::new();
    let served = world.serve_with(&["--listen", "0.0.0.0:0"]);
    assert!(served.url.starts_with("https://"), "{}", served.url);
    // The line for programs comes first.
    until("the words for people", || {
        world.read(STDERR).contains("fingerprint:\n")
    });
    let words = world.read(STDERR);
    let fingerprint = words
        .lines()
        .find(|line| line.len() == 95 && line.contains(':'));
    let fingerprint = fingerprint.unwrap_or_else(|| panic!("{words}")).to_owned();
    assert!(words.contains('█'), "a picture for phones: {words}");

    // Plain HTTP gets nothing, and breaks nothing.
    assert_eq!(served.get("/api/specs").status, 0);
    for bytes in [
        &b"\x16\x03\x01\xff\xff"[..],
        b"\0",
        b"GET / HTTP/1.1\r\n\r\n",
    ] {
        served.raw(bytes);
    }

    let cert = world.read(".kiro/runtime/kumite/tls/cert.pem");
    let ask = |name: &str, head: &str| tls(&served, &cert, name, head);
    let port = served.port;
    let bearer = served.bearer();
    let get = |host: &str| format!("GET /api/specs HTTP/1.1\r\nHost: {host}\r\n{bearer}\r\n");
    let answer = ask("127.0.0.1", &get(&format!("127.0.0.1:{port}")));
    answer.assert_status(200);
    assert!(answer.header("strict-transport-security").is_some());
    ask("localhost", &get(&format!("localhost:{port}"))).assert_status(200);
    ask("localhost", &get("evil.example")).assert_status(403);
    // An origin without TLS is not ours.
    let plain = format!(
        "{}Origin: http://127.0.0.1:{port}\r\n",
        get(&format!("127.0.0.1:{port}"))
    );
    ask("127.0.0.1", &plain).assert_status(403);

    let key = served.login_url.split("/login").nth(1).unwrap();
    let login = format!("GET /login{key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
    let cookie = ask("127.0.0.1", &login);
    let cookie = cookie.assert_status(303).header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-kumite") && cookie.ends_with("; Secure"),
        "{cookie}"
    );

    let link = world.kumite(&["serve", "link", "--read-only"]);
    assert!(
        link.assert_code(0)
            .stdout
            .starts_with(&format!("{}/login?key=", served.url))
    );
    assert!(link.stderr.contains('█'));
    // The next time it is the same certificate: a person has to check it only once.
    drop(served);
    let _served = world.serve_with(&["--listen", "0.0.0.0:0"]);
    until("the same fingerprint", || {
        world.read(STDERR).contains(&fingerprint)
    });
}

#[test]
fn a_certificate_of_the_person_is_used_also_on_loopback() {
    let world = World::new();
    drop(world.serve_with(&["--listen", "0.0.0.0:0"]));
    let dir = world.path(".kiro/runtime/kumite/tls");
    std::fs::rename(&dir, world.path("mine")).unwrap();
    let args = ["--tls-cert", "mine/cert.pem", "--tls-key", "mine/key.pem"];
    let served = world.serve_with(&args);
    assert!(served.url.starts_with("https://127.0.0.1:"));
    assert!(!dir.exists());
    let cert = world.read("mine/cert.pem");
    let (port, bearer) = (served.port, served.bearer());
    let head = format!("GET /api/specs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{bearer}\r\n");
    tls(&served, &cert, "127.0.0.1", &head).assert_status(200);
    drop(served);

    world
        .kumite(&["serve", "--tls-cert", "mine/cert.pem"])
        .assert_code(2);
    let bad = [
        "serve",
        "--tls-cert",
        "mine/cert.pem",
        "--tls-key",
        "none.pem",
    ];
    let out = world.kumite(&bad);
    assert!(out.assert_code(1).stderr.contains("none.pem"), "{out:?}");
}

/// A request over TLS to a server with this certificate and this name.
fn tls(served: &Served, cert: &str, name: &str, head: &str) -> Answer {
    use std::io::Write;
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(cert.as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let talk = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(talk, served.connect());
    stream
        .write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())
        .unwrap();
    Answer::read(&mut stream)
}
