//! All pages: reached by links from the first one, readable without scripts, and accessible.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kumite_browser::Page;
use serde::Deserialize;

use crate::gallery::gallery;
use crate::scene::{Scene, is_live};

const AUDIT: &str = include_str!("audit.js");

/// The target of a link.
#[derive(Debug, Deserialize)]
struct Met {
    status: u16,
    kind: String,
    links: Vec<String>,
    offers: usize,
}

/// A page that was found, and how many actions it offers.
#[derive(Debug)]
pub struct Found {
    pub path: String,
    pub offers: usize,
}

/// All pages that can be reached by links from `/`; each must exist.
pub fn crawl(page: &Page) -> Vec<Found> {
    let mut waiting = VecDeque::from(["/".to_owned()]);
    let mut known = BTreeSet::from(["/".to_owned()]);
    let mut pages = Vec::new();
    while let Some(path) = waiting.pop_front() {
        let js = format!(
            "(async () => {{
                const answer = await fetch({path:?});
                const kind = answer.headers.get('content-type');
                const text = await answer.text();
                const html = kind.startsWith('text/html') ? new DOMParser().parseFromString(text, 'text/html') : null;
                const links = [...(html?.querySelectorAll('a[href]') ?? [])].map(it => new URL(it.getAttribute('href'), new URL({path:?}, location.href)));
                const ours = links.filter(it => it.origin === location.origin).map(it => it.pathname + it.search);
                const offers = html?.querySelectorAll('[data-post]').length ?? 0;
                return {{ status: answer.status, kind, links: ours, offers }};
            }})()"
        );
        let met: Met = serde_json::from_value(page.eval(&js).unwrap()).unwrap();
        assert_eq!(met.status, 200, "{path}");
        for link in met.links {
            if known.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
        if met.kind.starts_with("text/html") {
            pages.push(Found {
                path,
                offers: met.offers,
            });
        }
    }
    pages
}

/// One page of each kind: the same code makes pages of the same kind.
fn kinds(pages: &[String]) -> Vec<&String> {
    let mut seen = BTreeSet::new();
    let kind = |path: &str| {
        let path = path.split('?').next().unwrap_or(path);
        let parts: Vec<&str> = path.split('/').collect();
        match parts[1..] {
            // Every spec is in another state.
            ["specs", name] => format!("spec {name}"),
            ["specs", _, what, ..] => what.to_owned(),
            ["contests", _, what, ..] => format!("contest {what}"),
            _ => path.to_owned(),
        }
    };
    pages
        .iter()
        .filter(|path| seen.insert(kind(path)))
        .collect()
}

fn audit(page: &Page) -> Vec<String> {
    serde_json::from_value(page.eval(AUDIT).unwrap()).unwrap()
}

fn open_all(page: &Page) {
    page.eval("document.querySelectorAll('details').forEach(it => it.open = true)")
        .unwrap();
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn every_page_is_reached_by_links_and_is_fit_for_eyes_ears_keyboards_and_phones() {
    let scene = gallery();
    let page = scene.enter();
    let pages: Vec<String> = crawl(&page).into_iter().map(|it| it.path).collect();
    for wanted in [
        "/",
        "/contests",
        "/history",
        "/settings",
        "/specs/login-form",
        "/specs/login-form/documents/requirements.md",
        "/specs/audit-trail",
    ] {
        assert!(
            pages.iter().any(|it| it == wanted),
            "{wanted} is not reached: {pages:#?}"
        );
    }
    for wanted in ["/agents/", "/compare", "/contests/2"] {
        assert!(
            pages.iter().any(|it| it.contains(wanted)),
            "{wanted} is not reached: {pages:#?}"
        );
    }
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in kinds(&pages) {
        scene.go(&page, path);
        let mut look = |how: &str| {
            page.eval(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
            )
            .unwrap();
            for it in audit(&page) {
                wrong.entry(it).or_default().push(format!("{path} ({how})"));
            }
        };
        open_all(&page);
        look("light");
        page.dark(true);
        look("dark");
        page.dark(false);
        page.size(360, 780, true);
        look("phone");
        page.size(768, 1024, true);
        look("tablet");
        page.size(1280, 800, false);
    }
    assert!(
        wrong.is_empty(),
        "{} things are wrong: {wrong:#?}",
        wrong.len()
    );
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn what_is_wrong_with_a_page_is_noticed() {
    let scene = Scene::of(crate::world::World::new());
    let page = scene.enter();
    page.size(390, 844, true);
    assert_eq!(audit(&page), [""; 0]);
    for (html, words) in [
        ("<button></button>", "no name"),
        ("<input placeholder=x>", "no name"),
        ("<h1>Two</h1>", "2 h1"),
        ("<h5>Deep</h5>", "h5 follows"),
        ("<p id=main>x</p>", "occurs twice"),
        ("<img src=/assets/x>", "no alt"),
        ("<svg></svg>", "a picture without words"),
        ("<p class=bad>Pale</p>", "contrast"),
        ("<pre class=bad>Wide</pre>", "wide, the window 390"),
        ("<button class=bad>x</button>", "only 9 x 9"),
        ("<p aria-labelledby=nobody>x</p>", "leads nowhere"),
    ] {
        let js = format!(
            "(() => {{
                document.getElementById('bad')?.remove();
                document.querySelector('main').insertAdjacentHTML('beforeend', `<div id=bad>{html}</div>`);
                const style = document.querySelector('.bad')?.style ?? {{}};
                Object.assign(style, {{
                    P: {{ color: '#bbbbbb', background: '#ffffff' }},
                    PRE: {{ width: '900px', overflow: 'visible' }},
                    BUTTON: {{ width: '9px', height: '9px', minHeight: 0, padding: 0, boxSizing: 'border-box' }},
                }}[document.querySelector('.bad')?.tagName]);
            }})()"
        );
        // In one step: the next news would repair the page.
        let found = page.eval(&format!("({js}, {AUDIT})")).unwrap();
        let found: Vec<String> = serde_json::from_value(found).unwrap();
        assert!(
            found.iter().any(|it| it.contains(words)),
            "{html}: {found:?}"
        );
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn dark_is_dark_and_light_is_light() {
    let scene = Scene::of(crate::world::World::new());
    let page = scene.enter();
    let brightness = || {
        let js = "(() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number); return (r + g + b) / 3; })()";
        page.eval(js).unwrap().as_f64().unwrap()
    };
    assert!(brightness() > 200.0, "{}", brightness());
    page.dark(true);
    page.until("matchMedia('(prefers-color-scheme: dark)').matches");
    assert!(brightness() < 60.0, "{}", brightness());
    scene.assert_calm(&page);
}

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn everything_can_be_read_without_scripts() {
    let scene = gallery();
    let page = scene.enter();
    // What the server sends, before any script has run.
    let sent = |path: &str| {
        let answer = page
            .eval(&format!("fetch({path:?}).then(it => it.text())"))
            .unwrap();
        answer.as_str().unwrap().to_owned()
    };
    for (path, words) in [
        (
            "/",
            &[
                "search-index",
                "round 3/7",
                "requirements.md",
                "Make the tests pass.",
            ][..],
        ),
        (
            "/specs/login-form",
            &[
                "Acceptance Criteria",
                "without naming which one is wrong",
                "waiting",
            ],
        ),
        (
            "/specs/login-form/documents/requirements.md",
            &["life of a link", "<table>"],
        ),
        (
            "/specs/audit-trail",
            &["How long entries are kept", "a question of law"],
        ),
        (
            "/specs/billing-export",
            &["tasks are still open", "id=\"task-2\""],
        ),
        ("/contests", &["Make the tests pass.", "running"]),
        ("/settings", &["auto_approve", "retries_max"]),
        ("/history", &["password-reset"]),
    ] {
        let html = sent(path);
        for word in words {
            assert!(html.contains(word), "{path} lacks {word}: {html}");
        }
    }
    let agent = crate::world::text(&scene.world.status("image-upload")["agents"][0]["id"]);
    let html = sent(&format!("/specs/image-upload/agents/{agent}"));
    for word in [
        "I read the tasks first",
        "cargo test thumbnail",
        "averaged(factor)",
    ] {
        assert!(html.contains(word), "{html}");
    }
    is_live(&page);
}
