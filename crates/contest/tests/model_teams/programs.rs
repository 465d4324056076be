//! Members that are programs.

use kumite_fake_model::Act;
use kumite_formats::contest::{Command, Member, MemberKind, Plugin, Price};
use serde_json::{Value, json};

use crate::stage::{Stage, call, member, say, team};

fn shell(name: &str, script: &str) -> Member {
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    command(name, argv, 60_000)
}

fn command(name: &str, argv: Vec<String>, timeout_ms: u64) -> Member {
    member(name, MemberKind::Command(Command { argv, timeout_ms }))
}

/// The record of the only call.
fn record(helper: Member, task: &str) -> Value {
    let stage = Stage::new(&[("go", vec![call(&helper.name, task), say("done")])]);
    let handed = stage.submit(&team(vec![helper]), "go").unwrap();
    assert_eq!(handed.text, "done");
    handed.members[0].clone()
}

#[test]
fn a_command_gets_the_task_and_knows_for_whom_it_works() {
    let script =
        r#"cat; echo " for $KUMITE_CONTEST $KUMITE_TEAM $KUMITE_ROUND $KUMITE_MEMBER"; pwd"#;
    let stage = Stage::new(&[("go", vec![call("tool", "count to 3\n"), say("done")])]);
    let handed = stage
        .submit(&team(vec![shell("tool", script)]), "go")
        .unwrap();
    let place = stage.dir.path().canonicalize().unwrap();
    let content = format!(
        "count to 3\n for contest-1 blue 1 tool\n{}",
        place.display()
    );
    let record = &handed.members[0];
    assert_eq!(record["content"], content.as_str());
    assert_eq!(
        (&record["status"], &record["agent_type"]),
        (&json!("SUCCESS"), &json!("command"))
    );
    assert_eq!(record["all_messages"], Value::Null);
    assert_eq!(record["usage"]["requests"], 0);
}

#[test]
fn a_command_that_fails_says_why() {
    let long = "echo tail >&2; exit 3";
    let missing = vec!["no-such-program-anywhere".to_owned()];
    let sleeping = ["sleep", "600"].map(str::to_owned).to_vec();
    let flood = "yes | head -c 2000000";
    for (helper, words) in [
        (shell("tool", long), "failed (exit status: 3): tail"),
        (shell("tool", "kill -9 $$"), "signal: 9"),
        (shell("tool", "true"), "said nothing"),
        (shell("tool", flood), "more than 1 MB"),
        (
            command("tool", missing, 60_000),
            "cannot start no-such-program-anywhere",
        ),
        (command("tool", sleeping, 100), "did not end within 0.1 s"),
    ] {
        let record = record(helper, "x");
        assert_eq!(record["status"], "ERROR");
        let why = record["error_message"].as_str().unwrap();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn members_work_at_the_same_time() {
    // Each of them waits for the other.
    let wait = |own: &str, other: &str| {
        format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo {own}")
    };
    let stage = Stage::new(&[(
        "go",
        vec![Act::All(vec![call("a", "x"), call("b", "x")]), say("done")],
    )]);
    let members = vec![
        shell("a", &wait("one", "two")),
        shell("b", &wait("two", "one")),
    ];
    let handed = stage.submit(&team(members), "go").unwrap();
    assert_eq!(handed.members[0]["content"], "one");
    assert_eq!(handed.members[1]["content"], "two");
}

#[test]
fn no_more_members_work_at_once_than_allowed() {
    let script = "echo begin >> log; sleep 0.05; echo end >> log; echo ok";
    let calls = (0..4)
        .map(|number| call("a", &number.to_string()))
        .collect();
    let stage = Stage::new(&[("go", vec![Act::All(calls), say("done")])]);
    let mut one = team(vec![shell("a", script)]);
    one.max_concurrent_members = 1;
    stage.submit(&one, "go").unwrap();
    assert_eq!(stage.read("log"), "begin\nend\n".repeat(4));
}

const MEMBERS: &str = r#"
import os

print("noise while it is imported")

class Result:
    def __init__(self, **fields):
        self.__dict__.update(fields)

class Echo:
    def __init__(self, config):
        self.config = config

    async def initialize(self):
        self.greeting = self.config.metadata["tool_settings"]["echo"]["greeting"]

    async def execute(self, task, context=None, **kwargs):
        print("noise")
        os.system("echo noise of a program")
        words = [self.greeting, self.config.name, self.config.model, task, str(context["round_number"])]
        usage = {"input_tokens": 1000, "output_tokens": 10}
        return Result(status="success", content=" ".join(words), error_message=None, usage_info=usage)

class Warns:
    def __init__(self, config):
        pass

    def execute(self, task, context):
        return {"status": "warning", "content": "half of it", "warning_message": "ran out of luck"}

class Fails:
    def __init__(self, config):
        pass

    async def execute(self, task, context):
        return Result(status="error", content="", error_message="no luck", usage_info=None)

class Raises:
    def __init__(self, config):
        raise KeyError("greeting")

class Exits:
    def __init__(self, config):
        os._exit(7)
"#;

fn plugin(class: &str, module: Option<&str>, path: Option<&str>) -> Member {
    let settings = json!({"echo": {"greeting": "héllo"}});
    let mut helper = member(
        "python",
        MemberKind::Plugin(Plugin {
            module: module.map(str::to_owned),
            path: path.map(str::to_owned),
            class: class.to_owned(),
            tool_settings: settings.as_object().unwrap().clone(),
        }),
    );
    helper.llm.model = "any:model".to_owned();
    helper
}

fn with_plugin(helper: Member) -> (Value, u64) {
    let mut stage = Stage::new(&[("go", vec![call("python", "täsk"), say("done")])]);
    stage.write("fruit.py", MEMBERS);
    let price = Price {
        input: 1.0,
        output: 5.0,
    };
    stage.prices.insert("any:model".to_owned(), price);
    let handed = stage.submit(&team(vec![helper]), "go").unwrap();
    (handed.members[0].clone(), handed.used.micros)
}

#[test]
fn a_python_class_of_mixseeks_form_is_a_member() {
    for helper in [
        plugin("Echo", None, Some("fruit.py")),
        plugin("Echo", Some("fruit"), None),
        plugin("Echo", Some("there.is.none"), Some("fruit.py")),
    ] {
        let (record, micros) = with_plugin(helper);
        assert_eq!(
            record["content"], "héllo python any:model täsk 1",
            "{record}"
        );
        assert_eq!(
            (&record["status"], &record["agent_type"]),
            (&json!("SUCCESS"), &json!("custom"))
        );
        assert_eq!(record["usage"]["input_tokens"], 1000);
        assert_eq!(micros, 1050);
    }
}

#[test]
fn a_python_class_that_fails_says_why() {
    for (class, path, status, words) in [
        ("Warns", "fruit.py", "WARNING", "ran out of luck"),
        ("Fails", "fruit.py", "ERROR", "no luck"),
        ("Raises", "fruit.py", "ERROR", "KeyError: 'greeting'"),
        ("Nowhere", "fruit.py", "ERROR", "Nowhere"),
        ("Echo", "none.py", "ERROR", "none.py"),
        ("Exits", "fruit.py", "ERROR", "exit status: 7"),
    ] {
        let (record, _) = with_plugin(plugin(class, None, Some(path)));
        assert_eq!(record["status"], status, "{record}");
        let why = record["error_message"].as_str().unwrap();
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn where_mixseek_is_installed_a_class_gets_its_own_kind_of_configuration() {
    let stage = Stage::new(&[("go", vec![call("python", "x"), say("done")])]);
    std::fs::create_dir_all(stage.dir.path().join("mixseek/models")).unwrap();
    let own = "
class MemberAgentConfig:
    model_fields = {'name': None, 'metadata': None}

    @classmethod
    def model_validate(cls, values):
        assert set(values) == set(cls.model_fields), values
        made = cls()
        made.words = 'validated for ' + values['name']
        return made
";
    stage.write("mixseek/models/member_agent.py", own);
    let class = "
class Told:
    def __init__(self, config):
        self.words = config.words

    async def execute(self, task, context=None):
        return self.words
";
    stage.write("told.py", class);
    let helper = plugin("Told", None, Some("told.py"));
    let handed = stage.submit(&team(vec![helper]), "go").unwrap();
    let record = &handed.members[0];
    assert_eq!(record["content"], "validated for python", "{record}");
}
