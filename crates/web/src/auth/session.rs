//! What a browser's cookie says, signed: it is good as long as the token is, also after a restart.

use ring::hmac;

use super::{Error, Role, hex, random};

pub struct Session {
    pub id: String,
    pub role: Role,
}

impl Session {
    pub fn new(role: Role) -> Result<Session, Error> {
        Ok(Session {
            id: hex(&random::<8>()?),
            role,
        })
    }

    pub fn write(&self, key: &hmac::Key) -> String {
        let said = self.said();
        let seal = hmac::sign(key, said.as_bytes());
        format!("{said}.{}", hex(seal.as_ref()))
    }

    pub fn read(key: &hmac::Key, cookie: &str) -> Option<Session> {
        let (said, seal) = cookie.rsplit_once('.')?;
        let seal = unhex(seal)?;
        hmac::verify(key, said.as_bytes(), &seal).ok()?;
        let (role, id) = said.split_once('.')?;
        let role = match role {
            "full" => Role::Full,
            "read" => Role::ReadOnly,
            _ => return None,
        };
        Some(Session {
            id: id.to_owned(),
            role,
        })
    }

    pub fn csrf(&self, key: &hmac::Key) -> String {
        let seal = hmac::sign(key, format!("csrf {}", self.said()).as_bytes());
        hex(seal.as_ref())
    }

    fn said(&self) -> String {
        let role = match self.role {
            Role::Full => "full",
            Role::ReadOnly => "read",
        };
        format!("{role}.{}", self.id)
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}
