"""Reads output of stackprof, Xdebug, React DevTools and `perf report`, independently of Pilotlight, and prints what
Pilotlight must find in each: the totals of its sample types, and the functions with the largest self values.

    python3 tests/golden/imports/tools.py > tests/golden/imports/tools.txt

It shares no code with Pilotlight and needs nothing but Python. The files are in tests/golden/imports/made. Their
programs were a few lines of our own each.

- stackprof.dump: stackprof 0.2.21, `StackProf.run(mode: :wall, raw: true, interval: 1000, out: FILE)`.
  `stackprof --text` prints the same samples.
- xdebug.xt: Xdebug 3.2 with `xdebug.mode=trace` and `xdebug.trace_format=1`.
- react.json: the `profilingData` of the store of React DevTools 8.0.0 (`react-devtools-inline`), with React 18. A
  component is mounted and rendered three times more.
- perf-report-children.txt: perf 6.1, `perf record -e cpu-clock -g` and `perf report --stdio`;
  perf-report-period.txt: the same with `--no-children -F +period`.
"""

import json
from collections import Counter
from pathlib import Path

MADE = Path(__file__).parent / "made"


def marshal(data):
    """The value in a dump of Ruby's Marshal, as far as stackprof needs it."""
    symbols, objects, at = [], [], 2

    def take(length):
        nonlocal at
        at += length
        return data[at - length : at]

    def whole():
        head = int.from_bytes(take(1), "little", signed=True)
        if abs(head) > 4:
            return head - 5 if head > 0 else head + 5
        return int.from_bytes(take(abs(head)), "little") - (256 ** -head if head < 0 else 0)

    def known(value):
        objects.append(value)
        return value

    def value():
        code = take(1)
        match code:
            case b"0" | b"T" | b"F":
                return {b"0": None, b"T": True, b"F": False}[code]
            case b"i":
                return whole()
            case b"l":
                sign = take(1)
                number = int.from_bytes(take(2 * whole()), "little")
                return known(-number if sign == b"-" else number)
            case b"f":
                return known(float(take(whole())))
            case b":":
                symbols.append(take(whole()).decode())
                return symbols[-1]
            case b";":
                return symbols[whole()]
            case b"@":
                return objects[whole()]
            case b'"':
                return known(take(whole()).decode())
            case b"I":
                text = value()
                for _ in range(whole()):
                    value(), value()
                return text
            case b"[":
                items = known([])
                items.extend(value() for _ in range(whole()))
                return items
            case b"{":
                pairs = known({})
                for _ in range(whole()):
                    key = value()
                    pairs[key] = value()
                return pairs
        raise ValueError(code)

    return value()


def stackprof(data):
    dump = marshal(data)
    raw, deltas = dump["raw"], dump["raw_timestamp_deltas"]
    counts, times = Counter(), Counter()
    at = done = 0
    while at < len(raw):
        leaf, count = raw[at + raw[at]], raw[at + raw[at] + 1]
        name = dump["frames"][leaf]["name"]
        counts[name] += count
        times[name] += 1000 * sum(deltas[done : done + count])
        done += count
        at += raw[at] + 2
    return [("samples count", counts), ("wall nanoseconds", times)]


def xdebug(data):
    times, sizes = Counter(), Counter()
    calls, below = {}, Counter()
    for line in data.decode().splitlines():
        cells = line.split("\t")
        if len(cells) < 5 or cells[2] not in ("0", "1"):
            continue
        now = round(float(cells[3]) * 1e9), int(cells[4])
        if cells[2] == "0":
            calls[cells[0]] = cells[5], now
            continue
        name, begin = calls.pop(cells[0])
        around = str(int(cells[0]) - 1)
        for column, own in enumerate((times, sizes)):
            took = now[column] - begin[column]
            own[name] += took - below.pop((cells[0], column), 0)
            below[around, column] += took
    return [("wall nanoseconds", times), ("space bytes", sizes)]


def perf_report(data):
    count, head, values = 0, "", Counter()
    for line in data.decode().splitlines():
        if "Event count" in line:
            count = int(line.split(": ")[1])
        if line.startswith("# Overhead") or line.startswith("# Children"):
            head = line
        cells = line.split(None, 5 if "Children" in head or "Period" in head else 4)
        if not line.startswith(" ") or len(cells) < 5 or not cells[0].endswith("%") or cells[0].startswith("-"):
            continue
        name = cells[-1].split(" ", 1)[-1].strip()
        if "Period" in head:
            values[name] += int(cells[1])
        else:
            own = int(cells[1].strip("%").replace(".", ""))
            values[name] += (own * count + 5_000) // 10_000
    return [("cpu-clock nanoseconds", values)]


def react(data):
    times, counts = Counter(), Counter()
    for root in json.loads(data)["dataForRoots"]:
        names = {}
        for operations in root["operations"]:
            texts, at = [None], 3
            while at < 3 + operations[2]:
                length = operations[at]
                texts.append("".join(map(chr, operations[at + 1 : at + 1 + length])))
                at += 1 + length
            while at < len(operations):
                kind = operations[at]
                if kind == 1 and operations[at + 2] == 11:
                    at += 7
                elif kind == 1:
                    names[operations[at + 1]] = texts[operations[at + 5]]
                    at += 8
                elif kind == 8:
                    at += 6 + 4 * max(operations[at + 5], 0)
                else:
                    at += {2: 2 + operations[at + 1], 3: 3 + operations[(at + 2) % len(operations)], 4: 3, 7: 3}[kind]
        for commit in root["commitData"]:
            for fiber, took in commit["fiberSelfDurations"]:
                times[names.get(fiber)] += round(took * 1e6)
                counts[names.get(fiber)] += 1
    return [("wall nanoseconds", times), ("renders count", counts)]


READERS = {
    "stackprof.dump": stackprof,
    "xdebug.xt": xdebug,
    "react.json": react,
    "perf-report-children.txt": perf_report,
    "perf-report-period.txt": perf_report,
}

for file, read in READERS.items():
    print(f"file made/{file}")
    for kind, own in read((MADE / file).read_bytes()):
        print(f"type {kind} {sum(own.values())}")
        rows = sorted((-value, name) for name, value in own.items() if value > 0 and name)
        for value, name in rows[:10]:
            print(f"self {-value} {name}")
