"""Reads text profiles and two of Android's binary formats, independently of Pilotlight, and prints what
Pilotlight must find in each: the totals of its sample types, and the functions with the largest self values.

    python3 tests/golden/imports/texts.py ../shared/corpus > tests/golden/imports/texts.txt

It shares no code with Pilotlight, follows the formats' own descriptions, and needs nothing but Python.
"""

import gzip
import re
import struct
import sys
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path


class Found:
    """Sample types in the order in which they come, and self values by name."""

    def __init__(self):
        self.types = {}

    def add(self, kind, unit, name, value):
        totals = self.types.setdefault((kind, unit), [0, Counter()])
        totals[0] += value
        if name is not None:
            totals[1][name] += value

    def show(self, path):
        print(f"file {path}")
        for (kind, unit), (total, names) in self.types.items():
            print(f"type {kind} {unit} {total}")
            rows = sorted((-value, name) for name, value in names.items() if value > 0)
            for value, name in rows[:10]:
                print(f"self {-value} {name}")


def perf_script(data):
    head = re.compile(
        r"^\s*(?P<comm>.*?)\s+(?P<id>\d+(/\d+)?)\s+(\[\d+\]\s+)?(?P<time>\d+\.\d+):\s+((?P<period>\d+)\s+)?(?P<event>\S+):\s*$"
    )
    frame = re.compile(r"^\s+(?P<address>[0-9a-f]+)\s+(?P<name>.*) \((?P<module>.*)\)$")
    found = Found()
    for block in re.split(r"\n\s*\n", data.decode()):
        lines = [line for line in block.split("\n") if line.strip() and not line.startswith("#")]
        if not lines:
            continue
        match = head.match(lines[0])
        event = re.sub(r":[a-zA-Z]{1,6}$", "", match["event"])
        unit = "count"
        if match["period"] and event in ("cpu-clock", "task-clock"):
            unit = "nanoseconds"
        name = None
        if len(lines) > 1:
            leaf = frame.match(lines[1])
            name = re.sub(r"\+0x[0-9a-f]+$", "", leaf["name"].strip())
            if name == "[unknown]":
                name = f"{int(leaf['address'], 16):#x}"
        found.add(event, unit, name, int(match["period"] or 1))
    return found


def callgrind(data):
    units = {"10ns": ("nanoseconds", 10), "bytes": ("bytes", 1)}
    names, events, columns = {}, [], 1
    function, is_call = None, False
    found = Found()
    for line in data.decode().split("\n"):
        line = line.strip()
        if line.startswith("events:"):
            for event in line.split()[1:]:
                match = re.match(r"(.*?)_?\((.*)\)$", event)
                unit, scale = units[match[2]] if match else ("count", 1)
                events.append((match[1] if match else event, unit, scale))
        elif line.startswith("positions:"):
            columns = len(line.split()) - 1
        elif match := re.match(r"c?fn=(\((\d+)\))?\s*(.*)", line):
            if match[2] and match[3]:
                names[match[2]] = match[3]
            if line.startswith("fn="):
                function = match[3] or names[match[2]]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[0-9+*-]", line):
            costs = line.split()[columns:]
            for (kind, unit, scale), cost in zip(events, costs):
                found.add(kind, unit, function, 0 if is_call else int(cost) * scale)
            is_call = False
    return found


def instruments(data):
    lines = data.decode().split("\n")
    header = lines[0].split("\t")
    name = next(i for i, cell in enumerate(header) if cell.startswith("Symbol Name"))
    own = next(i for i, cell in enumerate(header) if cell.startswith("Self"))
    scales = {"ms": 10**6, "s": 10**9, "µs": 10**3}
    found = Found()
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) <= name:
            continue
        match = re.match(r"([\d.]+)\s*(\S*)", cells[own])
        unit = match[2] or re.search(r"\((.*)\)", header[own])[1]
        found.add("cpu", "nanoseconds", cells[name].strip(), int(Decimal(match[1]) * scales[unit]))
    return found


def pmcstat(data):
    found = Found()
    event = None
    for line in data.decode().split("\n"):
        if match := re.match(r"@ (\S+) \[(\d+) samples\]", line):
            event = match[1]
        elif match := re.match(r"\d\S*%\s+\[(\d+)\]\s+(.*?)( @ .*)?$", line):
            # A line that is not indented is the function that was sampled.
            found.add(event, "count", match[2], int(match[1]))
    return found


def fields(data):
    """The fields of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        number = shift = 0
        while True:
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length
        else:
            raise ValueError(f"wire type {key & 7}")


def simpleperf(data):
    assert data[:12] == b"SIMPLEPERF\x01\0"
    at, samples, files, events = 12, [], {}, []
    while (length := struct.unpack_from("<I", data, at)[0]) > 0:
        for kind, message in fields(data[at + 4 : at + 4 + length]):
            if kind == 1:
                samples.append(message)
            elif kind == 3:
                file, symbols = 0, []
                for field, value in fields(message):
                    if field == 1:
                        file = value
                    elif field == 3:
                        symbols.append(value.decode())
                files[file] = symbols
            elif kind == 5:
                events += [value.decode() for field, value in fields(message) if field == 1]
        at += 4 + length
    found = Found()
    for event in events:
        found.add(event, "nanoseconds" if event == "cpu-clock" else "count", None, 0)
    for message in samples:
        values = dict(reversed(list(fields(message))))
        leaf = dict(fields(values[3]))
        symbols = files.get(leaf.get(2, 0), [])
        symbol = leaf.get(3, -1)
        if 0 <= symbol < len(symbols):
            name = symbols[symbol]
        else:
            name = f"{leaf.get(1, 0):#x}"
        event = events[values.get(5, 0)]
        found.add(event, "nanoseconds" if event == "cpu-clock" else "count", name, values.get(4, 0))
    return found


def art_trace(data):
    end = data.index(b"*end\n") + 5
    text = data[:end].decode()
    assert "clock=dual\n" in text
    methods = {}
    for line in text.split("*methods\n")[1].split("*end")[0].splitlines():
        parts = line.split("\t")
        methods[int(parts[0], 16)] = f"{parts[1].replace('/', '.')}.{parts[2]}"
    magic, version, offset = struct.unpack_from("<4sHH", data, end)
    assert magic == b"SLOW" and version == 3
    size = struct.unpack_from("<H", data, end + 16)[0]
    stacks, before = defaultdict(list), {}
    found = Found()
    at = end + offset
    while at + size <= len(data):
        thread, word, cpu, wall = struct.unpack_from("<HIII", data, at)
        stack = stacks[thread]
        last = before.get(thread, (cpu, wall))
        if stack:
            name = methods.get(stack[-1], f"{stack[-1]:#x}")
            found.add("cpu", "nanoseconds", name, 1000 * max(cpu - last[0], 0))
            found.add("wall", "nanoseconds", name, 1000 * max(wall - last[1], 0))
        before[thread] = (max(cpu, last[0]), max(wall, last[1]))
        method = word & ~3
        if word & 3 == 0:
            stack.append(method)
        elif method in stack:
            while stack.pop() != method:
                pass
        at += size
    return found


FILES = [
    (perf_script, "firefox/simple-perf.txt.gz"),
    (perf_script, "speedscope/linux-perf/*.txt"),
    (callgrind, "speedscope/callgrind/*.log"),
    (instruments, "speedscope/Instruments/*/*.txt"),
    (pmcstat, "speedscope/pmcstat/*.txt"),
    (simpleperf, "firefox/simpleperf-*.trace.gz"),
    (art_trace, "firefox/art-trace-regular.trace.gz"),
]


def main():
    corpus = Path(sys.argv[1])
    for read, pattern in FILES:
        for file in sorted(corpus.glob(pattern)):
            data = file.read_bytes()
            if data[:2] == b"\x1f\x8b":
                data = gzip.decompress(data)
            read(data).show(file.relative_to(corpus))


main()
