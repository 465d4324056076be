//! Models: each can be called, and a budget knows their prices.

use std::collections::BTreeSet;

use kumite_formats::contest::{Judge, Llm, MemberKind, MetricKind, Named, Plan, TeamKind};
use kumite_models::Model;

use super::{Check, CheckMeans, Status};

/// The models that kumite itself calls, each once.
fn asked(plan: &Plan) -> Vec<&Llm> {
    let mut llms: Vec<&Llm> = Vec::new();
    for team in &plan.teams {
        if let TeamKind::Model(team) = &team.kind {
            llms.push(&team.leader.llm);
            let with_model = team.members.iter().filter(|member| match member.kind {
                MemberKind::Plain
                | MemberKind::WebSearch { .. }
                | MemberKind::WebFetch { .. }
                | MemberKind::CodeExecution => true,
                MemberKind::Command(_) | MemberKind::Plugin(_) => false,
            });
            llms.extend(with_model.map(|member| &member.llm));
        }
    }
    llms.extend(
        plan.evaluator
            .metrics
            .iter()
            .filter_map(|metric| match &metric.kind {
                MetricKind::Llm { llm, .. } => Some(llm),
                MetricKind::Command { .. }
                | MetricKind::Checklist(_)
                | MetricKind::Plugin { .. } => None,
            }),
    );
    if let Judge::Llm { llm, .. } = &plan.judge {
        llms.push(llm);
    }
    let mut seen = BTreeSet::new();
    llms.retain(|llm| seen.insert((&llm.model, &llm.base_url)));
    llms
}

/// The models of Python members, which have their own keys.
fn of_plugins(plan: &Plan) -> BTreeSet<&str> {
    let teams = plan.teams.iter().filter_map(|team| match &team.kind {
        TeamKind::Model(team) => Some(team),
        TeamKind::Agent(_) | TeamKind::Scripted { .. } => None,
    });
    let members = teams.flat_map(|team| &team.members);
    let plugins = members.filter(|member| matches!(member.kind, MemberKind::Plugin(_)));
    plugins.map(|member| member.llm.model.as_str()).collect()
}

/// Each model has its key and an address.
pub(super) fn keys(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let asked = asked(plan);
    let key = |llm: &&Llm| {
        let model = Model::find(&llm.model, llm.base_url.as_deref(), means.env);
        let found = model.map(|model| {
            let url = model.endpoint.base_url;
            match model.endpoint.key {
                Some(key) => format!("would be asked at {url}, with the key in {}", key.variable),
                None => format!("would be asked at {url}, without a key"),
            }
        });
        means.named("credentials", (Named::Model, &llm.model), found)
    };
    let mut checks: Vec<Check> = asked.iter().map(key).collect();
    for model in of_plugins(plan) {
        if asked.iter().all(|llm| llm.model != model) {
            checks.push(Check {
                category: "credentials",
                name: model.to_owned(),
                status: Status::Skipped,
                message: "a Python member asks it by itself".to_owned(),
                file: means
                    .places
                    .of(Named::Model, model)
                    .map(|at| at.file.to_path_buf()),
            });
        }
    }
    checks
}

/// A budget that cannot be enforced is refused: every model needs a price. Agents report their own
/// costs.
pub(super) fn budget(plan: &Plan, means: &CheckMeans<'_>) -> Vec<Check> {
    let Some(budget) = plan.budget_usd else {
        return Vec::new();
    };
    let mut models: BTreeSet<&str> = asked(plan).iter().map(|llm| llm.model.as_str()).collect();
    models.extend(of_plugins(plan));
    let price = |model: &str| {
        let price = plan.prices.get(model).ok_or_else(|| {
            format!(
                "{model} has no price, so nobody knows when the budget of ${budget} is spent; add \
                 `[price.\"{model}\"]` with `input` and `output`, in dollars for a million tokens"
            )
        });
        let found = price.map(|price| {
            format!(
                "${} and ${} for a million tokens in and out",
                price.input, price.output
            )
        });
        means.named("budget", (Named::Model, model), found)
    };
    models.into_iter().map(price).collect()
}
