//! One event.

use std::borrow::Cow;

use crate::imports::json::reader::{Problem, Reader};
use crate::imports::v8::recording::MICROSECOND;

/// The format's name.
pub(crate) const NAME: &str = "Chrome trace";

/// An event as it is written. Texts that are missing are empty.
#[derive(Default)]
pub(super) struct Event<'a> {
    pub(super) name: Cow<'a, str>,
    /// What kind it is; 0 when it does not say.
    pub(super) phase: u8,
    /// In nanoseconds.
    pub(super) time: Option<i64>,
    /// By the clock, else of the thread; in nanoseconds.
    pub(super) duration: i64,
    pub(super) process: Cow<'a, str>,
    pub(super) thread: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
    /// A reader of its arguments.
    pub(super) args: Option<Reader<'a>>,
}

impl<'a> Event<'a> {
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, Problem> {
        let mut event = Self::default();
        let mut of_thread = None;
        let mut duration = None;
        reader.object(&mut |reader, key| {
            match key {
                "name" => event.name = reader.text()?,
                "ph" => event.phase = reader.text()?.bytes().next().unwrap_or(0),
                "ts" => event.time = reader.number(MICROSECOND)?,
                "dur" => duration = reader.number(MICROSECOND)?,
                "tdur" => of_thread = reader.number(MICROSECOND)?,
                "pid" => event.process = reader.text()?,
                "tid" => event.thread = reader.text()?,
                "id" => event.id = reader.text()?,
                "args" => {
                    event.args = Some(*reader);
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        event.duration = duration.or(of_thread).unwrap_or(0);
        Ok(event)
    }

    /// An argument that is a text or a number; empty when there is none.
    pub(super) fn argument(&self, name: &str) -> Result<Cow<'a, str>, Problem> {
        let mut found = Cow::default();
        self.arguments(&mut |reader, key| {
            if key == name {
                found = reader.text()?;
                return Ok(());
            }
            reader.skip()
        })?;
        Ok(found)
    }

    /// Reads the arguments, if they are an object.
    pub(super) fn arguments(
        &self,
        take: &mut dyn FnMut(&mut Reader<'a>, &str) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let Some(mut reader) = self.args else {
            return Ok(());
        };
        if reader.peek()? != b'{' {
            return Ok(());
        }
        reader.object(take)
    }
}
