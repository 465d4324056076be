//! The shape of one seed's contest.

use kumite_core::contest::{Metric, Rules};
use kumite_core::journal::LimitRules;

use crate::faults;
use crate::rng::Rng;

/// What was drawn from the seed.
#[derive(Clone, Debug)]
pub struct DrawnContest {
    pub seed: u64,
    /// The teams, and the retries that each of them entered with.
    pub teams: Vec<Option<u32>>,
    /// Which of them work with agents.
    pub with_agents: Vec<bool>,
    pub rules: Rules,
    pub rates: Rates,
    /// Faults end here.
    pub faults_until_ms: u64,
    pub cancel_at_ms: Option<u64>,
    /// Nothing in it depends on time, so crashes must not change the board.
    pub is_repeatable: bool,
}

impl DrawnContest {
    pub fn draw(seed: u64) -> DrawnContest {
        let mut rng = Rng::new(seed);
        let teams = teams(&mut rng);
        let mut drawn = DrawnContest {
            seed,
            with_agents: teams.iter().map(|_| rng.chance(400)).collect(),
            teams,
            rules: rules(&mut rng),
            rates: Rates::draw(&mut rng),
            faults_until_ms: rng.between(2_000, 120_000),
            cancel_at_ms: rng.chance(120).then(|| rng.between(0, 60_000)),
            is_repeatable: rng.chance(300),
        };
        if drawn.is_repeatable {
            drawn.make_repeatable();
        }
        drawn
    }

    fn make_repeatable(&mut self) {
        self.rules.team_timeout_ms = None;
        self.rules.contest_timeout_ms = None;
        self.rules.budget_micros = None;
        self.rules.day_micros = None;
        // Whether an account is limited depends on when somebody asks.
        self.rules.limit.wait = true;
        self.rates.outage_gap_ms = 0;
        self.rates.jump_gap_ms = 0;
        // What an agent did may be gone with the computer.
        self.rates.computer = 0;
        self.cancel_at_ms = None;
    }

    pub fn rates_of_world(&self) -> faults::Rates {
        let rates = self.rates;
        // A word that comes late is time that the team has used.
        let has_time = self.rules.team_timeout_ms.is_none();
        faults::Rates {
            crash: rates.crash,
            crash_gap_ms: rates.crash_gap_ms,
            computer: rates.computer,
            lost: if self.is_repeatable { 0 } else { 300 },
            late: if has_time { rates.message } else { 0 },
            doubled: rates.message,
        }
    }

    /// The same story without the crashes of kumite.
    pub fn undisturbed(&self) -> DrawnContest {
        let mut drawn = self.clone();
        drawn.rates.crash = 0;
        drawn.rates.crash_gap_ms = 0;
        drawn
    }
}

fn teams(rng: &mut Rng) -> Vec<Option<u32>> {
    let sizes = [
        (3, 1),
        (4, 2),
        (4, 3),
        (3, 4),
        (2, 5),
        (1, 6),
        (1, 7),
        (1, 8),
    ];
    let count: u32 = rng.weighed(&sizes);
    let retries = |_| rng.pick(&[None, None, Some(0), Some(2), Some(9)]);
    (0..count).map(retries).collect()
}

fn rules(rng: &mut Rng) -> Rules {
    let rounds_max = rng.weighed(&[(3, 1), (4, 2), (4, 3), (2, 5), (1, 7), (1, 10)]);
    let limit = |rng: &mut Rng, per_mille| {
        let steps_max = rng.pick(&[50, 300, 1_000]);
        let limit_ms = 100 * rng.between(0, steps_max);
        rng.chance(per_mille).then_some(limit_ms)
    };
    Rules {
        rounds_min: rng.between(1, rounds_max) as u32,
        rounds_max: rounds_max as u32,
        judge_on_final_round: rng.chance(700),
        teams_max: rng.pick(&[None, None, Some(1), Some(2), Some(3)]),
        submission_timeout_ms: rng.pick(&[1_000, 3_000, 20_000]),
        judgment_timeout_ms: rng.pick(&[1_000, 5_000]),
        team_timeout_ms: limit(rng, 250),
        contest_timeout_ms: limit(rng, 200),
        submission_retries: rng.between(0, 3) as u32,
        judge_retries: rng.between(0, 3) as u32,
        metrics: metrics(rng),
        budget_micros: rng.chance(250).then(|| rng.below(20_000)),
        day_micros: rng.chance(100).then(|| rng.below(20_000)),
        limit: LimitRules {
            wait: rng.chance(900),
            min_ms: 500,
            max_ms: 30_000,
            jitter_ms: 300,
        },
    }
}

fn metrics(rng: &mut Rng) -> Vec<Metric> {
    let count = rng.weighed(&[(4, 1), (3, 2), (2, 3), (1, 5)]);
    let metric = |index| Metric {
        name: format!("metric {index}"),
        // The first metric always has a weight.
        weight: rng
            .pick(&[1, 1, 3, 333_333, 1_000_000, 0])
            .max(u32::from(index == 0)),
        is_program: rng.chance(400),
        timeout_ms: rng.pick(&[500, 2_000, 10_000]),
        retries: rng.between(0, 3) as u32,
    };
    (0..count).map(metric).collect()
}

/// How often things go wrong, in a thousand chances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    crash: u32,
    crash_gap_ms: u64,
    computer: u32,
    pub team: u32,
    pub evaluator: u32,
    pub judge: u32,
    pub save: u32,
    pub message: u32,
    /// Mean times until the database is down and until the clock jumps; 0 means never.
    pub outage_gap_ms: u64,
    pub jump_gap_ms: u64,
}

impl Rates {
    fn draw(rng: &mut Rng) -> Rates {
        Rates {
            crash: rng.pick(&[0, 0, 2, 5, 20]),
            crash_gap_ms: rng.pick(&[0, 3_000, 10_000, 40_000]),
            computer: rng.pick(&[0, 0, 200, 500]),
            team: rng.pick(&[0, 0, 30, 100, 400]),
            evaluator: rng.pick(&[0, 0, 30, 150, 500]),
            judge: rng.pick(&[0, 100, 400, 800]),
            save: rng.pick(&[0, 0, 100, 400]),
            message: rng.pick(&[0, 50, 300]),
            outage_gap_ms: rng.pick(&[0, 0, 10_000, 60_000]),
            jump_gap_ms: rng.pick(&[0, 0, 0, 20_000]),
        }
    }
}
