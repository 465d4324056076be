//! Everything from files and agents is hostile: none of it runs in the browser, even without the
//! content security policy.

use std::collections::BTreeSet;
use std::fs;

use kumite_browser::Page;
use serde_json::{Value, json};

use crate::arena::arena;
use crate::pages::{Found, crawl};
use crate::scene::Scene;
use crate::world::{World, until};

/// Each would set `window.owned` if it ran.
const ATTACKS: [&str; 9] = [
    "<script>window.owned = 1</script>",
    "<img src=x onerror=window.owned=1>",
    "\"><svg onload=window.owned=1><a href=\"",
    "</pre></textarea></title></script><script>window.owned=1</script>",
    "[click](javascript:window.owned=1) [too](JaVaScRiPt&colon;window.owned=1) [data](data:text/html,<script>parent.owned=1</script>)",
    "![x](x\"onerror=\"window.owned=1) <iframe srcdoc=\"<script>parent.owned=1</script>\"></iframe>",
    "<style>*{display:none}</style><base href=//evil.test/><meta http-equiv=refresh content=0;url=//evil.test>",
    "<form action=//evil.test><button formaction=javascript:window.owned=1>x</button></form><details open ontoggle=window.owned=1>",
    "'-window.owned=1-' ${window.owned=1} {{constructor.constructor('window.owned=1')()}}",
];

fn all() -> String {
    ATTACKS.join("\n\n")
}

fn hostile_world() -> World {
    let world = World::new();
    arena(&world, "");
    let text = all();
    world.spec_with_documents("login");
    let dir = ".kiro/specs/login";
    world.write(
        &format!("{dir}/requirements.md"),
        &format!("# {text}\n\n{text}\n\n- {}\n", ATTACKS.join("\n- ")),
    );
    world.write(
        &format!("{dir}/design.md"),
        &format!(
            "```{}\n{text}\n```\n\n| {} |\n|---|\n| {} |\n",
            ATTACKS[1], ATTACKS[0], ATTACKS[2]
        ),
    );
    let tasks: String = ATTACKS
        .iter()
        .enumerate()
        .map(|(at, attack)| format!("- [ ] {}. {attack}\n", at + 1))
        .collect();
    world.write(&format!("{dir}/tasks.md"), &format!("# Tasks\n\n{tasks}"));
    // File names, and a picture that contains a script.
    for name in [
        "<img src=x onerror=window.owned=1>.md",
        "'\"><script>window.owned=1<|script>.md",
        "evil.svg",
        "%3Cscript%3E.md",
    ] {
        world.write(&format!("{dir}/{name}"), "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.owned=1\"><script>window.owned=1</script></svg>");
    }
    // A directory that is not a spec, because its name is invalid.
    let odd = world.path(".kiro/specs/<img src=x onerror=window.owned=1>");
    fs::create_dir_all(&odd).unwrap();
    fs::copy(
        world.path(".kiro/specs/login/spec.json"),
        odd.join("spec.json"),
    )
    .unwrap();
    world.write(".kiro/steering/<script>window.owned=1<|script>.md", &text);
    world.patch("login", json!({"feature_name": ATTACKS[0], "language": ATTACKS[1],
        "documentReview": {"status": ATTACKS[2], "roundDetails": [{"roundNumber": 1, "status": ATTACKS[1]}]}}));
    world.write(
        &format!("{dir}/events.jsonl"),
        &ATTACKS.iter().map(|attack| format!("{}\n", json!({"timestamp": attack, "type": attack, "message": attack, "level": attack, "agentId": attack, "errorMessage": attack}))).collect::<String>(),
    );
    world.play(json!({"steps": {
        "reply": {"discuss": 1, "write": {"document-review-1-reply.md": findings()}},
        "review": {"say": said(), "complain": ATTACKS, "write": {"document-review-1.md": text}},
    }}));
    world.write("contest.toml", &contest());
    world
}

/// A reply whose points are hostile.
fn findings() -> String {
    let rows = "| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |\n|---|---|---|---|---|\n| Info | 1 | 0 | 0 | 1 |\n";
    let point =
        |attack: &&str| format!("### {attack}\n\n**Judgment**: Needs Discussion\n\n{attack}\n\n");
    format!(
        "# Reply\n\n## Response Summary\n\n{rows}\n---\n\n{}",
        ATTACKS.iter().map(point).collect::<String>()
    )
}

fn said() -> Vec<Value> {
    let says = |block: Value| json!({"type": "assistant", "parent_tool_use_id": null, "message": {"role": "assistant", "model": ATTACKS[0], "content": [block]}});
    let mut all = Vec::new();
    for attack in ATTACKS {
        all.push(says(json!({"type": "text", "text": attack})));
        all.push(says(json!({"type": "thinking", "thinking": attack})));
        all.push(says(json!({"type": "tool_use", "id": attack, "name": attack, "input": {"command": attack, "file_path": attack}})));
        all.push(json!({"type": "user", "parent_tool_use_id": null,
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": attack, "content": attack, "is_error": true}]},
            "tool_use_result": {"filePath": attack, "structuredPatch": [{"lines": [format!("+{attack}"), format!("-{attack}")]}]}}));
        all.push(json!(attack));
    }
    all
}

/// Teams, metrics and a task with hostile names; the submission equals the task.
fn contest() -> String {
    let team = |id: &str, agent: &str, name: &str| {
        format!(
            "[[team]]\nid = {id:?}\nname = {name:?}\nagent = {agent:?}\nsubmission = \"diff\"\n"
        )
    };
    format!(
        "task = {:?}\n[contest]\nrounds_min = 1\nrounds_max = 1\n{}{}[[metric]]\nname = {:?}\ncommand = [\"sh\", \"-c\", {:?}]\n",
        all(),
        team("one", "hasty", ATTACKS[1]),
        team("two", "careful", ATTACKS[2]),
        ATTACKS[1],
        format!(
            "cat <<'END'\n{}\nEND",
            json!({"score": 50, "remarks": ATTACKS[0]})
        ),
    )
}

/// Nothing ran, nothing was even tried, and nothing hostile became part of the page.
#[track_caller]
fn assert_tame(scene: &Scene, page: &Page, path: &str) {
    assert_eq!(
        page.eval("typeof window.owned").unwrap(),
        "undefined",
        "{path}"
    );
    let evil = "[...document.querySelectorAll('main script, iframe, object, embed, base, meta[http-equiv], main style, [srcdoc], main img:not([src^=\"/assets/\"])')].map(it => it.outerHTML)";
    assert_eq!(page.eval(evil).unwrap(), json!([]), "{path}");
    let handlers = "[...document.querySelectorAll('*')].filter(it => [...it.attributes].some(({ name, value }) => name.startsWith('on') || /^\\s*(javascript|data|vbscript):/i.test(value))).map(it => it.outerHTML)";
    assert_eq!(page.eval(handlers).unwrap(), json!([]), "{path}");
    let away = "[...document.querySelectorAll('form[action], a[href], [formaction]')].map(it => it.action || it.href || it.formAction).filter(it => it && !it.startsWith(location.origin))";
    assert_eq!(page.eval(away).unwrap(), json!([]), "{path}");
    assert_eq!(page.troubles(), [""; 0], "{path}");
    scene.assert_calm(page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn nothing_that_agents_write_or_files_are_called_ever_runs_in_the_browser() {
    let world = hostile_world();
    world
        .kumite(&["contest", "run", "contest.toml"])
        .assert_code(0);
    let scene = Scene::of(world);
    let page = scene.enter_at("/specs/login");
    page.click("#actions button[data-post$='/run']");
    page.until_text("#head .badge", "paused");
    page.until_text("#needs", "The review needs your decision");
    assert_tame(&scene, &page, "live");
    let pages: Vec<String> = crawl(&page).into_iter().map(|it| it.path).collect();
    assert!(pages.iter().any(|it| it.contains("/agents/")), "{pages:#?}");
    assert!(pages.iter().any(|it| it.contains("/compare")), "{pages:#?}");
    assert!(
        pages.iter().any(|it| it.contains("/documents/%3Cimg")),
        "{pages:#?}"
    );
    for path in &pages {
        scene.go(&page, path);
        page.eval("document.querySelectorAll('details').forEach(it => it.open = true)")
            .unwrap();
        page.until("document.querySelector('h1')");
        assert_tame(&scene, &page, path);
    }
    // The attacks are there as readable text.
    scene.go(&page, "/specs/login/documents/requirements.md");
    page.until_text("#document", "<script>window.owned = 1</script>");
    scene.go(&page, "/specs/login");
    page.until_text("#tasks", "<img src=x onerror=window.owned=1>");
    // If one of them had become part of the page, it would have been noticed.
    page.eval("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=x onerror=window.owned=1>')")
        .unwrap();
    until("the policy to complain", || {
        page.troubles()
            .iter()
            .any(|it| it.starts_with("security: "))
    });
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn a_read_only_link_shows_everything_and_offers_nothing() {
    let scene = crate::gallery::gallery();
    let full = scene.enter();
    let page = scene.invite(&["--read-only", "--ttl", "10m"]);
    page.until_text("header", "read-only");
    let (read_only, changing) = (crawl(&page), crawl(&full));
    let paths = |found: &[Found]| {
        found
            .iter()
            .map(|it| it.path.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(paths(&read_only), paths(&changing), "the same can be seen");
    let offers = |found: &[Found]| found.iter().map(|it| it.offers).sum::<usize>();
    assert_eq!(offers(&read_only), 0, "{read_only:#?}");
    assert!(offers(&changing) > 20, "{changing:#?}");
    scene.go(&page, "/");
    assert!(!page.exists("[data-open=new-spec]"));
    // A direct attempt is refused, and the page is still live.
    let tried = page
        .eval(
            "fetch('/api/specs/image-upload/stop', { method: 'POST', body: '{}', headers: {
                'Content-Type': 'application/json', 'X-CSRF-Token': document.querySelector('meta[name=csrf-token]').content } }).then(it => it.status)",
        )
        .unwrap();
    assert_eq!(tried, 403);
    assert_eq!(scene.world.status("image-upload")["state"], "working");
    page.forget();
    full.click("#spec-image-upload button[data-post$='/stop']");
    page.until_text("#spec-image-upload .badge", "stopped");
    scene.assert_calm(&page);
}
