//! What agents write and say is shown, but runs nowhere: in documents, in logs, in names.

use serde_json::{Value, json};

use super::*;
use crate::world::text;

/// Each would run `pwn()` if it were treated as code.
const PAYLOADS: [&str; 18] = [
    "<script>pwn()</script>",
    "<ScRiPt src=//evil.example/pwn.js></sCrIpT>",
    "<img src=x onerror=pwn()>",
    "<img src='//evil.example/pwn.png'>",
    "<svg onload=pwn()><script>pwn()</script></svg>",
    "<svg><animate onbegin=pwn() attributeName=x></svg>",
    "<a href=\"javascript:pwn()\">pwn</a>",
    "<a href=\" &#106;avascript:pwn()\">pwn</a>",
    "<a href=\"data:text/html,<script>pwn()</script>\">pwn</a>",
    "<iframe srcdoc=\"<script>pwn()</script>\"></iframe>",
    "<form action=//evil.example><button formaction=javascript:pwn()>pwn</button></form>",
    "<base href=//evil.example/pwn>",
    "<meta http-equiv=refresh content=\"0;url=javascript:pwn()\">",
    "<style>@import '//evil.example/pwn.css'</style>",
    "<p style=\"background:url(//evil.example/pwn)\">pwn</p>",
    "\" onmouseover=\"pwn()\" x=\"",
    "' autofocus onfocus='pwn()' x='",
    "</title></textarea></script><details open ontoggle=pwn()>",
];

/// The same in Markdown.
const LINKS: [&str; 5] = [
    "[pwn](javascript:pwn())",
    "![pwn](javascript:pwn())",
    "![pwn](//evil.example/pwn.png)",
    "<javascript:pwn()>",
    "[pwn]: javascript:pwn()\n\n[pwn][pwn]",
];

/// The one style that a page may have, to the letter.
const OUR_STYLE: &str = concat!(
    "<style>",
    include_str!("../../../../web/assets/app.css"),
    include_str!("../../../../web/assets/now.css"),
    include_str!("../../../../web/assets/agent.css"),
    "</style>"
);

#[test]
fn what_looks_for_harm_finds_it() {
    for payload in PAYLOADS {
        // In a place where an attribute can be broken out of.
        let page = format!("<p title=\"{payload}\">{payload}</p><p title='{payload}'>");
        assert!(harm(&page).is_some(), "{payload}");
    }
    assert_eq!(
        harm("<a href=\"/specs/x\" title=\"a > b onclick=\">text on=1</a>"),
        None
    );
    assert_eq!(
        harm("<script type=\"module\" src=\"/assets/1/app.js\"></script>"),
        None
    );
    assert_eq!(harm("&lt;script&gt;pwn()&lt;/script&gt;"), None);
}

#[test]
fn what_agents_write_and_say_runs_nowhere() {
    let stage = stage();
    let world = &stage.world;
    let all = PAYLOADS.join("\n\n");
    let evil = format!(
        "# {all}\n\n{all}\n\n{}\n\n```{all}\n{all}\n```\n",
        LINKS.join("\n\n")
    );
    let say = |content: Value| json!({"type": "assistant", "message": {"role": "assistant", "content": [content]}});
    let result = |content: &str| {
        json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": content}]}})
    };
    world.play(json!({"default": {
        "say": [
            say(json!({"type": "text", "text": evil})),
            say(json!({"type": "tool_use", "id": "t1", "name": PAYLOADS[2], "input": {"file_path": PAYLOADS[0], "command": all, PAYLOADS[4]: PAYLOADS[15]}})),
            result(&all),
            say(json!({"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": PAYLOADS[0], "old_string": all, "new_string": evil}})),
            json!({"type": PAYLOADS[0], "text": PAYLOADS[0]}),
            PAYLOADS[0],
        ],
        "complain": PAYLOADS,
    }, "steps": {
        "design": {"write": {"design.md": evil, "research.md": evil}},
        "reply": {"fix": 1},
    }}));
    world.kumite(&["run", "login", "--until", "document-review"]);
    let spec = world.path(".kiro/specs/login");
    for payload in PAYLOADS {
        let name = payload.replace('/', "_");
        let _ = std::fs::write(spec.join(format!("{name}.md")), &evil);
    }
    world.write(".kiro/specs/login/picture.svg", PAYLOADS[4]);
    world.write(".kiro/specs/login/page.html", PAYLOADS[0]);
    world.patch(
        "login",
        json!({
            "feature_name": PAYLOADS[0], "title": PAYLOADS[2], "description": all,
            "worktree": null,
        }),
    );
    let mut events = world.read(".kiro/specs/login/events.jsonl");
    events += &json!({"type": PAYLOADS[0], "timestamp": PAYLOADS[2], "message": all}).to_string();
    world.write(".kiro/specs/login/events.jsonl", &format!("{events}\n"));
    world.settings(&format!(
        "[agents.evil]\nprogram = {:?}\nmodel = {:?}\n",
        PAYLOADS[2], PAYLOADS[0]
    ));

    let mut paths: Vec<String> = ["/", "/specs/login", "/history", "/settings", "/contests"]
        .map(str::to_owned)
        .to_vec();
    let documents = stage.served.get("/api/specs/login/documents");
    let documents = documents.assert_status(200).json();
    for document in documents["documents"].as_array().unwrap() {
        paths.push(format!(
            "/specs/login/documents/{}",
            encoded(&text(&document["name"]))
        ));
    }
    let agents = stage
        .served
        .get("/api/specs/login/agents")
        .assert_status(200)
        .json();
    for agent in agents["agents"].as_array().unwrap() {
        let agent = format!("/specs/login/agents/{}", text(&agent["id"]));
        let search = encoded(PAYLOADS[0]);
        for end in [
            "",
            "/lines",
            "/raw",
            &format!("/search?q={search}"),
            &format!("?q={search}"),
        ] {
            paths.push(format!("{agent}{end}"));
        }
    }
    // The requested name comes back in the page that says that it does not exist.
    for payload in PAYLOADS {
        for place in [
            "/{}",
            "/specs/{}",
            "/specs/login/documents/{}",
            "/specs/login/agents/{}",
            "/contests/{}",
            "/?{}={}",
            "/history?day={}",
            "/specs/login?tab={}",
        ] {
            paths.push(place.replace("{}", &encoded(payload)));
        }
    }
    let mut shown = 0;
    for path in &paths {
        let answer = stage.browser.get(path);
        assert!(answer.status < 500, "{path}: {answer:?}");
        let kind = answer.header("content-type").unwrap_or_default().to_owned();
        // Only these are ever treated as a page, and nothing is guessed (nosniff).
        match kind.starts_with("text/html") {
            true => assert_eq!(
                harm(&answer.text().replacen(OUR_STYLE, "", 1)),
                None,
                "{path}"
            ),
            false => assert!(
                ["text/plain", "application/json"]
                    .iter()
                    .any(|it| kind.starts_with(it)),
                "{path}: {kind}"
            ),
        }
        shown += usize::from(answer.text().contains("pwn"));
    }
    // It is shown nevertheless, as text.
    assert!(shown > 20, "{shown} of {} pages", paths.len());
    let design = stage
        .browser
        .get("/specs/login/documents/design.md")
        .assert_status(200)
        .text();
    assert!(design.contains("pwn()"), "{design}");
}

/// A text as a part of a path.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// What in this page would run, or would contact another server, if anything.
fn harm(page: &str) -> Option<String> {
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let is_tag = rest.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_tag {
            continue;
        }
        let end = tag_end(rest);
        let tag = &rest[..end];
        if let Some(harm) = harm_in_tag(tag) {
            return Some(format!("{harm} in <{tag}>"));
        }
        rest = &rest[end..];
    }
    None
}

/// The end of a tag: a `>` in quotes does not end it.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, it) in tag.char_indices() {
        match quote {
            Some(open) if open == it => quote = None,
            Some(_) => {}
            None if it == '"' || it == '\'' => quote = Some(it),
            None if it == '>' => return at,
            None => {}
        }
    }
    tag.len()
}

fn harm_in_tag(tag: &str) -> Option<String> {
    let name_end = tag
        .find(|it: char| it.is_whitespace() || it == '/')
        .unwrap_or(tag.len());
    let name = tag[..name_end].to_ascii_lowercase();
    let attributes = attributes(&tag[name_end..]);
    let value = |wanted: &str| {
        attributes
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    };
    match name.as_str() {
        "script" if value("src").is_some_and(|src| src.starts_with("/assets/")) => {}
        "script" | "iframe" | "object" | "embed" | "base" | "style" | "animate" => {
            return Some(name);
        }
        "meta" if value("http-equiv").is_some() => return Some("meta refresh".to_owned()),
        _ => {}
    }
    for (attribute, value) in &attributes {
        let value = value.trim().to_ascii_lowercase();
        let leads = [
            "href",
            "src",
            "action",
            "formaction",
            "xlink:href",
            "srcset",
            "poster",
            "data",
        ];
        let is_url = leads.contains(&attribute.as_str());
        let is_ours = (value.starts_with('/') && !value.starts_with("//"))
            || value.starts_with('#')
            || value.starts_with('?');
        // A link that a person follows may lead elsewhere; nothing is loaded from there.
        let is_followed = name == "a"
            && (value.starts_with("https://")
                || value.starts_with("http://")
                || value.starts_with("mailto:"));
        if attribute.starts_with("on") || attribute == "style" || attribute == "srcdoc" {
            return Some(attribute.clone());
        }
        if is_url && !is_ours && !is_followed && !value.is_empty() {
            return Some(format!("{attribute}={value}"));
        }
    }
    None
}

/// Names in lower case, values unchanged.
fn attributes(mut text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start_matches(|it: char| it.is_whitespace() || it == '/');
        if text.is_empty() {
            return found;
        }
        let end = text
            .find(|it: char| it.is_whitespace() || it == '=' || it == '/')
            .unwrap_or(text.len());
        let name = text[..end.max(1)].to_ascii_lowercase();
        text = text[end.max(1)..].trim_start();
        let Some(rest) = text.strip_prefix('=') else {
            found.push((name, String::new()));
            continue;
        };
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|it| ['"', '\''].contains(it));
        let (value, after) = match quote {
            Some(quote) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        found.push((name, value.to_owned()));
        text = after;
    }
}
