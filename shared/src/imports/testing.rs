//! Profiles as text, for the tests of the formats.

use crate::model::address_name::address_name;
use crate::model::profile::{LabelValue, Profile};

/// Each sample: its time, its stack from the root on, its values, its labels.
pub(super) fn samples(profile: &Profile) -> Vec<String> {
    let samples = profile.samples();
    (0..profile.len())
        .map(|row| {
            let time = samples
                .times
                .as_ref()
                .map(|times| format!("{} ", times[row]));
            let mut frames = Vec::new();
            for location in profile.frames(samples.stacks[row]) {
                let fields = profile.locations()[location.index()];
                let lines = profile.lines(location);
                for line in lines {
                    let function = line.function.expect("lines here have functions");
                    let name = profile.functions()[function.index()].name;
                    frames.push(profile.text(name).to_owned());
                }
                if lines.is_empty() {
                    let module = fields.mapping.map_or("", |mapping| {
                        profile.text(profile.mappings()[mapping.index()].file)
                    });
                    frames.push(address_name(fields.address, module));
                }
            }
            frames.reverse();
            let values: Vec<i64> = samples.values.iter().map(|column| column[row]).collect();
            let mut labels: Vec<String> = profile
                .labels(samples.labels[row])
                .iter()
                .map(|label| {
                    let key = profile.text(label.key);
                    match label.value {
                        LabelValue::Text(text) => format!(" {key}={}", profile.text(text)),
                        LabelValue::Number(number, unit) => {
                            format!(" {key}={number}{}", profile.text(unit))
                        }
                    }
                })
                .collect();
            labels.sort();
            let time = time.unwrap_or_default();
            format!("{time}{} {values:?}{}", frames.join(";"), labels.concat())
        })
        .collect()
}

/// Each sample type: what it counts, and in which unit.
pub(super) fn type_names(profile: &Profile) -> Vec<String> {
    let texts = profile.sample_types().iter().map(|&t| profile.type_text(t));
    texts.map(|(kind, unit)| format!("{kind}/{unit}")).collect()
}

/// A small file of each format that is read from texts or records.
#[cfg(test)]
mod tests {
    use crate::imports::open;

    const FILES: &[&[u8]] = &[
        b"a b 7/9 [001] 1.5:  25 cycles:u: \n\t 10 leaf+0x1 (/bin/a b)\n 5 in (inlined)\n\t 20 [unknown] (/x)\n\nb 1 2.5: x:\n",
        b"# callgrind format\npositions: instr line\nevents: T_(10ns) B\nob=(1) /x\nfl=(1) a\nfn=(1) m\n0x1 16 20 1\ncfi=(2) b\ncfn=(2) f\ncalls=1 2 50\n+1 16 300\ncfn=(1)\ncalls=1 1 1\n* * 3\nfn=(2)\n+3 -1 200\n",
        b"panic: x\n\ngoroutine 1 [select, 5 minutes]:\nm.(*T).f(0x1)\n\t/a.go:12 +0x1d\ncreated by m.g in goroutine 3\n\t/a.go:1 +0x2\n\ngoroutine 2 [idle]:\nm.h()\n",
        b"Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%\t0 s\t start\n2.4 s  0.0%\t846.00 ms\t  f\n",
        b"@ e [10 samples]\n\n60.00%  [6]  a @ /k/z\n 100.0%  [5]   b\n4%  [4]  c\n",
        b"a;b 1 2\na;c 3 4\n",
        b"\tx Time and Allocation Profiling Report\n\ttotal time  =  0.80 secs   (8 ticks @ 1 us)\n\ttotal alloc = 1,000 bytes\nCOST CENTRE MODULE SRC no. entries %time ticks\nMAIN MAIN <built-in> 1 2 0.0 1.0 0.0 1.0 3 4\n f A a.hs:17:1 2 7 2.0 0.0 2.0 0.0 5 6\n",
        b"HCAT\x01\0\0\0\x03\x0f\0\0\0\0\0\0\0\0\0\0\xf4\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x51\0\0\0\0\0\0\0\x53\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\x01\x64\x03\x01\0\x01f\0\0\x0a\0\x08\0\xff\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"# austin: 3.7.0\n# mode: full\n\nP1;T0:2;/a.py:f:3;:GC: 5,0,-6\n",
        b"*version\n2\nclock=wall\n*threads\n7\tmain\n*methods\n0x4\ta.C\tf\t()V\tC.java\n*end\nSLOW\x02\0\x10\0\0\0\0\0\0\0\0\0\x07\0\x04\0\0\0\x01\0\0\0\x07\0\x05\0\0\0\x09\0\0\0",
        b"SIMPLEPERF\x01\0\x0d\0\0\0\x2a\x0b\x0a\x09cpu-clock\x12\0\0\0\x0a\x10\x08\x05\x10\x07\x1a\x06\x08\x10\x10\x01\x18\x00\x20\x01\x28\0\x0d\0\0\0\x1a\x0b\x08\x01\x12\x04/a.b\x1a\x01f\0\0\0\0",
    ];

    #[test]
    fn damage_never_panics() {
        for file in FILES {
            let opened = open(file, 1 << 20).unwrap_or_else(|e| panic!("{e}"));
            assert!(opened.format.is_some() && !opened.decoded.profile.is_empty());
            for at in 0..file.len() {
                let _ = open(&file[..at], 1 << 20);
                for flip in [1, 0x20, 0x80, 0xff] {
                    let mut bytes = file.to_vec();
                    bytes[at] ^= flip;
                    let _ = open(&bytes, 1 << 20);
                }
            }
        }
    }

    #[test]
    fn the_common_reader_sends_them_on() {
        for file in FILES {
            let error = crate::open(file, 1 << 20).expect_err("is not its own");
            let profile = matches!(
                error,
                crate::OpenError::Unsupported(crate::UnsupportedFormat::Profile(_))
            );
            assert!(profile, "{error}");
        }
    }
}
