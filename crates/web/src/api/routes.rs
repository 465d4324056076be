//! All routes of the API.

use kumite_contest::apply::Ask;
use kumite_contest::report::Report;
use kumite_contest::view::Board;
use kumite_project::documents::Text;
use kumite_project::status::Status;

use super::change::Message;
use super::route::{Route, get, post, reads};
use super::steer::{asks, orders};
use super::{agents, contests, events, openapi, overview, specs, steer};

#[rustfmt::skip]
pub fn all() -> Vec<Route> {
    vec![
        get("/api/specs", "Where all specs stand, and why", specs::list)
            .answers::<specs::Specs>(200),
        post("/api/specs", "Make a spec", specs::create)
            .takes::<specs::New>().answers::<specs::Made>(201).refuses(&[400, 409]),
        get("/api/specs/{spec}", "The state of a spec, and why", reads(specs::find, specs::one))
            .answers::<Status>(200).refuses(&[400, 404]),
        post("/api/specs/{spec}/run", "Drive a spec to its end; the work goes on after the answer", orders("run", steer::run))
            .takes::<steer::RunAsk>().answers::<Message>(202).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/resume", "Go on after a stop or a pause", orders("resume", steer::resume))
            .takes::<steer::ResumeAsk>().answers::<Message>(202).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/review", "One review round by hand: a review and its reply, no loop", orders("review", steer::review))
            .takes::<steer::ReviewAsk>().answers::<Message>(202).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/stop", "End a run and its agent", asks("stop", steer::stop))
            .takes::<steer::Nothing>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/pause", "Let the agent finish, then begin nothing new", asks("pause", steer::pause))
            .takes::<steer::Nothing>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/reset", "Forget counters and failures, so that the run can go on", asks("reset", steer::reset))
            .takes::<steer::Nothing>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/approve", "Approve a document; the one that waits, if none is named", asks("approve", steer::approve))
            .takes::<steer::ApproveAsk>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/specs/{spec}/reject", "Reject a document: it is written anew", asks("reject", steer::reject))
            .takes::<steer::RejectAsk>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/run", "Drive several specs, or all of them, to their end", steer::run_several)
            .takes::<steer::RunSeveralAsk>().answers::<Message>(202).refuses(&[400, 404, 409]),
        get("/api/specs/{spec}/events", "What happened to a spec", reads(specs::find, specs::events))
            .answers::<specs::Events>(200).refuses(&[400, 404]),
        get("/api/specs/{spec}/documents", "The documents of a spec", reads(specs::find, specs::documents))
            .answers::<specs::Documents>(200).refuses(&[400, 404]),
        get("/api/specs/{spec}/documents/{name}", "One of them, with its text", specs::document)
            .answers::<Text>(200).refuses(&[400, 404]),
        get("/api/specs/{spec}/decisions", "Every journal entry, the decision taken, and why", reads(specs::find, specs::decisions))
            .answers::<specs::Decisions>(200).refuses(&[400, 404]),
        get("/api/specs/{spec}/agents", "All agents that ever worked on a spec, newest first", reads(specs::find, agents::list))
            .answers::<agents::Agents>(200).refuses(&[400, 404]),
        get("/api/specs/{spec}/agents/{agent}/log", "Lines of what an agent said", agents::log)
            .asks::<agents::Lines>().answers::<agents::Said>(200).refuses(&[400, 404]),
        get("/api/cost", "What the agents have used: money and tokens", overview::cost)
            .asks::<overview::CostAsk>().answers::<kumite_project::cost::Report>(200).refuses(&[400, 404]),
        get("/api/settings", "Every setting, its value, and where it comes from", overview::settings)
            .answers::<overview::Settings>(200).refuses(&[409]),
        get("/api/agents", "The agents of the settings, and what their programs say of themselves", overview::agents)
            .answers::<overview::Agents>(200).refuses(&[409]),
        get("/api/audit", "Every change that was made here, and who made it, newest first", overview::audit)
            .asks::<overview::AuditAsk>().answers::<overview::Audit>(200).refuses(&[400]),
        get("/api/contests", "All contests, newest first", contests::list)
            .answers::<contests::Contests>(200),
        post("/api/contests", "Start a contest; it is played after the answer", contests::start)
            .takes::<contests::Start>().answers::<contests::Begun>(202).refuses(&[400, 409]),
        get("/api/contests/files", "The files of the project that a contest can be played from", contests::files)
            .answers::<contests::Files>(200),
        get("/api/contests/{id}", "The leader board of a contest", reads(contests::find, contests::board))
            .answers::<Board>(200).refuses(&[404]),
        get("/api/contests/{id}/report", "The same with every round: submission, scores, judgment, prompt", reads(contests::find, contests::report))
            .answers::<Report>(200).refuses(&[404]),
        post("/api/contests/{id}/cancel", "End a contest; what is finished stays", contests::cancel)
            .takes::<steer::Nothing>().answers::<Message>(200).refuses(&[400, 404, 409]),
        post("/api/contests/{id}/resume", "Go on with a contest that was interrupted", contests::resume)
            .takes::<steer::Nothing>().answers::<contests::Begun>(202).refuses(&[400, 404, 409]),
        post("/api/contests/{id}/apply", "Apply the changes of the winner, or of another team, to the project", contests::apply)
            .takes::<Ask>().answers::<contests::Applied>(200).refuses(&[400, 404, 409]),
        get("/api/events", "Everything that happens, as it happens, with replay from a position", events::events)
            .asks::<events::Ask>().streams().refuses(&[400, 404, 503]),
        get("/api/openapi.json", "This document", openapi::show),
    ]
}
