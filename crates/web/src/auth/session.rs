//! The signed content of a browser's cookie. It is valid until it expires or the token changes,
//! even across restarts.

use kumite_project::clock::now_ms;
use ring::hmac;

use super::link::Taken;
use super::token::Token;
use super::{Error, Role, hex, random, unhex};

/// How long a session with all rights lasts.
const LIFE_S: u64 = 30 * 24 * 60 * 60;
const TAG: usize = 32;

/// The keys that sign sessions.
pub struct Keys {
    session: hmac::Key,
    csrf: hmac::Key,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    pub role: Role,
    until_s: u64,
}

impl Keys {
    pub fn of(token: &Token) -> Keys {
        Keys {
            session: token.key_for("session"),
            csrf: token.key_for("csrf"),
        }
    }
}

impl Session {
    /// A read-only session ends when its link would have expired: a page lent for an hour is lent
    /// for an hour.
    pub fn new(link: &Taken) -> Result<Session, Error> {
        Ok(Session {
            id: hex(&random::<8>()?),
            role: link.role,
            until_s: match link.role {
                Role::Full => now_ms() / 1000 + LIFE_S,
                Role::ReadOnly => link.until_ms / 1000,
            },
        })
    }

    pub fn until_ms(&self) -> u64 {
        self.until_s.saturating_mul(1000)
    }

    /// For `Max-Age`.
    pub fn left_s(&self) -> u64 {
        self.until_s.saturating_sub(now_ms() / 1000)
    }

    pub fn write(&self, keys: &Keys) -> String {
        let said = self.said();
        let tag = hmac::sign(&keys.session, said.as_bytes());
        format!("{said}.{}", hex(tag.as_ref()))
    }

    pub fn read(keys: &Keys, cookie: &str) -> Option<Session> {
        let (said, tag) = cookie.rsplit_once('.')?;
        hmac::verify(&keys.session, said.as_bytes(), &unhex(tag)?).ok()?;
        let (role, rest) = said.split_once('.')?;
        let (id, until) = rest.split_once('.')?;
        let session = Session {
            id: id.to_owned(),
            role: match role {
                "full" => Role::Full,
                "read" => Role::ReadOnly,
                _ => return None,
            },
            until_s: until.parse().ok()?,
        };
        (now_ms() / 1000 < session.until_s).then_some(session)
    }

    /// The token that a page sends with every change. Its text differs each time, so that the size
    /// of a compressed page reveals nothing about it.
    pub fn csrf(&self, keys: &Keys) -> Result<String, Error> {
        let tag = hmac::sign(&keys.csrf, self.said().as_bytes());
        let pad = random::<TAG>()?;
        Ok(hex(&pad) + &hex(&xor(&pad, tag.as_ref())))
    }

    pub fn csrf_is(&self, keys: &Keys, told: &str) -> bool {
        let Some(told) = unhex(told).filter(|told| told.len() == 2 * TAG) else {
            return false;
        };
        let (pad, masked) = told.split_at(TAG);
        let tag = xor(pad, masked);
        hmac::verify(&keys.csrf, self.said().as_bytes(), &tag).is_ok()
    }

    fn said(&self) -> String {
        let role = match self.role {
            Role::Full => "full",
            Role::ReadOnly => "read",
        };
        format!("{role}.{}.{}", self.id, self.until_s)
    }
}

fn xor(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one ^ other)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(role: Role) -> Session {
        let until_ms = now_ms() + 3_600_000;
        Session::new(&Taken { role, until_ms }).unwrap()
    }

    fn new_keys() -> Keys {
        let dir = tempfile::tempdir().unwrap();
        Keys::of(&Token::open(dir.path()).unwrap())
    }

    #[test]
    fn a_cookie_is_read_as_it_was_written_and_only_with_its_own_key() {
        let keys = new_keys();
        let session = session(Role::ReadOnly);
        let cookie = session.write(&keys);
        assert_eq!(Session::read(&keys, &cookie), Some(session));
        assert_eq!(Session::read(&new_keys(), &cookie), None);
    }

    #[test]
    fn a_cookie_that_was_changed_anywhere_is_none() {
        let keys = new_keys();
        let cookie = session(Role::ReadOnly).write(&keys);
        assert_eq!(Session::read(&keys, &cookie.replace("read", "full")), None);
        for at in 0..cookie.len() {
            let mut bytes = cookie.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(Session::read(&keys, &changed), None, "{changed}");
            assert_eq!(Session::read(&keys, &cookie[..at]), None);
        }
        assert_eq!(Session::read(&keys, &format!("{cookie}0")), None);
    }

    #[test]
    fn who_may_only_look_stays_as_long_as_the_link_and_others_for_a_month() {
        const HOUR_S: u64 = 60 * 60;
        for hours in [1, 7 * 24] {
            let now_s = now_ms() / 1000;
            let until_ms = (now_s + hours * HOUR_S) * 1000 + 999;
            let session = |role| Session::new(&Taken { role, until_ms }).unwrap();
            assert_eq!(
                session(Role::ReadOnly).until_ms(),
                (now_s + hours * HOUR_S) * 1000
            );
            let left_s = session(Role::ReadOnly).left_s();
            assert!((hours * HOUR_S - 60..=hours * HOUR_S).contains(&left_s));
            let left_s = session(Role::Full).left_s();
            assert!((LIFE_S - 60..=LIFE_S).contains(&left_s));
        }
    }

    #[test]
    fn a_session_ends() {
        let keys = new_keys();
        let mut session = session(Role::Full);
        session.until_s = now_ms() / 1000;
        assert_eq!(Session::read(&keys, &session.write(&keys)), None);
    }

    #[test]
    fn the_token_of_a_page_is_another_text_each_time_and_of_one_session_only() {
        let keys = new_keys();
        let (session, other) = (session(Role::Full), session(Role::Full));
        let (one, two) = (session.csrf(&keys).unwrap(), session.csrf(&keys).unwrap());
        assert_ne!(one, two);
        assert!(session.csrf_is(&keys, &one) && session.csrf_is(&keys, &two));
        assert!(!other.csrf_is(&keys, &one));
        for wrong in [
            "",
            "00",
            &one[1..],
            &one[2..],
            &"0".repeat(128),
            &one.replace('a', "b"),
        ] {
            assert!(!session.csrf_is(&keys, wrong), "{wrong}");
        }
    }
}
