//! Whatever DuckDB answers, as JSON.

use duckdb::types::{TimeUnit, Value as Cell};
use duckdb::{Connection, Params};
use jiff::Timestamp;
use serde_json::{Number, Value, json};

use crate::show::Table;

/// The rows of a statement. Of several statements all are carried out, and the last one answers.
pub fn table(connection: &Connection, sql: &str, parameters: impl Params) -> duckdb::Result<Table> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query(parameters)?;
    let names: Vec<String> = rows
        .as_ref()
        .map(|statement| statement.column_names())
        .unwrap_or_default();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = (0..names.len()).map(|index| row.get::<_, Cell>(index).map(|it| json_of(&it)));
        found.push(cells.collect::<duckdb::Result<Vec<Value>>>()?);
    }
    Ok(Table { names, rows: found })
}

/// Numbers that JSON cannot hold exactly are texts.
fn json_of(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Boolean(value) => json!(value),
        Cell::TinyInt(value) => json!(value),
        Cell::SmallInt(value) => json!(value),
        Cell::Int(value) => json!(value),
        Cell::BigInt(value) => json!(value),
        Cell::HugeInt(value) => match i64::try_from(*value) {
            Ok(value) => json!(value),
            Err(_) => json!(value.to_string()),
        },
        Cell::UTinyInt(value) => json!(value),
        Cell::USmallInt(value) => json!(value),
        Cell::UInt(value) => json!(value),
        Cell::UBigInt(value) => json!(value),
        Cell::Float(value) => number(f64::from(*value)),
        Cell::Double(value) => number(*value),
        Cell::Decimal(value) => json!(value.to_string()),
        Cell::Timestamp(unit, value) => time(*unit, *value),
        Cell::Text(text) | Cell::Enum(text) => json!(text),
        Cell::Blob(bytes) => json!(String::from_utf8_lossy(bytes)),
        Cell::Date32(days) => match time(TimeUnit::Second, i64::from(*days) * 86_400) {
            Value::String(text) => json!(text.split('T').next()),
            other => other,
        },
        Cell::List(cells) | Cell::Array(cells) => cells.iter().map(json_of).collect(),
        Cell::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|(name, cell)| (name.clone(), json_of(cell)));
            Value::Object(fields.collect())
        }
        other => json!(format!("{other:?}")),
    }
}

/// NaN and the infinities have no form in JSON.
fn number(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| json!(value.to_string()), Value::Number)
}

/// Times of our tables are UTC.
fn time(unit: TimeUnit, value: i64) -> Value {
    let micros = match unit {
        TimeUnit::Second => value.checked_mul(1_000_000),
        TimeUnit::Millisecond => value.checked_mul(1000),
        TimeUnit::Microsecond => Some(value),
        TimeUnit::Nanosecond => Some(value / 1000),
    };
    let time = micros.and_then(|micros| Timestamp::from_microsecond(micros).ok());
    time.map_or(Value::Null, |time| json!(time.to_string()))
}
