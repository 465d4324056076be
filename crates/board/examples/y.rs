fn main() {
    let db = std::path::Path::new("/tmp/board/exp/x.db");
    let rows: Vec<kumite_core::contest::rows::Write> = std::fs::read_to_string("/tmp/board/exp/r55.jsonl").unwrap().lines().map(|l| serde_json::from_value(serde_json::from_str::<serde_json::Value>(l).unwrap()["write"].clone()).unwrap()).collect();
    let c = kumite_board::open_x(db).unwrap();
    let d = std::time::Instant::now(); for _ in 0..30 { for w in &rows { kumite_board::write_x(db, &c, [w]).unwrap(); } }
    println!("{:?} a transaction", d.elapsed() / 1500);
}
