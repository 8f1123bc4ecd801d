//! The same tree seen from elsewhere: upside down, or from one function.

use pilotlight_core::verbs;

use super::View;
use super::table::Table;
use super::values::Values;

impl View {
    /// Upside down: leaves first, their callers below them. The table of functions stays, as a
    /// function costs the same whichever way the tree is drawn.
    pub(crate) fn inverted(&self) -> Self {
        let (values, cut) = match &self.values {
            Values::Call(tree) => {
                let inverted = verbs::inverted(tree.as_ref());
                (Values::Call(Box::new(inverted.tree)), inverted.cut)
            }
            Values::Diff(diff) => {
                let inverted = verbs::inverted(diff.as_ref());
                (Values::Diff(Box::new(inverted.tree)), inverted.cut)
            }
        };
        Self {
            depths: values.shape().depths(),
            table: self.table.counted_in(&values),
            values,
            inverted: true,
            cut,
            kind: self.kind.clone(),
            unit: self.unit.clone(),
            normalised_to: self.normalised_to,
            whole: self.whole,
            unmatched: self.unmatched.clone(),
            paints: self.paints.clone(),
            matches: None,
            selected: None,
            pause: None,
            starts: Vec::new(),
        }
    }

    /// What calls the functions of a name, and what they call. Without such a function both are
    /// empty.
    pub(crate) fn sandwich(&self, name: &str) -> [Self; 2] {
        let shape = self.shape();
        let asked: Vec<bool> = shape
            .frames()
            .iter()
            .map(|frame| shape.text(frame.name) == name)
            .collect();
        let is_asked = |frame: usize| asked[frame];
        let (callers, cut, callees) = match &self.values {
            Values::Call(tree) => {
                let callers = verbs::callers(tree.as_ref(), is_asked);
                let callees = verbs::callees(tree.as_ref(), is_asked);
                (
                    Values::Call(Box::new(callers.tree)),
                    callers.cut,
                    Values::Call(Box::new(callees)),
                )
            }
            Values::Diff(diff) => {
                let callers = verbs::callers(diff.as_ref(), is_asked);
                let callees = verbs::callees(diff.as_ref(), is_asked);
                (
                    Values::Diff(Box::new(callers.tree)),
                    callers.cut,
                    Values::Diff(Box::new(callees)),
                )
            }
        };
        let callers = Self {
            inverted: true,
            cut,
            ..self.part(callers)
        };
        [callers, self.part(callees)]
    }

    /// A tree that was made of this one, whose frames it has.
    fn part(&self, values: Values) -> Self {
        Self {
            depths: values.shape().depths(),
            table: Table::new(&values),
            values,
            inverted: false,
            cut: None,
            kind: self.kind.clone(),
            unit: self.unit.clone(),
            normalised_to: self.normalised_to,
            whole: self.total(),
            unmatched: Vec::new(),
            paints: self.paints.clone(),
            matches: None,
            selected: None,
            pause: None,
            starts: Vec::new(),
        }
    }
}
