//! The tables `[[verify.command]]` while they are collected.

use std::collections::{BTreeMap, BTreeSet};

use super::load::{first_of, unknown};
use super::source::{Given, Where};
use super::value::{Allowed, Plain};
use super::{Error, VerifyCommand};

/// One key of `[[verify.command]]`.
pub(super) struct CommandKey {
    pub name: &'static str,
    read: fn(&mut Draft, &Plain) -> Result<(), Allowed>,
}

/// Each row has a key and how it is read (a method of [`Plain`]).
macro_rules! command_keys {
    ($($name:ident, $read:ident;)*) => {
        pub(super) const COMMAND_KEYS: &[CommandKey] = &[$(CommandKey {
            name: stringify!($name),
            read: |it, value| {
                it.$name = Some(value.$read()?);
                Ok(())
            },
        }),*];
    };
}

command_keys! {
    name, command_name;
    run, run;
    dir, inside;
    when, when;
}

/// The commands of the last layer that has any: a list replaces the one before it.
#[derive(Default)]
pub(super) struct Commands {
    drafts: BTreeMap<usize, Draft>,
}

#[derive(Default)]
struct Draft {
    name: Option<String>,
    run: Option<Vec<String>>,
    dir: Option<String>,
    /// After impl, and before a merge.
    when: Option<(bool, bool)>,
    /// Where the table begins.
    first: Option<Where>,
    /// Where it is named.
    named: Option<Where>,
}

impl Commands {
    /// A list begins.
    pub fn begin(&mut self, given: &Given) -> Result<(), Error> {
        first_of(given, "verify.command", Plain::command_list)?;
        self.drafts.clear();
        Ok(())
    }

    /// A table of the list, or one key of a table.
    pub fn add(&mut self, given: &Given, item: usize) -> Result<(), Error> {
        let draft = self.drafts.entry(item).or_default();
        let [_, _, key] = given.path.as_slice() else {
            draft.first = Some(given.from.clone());
            return Ok(());
        };
        let whole = given.path.join(".");
        let known = COMMAND_KEYS.iter().find(|known| known.name == key);
        let known = known.ok_or_else(|| unknown(given, &whole))?;
        if known.name == "name" {
            draft.named = Some(given.from.clone());
        }
        first_of(given, &whole, |value| (known.read)(draft, value))
    }

    /// The finished commands, or an error for a missing key or a name that is there twice.
    pub fn finish(self) -> Result<Vec<VerifyCommand>, Error> {
        let mut names = BTreeSet::new();
        let mut commands = Vec::new();
        for draft in self.drafts.into_values() {
            let named = draft.named.clone();
            let command = draft.finish()?;
            if !names.insert(command.name.clone()) {
                let message = format!(
                    "`verify.command.name` must be different for each command; \
                     two are called \"{}\"",
                    command.name
                );
                let from = named.unwrap_or_else(Where::nowhere);
                return Err(from.error(Some("verify.command.name"), message));
            }
            commands.push(command);
        }
        Ok(commands)
    }
}

impl Draft {
    fn finish(self) -> Result<VerifyCommand, Error> {
        let from = self.first.unwrap_or_else(Where::nowhere);
        let missing = |example: &str| {
            let message = format!("`[[verify.command]]` needs `{example}`");
            from.error(Some("verify.command"), message)
        };
        let (at_impl, at_merge) = self.when.unwrap_or((true, true));
        Ok(VerifyCommand {
            name: self.name.ok_or_else(|| missing("name = \"tests\""))?,
            run: self
                .run
                .ok_or_else(|| missing("run = [\"cargo\", \"test\"]"))?,
            dir: self.dir.unwrap_or_else(|| ".".to_owned()),
            at_impl,
            at_merge,
        })
    }
}
