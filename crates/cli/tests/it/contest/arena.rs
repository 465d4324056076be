//! A workspace with mixseek's files, a model server that follows a script, and kumite in it.

use std::fs;
use std::path::PathBuf;

use kumite_fake_model::{Options, Server};
use serde_json::Value;

use super::play::Play;
use crate::world::{Out, Running, World, lines, text};

pub const TASK: &str = "Write a haiku about rain.";
pub const FILE: &str = "configs/orchestrator.toml";

/// A workspace that is ready to play.
pub struct Arena {
    pub world: World,
    pub model: Server,
    teams: Vec<String>,
}

/// The content of a workspace's files: each text goes into one of them.
pub struct Files {
    teams: Vec<String>,
    rounds: Option<(u32, u32)>,
    orchestrator: String,
    leader: String,
    evaluator: String,
    metrics: String,
    judgment: String,
}

impl Files {
    pub fn of(teams: &[&str]) -> Files {
        Files {
            teams: teams.iter().map(|team| (*team).to_owned()).collect(),
            rounds: None,
            orchestrator: String::new(),
            leader: String::new(),
            evaluator: String::new(),
            metrics: "[[metrics]]\nname = \"Relevance\"\nweight = 1.0\n".to_owned(),
            judgment: String::new(),
        }
    }

    pub fn rounds(self, min: u32, max: u32) -> Files {
        let rounds = Some((min, max));
        Files { rounds, ..self }
    }

    /// Keys of `[orchestrator]`.
    pub fn orchestrator(self, keys: &str) -> Files {
        let orchestrator = keys.to_owned();
        Files {
            orchestrator,
            ..self
        }
    }

    /// Keys of every `[team.leader]`.
    pub fn leader(self, keys: &str) -> Files {
        let leader = keys.to_owned();
        Files { leader, ..self }
    }

    /// Leaders are asked again and again, so that a failing model delays them.
    pub fn patient(self) -> Files {
        self.orchestrator("max_retries_per_team = 10")
            .leader("max_retries = 10")
    }

    /// Keys of the evaluator's `[llm_default]`.
    pub fn evaluator(self, keys: &str) -> Files {
        let evaluator = keys.to_owned();
        Files { evaluator, ..self }
    }

    /// All `[[metrics]]`.
    pub fn metrics(self, tables: &str) -> Files {
        let metrics = tables.to_owned();
        Files { metrics, ..self }
    }

    /// Keys of the judge's file.
    pub fn judgment(self, keys: &str) -> Files {
        let judgment = keys.to_owned();
        Files { judgment, ..self }
    }

    /// Writes the files, and starts the model.
    pub fn play(self, play: Play) -> Arena {
        let world = World::new();
        self.write(&world, "");
        Arena::at(world, &self.teams, play)
    }

    /// Writes the files into a directory of the world.
    pub fn write(&self, world: &World, dir: &str) {
        let put = |name: &str, content: &str| world.write(&format!("{dir}configs/{name}"), content);
        let rounds = match self.rounds {
            Some((min, max)) => format!("min_rounds = {min}\nmax_rounds = {max}\n"),
            None => String::new(),
        };
        let mut orchestrator = format!(
            "[orchestrator]\n{rounds}evaluator_config = \"configs/evaluator.toml\"\n\
             judgment_config = \"configs/judgment.toml\"\n{}\n",
            self.orchestrator
        );
        for team in &self.teams {
            let file = format!("agents/{team}.toml");
            orchestrator += &format!("[[orchestrator.teams]]\nconfig = \"configs/{file}\"\n");
            put(
                &file,
                &format!(
                    "[team]\nteam_id = \"{team}\"\nteam_name = \"Team {team}\"\n\
                     [team.leader]\nmodel = \"openai:fake\"\n\
                     system_instruction = \"{}\"\n{}\n",
                    system_of(team),
                    self.leader
                ),
            );
        }
        put("orchestrator.toml", &orchestrator);
        put(
            "evaluator.toml",
            &format!(
                "[llm_default]\nmodel = \"openai:fake\"\n{}\n{}",
                self.evaluator, self.metrics
            ),
        );
        put(
            "judgment.toml",
            &format!("model = \"openai:fake\"\n{}\n", self.judgment),
        );
    }
}

/// The text that identifies a leader's team.
pub fn system_of(team: &str) -> String {
    format!("You are team {team}.")
}

impl Arena {
    /// A world whose files are already written.
    pub fn at(mut world: World, teams: &[String], play: Play) -> Arena {
        let log = Some(world.path("requests.jsonl"));
        let options = Options { log, port: 0 };
        let model = Server::start_with(play.script(teams), &options).unwrap();
        let root = world.root().display().to_string();
        world.env = vec![
            ("MIXSEEK_WORKSPACE".to_owned(), root),
            ("OPENAI_BASE_URL".to_owned(), format!("{}/v1", model.url())),
            ("OPENAI_API_KEY".to_owned(), "sk-test".to_owned()),
        ];
        Arena {
            world,
            model,
            teams: teams.to_vec(),
        }
    }

    pub fn teams(&self) -> &[String] {
        &self.teams
    }

    /// Lets the model follow another play from now on.
    pub fn replay(&self, play: Play) {
        self.model.set(play.script(&self.teams));
    }

    pub fn set_env(&mut self, name: &str, value: &str) {
        self.world.env.retain(|(known, _)| known != name);
        self.world.env.push((name.to_owned(), value.to_owned()));
    }

    /// `kumite contest run`, to its end.
    pub fn run(&self) -> Out {
        self.run_with(&["--json"])
    }

    pub fn run_with(&self, more: &[&str]) -> Out {
        self.start(more).wait()
    }

    pub fn start(&self, more: &[&str]) -> Running {
        let args = [&["contest", "run", FILE, TASK], more].concat();
        self.world.start(&args)
    }

    pub fn contest(&self, args: &[&str]) -> Out {
        self.world.kumite(&[&["contest"], args].concat())
    }

    pub fn resume(&self) -> Out {
        self.contest(&["resume", "--json"])
    }

    /// `kumite contest board --json`.
    pub fn board(&self) -> Value {
        let out = self.contest(&["board", "--json"]);
        assert_eq!(out.code, 0, "{out:?}");
        serde_json::from_str(&out.stdout).unwrap()
    }

    /// One team of the board.
    pub fn team(&self, id: &str) -> Value {
        let board = self.board();
        let teams = board["teams"].as_array().unwrap();
        let found = teams.iter().find(|team| team["team_id"] == id);
        found.unwrap_or_else(|| panic!("{board}")).clone()
    }

    /// Queries the database as people do.
    pub fn sql(&self, sql: &str) -> Vec<Value> {
        let out = self.contest(&["board", "--sql", sql, "--json"]);
        assert_eq!(out.code, 0, "{sql}: {out:?}");
        let lines = out.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// `columns` of a table, one line of words per row.
    pub fn rows(&self, columns: &str, from: &str) -> Vec<String> {
        let word = |value: &Value| match value.as_f64() {
            Some(number) => number.to_string(),
            None => text(value),
        };
        let line = |row: &Value| {
            let words = columns.split(", ").map(|column| word(&row[column]));
            words.collect::<Vec<_>>().join(" ")
        };
        let rows = self.sql(&format!("SELECT {columns} FROM {from}"));
        rows.iter().map(line).collect()
    }

    /// All rounds that have a score.
    pub fn leader_board(&self) -> Vec<String> {
        self.rows(
            "team_id, round_number, score, final_submission, exit_reason",
            "leader_board ORDER BY team_id, round_number",
        )
    }

    /// All rounds.
    pub fn round_status(&self) -> Vec<String> {
        self.rows(
            "team_id, round_number, should_continue",
            "round_status ORDER BY team_id, round_number",
        )
    }

    pub fn team_status(&self) -> Vec<String> {
        self.rows(
            "team_id, state, exit_reason",
            "team_status ORDER BY team_id",
        )
    }

    pub fn summary(&self) -> Vec<String> {
        self.rows("status, best_team_id, total_teams", "execution_summary")
    }

    /// The directories of all contests, oldest first.
    pub fn homes(&self) -> Vec<PathBuf> {
        let dir = self.world.path(".kiro/runtime/kumite/contests");
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let homes = entries.map(|entry| entry.path());
        // A directory without a plan is not a contest.
        let homes = homes.filter(|home| home.join("plan.json").exists());
        let mut homes: Vec<PathBuf> = homes.collect();
        homes.sort();
        homes
    }

    /// The journal of the newest contest; empty if there is none yet.
    pub fn journal(&self) -> Vec<Value> {
        let home = self.homes().pop();
        let text = home.and_then(|home| fs::read_to_string(home.join("journal.jsonl")).ok());
        let text = text.unwrap_or_default();
        // The last line may be incomplete.
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        // Empty lines are ignored.
        lines(&text[..end].replace("\n\n", "\n"))
    }

    /// How often something happened to a team in a round.
    pub fn happened(&self, event: &str, team: u32, round: u32) -> usize {
        let is_it =
            |it: &&Value| it["event"] == event && it["team"] == team && it["round"] == round;
        self.journal().iter().filter(is_it).count()
    }
}

/// How many processes have all of these words in their command line.
pub fn processes(words: &[&str]) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    all.filter_map(command)
        .map(|command| String::from_utf8_lossy(&command).into_owned())
        .filter(|command| words.iter().all(|word| command.contains(word)))
        .count()
}
