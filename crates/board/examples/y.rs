use std::time::Instant;
fn main() {
    let db = std::path::Path::new("/tmp/board/exp/x.db");
    let c = kumite_board::open_x(db).unwrap();
    let spec = r#"[{"execution_id":"VARCHAR","team_id":"VARCHAR","round_number":"INTEGER"}]"#;
    let p = r#"[{"execution_id":"e1","team_id":"team-1","round_number":1}]"#;
    c.execute_batch("BEGIN; create temp table stage(execution_id VARCHAR, team_id VARCHAR, round_number INTEGER); insert into stage values ('e1','team-1',1)").unwrap();
    c.execute_batch("COMMIT; BEGIN").unwrap();
    for sql in [
        "SELECT $1::VARCHAR".to_owned(),
        "SELECT CAST($1 AS VARCHAR)".to_owned(),
        "SELECT $1".to_owned(),
        "SELECT length($1::VARCHAR)".to_owned(),
        format!("SELECT from_json($1::VARCHAR,'{spec}')"),
        format!("SELECT unnest(from_json($1::VARCHAR,'{spec}'))"),
        format!("SELECT unnest(row) FROM (SELECT unnest(from_json($1::VARCHAR,'{spec}')) AS row)"),
        format!("SELECT id FROM leader_board SEMI JOIN (SELECT unnest(row) FROM (SELECT unnest(from_json($1::VARCHAR,'{spec}')) AS row)) USING (execution_id,team_id,round_number)"),
        format!("UPDATE leader_board AS old SET exit_reason='x' FROM (SELECT unnest(row) FROM (SELECT unnest(from_json($1::VARCHAR,'{spec}')) AS row)) AS new WHERE old.execution_id=new.execution_id AND old.team_id=new.team_id AND old.round_number=new.round_number"),
        "SELECT id FROM leader_board WHERE execution_id=$1::VARCHAR".to_owned(),
        "SELECT id FROM leader_board WHERE execution_id=$1".to_owned(),
        "UPDATE leader_board SET exit_reason='x' WHERE execution_id=$1::VARCHAR".to_owned(),
        "UPDATE leader_board AS old SET exit_reason='x' FROM stage AS new WHERE old.execution_id=new.execution_id AND old.team_id=new.team_id AND old.round_number=new.round_number AND $1::VARCHAR <> ''".to_owned(),
        "INSERT INTO stage SELECT execution_id, team_id, round_number FROM stage ANTI JOIN leader_board USING (execution_id, team_id, round_number) WHERE $1::VARCHAR <> ''".to_owned(),
        "DELETE FROM stage WHERE $1::VARCHAR = ''".to_owned(),
    ] {
        let t = Instant::now();
        let mut s = c.prepare(&sql).unwrap();
        let prepare = t.elapsed();
        let t = Instant::now();
        for _ in 0..200 { let mut r = s.query([p]).unwrap(); while r.next().unwrap().is_some() {} }
        println!("prepare {prepare:?} execute {:?}  {}", t.elapsed() / 200, &sql[..sql.len().min(100)]);
    }
    {
        let t = Instant::now();
        for _ in 0..200 {
            let mut a = c.appender("stage").unwrap();
            a.append_row(duckdb::params!["a", "b", 1]).unwrap();
            a.flush().unwrap();
        }
        println!("appender {:?}", t.elapsed() / 200);
    }
    {
        let t = Instant::now();
        for _ in 0..200 {
            c.execute_batch("SELECT 1").unwrap();
        }
        println!("select 1 {:?}", t.elapsed() / 200);
    }
}
