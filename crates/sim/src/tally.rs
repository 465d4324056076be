//! Kinds of random events, and how often each of them happened.

/// Makes an enum with `ALL`, and the `Tally` that counts it.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($kind:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($kind),* }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$kind),*];
        }

        /// What happened in a seed, or in many.
        #[derive(Clone, Debug)]
        pub struct Tally([u64; $name::ALL.len()]);

        impl Default for Tally {
            fn default() -> Tally {
                Tally([0; $name::ALL.len()])
            }
        }

        impl Tally {
            pub fn note(&mut self, kind: $name) {
                self.0[kind as usize] += 1;
            }

            pub fn of(&self, kind: $name) -> u64 {
                self.0[kind as usize]
            }

            pub fn add(&mut self, other: &Tally) {
                for (mine, theirs) in self.0.iter_mut().zip(other.0) {
                    *mine += theirs;
                }
            }
        }
    };
}

pub(crate) use kinds;
