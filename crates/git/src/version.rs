//! The version of the git program.

use std::path::Path;

use crate::Error;
use crate::run::Git;

/// For example `(2, 47)`; `None`: it says something unknown.
pub fn version() -> Result<Option<(u32, u32)>, Error> {
    let told = Git::at(Path::new("/")).run(&["version"])?;
    Ok(read(&String::from_utf8_lossy(&told)))
}

/// `git version 2.39.5 (Apple Git-154)`
fn read(words: &str) -> Option<(u32, u32)> {
    let numbers = words.split_whitespace().nth(2)?;
    let mut numbers = numbers.split('.').map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_in_every_form() {
        assert_eq!(read("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(read("git version 2.38.0.rc1.windows.1"), Some((2, 38)));
        assert_eq!(read("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(read("git version unknown"), None);
    }
}
