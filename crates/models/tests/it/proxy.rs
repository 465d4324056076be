//! Proxies are only for other machines.

use std::io::Write;
use std::process::Command;

use kumite_models::Provider;

use crate::raw::{Raw, response};
use crate::stage::{answer, ask};

const CHILD: &str = "KUMITE_TEST_BEHIND_A_PROXY";

/// Variables can only be set safely for another process, so the test runs itself in one.
#[test]
fn a_server_on_this_machine_is_asked_without_a_proxy() {
    let body = r#"{"choices": [{"message": {"content": "direct"}}]}"#;
    let direct = Raw::whole("200 OK", "", body);
    if let Ok(proxy) = std::env::var(CHILD) {
        assert_eq!(
            answer(&ask(Provider::OpenAi, &direct.url)).unwrap().text,
            "direct"
        );
        // The proxy answers for every other host.
        let reply = answer(&ask(Provider::OpenAi, "http://model.example")).unwrap();
        assert_eq!(reply.text, "by the proxy", "{proxy}");
        return;
    }
    let body = r#"{"choices": [{"message": {"content": "by the proxy"}}]}"#;
    let proxy = Raw::start(move |request, conn| {
        let answer = match request.starts_with("CONNECT ") {
            true => b"HTTP/1.1 200 Connected\r\n\r\n".to_vec(),
            false => response("200 OK", "", body.as_bytes()),
        };
        conn.write_all(&answer).is_ok()
    });
    let name = "proxy::a_server_on_this_machine_is_asked_without_a_proxy";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, &proxy.url)
        .env("HTTP_PROXY", &proxy.url)
        .env_remove("ALL_PROXY")
        .env_remove("HTTPS_PROXY")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    let hosts: Vec<_> = proxy
        .requests()
        .iter()
        .map(|request| request.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(hosts[0], "CONNECT model.example:80 HTTP/1.1");
}
