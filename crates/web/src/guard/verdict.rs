//! Who may send which request: the rules, in the order in which they are checked.

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri};

use super::{Ends, Hosts};
use crate::auth::{Auth, Browser, Role, Who};
use crate::{assets, pages};

/// The header that pages send with every change.
const CSRF: &str = "x-csrf-token";
const METHODS: [Method; 6] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// What a request says about itself.
pub struct Asked<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
    pub headers: &'a HeaderMap,
    pub ends: Ends,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The host is not ours, missing, or named several times.
    Host,
    /// The request comes from a foreign page.
    Origin,
    /// The browser says that another site caused the request.
    Site,
    /// Neither token nor cookie.
    Unknown,
    /// A token or cookie that is wrong or has expired.
    Wrong,
    /// A method that we never use.
    Method,
    ReadOnly,
    /// A change from a browser that does not name the page it comes from.
    NoOrigin,
    Csrf,
    /// The system failed.
    Broken,
}

/// Who sends the request, or why it is refused. None: the address is open to everybody.
pub fn verdict(hosts: &Hosts, auth: &Auth, asked: &Asked<'_>) -> Result<Option<Who>, Refused> {
    let local = asked.ends.local;
    let host = only(asked.headers, HOST)?.ok_or(Refused::Host)?;
    // A request may name its host a second time: `GET http://name/ HTTP/1.1`.
    let target = asked.uri.authority().map(|it| it.as_str());
    let mut named = [Some(host), target].into_iter().flatten();
    if !named.all(|host| hosts.is_host(host, local)) {
        return Err(Refused::Host);
    }
    let origin = only(asked.headers, ORIGIN)?;
    if origin.is_some_and(|origin| !hosts.is_origin(origin, local)) {
        return Err(Refused::Origin);
    }
    if is_from_elsewhere(asked.headers) && !is_navigation(asked) {
        return Err(Refused::Site);
    }
    let is_change = is_change(asked.method);
    if !is_change && is_open(asked.uri.path()) {
        return Ok(None);
    }
    let peer = asked.ends.peer.ip().to_canonical();
    // A client with a token is judged by the token alone.
    if asked.headers.contains_key(AUTHORIZATION) {
        let token = only(asked.headers, AUTHORIZATION)?.and_then(bearer);
        let who = token.and_then(|token| auth.program(token, peer));
        let who = who.ok_or(Refused::Wrong)?;
        return allowed(asked.method).map(|()| Some(who));
    }
    let browser = browser(auth, asked.headers)?;
    allowed(asked.method)?;
    if is_change {
        if browser.role() == Role::ReadOnly {
            return Err(Refused::ReadOnly);
        }
        if origin.is_none() {
            return Err(Refused::NoOrigin);
        }
        let csrf = only(asked.headers, HeaderName::from_static(CSRF))?;
        if !csrf.is_some_and(|told| browser.csrf_is(told)) {
            return Err(Refused::Csrf);
        }
    }
    browser.who(peer).map(Some).map_err(|_| Refused::Broken)
}

pub fn is_change(method: &Method) -> bool {
    ![Method::GET, Method::HEAD].contains(method)
}

fn allowed(method: &Method) -> Result<(), Refused> {
    match METHODS.contains(method) {
        true => Ok(()),
        false => Err(Refused::Method),
    }
}

/// The value of a header that may appear at most once.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refused> {
    let refused = match name {
        HOST => Refused::Host,
        ORIGIN => Refused::Origin,
        AUTHORIZATION => Refused::Wrong,
        _ => Refused::Csrf,
    };
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| refused),
        (Some(_), Some(_)) => Err(refused),
    }
}

/// Browsers say which site caused a request, and a page cannot change that.
pub fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let said = headers.get_all("sec-fetch-site").iter();
    said.map(|it| it.as_bytes())
        .any(|site| site != b"same-origin" && site != b"none")
}

/// A person follows a link to us; the page with the link cannot see the answer.
fn is_navigation(asked: &Asked<'_>) -> bool {
    let is = |name, value: &str| asked.headers.get(name).is_some_and(|it| it == value);
    asked.method == Method::GET
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
}

fn is_open(path: &str) -> bool {
    path == pages::LOGIN || path.starts_with(assets::ROOT)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// The browser, by the first valid cookie of ours.
fn browser<'a>(auth: &'a Auth, headers: &HeaderMap) -> Result<Browser<'a>, Refused> {
    let lines = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|it| it.to_str().ok());
    let cookies = lines.flat_map(|line| line.split(';'));
    let named = cookies.filter_map(|cookie| cookie.trim().split_once('='));
    let mut ours = named.filter(|(name, _)| *name == auth.cookie).peekable();
    if ours.peek().is_none() {
        return Err(Refused::Unknown);
    }
    ours.find_map(|(_, value)| auth.browser(value))
        .ok_or(Refused::Wrong)
}

impl Refused {
    /// Whether a foreign page made the browser send this.
    pub fn is_foreign(self) -> bool {
        matches!(self, Refused::Host | Refused::Origin | Refused::Site)
    }

    pub fn status(self) -> StatusCode {
        match self {
            Refused::Host
            | Refused::Origin
            | Refused::Site
            | Refused::ReadOnly
            | Refused::NoOrigin
            | Refused::Csrf => StatusCode::FORBIDDEN,
            Refused::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refused::Unknown | Refused::Wrong => StatusCode::UNAUTHORIZED,
            Refused::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Refused::Host => {
                "this server is not known by that name; `kumite serve --host NAME` allows one"
            }
            Refused::Origin => "requests of other pages are refused",
            Refused::Site => "requests that another site makes a browser send are refused",
            Refused::Method => "there is nothing here that this method could do",
            Refused::Unknown => {
                "you are not known here; in the project, `kumite serve link` prints a link"
            }
            Refused::Wrong => {
                "this token or session is not good, or not any more; in the project, \
                `kumite serve link` prints a new link"
            }
            Refused::ReadOnly => {
                "this session may only look; in the project, `kumite serve link` prints a link \
                that may change things"
            }
            Refused::NoOrigin => "a change needs the header Origin, which browsers send",
            Refused::Csrf => {
                "a change needs the header X-CSRF-Token of a page of this session; load the page \
                again"
            }
            Refused::Broken => "the system gives no random numbers",
        }
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
