//! Contests that mixseek played, or whose journal is gone: they exist only in a database.

use std::collections::BTreeSet;
use std::path::Path;

use kumite_contest::home::Home;
use kumite_contest::view::ContestState;
use kumite_project::spec_file::sentence;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::list::{ALL_MAX, task};
use crate::render::marks::segment;
use crate::render::words::{badge, moment};
use crate::render::{
    self,
    Column::{Number, Text},
};

/// A contest with rows in a database but without a journal.
#[derive(Deserialize)]
pub struct Foreign {
    execution_id: String,
    status: Option<String>,
    created_at: Option<String>,
    task: Option<String>,
    best_team_id: Option<String>,
    teams: Option<u64>,
}

pub fn read(database: &Path, own: &[Home]) -> Result<Vec<Foreign>, String> {
    if !database.exists() {
        return Ok(Vec::new());
    }
    let answer = kumite_contest::board::query(database, &json!({ "contests": {} }));
    let answer = answer.map_err(|error| sentence(&error))?;
    let rows: Vec<Foreign> = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
    let own: BTreeSet<String> = own.iter().map(Home::id).collect();
    let unknown = rows
        .into_iter()
        .filter(|it| !own.contains(&it.execution_id));
    Ok(unknown.take(ALL_MAX).collect())
}

pub fn table(database: &Path, foreign: Result<Vec<Foreign>, String>) -> Markup {
    let rows = match foreign {
        Ok(rows) => rows,
        Err(why) => {
            return html! { p.why { "The database " (database.display()) " cannot be asked: " (why) } };
        }
    };
    html! {
        (render::table(&[Text("State"), Text("Task"), Number("Teams"), Text("Best team"), Text("Ended")], &html! {
            @for row in &rows {
                tr data-item {
                    td { (badge(ContestState::of_database(row.status.as_deref()))) }
                    td.wide {
                        a href={ "/contests/" (segment(&row.execution_id)) } {
                            (task(row.task.as_deref().unwrap_or_default(), &row.execution_id))
                        }
                    }
                    td.num { (row.teams.unwrap_or(0)) }
                    td { (row.best_team_id.as_deref().unwrap_or("–")) }
                    td.nowrap { (moment(row.created_at.as_deref().unwrap_or_default())) }
                }
            }
        }))
    }
}
