"""Reads OTLP profiles (layout 1.10), independently of Pilotlight, and prints what the viewer must show
of each: the total of every sample type and the functions with the largest self values.

    python3 tests/golden/imports/otlp.py ../shared/corpus > tests/golden/imports/otlp.txt

It shares no code with Pilotlight and needs nothing but Python. Written from opentelemetry-proto.
"""

import sys
from collections import Counter
from pathlib import Path

FILES = ["agents/java/out-alloc.otlp", "agents/java/out-itimer.otlp"]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """Fields of a message, each a list of values."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            length = {1: 8, 5: 4}[kind]
            value, at = int.from_bytes(data[at : at + length], "little"), at + length
        fields.setdefault(key >> 3, []).append(value)
    return fields


def numbers(values):
    """Packed and single ones."""
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            yield number


def inner(data, *path):
    """All messages at the end of a path of fields."""
    found = [data]
    for field in path:
        found = [value for owner in found for value in message(owner).get(field, [])]
    return map(message, found)


def read(data):
    tables = next(inner(data, 2))
    strings = [text.decode() for text in tables[5]]
    functions = [message(row) for row in tables[3]]
    locations = [message(row) for row in tables[2]]
    stacks = [message(row) for row in tables[7]]

    def value_type(profile, field):
        row = message(profile.get(field, [b""])[0])
        return tuple(strings[row.get(part, [0])[0]] for part in (1, 2))

    def leaf(sample):
        indices = list(numbers(stacks[sample.get(1, [0])[0]].get(1, [])))
        if not indices:
            return None
        line = message(locations[indices[0]][3][0])
        return strings[functions[line[1][0]].get(1, [0])[0]]

    columns = {}
    for profile in inner(data, 1, 2, 2):
        counted, period = value_type(profile, 1), value_type(profile, 5)
        scale = 1
        if counted == ("samples", "count") and period == ("cpu", "nanoseconds"):
            counted, scale = period, profile[6][0]
        own = columns.setdefault(" ".join(counted), Counter())
        for sample in map(message, profile.get(2, [])):
            values = list(numbers(sample.get(4, [])))
            times = sum(len(t) // 8 if isinstance(t, bytes) else 1 for t in sample.get(5, []))
            own[leaf(sample)] += (sum(values) if values else times) * scale
    return columns


def main(corpus):
    for name in FILES:
        print(f"file {name}")
        for kind, own in read((corpus / name).read_bytes()).items():
            print(f"type {kind} {sum(own.values())}")
            named = [(name, value) for name, value in own.items() if name and value > 0]
            for function, value in sorted(named, key=lambda item: (-item[1], item[0]))[:10]:
                print(f"self {value} {function}")


main(Path(sys.argv[1]))
