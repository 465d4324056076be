//! A first run.

use serde_json::json;

use crate::world::World;

#[test]
fn a_spec_walks_from_requirements_to_inspection() {
    let world = World::new();
    world.spec("login");
    world.play(json!({}));
    let out = world.kumite(&["run", "login", "--json"]);
    out.assert_code(0);
    assert_eq!(
        world.steps("login"),
        [
            "requirements 1",
            "design 1",
            "tasks 1",
            "review 1",
            "reply 1",
            "impl 1",
            "inspect 1"
        ]
    );
    let last = out.json().pop().unwrap();
    assert_eq!(last["type"], "run_ended");
    assert_eq!(last["state"], "done");
    assert_eq!(last["reason"], "all_phases_done");
    assert_eq!(world.status("login")["state"], "done");
    world.assert_nothing_left();
}
