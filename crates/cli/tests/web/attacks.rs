//! Attacks on the page. Every one of them fails, and the same request done right succeeds.

use crate::world::World;

#[test]
fn who_has_no_token_is_told_nothing() {
    let world = World::new();
    let served = world.serve();
    served.get("/api/specs").assert_status(200);
    let answer = served.send("GET", "/api/specs", &[], "");
    answer.assert_status(401);
}
