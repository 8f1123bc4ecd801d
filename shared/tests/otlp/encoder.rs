//! Writes requests of every layout, by the field numbers of opentelemetry-proto's tags, without any
//! code of the reader.

/// Versions of opentelemetry-proto whose senders are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V1_7,
    V1_8,
    V1_9,
    V1_10,
    V1_11,
}

pub(crate) const VERSIONS: [Version; 5] = [
    Version::V1_7,
    Version::V1_8,
    Version::V1_9,
    Version::V1_10,
    Version::V1_11,
];

/// How a sender writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) version: Version,
    pub(crate) packed: bool,
    pub(crate) dictionary_first: bool,
}

/// A message being written.
#[derive(Clone, Default)]
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    fn raw(&mut self, mut n: u64) {
        loop {
            let more = n > 0x7f;
            self.0.push((n & 0x7f) as u8 | if more { 0x80 } else { 0 });
            n >>= 7;
            if !more {
                return;
            }
        }
    }

    pub(crate) fn int(mut self, field: u64, n: u64) -> Self {
        if n != 0 {
            self.raw(field * 8);
            self.raw(n);
        }
        self
    }

    pub(crate) fn fixed(mut self, field: u64, n: u64) -> Self {
        self.raw(field * 8 + 1);
        self.0.extend(n.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.raw(field * 8 + 2);
        self.raw(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(crate) fn message(self, field: u64, message: Out) -> Self {
        self.bytes(field, &message.0)
    }

    pub(crate) fn ints(mut self, field: u64, packed: bool, all: &[u64]) -> Self {
        if all.is_empty() {
            return self;
        }
        if packed {
            let mut inner = Out::default();
            all.iter().for_each(|&n| inner.raw(n));
            return self.bytes(field, &inner.0);
        }
        for &n in all {
            self.raw(field * 8);
            self.raw(n);
        }
        self
    }

    fn times(self, field: u64, style: Style, all: &[u64]) -> Self {
        match (style.version, style.packed) {
            _ if all.is_empty() => self,
            (Version::V1_7, packed) => self.ints(field, packed, all),
            (_, true) => {
                let bytes: Vec<u8> = all.iter().flat_map(|n| n.to_le_bytes()).collect();
                self.bytes(field, &bytes)
            }
            (_, false) => all.iter().fold(self, |out, &n| out.fixed(field, n)),
        }
    }
}

/// A sample: rows of the dictionary by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// The leaf first.
    pub(crate) stack: Vec<u64>,
    pub(crate) values: Vec<u64>,
    pub(crate) attributes: Vec<u64>,
    pub(crate) link: u64,
    pub(crate) times: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) sample_type: (&'static str, &'static str),
    pub(crate) period_type: Option<(&'static str, &'static str)>,
    pub(crate) period: u64,
    pub(crate) time: u64,
    pub(crate) duration: u64,
    pub(crate) id: Vec<u8>,
    pub(crate) samples: Vec<Sample>,
}

impl Profile {
    /// Samples of CPU time, one each 10 ns.
    pub(crate) fn of_cpu(samples: Vec<Sample>) -> Self {
        Self {
            sample_type: ("samples", "count"),
            period_type: Some(("cpu", "nanoseconds")),
            period: 10,
            samples,
            ..Self::default()
        }
    }
}

/// One resource: attributes, and profiles in one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resource {
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
    pub(crate) profiles: Vec<Profile>,
}

/// What a request holds, whatever its layout.
///
/// Location `n` of 1 and more is of function `n`, whose name is `functions[n - 1]`. Row 0 of each
/// table is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) functions: Vec<&'static str>,
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
    pub(crate) links: Vec<([u8; 16], [u8; 8])>,
    pub(crate) resources: Vec<Resource>,
}

/// Strings of a dictionary.
struct Strings(Vec<String>);

impl Strings {
    fn at(&mut self, text: &str) -> u64 {
        let at = self.0.iter().position(|known| known == text);
        at.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        }) as u64
    }
}

pub(crate) fn text(value: &str) -> Out {
    Out::default().bytes(1, value.as_bytes())
}

pub(crate) fn key_value(key: &str, value: Out) -> Out {
    Out::default().bytes(1, key.as_bytes()).message(2, value)
}

impl Request {
    pub(crate) fn encode(&self, style: Style) -> Vec<u8> {
        let mut strings = Strings(vec![String::new()]);
        let mut stacks: Vec<Vec<u64>> = vec![Vec::new()];
        let mut profiles = Out::default();
        for resource in &self.resources {
            let mut owner = Out::default();
            for (key, value) in &resource.attributes {
                owner = owner.message(1, key_value(key, text(value)));
            }
            let mut scope = Out::default();
            for profile in &resource.profiles {
                scope = scope.message(2, profile.encode(style, &mut strings, &mut stacks));
            }
            profiles = profiles.message(1, Out::default().message(1, owner).message(2, scope));
        }
        let dictionary = self.dictionary(style, &mut strings, &stacks);
        let dictionary = Out::default().message(2, dictionary);
        if style.dictionary_first {
            [dictionary.0, profiles.0].concat()
        } else {
            [profiles.0, dictionary.0].concat()
        }
    }

    fn dictionary(&self, style: Style, strings: &mut Strings, stacks: &[Vec<u64>]) -> Out {
        let empty = Out::default;
        let mut out = empty()
            .message(1, empty())
            .message(2, empty())
            .message(3, empty());
        for (at, name) in self.functions.iter().enumerate() {
            let name = strings.at(name);
            let line = empty().int(1, at as u64 + 1).int(2, 10).int(3, 4);
            out = out
                .message(2, empty().message(3, line))
                .message(3, empty().int(1, name));
        }
        out = out.message(4, empty());
        for (trace, span) in &self.links {
            out = out.message(4, empty().bytes(1, trace).bytes(2, span));
        }
        out = out.message(6, empty());
        for (key, value) in &self.attributes {
            out = out.message(
                6,
                match style.version {
                    Version::V1_7 => key_value(key, text(value)),
                    _ => empty().int(1, strings.at(key)).message(2, text(value)),
                },
            );
        }
        if style.version != Version::V1_7 {
            for stack in stacks {
                out = out.message(7, empty().ints(1, style.packed, stack));
            }
        }
        strings
            .0
            .iter()
            .fold(out, |out, text| out.bytes(5, text.as_bytes()))
    }
}

impl Profile {
    fn encode(&self, style: Style, strings: &mut Strings, stacks: &mut Vec<Vec<u64>>) -> Out {
        let mut value_type = |(kind, unit)| {
            Out::default()
                .int(1, strings.at(kind))
                .int(2, strings.at(unit))
        };
        let mut out = Out::default().message(1, value_type(self.sample_type));
        let period_type = self.period_type.map(value_type);
        let mut slices = Vec::new();
        for sample in &self.samples {
            let Sample {
                values,
                attributes,
                link,
                times,
                ..
            } = sample;
            let mut row = Out::default();
            row = match style.version {
                Version::V1_7 => {
                    let start = slices.len() as u64;
                    slices.extend(&sample.stack);
                    row.int(1, start)
                        .int(2, sample.stack.len() as u64)
                        .ints(3, style.packed, values)
                        .ints(4, style.packed, attributes)
                        .int(5, *link)
                        .times(6, style, times)
                }
                version => {
                    let known = stacks.iter().position(|stack| *stack == sample.stack);
                    let stack = known.unwrap_or_else(|| {
                        stacks.push(sample.stack.clone());
                        stacks.len() - 1
                    });
                    row = row.int(1, stack as u64);
                    row = match version {
                        Version::V1_8 | Version::V1_9 => row
                            .ints(2, style.packed, values)
                            .ints(3, style.packed, attributes)
                            .int(4, *link),
                        _ => row.ints(2, style.packed, attributes).int(3, *link).ints(
                            4,
                            style.packed,
                            values,
                        ),
                    };
                    row.times(5, style, times)
                }
            };
            out = out.message(2, row);
        }
        out = match style.version {
            Version::V1_7 => {
                let mut out = out
                    .ints(3, true, &slices)
                    .int(4, self.time)
                    .int(5, self.duration);
                if let Some(period_type) = period_type {
                    out = out.message(6, period_type);
                }
                out.int(7, self.period)
            }
            _ => {
                let mut out = out.fixed(3, self.time).int(4, self.duration);
                if let Some(period_type) = period_type {
                    out = out.message(5, period_type);
                }
                out.int(6, self.period)
            }
        };
        let id_field = match style.version {
            Version::V1_7 => 10,
            Version::V1_8 => 8,
            _ => 7,
        };
        if self.id.is_empty() {
            out
        } else {
            out.bytes(id_field, &self.id)
        }
    }
}
