//! The outermost messages: resources, scopes and the profiles in them.

use super::attribute::{Attribute, Form};
use super::dictionary::{Dictionary, Link, for_each_message, walk};
use super::error::{OtlpError, ProfileError, Stop};
use super::layout::Layout;
use super::profile::Profile;
use super::votes::Votes;
use crate::base::limits::{MAX_LABELS_A_SAMPLE, MAX_PROFILE_BYTES};
use crate::formats::protobuf::Wire;

/// A request whose profiles can be read.
pub(crate) struct Request<'a> {
    message: Wire<'a>,
    pub(super) dictionary: Dictionary<'a>,
    pub(super) layout: Layout,
}

/// What produced profiles: a process, a container, a host.
pub(crate) struct Resource<'r, 'a> {
    request: &'r Request<'a>,
    message: Wire<'a>,
}

/// The profiles that one instrumentation of a resource has made.
pub(crate) struct Scope<'r, 'a> {
    request: &'r Request<'a>,
    message: Wire<'a>,
}

impl<'a> Request<'a> {
    /// Finds the dictionary, which may stand behind the profiles, and votes on the layout.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, Stop> {
        Self::with(bytes, None)
    }

    /// The same of a request that [`super::to_protobuf`] wrote.
    pub(crate) fn open_newest(bytes: &'a [u8]) -> Result<Self, Stop> {
        Self::with(bytes, Some(Layout::V1_10))
    }

    fn with(bytes: &'a [u8], layout: Option<Layout>) -> Result<Self, Stop> {
        if bytes.len() > MAX_PROFILE_BYTES {
            return Err(OtlpError::TooLarge {
                length: bytes.len(),
                cap: MAX_PROFILE_BYTES,
            }
            .into());
        }
        let message = Wire::new(bytes);
        let request = Self {
            message,
            dictionary: Dictionary::new(message)?,
            layout: Layout::V1_10,
        };
        let (mut votes, mut profiles) = (Votes::default(), 0u64);
        request.for_each_resource(|resource| {
            resource.for_each_scope(|scope| {
                scope.for_each_profile::<Stop>(|profile| {
                    profiles += 1;
                    Ok(votes.profile(profile.message, &request.dictionary)?)
                })
            })
        })?;
        if profiles > 0 && request.dictionary.is_empty() {
            return Err(OtlpError::NoDictionary.into());
        }
        let layout = layout.unwrap_or_else(|| votes.layout());
        Ok(Self { layout, ..request })
    }

    /// Calls `each` for each resource.
    pub(crate) fn for_each_resource<E: From<Stop>>(
        &self,
        mut each: impl FnMut(Resource<'_, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        walk(self.message, 1, |message| {
            each(Resource {
                request: self,
                message,
            })
        })
    }

    /// A row of the table of attributes.
    pub(crate) fn attribute(&self, index: u64) -> Result<Attribute<'a>, Stop> {
        self.dictionary.attribute(index)
    }

    /// A row of the table of links.
    pub(crate) fn link(&self, index: u64) -> Result<Link<'a>, Stop> {
        self.dictionary.link(index)
    }

    /// Counts memory that is taken on behalf of a row.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Stop> {
        Ok(self.dictionary.charge(bytes as u64)?)
    }

    fn attributes(&self, owner: Wire<'a>, field: u32) -> Result<Vec<Attribute<'a>>, Stop> {
        let mut all = Vec::new();
        for_each_message(owner, field, |row| {
            if all.len() == MAX_LABELS_A_SAMPLE {
                return Err(ProfileError::OwnAttributes.into());
            }
            all.push(Attribute::read(row, Form::KeyValue, &|index| {
                self.dictionary.text(index)
            })?);
            Ok::<_, Stop>(())
        })?;
        Ok(all)
    }
}

impl<'r, 'a> Resource<'r, 'a> {
    /// Its attributes.
    pub(crate) fn attributes(&self) -> Result<Vec<Attribute<'a>>, Stop> {
        let mut all = Vec::new();
        for_each_message(self.message, 1, |resource| {
            all = self.request.attributes(resource, 1)?;
            Ok::<_, Stop>(())
        })?;
        Ok(all)
    }

    /// Calls `each` for each scope.
    pub(crate) fn for_each_scope<E: From<Stop>>(
        &self,
        mut each: impl FnMut(Scope<'r, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        walk(self.message, 2, |message| {
            each(Scope {
                request: self.request,
                message,
            })
        })
    }
}

impl<'r, 'a> Scope<'r, 'a> {
    /// Its attributes.
    pub(crate) fn attributes(&self) -> Result<Vec<Attribute<'a>>, Stop> {
        let mut all = Vec::new();
        for_each_message(self.message, 1, |scope| {
            all = self.request.attributes(scope, 3)?;
            Ok::<_, Stop>(())
        })?;
        Ok(all)
    }

    /// Calls `each` for each profile.
    pub(crate) fn for_each_profile<E: From<Stop>>(
        &self,
        mut each: impl FnMut(Profile<'r, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        walk(self.message, 2, |message| {
            each(Profile {
                dictionary: &self.request.dictionary,
                layout: self.request.layout,
                message,
            })
        })
    }
}
