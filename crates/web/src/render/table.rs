//! A table with a head. It scrolls sideways if the window is too narrow for it.

use maud::{Markup, html};

/// The head of a column.
pub enum Column {
    Text(&'static str),
    /// Its cells have the class `num`.
    Number(&'static str),
}

/// `rows` are the `<tr>` elements of the body.
pub fn table(head: &[Column], rows: &Markup) -> Markup {
    html! {
        div.scroll {
            table.list {
                thead {
                    tr {
                        @for column in head {
                            @match column {
                                Column::Text(name) => th scope="col" { (name) },
                                Column::Number(name) => th.num scope="col" { (name) },
                            }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}
