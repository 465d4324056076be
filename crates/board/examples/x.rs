use std::time::Instant;
fn main() {
    let db = std::path::Path::new("/tmp/board/exp/x.db");
    let rows: Vec<kumite_core::contest::rows::Write> =
        std::fs::read_to_string("/tmp/board/exp/r55.jsonl")
            .unwrap()
            .lines()
            .map(|l| {
                serde_json::from_value(
                    serde_json::from_str::<serde_json::Value>(l).unwrap()["write"].clone(),
                )
                .unwrap()
            })
            .collect();
    let _ = std::fs::remove_file(db);
    for (i, w) in rows.iter().enumerate() {
        let a = Instant::now();
        let c = kumite_board::open_x(db).unwrap();
        let b = Instant::now();
        kumite_board::write_x(db, &c, [w]).unwrap();
        let d = Instant::now();
        kumite_board::close_x(c);
        if i < 2 || i % 8 == 7 {
            println!(
                "open {:?} write {} rows {:?} close {:?}",
                b - a,
                w.rows.len(),
                d - b,
                d.elapsed()
            );
        }
    }
    let c = kumite_board::open_x(db).unwrap();
    for _ in 0..3 {
        let d = Instant::now();
        for w in &rows {
            kumite_board::write_x(db, &c, [w]).unwrap();
        }
        println!(
            "50 transactions of 100 rows, open: {:?} each",
            d.elapsed() / 50
        );
        let d = Instant::now();
        kumite_board::write_x(db, &c, &rows).unwrap();
        println!("one of 100 rows: {:?}", d.elapsed());
    }
}
