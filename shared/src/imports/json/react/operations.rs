//! Lists of operations: how the tree of components changed before a commit, in numbers.
//!
//! How many numbers an operation has depends on the release of DevTools, which files do not name. The
//! first layout that leaves nothing over is taken.

/// The operation that mounts a component.
const MOUNT: i64 = 1;
/// The kind of a root, which is no component.
pub(super) const ROOT: i64 = 11;
/// How many numbers a root has behind its kind, and another component; a boundary of Suspense before
/// its rectangles, and before the names of what suspends it.
const LAYOUTS: [[usize; 4]; 8] = [
    [5, 5, 6, 5],
    [4, 5, 6, 5],
    [5, 5, 6, 4],
    [4, 5, 6, 4],
    [5, 5, 5, 4],
    [4, 5, 5, 4],
    [4, 4, 5, 4],
    [2, 4, 5, 4],
];

/// Operations of a layout.
pub(super) struct Operations<'a> {
    numbers: &'a [i64],
    /// Where texts begin, each with its length.
    texts: Vec<u32>,
    /// Where components are mounted.
    pub(super) mounted: Vec<u32>,
}

impl<'a> Operations<'a> {
    /// Reads operations; `None` if they are of no layout that is known.
    pub(super) fn of(numbers: &'a [i64]) -> Option<Self> {
        LAYOUTS
            .iter()
            .find_map(|layout| Self::of_layout(numbers, layout))
    }

    /// Reads operations; `None` if they are not of the layout.
    ///
    /// Behind the ids of renderer and root stands how many numbers the texts have, then of each its
    /// length and its characters. An operation is its kind and numbers of it.
    fn of_layout(numbers: &'a [i64], layout: &[usize; 4]) -> Option<Self> {
        let mut read = Self {
            numbers,
            texts: Vec::new(),
            mounted: Vec::new(),
        };
        let mut at = 3;
        let end = read.count(2)? + at;
        while at < end {
            read.texts.push(at as u32);
            at += 1 + read.count(at)?;
        }
        while at < numbers.len() {
            let is_root = numbers[at] == MOUNT && read.number(at + 2)? == ROOT;
            if numbers[at] == MOUNT {
                if !is_root && read.count(at + 5)? > read.texts.len() {
                    return None;
                }
                read.mounted.push(at as u32);
            }
            at += read.length(at, is_root, layout)?;
        }
        (at == numbers.len()).then_some(read)
    }

    /// How many numbers an operation has.
    fn length(&self, at: usize, is_root: bool, layout: &[usize; 4]) -> Option<usize> {
        let [root, component, boundary, suspender] = *layout;
        Some(match self.numbers[at] {
            MOUNT if is_root => 3 + root,
            MOUNT => 3 + component,
            2 | 9 => 2 + self.count(at + 1)?,
            3 | 10 => 3 + self.count(at + 2)?,
            4 | 7 => 3,
            5 => 4,
            6 => 1,
            8 => boundary + self.rectangles(at + boundary - 1)?,
            11 => 3 + self.rectangles(at + 2)?,
            12 => {
                let mut length = 2;
                for _ in 0..self.count(at + 1)? {
                    length += suspender + self.count(at + length + suspender - 1)?;
                }
                length
            }
            13 => 2,
            _ => return None,
        })
    }

    fn number(&self, at: usize) -> Option<i64> {
        self.numbers.get(at).copied()
    }

    /// A number of numbers, which are there.
    fn count(&self, at: usize) -> Option<usize> {
        let count = usize::try_from(self.number(at)?).ok()?;
        (count <= self.numbers.len()).then_some(count)
    }

    /// Numbers of a list of rectangles, which may be none.
    fn rectangles(&self, at: usize) -> Option<usize> {
        match self.number(at)? {
            -1 => Some(0),
            _ => Some(4 * self.count(at)?),
        }
    }

    /// Id, kind, parent and name of a component that is mounted.
    pub(super) fn component(&self, at: u32) -> (i64, i64, i64, String) {
        let at = at as usize;
        let [id, kind, parent, _, name] =
            [1, 2, 3, 4, 5].map(|place| self.number(at + place).unwrap_or(0));
        if kind == ROOT {
            return (id, kind, 0, String::new());
        }
        // Text 0 is none.
        let row = usize::try_from(name).unwrap_or(0).checked_sub(1);
        let text = row
            .and_then(|row| self.texts.get(row))
            .map(|&text| text as usize);
        let codes = text.and_then(|at| self.numbers.get(at + 1..=at + self.count(at)?));
        let chars = codes.unwrap_or_default().iter();
        let chars = chars.map(|&code| u32::try_from(code).ok().and_then(char::from_u32));
        let name = chars
            .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        (id, kind, parent, name)
    }
}
