//! `tool_settings` of a member.

use serde_json::{Map, Value as Json};

use super::super::members;
use super::super::plan::MemberKind;
use super::super::scope::Scope;
use super::member::Type;

pub(super) struct Tools {
    pub max_results: Option<u32>,
    pub fetch: MemberKind,
    /// The whole table, for a custom member.
    pub custom: Map<String, Json>,
}

/// `tool_settings`, or those inside `metadata`, the only part of it that mixseek keeps.
pub(super) fn read(scope: &Scope<'_>, kind: Type) -> Tools {
    let metadata = scope.table("metadata");
    let parent = match &metadata {
        Some(metadata) if !scope.has("tool_settings") => metadata,
        _ => scope,
    };
    let mut tools = Tools {
        max_results: None,
        fetch: members::fetch(None),
        custom: Map::new(),
    };
    if kind == Type::Custom {
        tools.custom = parent.free("tool_settings");
        return tools;
    }
    let Some(settings) = parent.table("tool_settings") else {
        return tools;
    };
    if let Some(search) = settings.table("web_search") {
        tools.max_results = search.count("max_results", 1..=50);
        search.count("timeout", 1..=120);
        search.flag("include_raw_content");
        search.without_effect("timeout", "the provider searches by itself");
        search.without_effect("include_raw_content", "the provider searches by itself");
        search.finish();
    }
    if let Some(fetch) = settings.table("web_fetch") {
        tools.fetch = members::fetch(Some(&fetch));
        fetch.flag("enable_citations");
        fetch.count("max_content_tokens", 1..=50_000);
        fetch.without_effect("enable_citations", "kumite fetches pages itself");
        fetch.without_effect("max_content_tokens", "kumite fetches pages itself");
        fetch.finish();
    }
    if let Some(code) = settings.table("code_execution") {
        // They describe the provider's sandbox, according to mixseek's own documentation.
        code.flag("provider_controlled");
        code.count("expected_min_timeout_seconds", 0..=u32::MAX);
        code.texts("expected_available_modules");
        code.flag("expected_network_access");
        code.finish();
    }
    let of_others = [
        ("web_search", Type::WebSearch),
        ("web_fetch", Type::WebFetch),
        ("code_execution", Type::CodeExecution),
    ];
    for (key, of) in of_others {
        if of != kind {
            settings.without_effect(key, "the member is of another type");
        }
    }
    settings.finish();
    tools
}
