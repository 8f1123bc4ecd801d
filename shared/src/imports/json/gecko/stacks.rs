//! Stacks of a thread's tables as stacks of the profile.

use hashbrown::HashMap;

use super::symbols::{Names, Symbols};
use super::table::{Column, Table};
use super::tables::{Problem, Tables, What};
use crate::base::limits::MAX_STACK_DEPTH;
use crate::model::builder::ProfileBuilder;
use crate::model::id::StackId;

/// What became of the rows of a stack table.
pub(super) struct Stacks {
    /// Those of the profile; `None` also for the root.
    pub(super) ids: Vec<Option<StackId>>,
    /// The category of each, plus one; 0 for none.
    categories: Vec<u32>,
    /// Rows that can't be a stack, or whose callers can't.
    broken: HashMap<u32, Problem>,
    /// How many frames there are.
    frames: usize,
}

impl Tables<'_> {
    /// Adds the stacks of these rows to a profile, except for those that are broken.
    pub(super) fn add(
        &self,
        mut needed: Vec<bool>,
        builder: &mut ProfileBuilder,
        names: &mut Names,
    ) -> Stacks {
        let rows = needed.len();
        let parents = Parents::of(self.stacks);
        for row in (0..rows).rev() {
            if needed[row]
                && let Ok(Some(parent)) = parents.of_row(row)
            {
                needed[parent] = true;
            }
        }
        let mut stacks = Stacks {
            ids: vec![None; rows],
            categories: vec![0; rows],
            broken: HashMap::new(),
            frames: self.frames.rows(),
        };
        let mut depths = vec![0u16; rows];
        let mut locations = vec![None; self.frames.rows()];
        let mut symbols = Symbols::new(self, builder, names);
        let own_category = self.stacks.column("category");
        let (frame, category) = (self.stacks.column("frame"), self.frames.column("category"));
        let mut add = |row: usize, stacks: &mut Stacks| {
            let parent = parents.of_row(row)?;
            if let Some(problem) = parent.and_then(|parent| stacks.problem(parent)) {
                return Err(problem);
            }
            let Some(frame) = frame.index(row).filter(|&frame| frame < locations.len()) else {
                return Err(What::Frame.of(row));
            };
            let inherited = parent.map_or(0, |parent| stacks.categories[parent]);
            let known = own_category.index(row).or_else(|| category.index(frame));
            // A category too large has no name.
            let known = known.map(|known| u32::try_from(known.saturating_add(1)).unwrap_or(0));
            stacks.categories[row] = known.unwrap_or(inherited);
            if parent.is_none() && symbols.is_root(frame) {
                return Ok(());
            }
            depths[row] = parent.map_or(0, |parent| depths[parent]) + 1;
            if usize::from(depths[row]) > MAX_STACK_DEPTH {
                return Err(What::Depth.of(row));
            }
            let caller = parent.and_then(|parent| stacks.ids[parent]);
            let inlined = match parent {
                Some(parent) if self.is_inlined(frame, parent) => symbols.inlined(frame, caller)?,
                _ => None,
            };
            let (caller, location) = match (inlined, locations[frame]) {
                (Some(inlined), _) => inlined,
                (None, Some(location)) => (caller, location),
                (None, None) => {
                    let location = symbols.frame(frame)?.location(symbols.builder);
                    locations[frame] = Some(location);
                    (caller, location)
                }
            };
            stacks.ids[row] = Some(symbols.builder.stack(caller, location));
            Ok(())
        };
        for row in (0..rows).filter(|&row| needed[row]) {
            if let Err(problem) = add(row, &mut stacks) {
                stacks.broken.insert(row as u32, problem);
            }
        }
        stacks
    }

    /// Whether a frame is a call that was inlined into the one of a stack.
    fn is_inlined(&self, frame: usize, parent: usize) -> bool {
        let into = self.stacks.column("frame").index(parent);
        let (depth, address) = (
            self.frames.column("inlineDepth"),
            self.frames.column("address"),
        );
        into.is_some_and(|into| {
            depth.number(frame) == depth.number(into) + 1.0
                && address.number(frame) == address.number(into)
                && address.number(frame) >= 0.0
        })
    }
}

impl Stacks {
    /// What is wrong with a row or its callers.
    fn problem(&self, row: usize) -> Option<Problem> {
        self.broken.get(&(row as u32)).copied()
    }

    /// The same for people: where it is and what is wrong.
    pub(super) fn problem_text(&self, row: usize) -> Option<(String, String)> {
        Some(self.problem(row)?.text(self.frames))
    }

    /// The category of a row.
    pub(super) fn category(&self, row: usize) -> Option<usize> {
        (self.categories[row] as usize).checked_sub(1)
    }
}

/// The column that says which stack each stack was called from.
struct Parents<'a> {
    prefixes: Column<'a>,
    offsets: Column<'a>,
}

impl<'a> Parents<'a> {
    fn of(stacks: &'a Table) -> Self {
        Self {
            prefixes: stacks.column("prefix"),
            offsets: stacks.column("prefixOffset"),
        }
    }

    fn of_row(&self, row: usize) -> Result<Option<usize>, Problem> {
        let parent = if self.offsets.is_empty() {
            self.prefixes.index(row)
        } else {
            let offset = self.offsets.index(row).filter(|&offset| offset > 0);
            // What is not there is no earlier row.
            offset.map(|offset| row.checked_sub(offset).unwrap_or(usize::MAX))
        };
        match parent {
            Some(parent) if parent >= row => Err(What::Prefix.of(row)),
            parent => Ok(parent),
        }
    }
}
