//! Items of a list that can't be read.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::base::warnings::cut;

/// An item that does not have the shape of one.
pub(crate) struct Misshapen {
    /// Its `name`, empty without one.
    pub(crate) name: String,
    /// What is wrong with it.
    pub(crate) problem: String,
}

impl Misshapen {
    /// Of an item whose `name` is a `Name`, from the error of reading it alone.
    pub(crate) fn of<'de, Name>(item: &'de RawValue, error: &serde_json::Error) -> Self
    where
        Name: Deserialize<'de> + Into<String>,
    {
        #[derive(Deserialize)]
        struct Named<Name> {
            name: Name,
        }

        let named: Result<Named<Name>, _> = serde_json::from_slice(item.get().as_bytes());
        let problem = error.to_string();
        // Lines and columns are those of the item, not of the file.
        let end = problem.rfind(" at line ").unwrap_or(problem.len());
        Self {
            name: named.map_or_else(|_| String::new(), |Named { name }| cut(&name.into())),
            problem: cut(&problem[..end]),
        }
    }
}
