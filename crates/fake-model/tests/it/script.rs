//! Scripts as files.

use kumite_fake_model::{Act, Rule, Script, Usage};
use serde_json::json;

#[test]
fn a_script_is_read_from_json() {
    let text = json!({
        "usage": {"input": 1, "output": 2},
        "rules": [
            {"when": "x", "beside": "y", "acts": [
                {"say": {"text": "hi"}},
                {"all": [{"think": {"text": "hm"}}, {"run": {"command": "ls"}}]},
                {"limit": {"resets_in_s": -5, "times": 1}},
                {"hang_mid": {}},
            ]},
            {"acts": [{"tool": {"name": "Task", "input": {"a": 1}}}]},
            {"acts": [{"only": {"times": 2, "act": {"result": {"value": {"score": 1}}}}}]},
        ],
        "delay_ms": 5,
        "without_tools": true,
    });
    let think = Act::Think {
        text: "hm".to_owned(),
    };
    let run = Act::Run {
        command: "ls".to_owned(),
    };
    let expected = Script {
        usage: Usage {
            input: 1,
            output: 2,
        },
        rules: vec![
            Rule {
                when: "x".to_owned(),
                beside: "y".to_owned(),
                acts: vec![
                    Act::Say {
                        text: "hi".to_owned(),
                    },
                    Act::All(vec![think, run]),
                    Act::Limit {
                        resets_in_s: Some(-5),
                        times: Some(1),
                    },
                    Act::HangMid { times: None },
                ],
            },
            Rule {
                acts: vec![Act::Tool {
                    name: "Task".to_owned(),
                    input: json!({"a": 1}),
                }],
                ..Rule::default()
            },
            Rule {
                acts: vec![Act::Only {
                    times: 2,
                    act: Box::new(Act::Result {
                        value: json!({"score": 1}),
                    }),
                }],
                ..Rule::default()
            },
        ],
        delay_ms: 5,
        without_tools: true,
    };
    assert_eq!(Script::from_json(&text.to_string()).unwrap(), expected);
}

#[test]
fn a_wrong_script_is_refused_with_its_place() {
    for (text, place) in [
        ("", "line 1 column 0"),
        ("{}", "missing field `rules` at line 1 column 2"),
        ("{\"rules\":[],\n\"rule\":[]}", "unknown field `rule`"),
        (
            "{\"rules\":[\n{\"acts\":[{\"sya\":{}}]}]}",
            "line 2 column 15",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"say\":{\"txt\":\"\"}}]}]}",
            "unknown field `txt`",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"say\":{\"text\":\"\"}},{\"all\":[]}]}]}",
            "rules[0].acts[1]: `all` has no acts",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"all\":[{\"read\":{\"path\":\"\"}},{\"cut\":{}}]}]}]}",
            "rules[0].acts[0]: all[1]: only say",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"only\":{\"times\":1,\"act\":{\"all\":[]}}}]}]}",
            "rules[0].acts[0]: `all` has no acts",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"error\":{\"status\":200,\"message\":\"\"}}]}]}",
            "rules[0].acts[0]: `status` is 200",
        ),
        (
            "{\"rules\":[{\"acts\":[{\"huge\":{\"bytes\":9999999999}}]}]}",
            "rules[0].acts[0]: `bytes` is 9999999999",
        ),
    ] {
        let said = Script::from_json(text).unwrap_err().to_string();
        assert!(said.contains(place), "{text}: {said}");
    }
}
