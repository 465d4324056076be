//! Who asks: a program with the token, or a browser with the cookie that a one-time link gave it.

pub mod link;
mod session;
mod token;

use std::path::{Path, PathBuf};

use ring::hmac;

pub use session::Session;
pub use token::Token;

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Full,
    ReadOnly,
}

/// Somebody whom we know.
#[derive(Clone, Debug)]
pub struct Who {
    pub name: String,
    pub role: Role,
    /// What a page has to send with every change; none for programs.
    pub csrf: Option<String>,
}

impl Who {
    pub fn may_change(&self) -> bool {
        self.role == Role::Full
    }
}

/// Everything that is secret hangs on the token: who removes its file revokes all of it.
pub struct Auth {
    runtime: PathBuf,
    token: Token,
    key: hmac::Key,
    /// Cookies know no ports: each project has a name of its own.
    pub cookie: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read or write {path}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path} holds no token; remove it, and `kumite serve` makes a new one")]
    NoToken { path: PathBuf },
    #[error("the system gives no random numbers")]
    Random,
}

impl Auth {
    pub fn open(runtime: &Path) -> Result<Auth, Error> {
        let token = Token::open(runtime)?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes());
        let place = hmac::sign(&key, b"cookie");
        let cookie = format!("kumite-{}", hex(&place.as_ref()[..4]));
        Ok(Auth {
            runtime: runtime.to_owned(),
            token,
            key,
            cookie,
        })
    }

    /// A program with `Authorization: Bearer`.
    pub fn program(&self, bearer: &str) -> Option<Who> {
        self.token.is(bearer).then(|| Who {
            name: "token".to_owned(),
            role: Role::Full,
            csrf: None,
        })
    }

    /// A browser with a cookie.
    pub fn browser(&self, cookie: &str) -> Option<Who> {
        let session = Session::read(&self.key, cookie)?;
        Some(Who {
            name: format!("session {}", session.id),
            role: session.role,
            csrf: Some(session.csrf(&self.key)),
        })
    }

    /// Turns a one-time link into a cookie. None: there is no such link, or not any more.
    pub fn redeem(&self, key: &str) -> Result<Option<String>, Error> {
        let Some(role) = link::take(&self.runtime, key)? else {
            return Ok(None);
        };
        let session = Session::new(role)?;
        Ok(Some(session.write(&self.key)))
    }
}

/// Whether a path, with all links resolved, is a file of ours that nobody may be shown.
pub fn is_secret(path: &Path) -> bool {
    const SECRETS: [&str; 5] = ["token", "links.json", "serve.json", "tls/key.pem", "control.sock"];
    let place = Path::new(".kiro/runtime/kumite");
    SECRETS.iter().any(|name| path.ends_with(place.join(name)))
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], Error> {
    use ring::rand::{SecureRandom, SystemRandom};
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Error::Random)?;
    Ok(bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
