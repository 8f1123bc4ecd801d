//! Labels of samples, from attributes and links, each read once.

use hashbrown::HashMap;

use super::drafts::Gathering;
use super::labels::SampleLabel;
use crate::formats::otlp::{Request, Sample, Stop};
use crate::ingest::error::IngestError;
use crate::model::labels::{Labels, SERVICE_NAME};
use crate::model::profile::Label;

/// What the rows of the tables of attributes and links say of samples.
pub(super) struct SampleLabels<'r, 'a> {
    request: &'r Request<'a>,
    of_attribute: HashMap<u64, SampleLabel>,
    /// The labels of the sample that is read.
    labels: Vec<Label>,
}

impl<'r, 'a> SampleLabels<'r, 'a> {
    pub(super) fn new(request: &'r Request<'a>) -> Self {
        Self {
            request,
            of_attribute: HashMap::new(),
            labels: Vec::new(),
        }
    }

    /// The service that the sample names, if it names one.
    pub(super) fn service(&mut self, sample: &Sample) -> Result<Option<&str>, IngestError> {
        for &index in &sample.attributes {
            self.read(index)?;
        }
        let mut labels = sample
            .attributes
            .iter()
            .map(|index| &self.of_attribute[index]);
        let service = labels.find_map(|label| match label {
            SampleLabel::Service(service) => Some(service.as_str()),
            _ => None,
        });
        Ok(service)
    }

    /// Reads an attribute, unless it is known.
    fn read(&mut self, index: u64) -> Result<(), IngestError> {
        if self.of_attribute.contains_key(&index) {
            return Ok(());
        }
        let label = SampleLabel::of(self.request.attribute(index)?);
        if let SampleLabel::Service(service) = &label {
            // A name too long is refused here: it is looked up for each sample.
            Labels::new(vec![(SERVICE_NAME.to_owned(), service.clone())])?;
        }
        self.of_attribute.insert(index, label);
        Ok(())
    }

    /// The labels of a sample, as strings of a draft. Its attributes are known.
    pub(super) fn set(
        &mut self,
        sample: &Sample,
        draft: &mut Gathering,
    ) -> Result<&mut [Label], Stop> {
        self.labels.clear();
        for index in &sample.attributes {
            let label = match draft.labels.get(index) {
                Some(&label) => label,
                None => {
                    let label = match self.of_attribute.get(index) {
                        Some(SampleLabel::Label(key, value)) => {
                            self.request.charge(key.len() + value.len())?;
                            Some(draft.label(key, value))
                        }
                        _ => None,
                    };
                    draft.labels.insert(*index, label);
                    label
                }
            };
            self.labels.extend(label);
        }
        if let Some(index) = sample.link {
            if !draft.links.contains_key(&index) {
                let link = self.request.link(index)?;
                let ids = [
                    ("trace_id", link.trace_id, 16),
                    ("span_id", link.span_id, 8),
                ];
                let labels = ids.map(|(name, id, length)| {
                    let is_id = id.len() == length && id.iter().any(|&byte| byte != 0);
                    is_id.then(|| draft.label(name, &hex(id)))
                });
                draft.links.insert(index, labels);
            }
            self.labels
                .extend(draft.links[&index].into_iter().flatten());
        }
        Ok(&mut self.labels)
    }
}

impl Gathering {
    fn label(&mut self, key: &str, value: &str) -> Label {
        let builder = &mut self.symbols.builder;
        builder.text_label(key, value)
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
