//! Values as they come.

use super::*;

/// Every value, with the labels of its series.
#[derive(Default)]
pub(super) struct All {
    pub(super) series: Vec<Labels>,
    pub(super) values: Vec<(u32, Value)>,
}

impl Values for All {
    fn series(&mut self, _: &ProfileType, labels: &Labels) -> u32 {
        let at = self.series.iter().position(|known| known == labels);
        at.unwrap_or_else(|| {
            self.series.push(labels.clone());
            self.series.len() - 1
        }) as u32
    }

    fn add(&mut self, series: u32, value: Value) {
        self.values.push((series, value));
    }

    fn held(&self) -> usize {
        0
    }
}

/// The same without regard to series, which all have one number.
#[derive(Default)]
pub(super) struct Together(pub(super) Vec<Value>);

impl Values for Together {
    fn series(&mut self, _: &ProfileType, _: &Labels) -> u32 {
        0
    }

    fn add(&mut self, series: u32, value: Value) {
        assert_eq!(series, 0);
        self.0.push(value);
    }

    fn held(&self) -> usize {
        self.0.len()
    }
}
