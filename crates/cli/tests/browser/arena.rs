//! A small repository with a failing test, and a contest of two agents about it.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::world::{World, fake_agent};

/// Adds two numbers, wrongly.
const CALC: &str = "#!/bin/sh\necho $(( $1 - $2 ))\n";
const TEST: &str = "#!/bin/sh\n[ \"$(sh calc.sh 2 3)\" = 5 ] && [ \"$(sh calc.sh 4 4)\" = 8 ]\n";
/// Runs the tests where the team worked.
const SCORE: &str = "#!/bin/sh\nif sh test.sh; then echo '{\"score\": 100, \"remarks\": \"All tests are green.\"}'\n\
    else echo '{\"score\": 20, \"remarks\": \"The tests fail.\"}'; fi\n";

/// Repairs the program, once the hold is gone.
const MENDS: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
while [ -e "$KUMITE_PROJECT/hold" ]; do sleep 0.02; done
sed -i 's/ - / + /' calc.sh
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.25,"usage":{"input_tokens":3000,"output_tokens":400},"result":"It adds now."}'
"#;

/// Is busy, but repairs nothing.
const NOTES: &str = r#"#!/bin/sh
echo '{"type":"system","subtype":"init","session_id":"s-2"}'
while [ -e "$KUMITE_PROJECT/hold" ]; do sleep 0.02; done
echo 'It subtracts.' >> notes.txt
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-2","total_cost_usd":0.1,"usage":{"input_tokens":2000,"output_tokens":300},"result":"I wrote it down."}'
"#;

/// The file that keeps the teams from finishing.
pub const HOLD: &str = "hold";

/// Writes the repository and `contest.toml` into a world. `settings` are added to all agents.
pub fn arena(world: &World, settings: &str) {
    for (name, content) in [
        ("calc.sh", CALC),
        ("test.sh", TEST),
        ("score.sh", SCORE),
        ("fakes/mends", MENDS),
        ("fakes/notes", NOTES),
    ] {
        world.write(name, content);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(world.path(name), executable).unwrap();
    }
    let agent = fake_agent().display().to_string();
    world.write(
        ".kiro/kumite.toml",
        &format!(
            "{settings}\n[agents.claude]\nprogram = {agent:?}\n\
             [agents.careful]\nkind = \"claude\"\nprogram = \"./fakes/mends\"\n\
             [agents.hasty]\nkind = \"claude\"\nprogram = \"./fakes/notes\"\n"
        ),
    );
    world.write(".gitignore", ".kiro\nstate\nhold\n*.jsonl\nplay.json\n");
    world.write(
        "contest.toml",
        "task = \"Make the tests pass.\"\n[contest]\nrounds_min = 1\nrounds_max = 2\n\
         [[team]]\nid = \"hasty\"\nname = \"Hasty\"\nagent = \"hasty\"\nsubmission = \"diff\"\n\
         [[team]]\nid = \"careful\"\nname = \"Careful\"\nagent = \"careful\"\nsubmission = \"diff\"\n\
         [[metric]]\nname = \"tests\"\ncommand = [\"./score.sh\"]\n",
    );
    git(world, &["init", "--quiet", "-b", "main"]);
    git(world, &["add", "."]);
    git(world, &["commit", "--quiet", "-m", "It subtracts"]);
}

fn git(world: &World, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
        .args(args)
        .current_dir(world.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(status.unwrap().success(), "git {args:?}");
}

/// `kumite contest board --json` of the newest contest.
pub fn board(world: &World) -> Value {
    let out = world.kumite(&["contest", "board", "--json"]);
    out.assert_code(0);
    serde_json::from_str(&out.stdout).unwrap()
}
