//! Styles and scripts, built into the binary. The names of scripts contain a hash of the content, so that
//! browsers can cache them for ever.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest;

use crate::app::Shared;
use crate::auth::hex;

pub const ROOT: &str = "/assets/";

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// The styles are a part of each page: a browser paints nothing before it has them.
pub const STYLE: &str = concat!(
    include_str!("../assets/app.css"),
    include_str!("../assets/now.css"),
    include_str!("../assets/agent.css"),
);

/// Names the styles in a content security policy; a browser then refuses all others.
pub fn style_source() -> String {
    let hash = digest::digest(&digest::SHA256, STYLE.as_bytes());
    format!("'sha256-{}'", BASE64_STANDARD.encode(hash))
}

const fn script(name: &'static str, text: &'static str) -> Asset {
    Asset {
        name,
        kind: "text/javascript; charset=utf-8",
        bytes: text.as_bytes(),
    }
}

const ALL: &[Asset] = &[
    script("app.js", include_str!("../assets/app.js")),
    script("morph.js", include_str!("../assets/morph.js")),
    script("page.js", include_str!("../assets/page.js")),
    script("stream.js", include_str!("../assets/stream.js")),
    script("act.js", include_str!("../assets/act.js")),
    script("keys.js", include_str!("../assets/keys.js")),
    script("log.js", include_str!("../assets/log.js")),
    script("log-entry.js", include_str!("../assets/log-entry.js")),
    script("log-find.js", include_str!("../assets/log-find.js")),
    Asset {
        name: "icon.svg",
        kind: "image/svg+xml",
        bytes: include_bytes!("../assets/icon.svg"),
    },
];

/// The paths, in the order of [`ALL`]. All share one hash, so that scripts can import each other by
/// relative paths.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut digest = digest::Context::new(&digest::SHA256);
    for asset in ALL {
        digest.update(asset.bytes);
    }
    let hash = hex(digest.finish().as_ref());
    let path = |asset: &Asset| format!("{ROOT}{}/{}", &hash[..12], asset.name);
    ALL.iter().map(path).collect()
});

/// The path of an asset on the server.
pub fn path(name: &str) -> &'static str {
    let at = ALL.iter().position(|asset| asset.name == name);
    at.map_or("", |at| PATHS[at].as_str())
}

pub fn routes() -> Router<Shared> {
    Router::new().route("/assets/{hash}/{name}", get(asset))
}

async fn asset(Path((hash, name)): Path<(String, String)>) -> Response {
    let wanted = format!("{ROOT}{hash}/{name}");
    let Some(at) = PATHS.iter().position(|path| *path == wanted) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, ALL[at].kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, ALL[at].bytes).into_response()
}

#[cfg(test)]
mod tests {
    use kumite_contest::view::ContestState;
    use kumite_core::contest::Reason as ExitReason;
    use kumite_core::run::{Reason, StateName};
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn is<T: DeserializeOwned>(word: &str) -> bool {
        serde_json::from_value::<T>(json!(word)).is_ok()
    }

    /// Words in quotes, and names of fields.
    fn words(script: &str) -> impl Iterator<Item = &str> {
        let code = script
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let tokens = code.flat_map(|line| {
            line.match_indices(|it: char| !it.is_ascii_alphanumeric() && it != '_')
                .scan(0, move |from, (at, mark)| {
                    let before = line[..*from].chars().next_back();
                    let word = &line[*from..at];
                    *from = at + mark.len();
                    Some((before, word, mark))
                })
        });
        let marked = tokens.filter(|(before, _, mark)| {
            let is_quoted =
                ["\"", "'", "`"].contains(mark) && mark.starts_with(|it| Some(it) == *before);
            is_quoted || *mark == ":"
        });
        marked.map(|(_, word, _)| word)
    }

    #[test]
    fn nothing_in_the_styles_ends_them() {
        assert!(!STYLE.contains('<'));
        assert!(!STYLE.contains("@import") && !STYLE.contains("url("));
    }

    #[test]
    fn no_script_decides_by_the_word_of_a_state_or_a_reason() {
        let bad =
            "const ENDS = { done: 1 }; if (it.reason === \"retries_exhausted\") x = 'paused';";
        let found: Vec<&str> = words(bad).filter(|word| decides(word)).collect();
        assert_eq!(found, ["done", "retries_exhausted", "paused"]);
        for asset in ALL.iter().filter(|asset| asset.name.ends_with(".js")) {
            let script = str::from_utf8(asset.bytes).unwrap();
            let found: Vec<&str> = words(script).filter(|word| decides(word)).collect();
            assert!(found.is_empty(), "{}: {found:?}", asset.name);
        }
    }

    fn decides(word: &str) -> bool {
        is::<StateName>(word)
            || is::<Reason>(word)
            || is::<ContestState>(word)
            || is::<ExitReason>(word)
    }
}
