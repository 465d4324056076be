use super::*;

fn own(team: &str) -> Templates {
    let prompts = Prompts {
        team: Some(team.to_owned()),
        ..Prompts::default()
    };
    Templates::new(&prompts, 60_000).unwrap()
}

#[test]
fn a_template_of_a_person_is_rendered_like_jinja() {
    let situation = Situation {
        case: case(&[50]),
        board: Vec::new(),
    };
    let rows = [
        (
            "{{ user_prompt }} {{ round_number }}\n",
            "a < b & {{ c }} 1",
        ),
        ("{{ user_prompt }}\n\n", "a < b & {{ c }}\n"),
        (
            "{% if round_number > 1 %}later{% else %}first{% endif %}",
            "first",
        ),
        ("{{ rounds_min }} to {{ rounds_max }}", "2 to 5"),
        (
            "{{ ranking_table }}|{{ team_position_message }}",
            "No team has a score yet.|Your team is in place 1 of 1.",
        ),
        ("{{ current_datetime }}", "2026-03-04T05:06:07.089000+00:00"),
        ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
    ];
    for (template, expected) in rows {
        let prompt = own(template)
            .team("a < b & {{ c }}", &situation, &now(), &texts)
            .unwrap();
        assert_eq!(prompt, expected, "{template}");
    }
}

#[test]
fn a_template_that_cannot_be_rendered_is_refused_before_anything_starts() {
    let rows = [
        ("{{ user_prompt", "the team prompt, line 1: "),
        ("a\nb {% if %}", "the team prompt, line 2: "),
        (
            "{{ user_promt }}",
            "the team prompt has no placeholder \"user_promt\"; it has user_prompt, ",
        ),
        (
            "{{ submission }}",
            "the team prompt has no placeholder \"submission\"",
        ),
        ("a\n{{ user_prompt | shout }}", "the team prompt, line 2: "),
        (
            "{{ user_prompt | data('a b') }}",
            "a tag has letters, digits and _ only",
        ),
        (" \n", "the team prompt is blank"),
        ("{% include 'other' %}", "the team prompt, line 1: "),
    ];
    for (template, words) in rows {
        let prompts = Prompts {
            team: Some(template.to_owned()),
            ..Prompts::default()
        };
        let error = Templates::new(&prompts, 1000).unwrap_err().to_string();
        assert!(error.contains(words), "{template}: {error}");
    }
    let prompts = Prompts {
        evaluator: Some("{{ ranking_table }}".to_owned()),
        ..Prompts::default()
    };
    let error = Templates::new(&prompts, 1000).unwrap_err().to_string();
    assert!(
        error.contains("the evaluator prompt has no placeholder \"ranking_table\""),
        "{error}"
    );
    let prompts = Prompts {
        judge: Some("{{ submission_history }} {{ nothing }}".to_owned()),
        ..Prompts::default()
    };
    let error = Templates::new(&prompts, 1000).unwrap_err().to_string();
    assert!(
        error.contains("the judge prompt has no placeholder \"nothing\""),
        "{error}"
    );
}

#[test]
fn the_time_is_that_of_the_zone() {
    let at = now().timestamp();
    for (tz, expected) in [
        (None, "2026-03-04T05:06:07.089000+00:00"),
        (Some(""), "2026-03-04T05:06:07.089000+00:00"),
        (Some("Asia/Tokyo"), "2026-03-04T14:06:07.089000+09:00"),
        (
            Some(":America/New_York"),
            "2026-03-04T00:06:07.089000-05:00",
        ),
        (Some("JST-9"), "2026-03-04T14:06:07.089000+09:00"),
    ] {
        assert_eq!(
            moment(&at.to_zoned(time_zone(tz).unwrap())),
            expected,
            "{tz:?}"
        );
    }
    let error = time_zone(Some("Mars/Olympus")).unwrap_err().to_string();
    assert!(error.contains("TZ is \"Mars/Olympus\""), "{error}");
}
