//! The name of a spec, which is also the name of its directory.

use std::fmt;

/// Small letters, digits and hyphens, so that it can be part of a path, a branch and a command
/// line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecName(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the name of a spec must not be empty")]
    Empty,
    #[error("the name of a spec has at most 100 characters, this one has {0}")]
    TooLong(usize),
    #[error(
        "{name:?} is no name for a spec: {bad:?} is not allowed; \
         use small letters a-z, digits and hyphens, such as \"login-form\""
    )]
    Character { name: String, bad: char },
    #[error(
        "{0:?} is no name for a new spec: the hyphen at its beginning would be read as a flag; \
         use a letter or a digit there"
    )]
    Hyphen(String),
}

impl Error {
    /// What is wrong with a name, in a few words.
    pub fn in_short(&self) -> &'static str {
        match self {
            Error::Empty => "no name",
            Error::TooLong(_) => "more than 100 characters",
            Error::Character { bad, .. } if bad.is_ascii_uppercase() => "capital letters",
            Error::Character { bad, .. } if bad.is_whitespace() => "spaces",
            Error::Character { bad, .. } if bad.is_alphabetic() => "letters other than a-z",
            Error::Character { .. } => "characters other than a-z, 0-9 and hyphens",
            Error::Hyphen(_) => "a hyphen at the beginning",
        }
    }
}

const LENGTH_MAX: usize = 100;

impl SpecName {
    pub fn parse(name: &str) -> Result<SpecName, Error> {
        let allowed = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        if name.is_empty() {
            return Err(Error::Empty);
        }
        if name.len() > LENGTH_MAX {
            return Err(Error::TooLong(name.chars().count()));
        }
        match name.chars().find(|character| !allowed(*character)) {
            Some(bad) => Err(Error::Character {
                name: name.to_owned(),
                bad,
            }),
            None => Ok(SpecName(name.to_owned())),
        }
    }

    /// The name of a new spec. An existing spec may begin with a hyphen, and can still be read.
    pub fn of_new(name: &str) -> Result<SpecName, Error> {
        match name.starts_with('-') {
            true => Err(Error::Hyphen(name.to_owned())),
            false => SpecName::parse(name),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SpecName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for SpecName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for SpecName {
    type Err = Error;

    fn from_str(name: &str) -> Result<SpecName, Error> {
        SpecName::parse(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_a_name() {
        assert_eq!(
            SpecName::parse("login-form-2").unwrap().as_str(),
            "login-form-2"
        );
        assert!(SpecName::parse(&"a".repeat(100)).is_ok());
    }

    #[test]
    fn path_tricks_capitals_and_long_names_are_refused() {
        let tricks = [
            "", ".", "..", "a/b", "a\\b", "../x", "a b", "Login", "a\0", "é", "a.", "~", "-a_b",
        ];
        for name in tricks {
            assert!(SpecName::parse(name).is_err(), "{name:?}");
        }
        assert_eq!(SpecName::parse(&"a".repeat(101)), Err(Error::TooLong(101)));
    }

    #[test]
    fn a_new_name_does_not_begin_with_a_hyphen_and_an_old_one_stays_readable() {
        assert!(matches!(SpecName::of_new("-x"), Err(Error::Hyphen(_))));
        assert!(SpecName::of_new("x-").is_ok());
        assert!(SpecName::of_new("X").is_err());
        assert!(SpecName::parse("-x").is_ok());
    }

    #[test]
    fn the_error_names_the_character_and_the_remedy() {
        let said = SpecName::parse("a/b").unwrap_err().to_string();
        assert!(said.contains("'/'") && said.contains("hyphens"), "{said}");
    }
}
