//! The token of a project, in a file that only its owner reads.

use std::path::Path;

use ring::hmac;

use super::{Error, hex, private, random};

const FILE: &str = "token";
const LENGTH_MIN: usize = 22;

/// The token itself is not kept, only keys made from it and a tag to compare with.
pub struct Token {
    key: hmac::Key,
    tag: hmac::Tag,
}

impl Token {
    /// Opens the token of the project, or makes one.
    pub fn open(runtime: &Path) -> Result<Token, Error> {
        let path = runtime.join(FILE);
        let fail = |source| Error::File {
            path: path.clone(),
            source,
        };
        let bytes = match private::read(&path).map_err(fail)? {
            Some(bytes) => bytes,
            None => {
                // 192 bits. If another server has created the file first, its token counts.
                let made = hex(&random::<24>()?);
                private::create(&path, made.as_bytes()).map_err(fail)?;
                private::read(&path).map_err(fail)?.unwrap_or_default()
            }
        };
        let token = bytes.trim_ascii();
        if token.len() < LENGTH_MIN || !token.iter().all(u8::is_ascii_graphic) {
            return Err(Error::NoToken { path });
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, token);
        let tag = hmac::sign(&key, token);
        Ok(Token { key, tag })
    }

    /// Compares in constant time.
    pub fn is(&self, told: &str) -> bool {
        hmac::verify(&self.key, told.as_bytes(), self.tag.as_ref()).is_ok()
    }

    /// Derives a separate key for each purpose.
    pub fn key_for(&self, purpose: &str) -> hmac::Key {
        let made = hmac::sign(&self.key, format!("kumite {purpose}").as_bytes());
        hmac::Key::new(hmac::HMAC_SHA256, made.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_stays_and_only_itself_is_right() {
        let dir = tempfile::tempdir().unwrap();
        let token = Token::open(dir.path()).unwrap();
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert_eq!(text.len(), 48);
        assert!(token.is(&text));
        for wrong in [
            "",
            " ",
            &text[1..],
            &format!("{text}0"),
            &text.to_uppercase(),
        ] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(Token::open(dir.path()).unwrap().is(&text));
    }

    #[test]
    fn a_token_that_came_with_a_repository_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let known = "a-token-that-somebody-else-knows";
        let path = dir.path().join(FILE);
        fs::write(&path, known).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!Token::open(dir.path()).unwrap().is(known));
    }

    #[test]
    fn a_file_without_a_good_token_is_refused_and_left() {
        for bad in ["", "short", "a token with spaces in it, but long"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(FILE);
            private::create(&path, bad.as_bytes()).unwrap();
            assert!(matches!(
                Token::open(dir.path()),
                Err(Error::NoToken { .. })
            ));
            assert_eq!(fs::read_to_string(path).unwrap(), bad);
        }
    }
}
