//! Who sends a request: a program with the token, or a browser with the cookie that it got from a
//! one-time link.

pub mod link;
pub mod private;
mod session;
mod token;

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use kumite_project::clock::now_ms;
use session::{Keys, Session};
use token::Token;

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Full,
    ReadOnly,
}

/// A client that is logged in.
#[derive(Clone, Debug)]
pub struct Who {
    /// `token`, or `session` and its id.
    pub name: String,
    /// Where the request came from.
    pub from: IpAddr,
    pub role: Role,
    /// The token that a page sends with every change. It is masked anew each time, so it is for
    /// display only, not for comparison. None for programs.
    pub csrf: Option<String>,
    /// When the session expires. None for programs.
    pub until_ms: Option<u64>,
}

impl Who {
    pub fn may_change(&self) -> bool {
        self.role == Role::Full
    }

    /// Whether the session has expired.
    pub fn is_over(&self) -> bool {
        self.until_ms.is_some_and(|until_ms| now_ms() >= until_ms)
    }
}

/// All secrets derive from the token: removing its file revokes everything at the next start.
pub struct Auth {
    runtime: PathBuf,
    token: Token,
    keys: Keys,
    /// Cookies do not distinguish ports, so each project has its own cookie name.
    pub cookie: String,
    is_tls: bool,
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

/// A browser with a valid cookie.
pub struct Browser<'a> {
    auth: &'a Auth,
    session: Session,
}

impl Auth {
    pub fn open(runtime: &Path, is_tls: bool) -> Result<Auth, Error> {
        let token = Token::open(runtime)?;
        let mark = ring::hmac::sign(&token.key_for("cookie"), b"name");
        // Browsers accept a cookie with this prefix only from the host itself, over TLS.
        let prefix = if is_tls { "__Host-" } else { "" };
        Ok(Auth {
            runtime: runtime.to_owned(),
            keys: Keys::of(&token),
            cookie: format!("{prefix}kumite-{}", hex(&mark.as_ref()[..4])),
            token,
            is_tls,
        })
    }

    /// A program with `Authorization: Bearer`.
    pub fn program(&self, bearer: &str, from: IpAddr) -> Option<Who> {
        self.token.is(bearer).then(|| Who {
            name: "token".to_owned(),
            from,
            role: Role::Full,
            csrf: None,
            until_ms: None,
        })
    }

    /// A browser with a cookie.
    pub fn browser(&self, cookie: &str) -> Option<Browser<'_>> {
        let session = Session::read(&self.keys, cookie)?;
        Some(Browser {
            auth: self,
            session,
        })
    }

    /// Turns a one-time link into a cookie, as the value of `Set-Cookie`. None: there is no such
    /// link, or it was already used.
    pub fn redeem(&self, key: &str, from: IpAddr) -> Result<Option<(String, Who)>, Error> {
        let Some(link) = link::take(&self.runtime, key)? else {
            return Ok(None);
        };
        let session = Session::new(&link)?;
        let cookie = format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}{}",
            self.cookie,
            session.write(&self.keys),
            session.left_s(),
            if self.is_tls { "; Secure" } else { "" },
        );
        let browser = Browser {
            auth: self,
            session,
        };
        Ok(Some((cookie, browser.who(from)?)))
    }
}

impl Browser<'_> {
    pub fn who(&self, from: IpAddr) -> Result<Who, Error> {
        Ok(Who {
            name: format!("session {}", self.session.id),
            from,
            role: self.session.role,
            csrf: Some(self.session.csrf(&self.auth.keys)?),
            until_ms: Some(self.session.until_ms()),
        })
    }

    pub fn role(&self) -> Role {
        self.session.role
    }

    /// Whether `told` is a token of this session.
    pub fn csrf_is(&self, told: &str) -> bool {
        self.session.csrf_is(&self.auth.keys, told)
    }
}

/// Whether a path, with all links resolved, is one of our secret files, which are never shown.
pub fn is_secret(path: &Path) -> bool {
    const SECRETS: [&str; 4] = ["token", "links.json", "serve.json", "tls/key.pem"];
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

/// Reads only what [`hex`] writes.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    match rest.is_empty() {
        true => pairs.iter().map(byte).collect(),
        false => None,
    }
}
