//! What a contest costs besides its models: teams of a leader and a member, three metrics, a judge.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kumite_fake_model::{Act, Rule, Script, Server};
use kumite_models::{Ask, Cancel, Client, Model};
use serde_json::json;
use tempfile::TempDir;

use crate::Result;
use crate::scene::beside;
use crate::stats::{Samples, times};
use crate::table::{Part, goal};

const MEANING: &str = "\
Wall time of `kumite contest run` with mixseek's files and a model server on loopback that answers at once, or after
200 ms. Each round is two calls of the leader, one of its member and three metrics at once; the judge is asked in the
last round. The bare time is the same calls, one chain per team, by a client that does nothing else; with 200 ms it is
computed (4.2 s). Memory is the most that `kumite` and all that it started had together at
one moment (PSS, looked at every 5 ms), without the model server; most of it are pages of DuckDB's library. mixseek
itself took 9.4 to 14.5 s and 350 to 430 MB for 5 x 5 at once, 15.5 s with 200 ms (another machine of this size).";

/// The median of this many runs is shown.
const RUNS: usize = 5;

pub fn measure() -> Result<Part> {
    let instant = Arena::new(Duration::ZERO)?;
    let small = instant.play(5, 5, RUNS)?;
    let bare_small = instant.bare(5, 5)?;
    let middle = instant.play(10, 10, 3)?;
    let bare_middle = instant.bare(10, 10)?;
    let large = instant.play(50, 10, 3)?;
    let bare_large = instant.bare(50, 10)?;
    let slow = Arena::new(Duration::from_millis(200))?.play(5, 5, 1)?;
    let ideal = Duration::from_millis(4200);
    let per_round = |played: &Played, rounds: u32| played.wall / rounds;
    let growth = times(per_round(&large, 500), per_round(&middle, 100));
    let rows = vec![
        row(
            "5 teams x 5 rounds, at once",
            &small,
            bare_small,
            goal(
                "0.25 s, 60 MB",
                small.wall <= Duration::from_millis(250) && small.pss_kb <= 60_000,
            ),
        ),
        row(
            "5 teams x 5 rounds, 200 ms",
            &slow,
            ideal,
            goal("1.1x", times(slow.wall, ideal) <= 1.1),
        ),
        row(
            "10 teams x 10 rounds, at once",
            &middle,
            bare_middle,
            "-".to_owned(),
        ),
        row(
            "50 teams x 10 rounds, at once",
            &large,
            bare_large,
            goal(
                &format!("linear ({growth:.2}x the time of a round in 10 x 10)"),
                growth <= 1.1,
            ),
        ),
    ];
    Ok(Part {
        title: "Contests",
        meaning: MEANING.to_owned(),
        head: vec!["contest", "wall", "bare", "ratio", "memory", "rows", "goal"],
        rows,
    })
}

fn row(what: &str, played: &Played, bare: Duration, goal: String) -> Vec<String> {
    vec![
        what.to_owned(),
        seconds(played.wall),
        seconds(bare),
        format!("{:.2}", times(played.wall, bare)),
        format!("{:.1} MB", played.pss_kb as f64 / 1000.0),
        played.rows.clone(),
        goal,
    ]
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// What a contest took, and what it left.
struct Played {
    wall: Duration,
    pss_kb: u64,
    rows: String,
}

/// A model server, and contests against it.
struct Arena {
    server: Server,
}

impl Arena {
    fn new(delay: Duration) -> Result<Arena> {
        let rule = |beside: &str, acts: Vec<Act>| Rule {
            beside: beside.to_owned(),
            acts,
            ..Rule::default()
        };
        let say = |text: &str| Act::Say {
            text: text.to_owned(),
        };
        let text = "A fair answer of a few words. ".repeat(18);
        let task = json!({ "task": "look it up" });
        let measure = json!({ "score": 80.5, "evaluator_comment": "clear, and nearly complete" });
        let judgment = json!({
            "should_continue": true, "reasoning": "the scores rise", "confidence_score": 0.8,
        });
        let rules = vec![
            rule("should_continue", vec![Act::Result { value: judgment }]),
            rule("evaluator_comment", vec![Act::Result { value: measure }]),
            rule("You look things up.", vec![say("It is so.")]),
            rule(
                "",
                vec![
                    Act::Tool {
                        name: "delegate_to_helper".to_owned(),
                        input: task,
                    },
                    say(&text),
                ],
            ),
        ];
        let server = Server::start(Script {
            rules,
            delay_ms: u64::try_from(delay.as_millis())?,
            without_tools: true,
            ..Script::default()
        })?;
        Ok(Arena { server })
    }

    /// Plays it this many times, each time in a new workspace.
    fn play(&self, teams: u32, rounds: u32, runs: usize) -> Result<Played> {
        let mut all = Vec::new();
        for _ in 0..runs {
            all.push(self.play_once(teams, rounds)?);
        }
        let walls: Samples = all.iter().map(|played| played.wall).collect();
        let pss_kb = all.iter().map(|played| played.pss_kb).max().unwrap_or(0);
        Ok(Played {
            wall: walls.median(),
            pss_kb,
            rows: all.remove(0).rows,
        })
    }

    fn play_once(&self, teams: u32, rounds: u32) -> Result<Played> {
        let workspace = TempDir::new()?;
        write(workspace.path(), teams, rounds)?;
        let mut command = self.command(workspace.path())?;
        command.args(["contest", "run", "configs/orchestrator.toml", "--quiet"]);
        command.arg("Say how it is.");
        let began = Instant::now();
        let child = command.stdout(Stdio::null()).spawn()?;
        let (pss_kb, code) = watched(child)?;
        let wall = began.elapsed();
        if code != Some(0) {
            return Err(format!("the contest ended with {code:?}").into());
        }
        let rows = self.rows(workspace.path(), u64::from(teams) * u64::from(rounds))?;
        Ok(Played { wall, pss_kb, rows })
    }

    fn command(&self, workspace: &Path) -> Result<Command> {
        let mut command = Command::new(beside("kumite")?);
        command
            .current_dir(workspace)
            .env("MIXSEEK_WORKSPACE", workspace)
            .env("XDG_CONFIG_HOME", workspace.join("no-config"))
            .env("XDG_STATE_HOME", workspace.join("state"))
            .env("OPENAI_BASE_URL", format!("{}/v1", self.server.url()))
            .env("OPENAI_API_KEY", "sk-bench");
        Ok(command)
    }

    /// The number of rows, and whether it is correct.
    fn rows(&self, workspace: &Path, wanted: u64) -> Result<String> {
        let sql = "SELECT (SELECT count(*) FROM leader_board) AS board, \
                   (SELECT count(*) FROM round_status) AS status, \
                   (SELECT count(*) FROM round_history) AS history";
        let mut command = self.command(workspace)?;
        let output = command
            .args(["contest", "board", "--json", "--sql", sql])
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let rows: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| format!("the board answered {text:?}: {error}"))?;
        let row = rows.get(0).unwrap_or(&rows);
        let exact = ["board", "status", "history"]
            .iter()
            .all(|name| row[name].as_u64() == Some(wanted));
        match exact {
            true => Ok(format!("{wanted} x 3, exact")),
            false => Err(format!("{wanted} rows were wanted in each table: {row}").into()),
        }
    }

    /// The same calls and nothing else: one chain per team.
    fn bare(&self, teams: u32, rounds: u32) -> Result<Duration> {
        let url = format!("{}/v1", self.server.url());
        let env = |name: &str| match name {
            "OPENAI_BASE_URL" => Some(url.clone()),
            "OPENAI_API_KEY" => Some("sk-bench".to_owned()),
            _ => None,
        };
        let model = Model::find("openai:fake", None, &env)?;
        let client = Client::new();
        let cancel = Cancel::new();
        // Six calls per round, and the judge.
        let calls = rounds * 6 + 1;
        let began = Instant::now();
        thread::scope(|scope| {
            for _ in 0..teams {
                let (client, model, cancel) = (&client, &model, &cancel);
                scope.spawn(move || {
                    for _ in 0..calls {
                        let ask = Ask::new(model.clone(), "Say how it is.");
                        // A call that fails here would have failed in the contest too.
                        let _ = client.ask(&ask, cancel);
                    }
                });
            }
        });
        Ok(began.elapsed())
    }
}

fn write(workspace: &Path, teams: u32, rounds: u32) -> Result<()> {
    let configs = workspace.join("configs");
    fs::create_dir_all(&configs)?;
    let mut orchestrator = format!(
        "[orchestrator]\nmax_rounds = {rounds}\nmin_rounds = {rounds}\ntimeout_per_team_seconds = 600\n"
    );
    for team in 1..=teams {
        orchestrator.push_str(&format!(
            "[[orchestrator.teams]]\nconfig = \"configs/team-{team}.toml\"\n"
        ));
        let text = format!(
            "[team]\nteam_id = \"team-{team}\"\nteam_name = \"Team {team}\"\n\
             [team.leader]\nmodel = \"openai:fake\"\nsystem_instruction = \"You lead.\"\n\
             [[team.members]]\nname = \"helper\"\ntype = \"plain\"\nmodel = \"openai:fake\"\n\
             tool_description = \"Looks things up\"\nsystem_instruction = \"You look things up.\"\n"
        );
        fs::write(configs.join(format!("team-{team}.toml")), text)?;
    }
    fs::write(configs.join("orchestrator.toml"), orchestrator)?;
    let metrics = ["ClarityCoherence", "Coverage", "Relevance"];
    let metrics = metrics.map(|name| format!("[[metrics]]\nname = \"{name}\"\n"));
    let evaluator = format!(
        "[llm_default]\nmodel = \"openai:fake\"\n{}",
        metrics.concat()
    );
    fs::write(configs.join("evaluator.toml"), evaluator)?;
    fs::write(configs.join("judgment.toml"), "model = \"openai:fake\"\n")?;
    Ok(())
}

/// Waits for kumite, and measures its memory with that of its children: the peak of the sum.
fn watched(mut child: Child) -> Result<(u64, Option<i32>)> {
    let pid = child.id();
    let mut most = 0;
    loop {
        let children = format!("/proc/{pid}/task/{pid}/children");
        let children = fs::read_to_string(children).unwrap_or_default();
        let pids = children.split_whitespace().filter_map(|it| it.parse().ok());
        let now: u64 = pids.chain([pid]).filter_map(pss_kb).sum();
        most = most.max(now);
        if let Some(status) = child.try_wait()? {
            return Ok((most, status.code()));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn pss_kb(pid: u32) -> Option<u64> {
    let parts = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = parts.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
