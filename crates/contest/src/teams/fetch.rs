//! Fetches a page for a member that asks for it.
//!
//! A model decides what is fetched, and a page can talk it into anything. So addresses that only
//! this machine or its network can reach are refused, under any name: the addresses of a
//! name are checked when the connection is made, and each redirect is checked like a new request.

mod guard;
mod html;
mod page;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use kumite_models::{Cancel, cancellable, connector};
use ureq::{Agent, Proxy};
use url::{ParseError, SyntaxViolation, Url};

use guard::{Guard, is_public};

/// Allows private addresses: for an intranet, and for tests.
pub const PRIVATE_VARIABLE: &str = "KUMITE_FETCH_PRIVATE";

pub const TIMEOUT: Duration = Duration::from_secs(30);
const REDIRECTS_MAX: usize = 5;
/// How often a fetch checks for cancellation.
const TICK: Duration = Duration::from_millis(20);
const STACK_BYTES: usize = 512 << 10;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{url:?} is no URL: {why}")]
    Url { url: String, why: String },
    #[error("only http and https can be fetched, not {url:?}")]
    Scheme { url: String },
    #[error("{url:?} carries a name or password before its host, which is not allowed")]
    Userinfo { url: String },
    #[error("{host} is not among the domains that may be fetched: {allowed}")]
    NotAllowed { host: String, allowed: String },
    #[error("{host} must not be fetched, because {blocked} is blocked")]
    Blocked { host: String, blocked: String },
    #[error("{host} leads to {address}, which is no public address")]
    Private { host: String, address: IpAddr },
    #[error("{url} led to more than {REDIRECTS_MAX} redirects")]
    Redirects { url: String },
    #[error("{url} answered with status {status}")]
    Status { url: String, status: u16 },
    #[error("cannot read {url}: {why}")]
    Page { url: String, why: String },
    #[error("cannot fetch {url}: {why}")]
    Failed { url: String, why: String },
    #[error("{url} did not answer within {} s", .after.as_secs_f32().ceil())]
    TimedOut { url: String, after: Duration },
    #[error("cancelled")]
    Cancelled,
}

/// Which sites may be fetched.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Empty: all of them.
    allowed: Vec<String>,
    blocked: Vec<String>,
}

/// Copies share connections.
#[derive(Clone, Debug)]
pub struct Fetcher {
    agent: Agent,
    sites: Arc<Sites>,
}

impl Sites {
    pub fn new(allowed: &[String], blocked: &[String]) -> Sites {
        let normal = |names: &[String]| names.iter().map(|name| normal(name)).collect();
        Sites {
            allowed: normal(allowed),
            blocked: normal(blocked),
        }
    }

    fn check(&self, host: &str) -> Result<(), Error> {
        let host = normal(host);
        if let Some(blocked) = self.blocked.iter().find(|name| is_within(&host, name)) {
            let blocked = blocked.clone();
            return Err(Error::Blocked { host, blocked });
        }
        let is_allowed = self.allowed.iter().any(|name| is_within(&host, name));
        match is_allowed || self.allowed.is_empty() {
            true => Ok(()),
            false => Err(Error::NotAllowed {
                host,
                allowed: self.allowed.join(", "),
            }),
        }
    }
}

fn normal(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    let name = name.strip_prefix("*.").unwrap_or(&name);
    name.trim_end_matches('.').to_owned()
}

/// Whether `host` is `domain` or a name below it.
fn is_within(host: &str, domain: &str) -> bool {
    let front = host.strip_suffix(domain);
    front.is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

impl Fetcher {
    pub fn new(sites: Sites, is_private_allowed: bool) -> Fetcher {
        // A proxy resolves names itself, without our check. If private addresses are allowed, that
        // does not matter.
        match is_private_allowed {
            true => Fetcher::guarded(sites, |_| true, Proxy::try_from_env()),
            false => Fetcher::guarded(sites, is_public, None),
        }
    }

    fn guarded(sites: Sites, may_reach: fn(IpAddr) -> bool, proxy: Option<Proxy>) -> Fetcher {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .user_agent(concat!("kumite/", env!("CARGO_PKG_VERSION")))
            .accept("text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1")
            .build();
        let guard = Guard::new(may_reach);
        Fetcher {
            agent: Agent::with_parts(config, connector(), guard),
            sites: Arc::new(sites),
        }
    }

    /// The text of the page, within `timeout`. Cancellation returns at once; the connection ends a
    /// moment later.
    pub fn fetch(&self, url: &str, timeout: Duration, cancel: &Cancel) -> Result<String, Error> {
        let timeout = timeout.min(TIMEOUT);
        let end = Instant::now() + timeout;
        let failed = |why: &str| Error::Failed {
            url: url.to_owned(),
            why: why.to_owned(),
        };
        let (answer, answered) = mpsc::sync_channel(1);
        let job = (self.clone(), url.to_owned());
        let its_cancel = cancel.clone();
        let started = thread::Builder::new()
            .name("fetch".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // If the fetch was cancelled, nobody receives this.
                let _ = answer.send(cancellable(&its_cancel, || job.0.follow(&job.1, end)));
            });
        started.map_err(|error| failed(&format!("no thread can be started: {error}")))?;
        loop {
            match answered.recv_timeout(TICK) {
                Ok(Err(_)) if cancel.is_cancelled() => return Err(Error::Cancelled),
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Disconnected) => return Err(failed("it broke off")),
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    return Err(Error::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > end => {
                    let url = url.to_owned();
                    return Err(Error::TimedOut {
                        url,
                        after: timeout,
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn follow(&self, url: &str, end: Instant) -> Result<String, Error> {
        let mut place = self.checked(None, url)?;
        for _ in 0..=REDIRECTS_MAX {
            match self.get(&place, end)? {
                Got::Page(text) => return Ok(text),
                Got::Redirect(to) => place = self.checked(Some(&place), &to)?,
            }
        }
        let url = url.to_owned();
        Err(Error::Redirects { url })
    }

    /// Checks an address before anything is looked up. A redirect is relative to `base`.
    fn checked(&self, base: Option<&Url>, text: &str) -> Result<Url, Error> {
        let url = || text.to_owned();
        let no_url = |why: &str| Error::Url {
            url: url(),
            why: why.to_owned(),
        };
        let violations = RefCell::new(Vec::new());
        let note = |violation| violations.borrow_mut().push(violation);
        let parsed = Url::options()
            .base_url(base)
            .syntax_violation_callback(Some(&note))
            .parse(text);
        let place = match parsed {
            Ok(place) if !["http", "https"].contains(&place.scheme()) => {
                return Err(Error::Scheme { url: url() });
            }
            Err(ParseError::RelativeUrlWithoutBase) => return Err(Error::Scheme { url: url() }),
            Err(error) => return Err(no_url(&error.to_string())),
            Ok(place) => place,
        };
        // Browsers accept these, but a reader would take them for another host.
        for violation in violations.take() {
            match violation {
                SyntaxViolation::EmbeddedCredentials => {
                    return Err(Error::Userinfo { url: url() });
                }
                SyntaxViolation::Backslash | SyntaxViolation::ExpectedDoubleSlash => {
                    return Err(no_url(violation.description()));
                }
                _ => {}
            }
        }
        self.sites.check(place.host_str().unwrap_or_default())?;
        Ok(place)
    }

    fn get(&self, place: &Url, end: Instant) -> Result<Got, Error> {
        let url = || place.to_string();
        let left = end.saturating_duration_since(Instant::now());
        let request = self
            .agent
            .get(place.as_str())
            .config()
            .timeout_global(Some(left))
            .build();
        let mut response = request
            .call()
            .map_err(|error| from_ureq(&url(), left, error))?;
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        match (status, header("location")) {
            (301 | 302 | 303 | 307 | 308, Some(to)) => return Ok(Got::Redirect(to)),
            (200..=299, _) => {}
            _ => return Err(Error::Status { url: url(), status }),
        }
        let kind = page::Kind {
            media_type: header("content-type").unwrap_or_default(),
            encoding: header("content-encoding").unwrap_or_default(),
        };
        let body = response.body_mut().as_reader();
        let text = page::read(body, &kind);
        text.map(Got::Page)
            .map_err(|why| Error::Page { url: url(), why })
    }
}

enum Got {
    Page(String),
    Redirect(String),
}

fn from_ureq(url: &str, after: Duration, error: ureq::Error) -> Error {
    let url = url.to_owned();
    match error {
        ureq::Error::Timeout(_) => Error::TimedOut { url, after },
        ureq::Error::Other(inner) => match inner.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(other) => Error::Failed {
                url,
                why: other.to_string(),
            },
        },
        other => Error::Failed {
            url,
            why: other.to_string(),
        },
    }
}
