//! The JSON of gprof2dot, as `memray transform gprof2dot` writes it.
//!
//! Source: the description of the format in gprof2dot's wiki, version 0.
//!
//! - `costs` has the sample types, `functions` a name and a module each, `events` stacks of numbers of
//!   functions, the leaf first, with what each costs.

use crate::base::limits::{MAX_SAMPLE_TYPES, MAX_STACK_DEPTH};
use crate::formats::decoded::Decoded;
use crate::formats::json::format::JsonFormat;
use crate::formats::start::Start;
use crate::imports::error::{FormatError, too_deep};
use crate::imports::json::reader::{Problem, Reader};
use crate::imports::rows::Rows;
use crate::model::id::LocationId;

/// What it is called in messages.
pub(crate) const NAME: &str = "gprof2dot JSON";

/// Whether costs and stacks are named.
pub(crate) fn sniff(start: Start<'_>) -> bool {
    start.json == Some(JsonFormat::Gprof2dot)
}

/// Decodes a file. Time and memory are linear in its size.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded, FormatError> {
    let mut json = Reader::of(bytes, NAME)?;
    let mut tables = Tables {
        rows: Rows::new(NAME, bytes.len()),
        functions: Vec::new(),
        chains: Vec::new(),
        costs: Vec::new(),
        ends: Vec::new(),
    };
    json.object(&mut |json, key| match key {
        "costs" => json.list(&mut |json| tables.cost(json)),
        "functions" => json.list(&mut |json| tables.function(json)),
        "events" => json.list(&mut |json| tables.event(json)),
        _ => json.skip(),
    })
    .map_err(|problem| problem.of(NAME))?;
    tables.write()
}

struct Tables {
    rows: Rows,
    functions: Vec<LocationId>,
    /// Functions of all events, and costs of all events.
    chains: Vec<u32>,
    costs: Vec<i64>,
    /// Where those of each end.
    ends: Vec<(u32, u32)>,
}

impl Tables {
    fn cost(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        let (mut kind, mut unit) = (String::new(), String::new());
        json.object(&mut |json, key| {
            match key {
                "description" => kind = json.text()?.to_lowercase(),
                "unit" => unit = json.text()?.into_owned(),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        if self.rows.builder.profile().sample_types().len() == MAX_SAMPLE_TYPES {
            return Err(json.problem(format!("more than {MAX_SAMPLE_TYPES} costs")));
        }
        self.rows.builder.sample_type(&kind, &unit);
        Ok(())
    }

    fn function(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        let (mut name, mut module) = (String::new(), String::new());
        json.object(&mut |json, key| {
            match key {
                "name" => name = json.text()?.into_owned(),
                "module" => module = json.text()?.into_owned(),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        let function = self.rows.function(&name, &module);
        let location = self.rows.location(None, function, 0);
        self.functions.push(location);
        self.check(json, size_of::<LocationId>())
    }

    fn event(&mut self, json: &mut Reader<'_>) -> Result<(), Problem> {
        let (functions, costs) = (self.chains.len(), self.costs.len());
        json.object(&mut |json, key| match key {
            "callchain" => json.list(&mut |json| {
                let function = json
                    .number(1)?
                    .and_then(|number| u32::try_from(number).ok());
                self.chains.push(function.unwrap_or(u32::MAX));
                Ok(())
            }),
            "cost" => json.list(&mut |json| {
                self.costs.push(json.number(1)?.unwrap_or(0));
                Ok(())
            }),
            _ => json.skip(),
        })?;
        if self.chains.len() - functions > MAX_STACK_DEPTH {
            return Err(json.problem(too_deep()));
        }
        self.ends
            .push((self.chains.len() as u32, self.costs.len() as u32));
        let bytes = 4 * (self.chains.len() - functions) + 8 * (self.costs.len() - costs) + 8;
        self.check(json, bytes)
    }

    fn check(&mut self, json: &Reader<'_>, bytes: usize) -> Result<(), Problem> {
        self.rows.beside += bytes;
        let check = self.rows.check();
        check.map_err(|error| json.problem(error.problem))
    }

    fn write(mut self) -> Result<Decoded, FormatError> {
        let mut start = (0, 0);
        for (event, &(chain, cost)) in self.ends.iter().enumerate() {
            let mut stack = None;
            for &function in self.chains[start.0..chain as usize].iter().rev() {
                let Some(&location) = self.functions.get(function as usize) else {
                    let problem = format!("there is no function {function}");
                    return Err(FormatError::at(NAME, format!("event {event}"), problem));
                };
                stack = Some(self.rows.builder.stack(stack, location));
            }
            let costs = &self.costs[start.1..cost as usize];
            self.rows.builder.sample(stack, None, costs);
            self.rows.check()?;
            start = (chain as usize, cost as usize);
        }
        self.rows.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::testing::drawn;

    #[test]
    fn events_are_stacks_with_costs() {
        let text = r#"{"version":0,"costs":[{"description":"Memory","unit":"bytes"}],"events":[
            {"callchain":[1,0],"cost":[710]},{"callchain":[0],"cost":[5]}],
            "functions":[{"module":"p.py","name":"p.py:<module>:13"},{"name":"f"}]}"#;
        assert!(sniff(Start::of(text.as_bytes())));
        assert_eq!(
            drawn(&decode(text.as_bytes()).expect("good").profile),
            "memory/bytes\np.py:<module>:13 p.py;f 710\np.py:<module>:13 p.py 5\n"
        );
        let text = text.replace("[1,0]", "[7,0]");
        let error = decode(text.as_bytes()).expect_err("is damaged").to_string();
        assert_eq!(error, "gprof2dot JSON, event 0: there is no function 7");
    }
}
