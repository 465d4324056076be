use super::*;

#[test]
fn a_long_history_keeps_the_newest_and_the_best_and_says_so() {
    let case = case(&[50, 90, 60, 70, 65]);
    let text = |round: u32| Some(format!("begin {round} {} end {round}", "x".repeat(1_500)));
    let prompt = templates_of(4_000)
        .judge("task", &case, &now(), &text)
        .unwrap();
    for round in [2, 5] {
        assert!(prompt.contains(&text(round).unwrap()), "round {round}");
    }
    for round in [1, 3, 4] {
        assert!(!prompt.contains(&text(round).unwrap()), "round {round}");
        assert!(
            prompt.contains(&format!("begin {round} x")),
            "round {round}"
        );
        assert!(prompt.contains(&format!("x end {round}")), "round {round}");
    }
    assert!(prompt.contains("Not all submissions are shown in full"));
    assert_eq!(prompt.matches("characters are left out here").count(), 3);
    // If not even these two fit, they share three quarters of it.
    let prompt = templates_of(2_000)
        .judge("task", &case, &now(), &text)
        .unwrap();
    assert_eq!(prompt.matches("characters are left out here").count(), 5);
    for round in [2, 5] {
        assert!(
            prompt.contains(&format!("begin {round} {}", "x".repeat(490))),
            "round {round}"
        );
    }
    let all = templates_of(100_000)
        .judge("task", &case, &now(), &text)
        .unwrap();
    assert!(!all.contains("left out") && !all.contains("Not all submissions"));
}

#[test]
fn a_submission_of_10_mb_does_not_blow_any_prompt() {
    let huge = "日x".repeat(5_000_000);
    let text = |_| Some(huge.clone());
    let case = case(&[50, 60, 70]);
    let prompt = templates_of(60_000)
        .judge("task", &case, &now(), &text)
        .unwrap();
    let chars = prompt.chars().count();
    assert!((55_000..65_000).contains(&chars), "{chars}");
    let prompt = templates_of(60_000)
        .evaluator("task", &huge, &now())
        .unwrap();
    let chars = prompt.chars().count();
    assert!((400_000..402_000).contains(&chars), "{chars}");
    assert!(prompt.contains("[... 9600000 characters are left out here ...]"));
}

#[test]
fn a_flood_of_remarks_is_bounded() {
    let mut case = case(&[50]);
    case.past[0].remarks[0].text = "r".repeat(1_000_000);
    let prompt = templates().judge("task", &case, &now(), &|_| None).unwrap();
    assert!(prompt.len() < 5_000);
    assert!(prompt.contains("[... 998000 characters are left out here ...]"));
}
