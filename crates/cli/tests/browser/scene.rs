//! A project, `kumite serve` in it, and people who use it with a browser.

use std::fs;
use std::time::{Duration, Instant};

use kumite_browser::{Browser, Page};
use serde_json::Value;

use crate::served::Served;
use crate::world::{World, is_alive, kill, lines, text};

/// How long a server may take to end its agents. It is a safety limit, not a measure of speed.
const END: Duration = Duration::from_secs(20);

/// The server must end before its project is removed.
pub struct Scene {
    pub served: Served,
    pub world: World,
}

impl Scene {
    pub fn of(world: World) -> Scene {
        Scene::with(world, &[])
    }

    /// `args` are further arguments for `kumite serve`.
    pub fn with(world: World, args: &[&str]) -> Scene {
        Scene {
            served: world.serve_with(args),
            world,
        }
    }

    /// A new visitor, with the link that the server printed. It works once.
    pub fn enter(&self) -> Page {
        let page = Browser::shared().page();
        page.goto(&self.served.login_url).unwrap();
        is_live(&page);
        page
    }

    /// The same, and then at a page.
    pub fn enter_at(&self, path: &str) -> Page {
        let page = self.enter();
        self.go(&page, path);
        page
    }

    /// A new visitor, with a link from `kumite serve link` with these arguments.
    pub fn invite(&self, args: &[&str]) -> Page {
        let out = self.world.kumite(&[&["serve", "link"], args].concat());
        out.assert_code(0);
        let link = out
            .stdout
            .split_whitespace()
            .find(|it| it.starts_with("http"));
        let page = Browser::shared().page();
        page.goto(link.unwrap_or_else(|| panic!("{out:?}")))
            .unwrap();
        is_live(&page);
        page
    }

    /// Loads a page again and waits until it receives news.
    pub fn go(&self, page: &Page, path: &str) {
        page.goto(&self.url(path)).unwrap();
        is_live(page);
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.served.url)
    }

    /// Nothing went wrong in the browser, and no other server was asked for anything.
    #[track_caller]
    pub fn assert_calm(&self, page: &Page) {
        assert_eq!(page.troubles(), [""; 0]);
        let requests = page.requests();
        let foreign = requests.iter().find(|it| !it.starts_with(&self.served.url));
        assert_eq!(foreign, None);
        assert!(!requests.is_empty());
    }

    /// All news of the project so far.
    pub fn news(&self) -> Vec<Value> {
        let path = self.world.path(".kiro/runtime/kumite/news.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        // The last line may be incomplete.
        let all = lines(&text[..text.rfind('\n').map_or(0, |end| end + 1)]);
        // The first line only names the file.
        all.into_iter().filter(|it| it["key"].is_string()).collect()
    }

    /// The process of the agent that works on a spec.
    pub fn agent_pid(&self, spec: &str) -> u32 {
        let launches = self.world.launches();
        let launch = launches.iter().rfind(|it| it["spec"] == spec).unwrap();
        launch["pid"].as_u64().unwrap() as u32
    }
}

impl Drop for Scene {
    /// Agents and contests end with the server, politely first.
    fn drop(&mut self) {
        let pid = self.served.pid();
        let began = Instant::now();
        kill(pid, "INT");
        kill(pid, "INT");
        while is_alive(pid) && began.elapsed() < END {
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

/// Waits until the page receives news.
pub fn is_live(page: &Page) {
    page.until("document.querySelector('#live.is-on')");
}

/// The text of an expression's value.
pub fn said(page: &Page, js: &str) -> String {
    text(&page.eval(js).unwrap())
}

/// Waits until the person is asked a question, and answers it.
#[track_caller]
pub fn answer(page: &Page, yes: bool) {
    page.until("document.querySelector('dialog#confirm[open]')");
    let button = if yes { "yes" } else { "no" };
    page.click(&format!("dialog#confirm button[value={button}]"));
    page.until("!document.querySelector('dialog[open]')");
}
