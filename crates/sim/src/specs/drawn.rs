//! The shape of one seed's specs, and how often things go wrong.

use kumite_core::journal::{Guard, LimitRules, Rules};

use crate::faults;
use crate::rng::Rng;

/// What was drawn from the seed.
#[derive(Clone, Debug)]
pub struct DrawnSpecs {
    pub specs: usize,
    pub jobs: usize,
    pub rules: Rules,
    /// Faults end here, and people behave from here on.
    pub faults_until_ms: u64,
    pub rates: Rates,
}

/// How often things go wrong, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    pub world: faults::Rates,
    pub save: u32,
    pub launch: u32,
    pub agent: u32,
    /// Mean time between two acts of people for one spec.
    pub people_gap_ms: u64,
}

/// Agents that die with their kumite have their own source of chance. It is chosen so that none of
/// the seeds in `tests/seeds.rs` that once broke a rule has any: they play as they did then.
const SALT: u64 = 0x6c6f_7374_0000_0143;

impl DrawnSpecs {
    pub fn draw(seed: u64, rng: &mut Rng, limit: LimitRules) -> DrawnSpecs {
        DrawnSpecs {
            specs: rng.weighed(&[(30, 1), (25, 2), (15, 3), (12, 4), (8, 6), (6, 8), (4, 10)]),
            jobs: rng.between(1, 5) as usize,
            rules: draw_rules(rng, limit),
            faults_until_ms: rng.between(500, 5_000),
            rates: Rates::draw(seed, rng),
        }
    }
}

fn draw_rules(rng: &mut Rng, limit: LimitRules) -> Rules {
    // Small limits are reached more often.
    const LIMITS: [(u32, u8); 7] = [(4, 1), (4, 2), (3, 3), (1, 4), (1, 5), (1, 6), (2, 7)];
    Rules {
        rounds_max: rng.weighed(&LIMITS),
        retries_max: rng.weighed(&LIMITS),
        inspections_max: rng.weighed(&LIMITS),
        auto_approve: rng.chance(600),
        guard: rng.pick(&[Guard::Seed, Guard::Strict]),
        limit,
        ..Rules::default()
    }
}

impl Rates {
    fn draw(seed: u64, rng: &mut Rng) -> Rates {
        let crash = rng.pick(&[0, 0, 2, 5, 15]);
        let save = rng.pick(&[0, 0, 20, 100]);
        let launch = rng.pick(&[0, 0, 20, 60]);
        let message = rng.pick(&[0, 50, 200]);
        let agent = rng.pick(&[0, 150, 300, 500]);
        let world = faults::Rates {
            crash,
            crash_gap_ms: rng.pick(&[0, 600, 1_500, 3_000]),
            computer: rng.pick(&[0, 200, 500]),
            lost: Rng::new(seed ^ SALT).weighed(&[(3, 0), (1, 300)]),
            late: message,
            doubled: message,
        };
        Rates {
            world,
            save,
            launch,
            agent,
            people_gap_ms: rng.pick(&[250, 500, 1_000, 4_000]),
        }
    }
}
