//! The SQL of a table, made from the list of its columns.

use crate::schema::{Again, Table};

impl Table {
    /// Creates what is missing. Tables of another program stay unchanged.
    pub fn create(&self) -> String {
        let name = self.name;
        let mut parts = Vec::new();
        if self.has_id {
            parts.push(format!(
                "id INTEGER PRIMARY KEY DEFAULT nextval('{name}_id_seq')"
            ));
        }
        let columns = self.columns.iter();
        parts.extend(columns.map(|it| format!("{} {} {}", it.name, it.sql_type, it.rule)));
        // Readers expect a primary key in the summary, and a unique key in the other tables.
        let unique = match self.key {
            [_] => "PRIMARY KEY",
            _ => "UNIQUE",
        };
        parts.push(format!("{unique} ({})", self.key.join(", ")));
        let mut all = format!(
            "CREATE TABLE IF NOT EXISTS {name} ({});\n",
            parts.join(", ")
        );
        for (index, columns) in self.indexes {
            all += &format!("CREATE INDEX IF NOT EXISTS {index} ON {name} ({columns});\n");
        }
        all
    }

    /// Adds a column to a table of an older kumite.
    pub fn add_column(&self, column: &str) -> String {
        let found = self.columns.iter().filter(|it| it.name == column);
        let add = found.map(|it| {
            let (name, sql_type, rule) = (it.name, it.sql_type, it.rule);
            format!(
                "ALTER TABLE {} ADD COLUMN IF NOT EXISTS {name} {sql_type} {rule};\n",
                self.name
            )
        });
        add.collect()
    }

    /// Changes existing rows. Columns of an index are changed separately, and only where they
    /// differ.
    pub fn updates(&self) -> Vec<String> {
        let (mut sets, mut indexed, mut differ) = (Vec::new(), Vec::new(), Vec::new());
        for it in self.columns {
            let column = it.name;
            match it.again {
                Again::Kept => {}
                Again::Replaced => sets.push(format!("{column} = new.{column}")),
                Again::Given => {
                    sets.push(format!("{column} = coalesce(new.{column}, old.{column})"));
                }
                Again::Changed => {
                    indexed.push(format!("{column} = new.{column}"));
                    differ.push(format!("old.{column} IS DISTINCT FROM new.{column}"));
                }
            }
        }
        let same = self.key.iter();
        let same = same.map(|column| format!("old.{column} = new.{column}"));
        let same = same.collect::<Vec<_>>().join(" AND ");
        let update = |sets: &[String], condition: &str| {
            let (name, sets, given) = (self.name, sets.join(", "), self.given());
            format!("UPDATE {name} AS old SET {sets} FROM {given} WHERE {condition}")
        };
        let mut updates = vec![update(&sets, &same)];
        if !indexed.is_empty() {
            let differ = differ.join(" OR ");
            updates.push(update(&indexed, &format!("{same} AND ({differ})")));
        }
        updates
    }

    /// Adds missing rows.
    pub fn insert(&self) -> String {
        let name = self.name;
        let columns: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let columns = columns.join(", ");
        let key = self.key.join(", ");
        format!(
            "INSERT INTO {name} ({columns}) SELECT {columns} FROM {} ANTI JOIN {name} USING ({key})",
            self.given()
        )
    }

    /// The rows of the JSON text, with the types of the table.
    fn given(&self) -> String {
        let (mut read, mut typed) = (Vec::new(), Vec::new());
        for it in self.columns {
            let column = it.name;
            let (as_read, value) = match it.sql_type {
                "TIMESTAMP" => ("BIGINT", format!("make_timestamp({column} * 1000)")),
                "JSON" => ("VARCHAR", format!("{column}::JSON")),
                kind => (kind, column.to_owned()),
            };
            read.push(format!("\"{column}\":\"{as_read}\""));
            typed.push(format!("{value} AS {column}"));
        }
        format!(
            "(SELECT {} FROM (SELECT unnest(row) FROM \
             (SELECT unnest(from_json($1::VARCHAR, '[{{{}}}]')) AS row))) AS new",
            typed.join(", "),
            read.join(",")
        )
    }
}
