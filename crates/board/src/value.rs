//! Converts every DuckDB value to JSON.

use duckdb::types::{TimeUnit, Value as Cell};
use duckdb::{Connection, Params};
use jiff::Timestamp;
use serde_json::{Number, Value, json};

use crate::show::Table;

/// The rows of a statement. If there are several statements, all are run, and the last one answers.
pub fn table(connection: &Connection, sql: &str, parameters: impl Params) -> duckdb::Result<Table> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query(parameters)?;
    let names = distinct(
        rows.as_ref()
            .map(|statement| statement.column_names())
            .unwrap_or_default(),
    );
    // The duckdb crate cannot read these types.
    let unknown = rows.as_ref().is_some_and(|statement| {
        let schema = statement.schema();
        let mut types = schema
            .fields()
            .iter()
            .map(|field| field.data_type().to_string());
        types.any(|name| name.contains("Time64(ns)"))
    });
    if unknown {
        let why = "a TIME_NS can only be shown as text; cast it to VARCHAR";
        return Err(duckdb::Error::ToSqlConversionFailure(why.into()));
    }
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = (0..names.len()).map(|index| row.get::<_, Cell>(index).map(|it| json_of(&it)));
        found.push(cells.collect::<duckdb::Result<Vec<Value>>>()?);
    }
    Ok(Table { names, rows: found })
}

/// Names in an object are unique: a second `score` becomes `score_1`.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let free = [name.clone()].into_iter().chain(numbered);
        distinct.extend(free.into_iter().find(|name| !distinct.contains(name)));
    }
    distinct
}

/// Numbers that JSON cannot represent exactly become texts.
fn json_of(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Boolean(value) => json!(value),
        Cell::TinyInt(value) => json!(value),
        Cell::SmallInt(value) => json!(value),
        Cell::Int(value) => json!(value),
        Cell::BigInt(value) => json!(value),
        Cell::HugeInt(value) => exact(value.to_string()),
        Cell::UHugeInt(value) => exact(value.to_string()),
        Cell::UTinyInt(value) => json!(value),
        Cell::USmallInt(value) => json!(value),
        Cell::UInt(value) => json!(value),
        Cell::UBigInt(value) => json!(value),
        // As it was written: 78.67, not the nearest double 78.66999816894531.
        Cell::Float(value) => exact(value.to_string()),
        Cell::Double(value) => number(*value),
        Cell::Decimal(value) => exact(value.to_string()),
        Cell::Timestamp(unit, value) => time(*unit, *value),
        Cell::Text(text) | Cell::Enum(text) => json!(text),
        Cell::Blob(bytes) => json!(hex(bytes)),
        Cell::Date32(days) => part(time(TimeUnit::Second, i64::from(*days) * 86_400), 0),
        Cell::Time64(unit, value) => part(time(*unit, *value), 1),
        Cell::List(cells) | Cell::Array(cells) => cells.iter().map(json_of).collect(),
        Cell::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|(name, cell)| (name.clone(), json_of(cell)));
            Value::Object(fields.collect())
        }
        Cell::Map(entries) => {
            let entries = entries.iter().map(|(key, cell)| match json_of(key) {
                Value::String(key) => (key, json_of(cell)),
                key => (key.to_string(), json_of(cell)),
            });
            Value::Object(entries.collect())
        }
        Cell::Union(cell) => json_of(cell),
        Cell::Interval {
            months,
            days,
            nanos,
        } => {
            let seconds = *nanos as f64 / 1e9;
            json!(format!("{months} months {days} days {seconds} seconds"))
        }
        other => json!(format!("{other:?}")),
    }
}

/// A JSON number if it keeps all digits, else a text.
fn exact(text: String) -> Value {
    let digits = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    let number = text.parse::<i64>().map(Number::from).ok();
    let number = number.or_else(|| {
        let value = text.parse::<f64>().ok()?;
        Number::from_f64(value).filter(|_| value.to_string() == digits)
    });
    number.map_or(Value::String(text), Value::Number)
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    format!("\\x{}", digits.collect::<String>())
}

/// The date or the time of day of `2026-11-16T05:07:00Z`.
fn part(time: Value, index: usize) -> Value {
    let parts = time
        .as_str()
        .map(|text| text.trim_end_matches('Z').split('T'));
    let part = parts
        .and_then(|mut parts| parts.nth(index))
        .map(str::to_owned);
    part.map_or(time, Value::String)
}

/// NaN and the infinities do not exist in JSON.
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
    // Beyond the year 9999, or infinite.
    time.map_or(json!(value), |time| json!(time.to_string()))
}
