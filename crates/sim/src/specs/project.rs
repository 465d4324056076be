//! The project of a simulated story: its commands, and whether specs get worktrees. Half of the
//! stories have neither, and play as they did before there were any.

use kumite_core::journal::{Order, Rules};
use kumite_core::place::Baseline;

use crate::rng::Rng;

#[derive(Clone, Debug)]
pub struct Project {
    /// A separate source of chance, so that a story without places and commands stays the same.
    pub luck: Rng,
    pub is_on: bool,
    pub commands: Vec<Command>,
}

/// One of the commands that check an implementation.
#[derive(Clone, Debug)]
pub struct Command {
    pub name: &'static str,
    /// It fails now and then, whatever the code is.
    pub flaky: bool,
    pub changes: Changes,
}

/// Whether a command changes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    Never,
    /// Once for each version of the code, as a formatter does.
    Once,
    EachTime,
}

/// Chosen so that the seeds in `tests/seeds.rs` that once broke a rule are stories without places
/// and commands: they play as they did then.
const SALT: u64 = 0x706c_6163_0004_34bc;

impl Project {
    pub fn draw(seed: u64, rules: &mut Rules) -> Project {
        let mut luck = Rng::new(seed ^ SALT);
        let is_on = luck.chance(500);
        let mut commands = Vec::new();
        if is_on {
            rules.worktree = luck.chance(700);
            rules.baseline = luck.pick(&[Baseline::Pause, Baseline::Warn, Baseline::Off]);
            rules.flaky = luck.pick(&[0, 0, 1, 2]);
            let count = luck.weighed(&[(1, 0), (3, 1), (3, 2), (2, 3)]);
            let names = ["tests", "lint", "build"].into_iter().take(count);
            commands.extend(names.map(|name| Command::draw(name, &mut luck)));
        }
        Project {
            luck,
            is_on,
            commands,
        }
    }

    /// A request with the settings of the project.
    pub fn order(&self, rules: Rules) -> Order {
        let names = self.commands.iter().map(|it| it.name.to_owned());
        Order {
            rules,
            verify: names.collect(),
            ..Order::default()
        }
    }

    /// A person lets git ignore what the commands write.
    pub fn ignore_files(&mut self) {
        for command in &mut self.commands {
            command.changes = Changes::Never;
        }
    }

    /// Code that an agent or a person writes. `faults`: in a thousand, for each command.
    pub fn faults(&mut self, per_mille: u32) -> u8 {
        let luck = &mut self.luck;
        let fails = self.commands.iter().map(|_| luck.chance(per_mille));
        fails.fold(0, |bits, fails| bits << 1 | u8::from(fails))
    }
}

impl Command {
    fn draw(name: &'static str, luck: &mut Rng) -> Command {
        Command {
            name,
            flaky: luck.chance(200),
            changes: luck.weighed(&[
                (16, Changes::Never),
                (3, Changes::Once),
                (1, Changes::EachTime),
            ]),
        }
    }
}
