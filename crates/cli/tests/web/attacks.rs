//! Attacks on the page. Every one of them must fail. To notice a guard that refuses everything, the
//! same requests done right must succeed.

mod answers;
mod flood;
mod foreign;
mod keys;
mod paths;
mod stored;
mod wire;

use std::fmt::Write as _;
use std::io::Write;

use crate::served::{Answer, Browser, Served};
use crate::world::{World, lines};

/// A change that can be made any number of times.
const CHANGE: &str = "POST /api/specs/login/stop";
const LOOK: &str = "GET /api/specs";

const HOST: &str = "Host: 127.0.0.1:{port}";
const ORIGIN: &str = "Origin: http://127.0.0.1:{port}";
const COOKIE: &str = "Cookie: {cookie}";
const CSRF: &str = "X-CSRF-Token: {csrf}";
const TOKEN: &str = "Authorization: Bearer {token}";
const JSON: &str = "Content-Type: application/json";

/// A project with a spec, a server, and a browser that is logged in.
struct Stage {
    world: World,
    served: Served,
    browser: Browser,
}

/// What is tried, with which request, and the expected answer.
struct Attack<'a> {
    what: &'a str,
    line: &'a str,
    headers: &'a [&'a str],
    body: &'a str,
    status: u16,
}

fn stage() -> Stage {
    let world = World::new();
    world.spec("login");
    let served = world.serve();
    let browser = served.login();
    Stage {
        world,
        served,
        browser,
    }
}

impl Stage {
    /// `{port}`, `{token}`, `{cookie}` and `{csrf}` are replaced by the right values.
    fn fill(&self, text: &str) -> String {
        text.replace("{port}", &self.served.port.to_string())
            .replace("{token}", &self.served.token)
            .replace("{cookie}", &self.browser.cookie)
            .replace("{csrf}", &self.browser.csrf)
    }

    /// A request with these headers and no other but its length.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        let mut text = format!("{line} HTTP/1.1\r\n");
        for header in headers {
            let _ = write!(text, "{header}\r\n");
        }
        if !body.is_empty() {
            let _ = write!(text, "Content-Length: {}\r\n", body.len());
        }
        text.push_str("Connection: close\r\n\r\n");
        let mut stream = self.served.connect();
        stream.write_all(self.fill(&text).as_bytes()).unwrap();
        // It may refuse before it has read everything.
        let _ = stream.write_all(body.as_bytes());
        Answer::read(&mut stream)
    }

    /// All of them fail with the expected status, and none of them changes anything.
    #[track_caller]
    fn all_fail(&self, attacks: &[Attack<'_>]) {
        let before = self.changes();
        for attack in attacks {
            let answer = self.ask(attack.line, attack.headers, attack.body);
            assert_eq!(answer.status, attack.status, "{}: {answer:?}", attack.what);
            assert_eq!(
                self.changes(),
                before,
                "{}: it changed something",
                attack.what
            );
        }
    }

    /// A change done right, by a browser and by a program.
    #[track_caller]
    fn changes_are_possible(&self) {
        let before = self.changes();
        let browser = [HOST, ORIGIN, COOKIE, CSRF, JSON];
        self.ask(CHANGE, &browser, "{}").assert_status(200);
        self.ask(CHANGE, &[HOST, TOKEN, JSON], "{}")
            .assert_status(200);
        assert_eq!(self.changes(), before + 2);
    }

    /// How many changes were tried by clients that were admitted.
    fn changes(&self) -> usize {
        let audit = std::fs::read_to_string(self.world.path(".kiro/runtime/kumite/audit.jsonl"));
        let lines = lines(&audit.unwrap_or_default());
        lines.iter().filter(|line| line["what"] != "login").count()
    }

    /// A link of `kumite serve link`, without scheme and host.
    fn link(&self, args: &[&str]) -> String {
        let args = [&["serve", "link", "--json"], args].concat();
        let out = self.world.kumite(&args);
        let link = out.assert_code(0).json()[0]["login_url"].clone();
        let link = link.as_str().unwrap().strip_prefix(&self.served.url);
        link.unwrap().to_owned()
    }
}
