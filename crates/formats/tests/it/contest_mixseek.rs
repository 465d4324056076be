//! mixseek's files: what is accepted, and what it turns into.

use std::time::Duration;

use kumite_formats::contest::{
    Judge, Leader, Llm, Member, MemberKind, MetricKind, ModelTeam, Plan, Rubric, TeamKind,
};
use serde_json::json;

use crate::contest::{TEAM, World, evaluator, mixseek, orchestrator, team};

pub fn model_team(plan: &Plan) -> &ModelTeam {
    match &plan.teams[0].kind {
        TeamKind::Model(team) => team,
        other => panic!("{other:?}"),
    }
}

pub fn leader(world: &World) -> Leader {
    model_team(&world.plan("o.toml")).leader.clone()
}

fn member(world: &World) -> Member {
    model_team(&world.plan("o.toml")).members[0].clone()
}

pub fn judge(world: &World) -> (Option<String>, Llm) {
    match world.plan("o.toml").judge {
        Judge::Llm {
            system_instruction,
            llm,
        } => (system_instruction, *llm),
        Judge::Rules => panic!("mixseek's judge is a model"),
    }
}

pub fn metric_llm(plan: &Plan, index: usize) -> Llm {
    match &plan.evaluator.metrics[index].kind {
        MetricKind::Llm { llm, .. } => llm.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn d10_what_is_not_given_is_as_the_requirements_say() {
    let plan = mixseek().plan("o.toml");
    assert_eq!((plan.rounds_min, plan.rounds_max), (2, 5));
    assert_eq!(plan.submission_timeout_ms, 300_000);
    assert_eq!(plan.judgment_timeout_ms, 60_000);
    assert_eq!(plan.team_timeout_ms, Some(300_000));
    assert_eq!(
        (plan.teams_max, plan.contest_timeout_ms, plan.budget_usd),
        (None, None, None)
    );
    assert_eq!(plan.submission_retries, 3);
    assert!(plan.judge_on_final_round);
    assert_eq!(plan.task, "the task");
    assert_eq!(
        (plan.teams[0].id.as_str(), plan.teams[0].name.as_str()),
        ("a", "Team A")
    );
    let leader = &model_team(&plan).leader;
    assert_eq!(leader.llm.model, "google-gla:gemini-2.5-flash-lite");
    assert_eq!(
        (leader.llm.timeout_ms, leader.llm.max_retries),
        (300_000, 3)
    );
    assert_eq!(
        (leader.system_instruction.clone(), leader.llm.temperature),
        (None, None)
    );
    assert_eq!(model_team(&plan).max_concurrent_members, 15);
}

#[test]
fn keys_that_mixseek_never_reads_have_their_effect() {
    let plan = orchestrator(
        "max_rounds = 4\nmin_rounds = 1\nsubmission_timeout_seconds = 7\n\
         judgment_timeout_seconds = 9\nmax_concurrent_teams = 3\nmax_retries_per_team = 0\n\
         timeout_per_team_seconds = 11\nenvironment = \"prod\"",
    )
    .plan("o.toml");
    assert_eq!((plan.rounds_min, plan.rounds_max), (1, 4));
    assert_eq!(plan.submission_timeout_ms, 7_000);
    assert_eq!(plan.judgment_timeout_ms, 9_000);
    assert_eq!((plan.teams_max, plan.submission_retries), (Some(3), 0));
    assert_eq!(plan.team_timeout_ms, Some(11_000));
}

#[test]
fn numbers_are_read_as_generously_as_mixseek_does() {
    let plan = orchestrator("max_rounds = \"3\"\njudgment_timeout_seconds = 60.0").plan("o.toml");
    assert_eq!((plan.rounds_max, plan.judgment_timeout_ms), (3, 60_000));
}

#[test]
fn the_timeout_of_the_command_line_wins() {
    let mut world = orchestrator("timeout_per_team_seconds = 11");
    world.timeout = Some(Duration::from_millis(1_500));
    assert_eq!(world.plan("o.toml").team_timeout_ms, Some(1_500));
}

#[test]
fn of_two_timeouts_for_a_judgment_the_smaller_one_holds() {
    for (contest, file, expected) in [
        ("", "", 60_000),
        ("judgment_timeout_seconds = 90", "", 90_000),
        ("", "timeout_seconds = 90", 90_000),
        (
            "judgment_timeout_seconds = 5",
            "timeout_seconds = 90",
            5_000,
        ),
        (
            "judgment_timeout_seconds = 90",
            "timeout_seconds = 5",
            5_000,
        ),
    ] {
        let plan = orchestrator(contest)
            .file("configs/judgment.toml", file)
            .plan("o.toml");
        assert_eq!(plan.judgment_timeout_ms, expected, "{contest} {file}");
    }
}

#[test]
fn a_leader_has_all_that_is_said_of_it() {
    let found = leader(&team(
        "[team.leader]\nmodel = \"openai:x\"\nsystem_instruction = \"lead\"\nsystem_prompt = \"p\"\n\
         temperature = 0.5\nmax_tokens = 100\ntimeout_seconds = 20\nmax_retries = 0\n\
         stop_sequences = [\"END\"]\ntop_p = 0.9\nseed = 7\n\
         model_settings = { presence_penalty = 1.5 }\ngoogle_model_settings = { a = [true] }\n",
    ));
    let extra = json!({"presence_penalty": 1.5, "a": [true]});
    let llm = Llm {
        model: "openai:x".to_owned(),
        base_url: None,
        temperature: Some(0.5),
        max_tokens: Some(100),
        top_p: Some(0.9),
        seed: Some(7),
        stop_sequences: vec!["END".to_owned()],
        timeout_ms: 20_000,
        max_retries: 0,
        extra: extra.as_object().unwrap().clone(),
    };
    assert_eq!(
        found,
        Leader {
            system_instruction: Some("lead".to_owned()),
            system_prompt: Some("p".to_owned()),
            llm
        }
    );
}

#[test]
fn a_blank_instruction_means_none_and_is_warned_of() {
    let blank = team("[team.leader]\nsystem_instruction = \"  \"\n");
    assert_eq!(leader(&blank).system_instruction.as_deref(), Some(""));
    assert_eq!(
        blank.warned("o.toml"),
        "a.toml:5: `team.leader.system_instruction` is blank, so there is none"
    );
    let empty = team("[team.leader]\nsystem_instruction = \"\"\n");
    assert_eq!(leader(&empty).system_instruction.as_deref(), Some(""));
    assert_eq!(empty.warned("o.toml"), "");
}

pub const MEMBER: &str =
    "[[team.members]]\nname = \"m.1\"\ntype = \"plain\"\nmodel = \"openai:x\"\n";

#[test]
fn a_member_has_names_of_its_own_where_none_are_given() {
    let found = member(&team(MEMBER));
    assert_eq!(found.tool_name, "delegate_to_m_1");
    assert_eq!(found.tool_description, "Delegate task to m.1");
    assert_eq!((found.kind, found.llm.max_retries), (MemberKind::Plain, 3));
    let other = MEMBER
        .replace("name =", "agent_name =")
        .replace("type =", "agent_type =");
    let found = member(&team(&format!(
        "{other}description = \"d\"\ntool_name = \"t\"\n"
    )));
    assert_eq!(
        (found.tool_name.as_str(), found.tool_description.as_str()),
        ("t", "d")
    );
}

#[test]
fn a_member_may_live_in_a_file_of_its_own() {
    let world = team(
        "[[team.members]]\nconfig = \"agents/m.toml\"\ntool_name = \"t\"\nmodel = \"openai:no\"\n",
    )
    .file(
        "agents/m.toml",
        "[agent]\nname = \"m\"\ntype = \"plain\"\nmodel = \"openai:x\"\ntool_description = \"d\"\n\
         [agent.system_instruction]\ntext = \"be good\"\n",
    );
    let found = member(&world);
    assert_eq!((found.name.as_str(), found.tool_name.as_str()), ("m", "t"));
    assert_eq!(
        (found.llm.model.as_str(), found.tool_description.as_str()),
        ("openai:x", "d")
    );
    assert_eq!(found.system_instruction.as_deref(), Some("be good"));
    assert_eq!(
        world.warned("o.toml"),
        "a.toml:7: `team.members.model` has no effect beside `config`: the agent's file counts"
    );
    let files = world.load("o.toml").unwrap().files;
    assert!(
        files.contains(&"/work/project/agents/m.toml".into()),
        "{files:?}"
    );
}

#[test]
fn tools_of_members_are_set_up() {
    let of = |kind: &str, settings: &str| {
        let text = MEMBER.replace("plain", kind).replace("openai", "anthropic");
        team(&format!("{text}{settings}"))
    };
    let search = of(
        "web_search",
        "[team.members.tool_settings.web_search]\nmax_results = 15\ntimeout = 60\n\
         include_raw_content = true\n",
    );
    let max_results = Some(15);
    assert_eq!(member(&search).kind, MemberKind::WebSearch { max_results });
    assert_eq!(
        search.warned("o.toml"),
        "a.toml:10: `team.members.tool_settings.web_search.timeout` has no effect: \
         the provider searches by itself\n\
         a.toml:11: `team.members.tool_settings.web_search.include_raw_content` has no effect: \
         the provider searches by itself"
    );
    let fetch = of(
        "web_fetch",
        "tool_settings = { web_fetch = { max_uses = 2, allowed_domains = [\"a.org\"] } }\n",
    );
    assert_eq!(
        member(&fetch).kind,
        MemberKind::WebFetch {
            max_uses: Some(2),
            allowed_domains: vec!["a.org".to_owned()],
            blocked_domains: vec![],
        }
    );
    let code = of(
        "code_execution",
        "[team.members.tool_settings.code_execution]\nexpected_available_modules = [\"numpy\"]\n\
         expected_min_timeout_seconds = 300\n",
    );
    assert_eq!(member(&code).kind, MemberKind::CodeExecution);
    // kumite fetches pages itself, so any model can read them.
    let fetch = team(&MEMBER.replace("plain", "web_fetch"));
    assert!(matches!(member(&fetch).kind, MemberKind::WebFetch { .. }));
}

#[test]
fn a_custom_member_is_a_plugin_with_its_own_settings() {
    let text = "[[team.members]]\nname = \"c\"\ntype = \"custom\"\nmodel = \"mine:x\"\n\
        plugin = { agent_module = \"m\", path = \"p.py\", agent_class = \"C\" }\n\
        [team.members.metadata]\nversion = \"1\"\n\
        [team.members.metadata.tool_settings.api]\nurl = \"u\"\n";
    let MemberKind::Plugin(plugin) = member(&team(text)).kind else {
        panic!("no plugin");
    };
    assert_eq!(
        (plugin.module.as_deref(), plugin.path.as_deref()),
        (Some("m"), Some("p.py"))
    );
    assert_eq!(plugin.class, "C");
    assert_eq!(json!(plugin.tool_settings), json!({"api": {"url": "u"}}));
}

#[test]
fn a_metric_has_its_own_words_or_the_defaults() {
    let plan = evaluator(
        "default_model = \"openai:top\"\ntemperature = 0.3\nmax_retries = 7\n\
         [llm_default]\nmodel = \"openai:default\"\ntop_p = 0.5\nmax_retries = 0\n\
         [[metrics]]\nname = \" Relevance \"\nweight = 0.25\n\
         [[metrics]]\nname = \"LLMPlain\"\nweight = 0.75\nsystem_instruction = \"novelty\"\n\
         model = \"openai:own\"\ntimeout_seconds = 5\nmax_retries = 2\nseed = 3\n",
    )
    .plan("o.toml");
    let [one, two] = plan.evaluator.metrics.as_slice() else {
        panic!("two metrics");
    };
    assert_eq!(
        (one.name.as_str(), one.weight, two.weight),
        ("Relevance", 250_000, 750_000)
    );
    let llm = metric_llm(&plan, 0);
    assert_eq!(
        (llm.model.as_str(), llm.temperature, llm.top_p),
        ("openai:default", Some(0.3), Some(0.5))
    );
    assert_eq!((llm.max_retries, llm.timeout_ms), (0, 300_000));
    let llm = metric_llm(&plan, 1);
    assert_eq!(
        (llm.model.as_str(), llm.max_retries, llm.timeout_ms),
        ("openai:own", 2, 5_000)
    );
    let MetricKind::Llm {
        rubric,
        system_instruction,
        ..
    } = &two.kind
    else {
        panic!("a model");
    };
    assert_eq!(
        (*rubric, system_instruction.as_deref()),
        (Rubric::Plain, Some("novelty"))
    );
}

#[test]
fn weights_that_nobody_gives_are_equal_and_add_up() {
    let metric = |name: &str| format!("[[metrics]]\nname = \"{name}\"\n");
    let text = ["Coverage", "Relevance", "ClarityCoherence"]
        .map(metric)
        .concat();
    let plan = evaluator(&text).plan("o.toml");
    let weights: Vec<u32> = plan
        .evaluator
        .metrics
        .iter()
        .map(|one| one.weight)
        .collect();
    assert_eq!(weights, [333_334, 333_333, 333_333]);
}

#[test]
fn a_python_metric_is_a_plugin_and_needs_no_model() {
    let plan = evaluator(
        "[[metrics]]\nname = \"Sharpe\"\ntimeout_seconds = 9\nmax_retries = 0\n\
         [custom_metrics]\nSharpe = { module = \"quant.metrics\", class = \"Sharpe\" }\n",
    )
    .plan("o.toml");
    let MetricKind::Plugin {
        plugin,
        timeout_ms,
        max_retries,
    } = &plan.evaluator.metrics[0].kind
    else {
        panic!("a plugin");
    };
    assert_eq!(
        (plugin.module.as_deref(), plugin.class.as_str()),
        (Some("quant.metrics"), "Sharpe")
    );
    assert_eq!((*timeout_ms, *max_retries), (9_000, 0));
}

#[test]
fn without_files_the_evaluator_and_the_judge_are_mixseeks_own() {
    let world = World::new()
        .file("o.toml", crate::contest::ORCHESTRATOR)
        .file("a.toml", TEAM);
    let plan = world.plan("o.toml");
    let weights: Vec<u32> = plan
        .evaluator
        .metrics
        .iter()
        .map(|one| one.weight)
        .collect();
    assert_eq!(weights, [334_000, 333_000, 333_000]);
    assert_eq!(metric_llm(&plan, 0).model, "google-gla:gemini-2.5-flash");
    assert_eq!(judge(&world).1.model, "google-gla:gemini-2.5-flash");
    assert_eq!(
        world.warned("o.toml"),
        "o.toml:1: there is no judge: configs/judgment.toml is not there, so its defaults are used; \
         the model is google-gla:gemini-2.5-flash\n\
         o.toml:1: there is no evaluator: configs/evaluator.toml is not there, so its defaults are \
         used; the metrics are ClarityCoherence, Coverage and Relevance, by \
         google-gla:gemini-2.5-flash"
    );
}
