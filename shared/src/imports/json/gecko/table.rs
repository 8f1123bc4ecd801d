//! Tables of numbers in both of their forms: an object of columns, or a schema and rows. Cells of
//! rows before their schema are kept until it is read.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::formats::json::each;

/// The columns of a table that are wanted. A cell that is not a number is NaN.
#[derive(Default)]
pub(super) struct Table {
    wanted: &'static [&'static str],
    /// One for each that is wanted, or none at all. They may end early.
    columns: Vec<Vec<f64>>,
    rows: usize,
    /// Cells of rows whose schema is yet to come, and where each row ends.
    early: (Vec<f64>, Vec<u32>),
    /// What `weightType` says.
    pub(super) weight_type: String,
}

/// A column. It may have fewer rows than its table.
#[derive(Clone, Copy)]
pub(super) struct Column<'a>(&'a [f64]);

impl Table {
    /// Reads the columns of these names.
    pub(super) fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        wanted: &'static [&'static str],
    ) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self {
            wanted,
            ..Self::default()
        })
    }

    /// How many rows its longest column has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// A column, empty when there is none.
    pub(super) fn column(&self, name: &str) -> Column<'_> {
        let found = self.wanted.iter().position(|wanted| *wanted == name);
        let column = found.and_then(|found| self.columns.get(found));
        Column(column.map_or(&[], Vec::as_slice))
    }

    /// Appends the cell of a row to its column, if that is wanted.
    fn put(&mut self, places: &[Option<usize>], place: usize, cell: f64) {
        let Some(wanted) = places.get(place).copied().flatten() else {
            return;
        };
        if self.columns.is_empty() {
            self.columns.resize_with(self.wanted.len(), Vec::new);
        }
        if let Some(column) = self.columns.get_mut(wanted) {
            // Rows before that ended early. Many at once need no room to grow into.
            let missing = self.rows.saturating_sub(column.len());
            if missing > column.len() {
                column.reserve_exact(missing + 1);
            }
            column.resize(self.rows, f64::NAN);
            column.push(cell);
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Vec<f64>> {
        let found = self.wanted.iter().position(|wanted| *wanted == name)?;
        self.columns.resize_with(self.wanted.len(), Vec::new);
        self.columns.get_mut(found)
    }
}

impl Column<'_> {
    /// Whether the table has no such column.
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// A cell, NaN when it is not there.
    pub(super) fn number(self, row: usize) -> f64 {
        self.0.get(row).copied().unwrap_or(f64::NAN)
    }

    /// A cell as a whole number, 0 when it is not there or negative.
    pub(super) fn whole(self, row: usize) -> i64 {
        self.number(row).max(0.0) as i64
    }

    /// A cell as the number of a row in another table; `None` for one that is not there or
    /// negative, which means none.
    pub(super) fn index(self, row: usize) -> Option<usize> {
        let number = self.number(row);
        // A number too large is in no table.
        (number >= 0.0).then_some(number as usize)
    }
}

impl<'de> Visitor<'de> for Table {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        let mut schema = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "schema" => schema = Some(map.next_value_seed(Schema(self.wanted))?),
                "data" => map.next_value_seed(Rows(&mut self, schema.as_deref()))?,
                "weightType" => {
                    let weight_type: Option<String> = map.next_value()?;
                    self.weight_type = weight_type.unwrap_or_default();
                }
                name => match self.slot(name) {
                    Some(column) => {
                        let Cells(mut cells) = map.next_value()?;
                        cells.shrink_to_fit();
                        let rows = cells.len();
                        *column = cells;
                        self.rows = self.rows.max(rows);
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                    }
                },
            }
        }
        let (cells, ends) = std::mem::take(&mut self.early);
        if !ends.is_empty() {
            let schema =
                schema.ok_or_else(|| A::Error::custom("a table has \"data\" but no \"schema\""))?;
            let mut start = 0;
            for end in ends {
                let row = &cells[start..end as usize];
                row.iter()
                    .enumerate()
                    .for_each(|(place, &cell)| self.put(&schema, place, cell));
                self.rows += 1;
                start = end as usize;
            }
            self.columns.iter_mut().for_each(Vec::shrink_to_fit);
        }
        Ok(self)
    }
}

/// The cells of a column; none for `null`.
struct Cells(Vec<f64>);

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Cells {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut cells: A) -> Result<Self, A::Error> {
        while let Some(Cell(cell)) = cells.next_element()? {
            self.0.push(cell);
        }
        Ok(self)
    }
}

/// Where in a row each wanted column stands.
struct Schema(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Schema {
    type Value = Vec<Option<usize>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Schema {
    /// By place in a row: which of the wanted columns.
    type Value = Vec<Option<usize>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a schema")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        /// More cells than a row of any table has.
        const MAX_CELLS: usize = 64;
        let mut places = Vec::new();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let Cell(place) = map.next_value()?;
            let wanted = self.0.iter().position(|wanted| *wanted == name);
            if wanted.is_some() {
                let place = place.max(0.0) as usize;
                if place >= MAX_CELLS {
                    let problem = format!(
                        "the schema puts column {name:?} at index {place}, which is too large"
                    );
                    return Err(A::Error::custom(problem));
                }
                places.resize(places.len().max(place + 1), None);
                places[place] = wanted;
            }
        }
        Ok(places)
    }
}

/// Reads rows into the columns of a table. Without a schema their cells are kept.
struct Rows<'a>(&'a mut Table, Option<&'a [Option<usize>]>);

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while rows.next_element_seed(Row(self.0, self.1))?.is_some() {
            match self.1 {
                Some(_) => self.0.rows += 1,
                // A cell takes a byte at least, and inputs stay below 4 GiB.
                None => self.0.early.1.push(self.0.early.0.len() as u32),
            }
        }
        for column in &mut self.0.columns {
            column.shrink_to_fit();
        }
        Ok(())
    }
}

/// Reads one row.
struct Row<'a>(&'a mut Table, Option<&'a [Option<usize>]>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self(table, places) = self;
        let mut place = 0;
        each(deserializer, "a row", |Cell(cell)| {
            match places {
                Some(places) => table.put(places, place, cell),
                None => table.early.0.push(cell),
            }
            place += 1;
            Ok(())
        })
    }
}

/// A number; NaN for all else.
struct Cell(f64);

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self(f64::NAN))
    }
}

impl<'de> Visitor<'de> for Cell {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self, E> {
        Ok(Self(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self, E> {
        Ok(Self(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self, E> {
        Ok(Self(number as f64))
    }

    fn visit_bool<E>(self, set: bool) -> Result<Self, E> {
        Ok(Self(f64::from(u8::from(set))))
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}
