use super::*;
use crate::judge::Rules;

fn way(cancel: &Cancel) -> Way<'_> {
    Way {
        retries: 0,
        timeout: Duration::from_secs(60),
        cancel,
    }
}

fn measured(split: Split) -> Report {
    let mut cases = shipped().unwrap();
    cases.retain(|case| case.split == split);
    measure(&Rules, &cases, &way(&Cancel::new()))
}

#[test]
fn d12_the_built_in_judge_agrees_with_a_person_where_it_was_adjusted() {
    let report = measured(Split::Tune);
    println!("{}", report.to_text());
    assert!(report.all.accuracy() >= 0.8, "{}", report.to_text());
}
