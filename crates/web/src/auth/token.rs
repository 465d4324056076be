//! The token of a project, in a file that only its owner reads.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kumite_host::files;
use ring::constant_time::verify_slices_are_equal;

use super::{Error, hex, random};

const LENGTH_MIN: usize = 22;

pub struct Token(String);

impl Token {
    /// That of the project; made if there is none.
    pub fn open(runtime: &Path) -> Result<Token, Error> {
        let path = runtime.join("token");
        let fail = |source| Error::File {
            path: path.clone(),
            source,
        };
        match fs::read_to_string(&path) {
            Ok(text) => {
                let text = text.trim();
                if text.len() < LENGTH_MIN {
                    return Err(Error::NoToken { path });
                }
                // Somebody may have copied the project about.
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(fail)?;
                Ok(Token(text.to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = hex(&random::<24>()?);
                let make = || {
                    fs::create_dir_all(runtime)?;
                    let mut file = files::create_private(&path)?;
                    file.write_all(token.as_bytes())
                };
                make().map_err(fail)?;
                Ok(Token(token))
            }
            Err(source) => Err(fail(source)),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Takes as long for a wrong one as for the right one.
    pub fn is(&self, told: &str) -> bool {
        verify_slices_are_equal(self.0.as_bytes(), told.as_bytes()).is_ok()
    }
}
