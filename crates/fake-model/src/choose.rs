//! Selects the act that answers a request: applies the rules to the conversation in the request.

use std::collections::HashMap;

use crate::conversation::{Conversation, Item};
use crate::script::{Act, Rule, Script};

/// The selected act.
#[derive(Debug, PartialEq)]
pub(crate) struct Chosen {
    pub rule: usize,
    pub act: usize,
}

/// How often each act with `times` has answered, by rule and act.
pub(crate) type Used = HashMap<(usize, usize), u32>;

/// Finds the act for `talk`. None means that everything is done.
///
/// Only messages after the model's last final answer count. Among them, the newest text that
/// matches a named rule decides, and the number of the model's turns since then tells how far that
/// rule has got. So a new prompt overrides older ones, while "go on" after a usage limit continues
/// the work that the limit interrupted.
pub(crate) fn choose(script: &Script, used: &Used, talk: &Conversation) -> Option<Chosen> {
    let items = talk.open_items();
    let (rule, since) = rule_for(script, talk, items)?;
    let turns = items[since..].iter().filter(|item| item.is_turn()).count();
    let spent = |(act, this): &(usize, &Act)| {
        let used = used.get(&(rule, *act)).copied().unwrap_or(0);
        this.times().is_some_and(|times| used >= times)
    };
    let acts = script.rules[rule].acts.iter().enumerate();
    let (act, _) = acts.filter(|act| !spent(act)).nth(turns)?;
    Some(Chosen { rule, act })
}

/// The rule, and the index in `items` where it begins.
fn rule_for(script: &Script, talk: &Conversation, items: &[Item]) -> Option<(usize, usize)> {
    let is_open = |rule: &Rule| rule.when.is_empty() && rule.beside.is_empty();
    let open = script.rules.iter().position(is_open);
    let named = &script.rules[..open.unwrap_or(script.rules.len())];
    for (at, item) in items.iter().enumerate().rev() {
        let Some(text) = item.prompt() else { continue };
        if let Some(rule) = named.iter().position(|rule| fits(rule, talk, text)) {
            return Some((rule, at));
        }
    }
    open.map(|rule| (rule, 0))
}

fn fits(rule: &Rule, talk: &Conversation, text: &str) -> bool {
    text.contains(&rule.when) && talk.beside.contains(&rule.beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(items: Vec<Item>) -> Conversation {
        Conversation {
            items,
            ..Conversation::default()
        }
    }

    fn user(text: &str) -> Item {
        Item::User(text.to_owned())
    }

    fn call() -> Item {
        Item::Model {
            text: String::new(),
            calls: true,
        }
    }

    fn said(text: &str) -> Item {
        Item::Model {
            text: text.to_owned(),
            calls: false,
        }
    }

    fn say(text: &str) -> Act {
        Act::Say {
            text: text.to_owned(),
        }
    }

    fn rule(when: &str, acts: Vec<Act>) -> Rule {
        Rule {
            when: when.to_owned(),
            acts,
            ..Rule::default()
        }
    }

    fn two_rules() -> Script {
        let rules = vec![
            rule("alpha", vec![say("a0"), say("a1")]),
            rule(
                "",
                vec![
                    say("x0"),
                    Act::Limit {
                        resets_in_s: None,
                        times: Some(1),
                    },
                    say("x2"),
                ],
            ),
        ];
        Script {
            rules,
            ..Script::default()
        }
    }

    fn check(items: Vec<Item>, used: &[((usize, usize), u32)], expected: Option<(usize, usize)>) {
        let used = used.iter().copied().collect();
        let expected = expected.map(|(rule, act)| Chosen { rule, act });
        assert_eq!(choose(&two_rules(), &used, &talk(items)), expected);
    }

    #[test]
    fn the_first_prompt_gets_the_first_act_of_the_rule_that_fits() {
        check(vec![user("do alpha")], &[], Some((0, 0)));
        check(vec![user("anything")], &[], Some((1, 0)));
    }

    #[test]
    fn each_turn_of_the_model_moves_on_to_the_next_act() {
        check(
            vec![user("alpha"), call(), Item::ToolResult],
            &[],
            Some((0, 1)),
        );
        check(
            vec![
                user("alpha"),
                call(),
                Item::ToolResult,
                call(),
                Item::ToolResult,
            ],
            &[],
            None,
        );
    }

    #[test]
    fn the_newest_prompt_wins_over_an_answered_one() {
        check(
            vec![user("alpha"), said("done"), user("beta")],
            &[],
            Some((1, 0)),
        );
        check(
            vec![user("beta"), said("done"), user("alpha")],
            &[],
            Some((0, 0)),
        );
    }

    #[test]
    fn the_newest_prompt_wins_over_an_unanswered_one_when_a_rule_names_it() {
        check(
            vec![user("beta"), call(), Item::ToolResult, user("alpha")],
            &[],
            Some((0, 0)),
        );
    }

    #[test]
    fn an_unnamed_prompt_goes_on_with_unfinished_work() {
        let items = vec![user("alpha"), call(), Item::ToolResult, user("go on")];
        check(items, &[], Some((0, 1)));
    }

    #[test]
    fn an_act_that_is_used_up_is_left_out() {
        let items = || vec![user("beta"), call(), Item::ToolResult];
        check(items(), &[], Some((1, 1)));
        check(items(), &[((1, 1), 1)], Some((1, 2)));
        let mut later = items();
        later.extend([call(), Item::ToolResult]);
        check(later, &[((1, 1), 1)], None);
    }

    #[test]
    fn texts_beside_the_prompt_name_no_rule() {
        for aside in [
            "<system-reminder>\nalpha\n</system-reminder>",
            "<environment_context>alpha</environment_context>",
            "<session_context>\nalpha\n</session_context>",
            "# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\nalpha\n</INSTRUCTIONS>",
        ] {
            check(vec![user(aside), user("beta")], &[], Some((1, 0)));
        }
    }

    #[test]
    fn an_answer_that_was_broken_off_is_no_turn() {
        let part = &crate::conversation::BROKEN_OFF[..20];
        check(
            vec![user("alpha"), said(part), user("go on")],
            &[],
            Some((0, 0)),
        );
    }

    #[test]
    fn rules_behind_an_open_rule_are_never_reached() {
        let rules = vec![
            rule("", vec![say("first")]),
            rule("alpha", vec![say("never")]),
        ];
        let script = Script {
            rules,
            ..Script::default()
        };
        let chosen = choose(&script, &Used::new(), &talk(vec![user("alpha")]));
        assert_eq!(chosen, Some(Chosen { rule: 0, act: 0 }));
    }

    #[test]
    fn a_rule_can_ask_for_what_stands_beside_the_prompt() {
        let beside = |beside: &str, text: &str| Rule {
            beside: beside.to_owned(),
            ..rule("", vec![say(text)])
        };
        let rules = vec![
            beside("should_continue", "judge"),
            beside("evaluator_comment", "evaluator"),
            rule("", vec![say("leader")]),
        ];
        let script = Script {
            rules,
            ..Script::default()
        };
        for (text, expected) in [
            ("You judge. [\"should_continue\"]", 0),
            ("evaluator_comment", 1),
            ("You lead.", 2),
        ] {
            let mut talk = talk(vec![user("go")]);
            talk.system(text);
            let chosen = choose(&script, &Used::new(), &talk).unwrap();
            assert_eq!(chosen.rule, expected, "{text}");
        }
    }

    #[test]
    fn without_a_rule_all_is_done() {
        let chosen = choose(&Script::default(), &Used::new(), &talk(vec![user("alpha")]));
        assert_eq!(chosen, None);
    }
}
