//! One profile of a service, as its agent would have taken it.

use pilotlight_core::{
    Function, Line, LocationId, Mapping, Profile, ProfileBuilder, StackId, StringId, SymbolFlags,
};

use crate::code::Call;
use crate::moment::{Kind, Moment};
use crate::random::Random;

/// Samples a second, as Go and py-spy take them.
const RATE: i64 = 100;
/// Bytes between two samples of the allocator, as Go takes them.
const HEAP_RATE: i64 = 512 << 10;
/// What one unit of an allocation weight is a second.
const ALLOCATED_BYTES: f64 = 24_000.0;
/// What one unit of a weight in use is.
const IN_USE_BYTES: f64 = 600_000.0;

/// The profile of a moment that begins then.
pub fn profile(moment: &Moment, time_nanos: i64) -> Profile {
    let mut builder = ProfileBuilder::new();
    let (types, period_type, period): (&[(&str, &str)], _, _) = match moment.kind {
        Kind::Cpu => (
            &[("samples", "count"), ("cpu", "nanoseconds")],
            ("cpu", "nanoseconds"),
            1_000_000_000 / RATE,
        ),
        Kind::Memory => (
            &[
                ("alloc_objects", "count"),
                ("alloc_space", "bytes"),
                ("inuse_objects", "count"),
                ("inuse_space", "bytes"),
            ],
            ("space", "bytes"),
            HEAP_RATE,
        ),
    };
    for (kind, unit) in types {
        builder.sample_type(kind, unit);
    }
    let period_type = builder.value_type(period_type.0, period_type.1);
    let header = builder.header();
    (header.period_type, header.period, header.time_nanos) =
        (Some(period_type), period, time_nanos);
    header.duration_nanos = moment.seconds() * 1_000_000_000;
    sample(moment, &mut builder);
    builder.finish()
}

fn sample(moment: &Moment, builder: &mut ProfileBuilder) {
    let service = moment.service;
    let code = service.code();
    let words = [
        hash(service.name),
        hash(moment.region),
        moment.kind as u64,
        moment.before_end as u64,
    ];
    let mut random = Random::of(&words);
    let load =
        service.load(moment.region, moment.before_end) * (1.0 + 0.04 * random.normal()).max(0.5);
    let seconds = moment.seconds() as f64;
    let samples_a_weight = service.cores * RATE as f64 * seconds * load / code.cpu_weight;
    let mapping = mapping(builder, service.binary);
    let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(code.calls.len());
    for (row, call) in code.calls.iter().enumerate() {
        if !call.when.holds(moment.version()) {
            stacks.push(None);
            continue;
        }
        let location = location(builder, mapping, row, call);
        let parent = call.parent.and_then(|parent| stacks[parent]);
        let stack = Some(builder.stack(parent, location));
        stacks.push(stack);
        let values = match moment.kind {
            Kind::Cpu => {
                let count = random.poisson(call.cpu * samples_a_weight);
                vec![count, count * 1_000_000_000 / RATE]
            }
            Kind::Memory => memory(call, load, seconds, &mut random),
        };
        if values.iter().any(|value| *value != 0) {
            builder.sample(stack, None, &values);
        }
    }
}

/// Objects and bytes, allocated and in use, in the steps in which a sampling allocator sees them.
fn memory(call: &Call, load: f64, seconds: f64, random: &mut Random) -> Vec<i64> {
    let object = 16 << (hash(call.name) % 9);
    let mut column = |bytes: f64| {
        let bytes = random.poisson(bytes / HEAP_RATE as f64) * HEAP_RATE;
        [(bytes / object).max(i64::from(bytes > 0)), bytes]
    };
    let allocated = column(call.allocated * ALLOCATED_BYTES * seconds * load);
    let in_use = column(call.in_use * IN_USE_BYTES * (0.8 + 0.2 * load));
    [allocated, in_use].concat()
}

fn mapping(builder: &mut ProfileBuilder, binary: &str) -> Option<pilotlight_core::MappingId> {
    if binary.is_empty() {
        return None;
    }
    let (file, symbols) = (
        builder.string(binary),
        SymbolFlags {
            functions: true,
            ..SymbolFlags::default()
        },
    );
    Some(builder.mapping(Mapping {
        start: 0x40_0000,
        limit: 0x240_0000,
        offset: 0,
        file,
        build_id: StringId::EMPTY,
        symbols,
    }))
}

fn location(
    builder: &mut ProfileBuilder,
    mapping: Option<pilotlight_core::MappingId>,
    row: usize,
    call: &Call,
) -> LocationId {
    let (name, file) = (builder.string(call.name), builder.string(call.file));
    let start_line = (call.line - call.line % 17).max(0);
    let function = builder.function(Function {
        start_line,
        ..Function::named(name, file)
    });
    // Compiled code has addresses: a call of its own for every line of the text.
    let address = mapping.map_or(0, |_| 0x40_1000 + row as u64 * 0x140);
    builder.location(mapping, address, false, &[Line::of(function, call.line)])
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
