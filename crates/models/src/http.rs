//! One HTTP call: the request, the response, and the possible errors.

use std::io::Read;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::http::Response;
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::{Agent, Body};

use crate::connect::connector;
use crate::failure::Failure;
use crate::model::Model;

const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// Enough of an error response to find its message.
const ERROR_BYTES_MAX: u64 = 64 << 10;

pub(crate) fn config() -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .http_status_as_error(false)
        // A redirect could carry the key to another server.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("kumite/", env!("CARGO_PKG_VERSION")))
        .max_idle_connections(256)
        .max_idle_connections_per_host(128)
        .input_buffer_size(16 << 10)
        .output_buffer_size(16 << 10)
}

pub(crate) fn agent(config: ConfigBuilder<AgentScope>) -> Agent {
    Agent::with_parts(config.build(), connector(), DefaultResolver::default())
}

/// Everything that a thread needs for one call.
pub(crate) struct Transfer {
    pub agent: Agent,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    pub timeout: Duration,
    pub is_local: bool,
}

impl Transfer {
    pub fn call(&self) -> Result<(Head, Vec<u8>), ureq::Error> {
        let mut config = self
            .agent
            .post(&self.url)
            .config()
            .timeout_global(Some(self.timeout));
        if self.is_local {
            config = config.proxy(None);
        }
        let mut request = config.build();
        // On this machine a new connection costs nothing. On a reused connection, simple servers
        // that send head and body separately lose 40 ms: the second part waits for an
        // acknowledgement that the system delays.
        if self.is_local {
            request = request.header("connection", "close");
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let mut response = request.send(&self.body)?;
        let head = head(&response);
        let body = response.body_mut();
        if (200..300).contains(&head.status) {
            if body.content_length() > Some(ANSWER_BYTES_MAX) {
                return Err(ureq::Error::BodyExceedsLimit(ANSWER_BYTES_MAX));
            }
            let body = body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
            return Ok((head, body));
        }
        let mut start = Vec::new();
        // The status is enough if the rest does not arrive.
        let _ = body
            .as_reader()
            .take(ERROR_BYTES_MAX)
            .read_to_end(&mut start);
        Ok((head, start))
    }
}

fn head(response: &Response<Body>) -> Head {
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    Head {
        status: response.status().as_u16(),
        retry_after: header("retry-after"),
        retry_after_ms: header("retry-after-ms"),
    }
}

/// The status and headers of a response.
#[derive(Debug)]
pub(crate) struct Head {
    pub status: u16,
    pub retry_after: Option<String>,
    pub retry_after_ms: Option<String>,
}

pub(crate) fn from_ureq(model: &Model, timeout: Duration, error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(_) => Failure::timed_out(model, timeout),
        ureq::Error::BodyExceedsLimit(_) => {
            let most = ANSWER_BYTES_MAX >> 20;
            Failure::malformed(model, &format!("the answer is larger than {most} MB"))
        }
        ureq::Error::Protocol(error) => {
            Failure::malformed(model, &format!("the answer is no HTTP: {error}"))
        }
        ureq::Error::LargeResponseHeader(..) => {
            Failure::malformed(model, "the headers of the answer are too large")
        }
        ureq::Error::Io(error) => Failure::unreachable(model, &error.to_string()),
        other => Failure::unreachable(model, &other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;
    use std::thread;

    /// Answers every request, and counts the connections.
    fn connections(is_local: bool) -> usize {
        const CALLS: usize = 5;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serving = thread::spawn(move || {
            let (mut connections, mut answered) = (0, 0);
            while answered < CALLS {
                let (mut conn, _) = listener.accept().unwrap();
                connections += 1;
                let mut seen = Vec::new();
                let mut piece = [0; 1024];
                while let Ok(read @ 1..) = conn.read(&mut piece) {
                    seen.extend_from_slice(&piece[..read]);
                    if seen.ends_with(b"the body") {
                        seen.clear();
                        conn.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                            .unwrap();
                        answered += 1;
                    }
                    if answered == CALLS {
                        break;
                    }
                }
            }
            connections
        });
        let agent = agent(config().proxy(None));
        for _ in 0..CALLS {
            let job = Transfer {
                agent: agent.clone(),
                url: url.clone(),
                headers: Vec::new(),
                body: "the body".to_owned(),
                timeout: Duration::from_secs(300),
                is_local,
            };
            assert_eq!(job.call().unwrap().1, b"ok");
        }
        drop(agent);
        serving.join().unwrap()
    }

    #[test]
    fn calls_of_a_provider_share_a_connection() {
        assert_eq!(connections(false), 1);
    }

    #[test]
    fn every_call_on_this_machine_has_its_own_connection() {
        assert_eq!(connections(true), 5);
    }
}
