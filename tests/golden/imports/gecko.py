"""Reads Firefox profiles, independently of Pilotlight, and prints what the viewer must show of each:
the total of every sample type and the functions with the largest self values. Addresses without a
name are relative to their library.

    python3 tests/golden/imports/gecko.py ../shared/corpus > tests/golden/imports/gecko.txt

It shares no code with Pilotlight and needs nothing but Python. Written from the descriptions of the
raw and of the processed format in the Firefox Profiler's documents.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

FILES = [
    "firefox/gecko-1.json",
    "firefox/processed-1.json",
    "firefox/processed-3.json",
    "samply/ls-profile.json",
    "speedscope/Firefox/59/simple-firefox.json",
    "speedscope/Firefox/61/recursion.json",
    "speedscope/Firefox/63/simple-firefox.json",
]
TYPES = {
    "samples": ("samples count", 1),
    "tracing-ms": ("time nanoseconds", 10**6),
    "bytes": ("space bytes", 1),
}
SCRIPT = re.compile(r"^(.*) \((.+?):(\d+)(?::(\d+))?\)$")
LIBRARY = re.compile(r"^(.*) \(in (.*)\)(?: \+ \d+)?$")
ADDRESS = re.compile(r"^0x[0-9a-fA-F]{1,16}$")


def rows(table):
    """A table as a list of rows by name, whichever way it is written."""
    if "schema" in table:
        names = table["schema"]
        return [
            {name: row[at] if at < len(row) else None for name, at in names.items()}
            for row in table["data"]
        ]
    columns = {name: cells for name, cells in table.items() if isinstance(cells, list)}
    count = max(map(len, columns.values()), default=0)
    return [
        {name: cells[row] if row < len(cells) else None for name, cells in columns.items()}
        for row in range(count)
    ]


def raw_name(text, libraries):
    if ADDRESS.match(text):
        address = int(text, 16)
        for library in libraries:
            if library["start"] <= address < library["end"]:
                return hex(address - library["start"])
        return hex(address)
    for pattern in (SCRIPT, LIBRARY):
        found = pattern.match(text)
        if found:
            return found.group(1)
    return text


def processed_name(frame, thread):
    function = rows_of(thread, "funcTable")[frame["func"]]
    text = thread["stringArray"][function["name"]]
    if ADDRESS.match(text):
        address = frame["address"]
        if address is None or address < 0:
            return hex(int(text, 16))
        return hex(address)
    if function["isJS"] and function.get("fileName") is None and SCRIPT.match(text):
        return SCRIPT.match(text).group(1)
    return text


CACHE = {}


def rows_of(thread, name):
    key = (id(thread), name)
    if key not in CACHE:
        CACHE[key] = rows(thread[name])
    return CACHE[key]


def threads(process):
    libraries = process.get("libs", [])
    if isinstance(libraries, str):
        libraries = json.loads(libraries)
    inner = list(process.get("processes", []))
    if "profile" in process:
        inner.append(process["profile"])
    for thread in process.get("threads", []):
        if isinstance(thread, str):
            inner.append(json.loads(thread))
        else:
            yield thread, thread.get("libs") or libraries
    for other in inner:
        yield from threads(other)


def read(document):
    totals, selves = {}, {}
    for thread, libraries in threads(document):
        samples = rows(thread["samples"])
        if not samples:
            continue
        kind, scale = TYPES[thread["samples"].get("weightType") or "samples"]
        total = totals.setdefault(kind, 0)
        own = selves.setdefault(kind, Counter())
        strings = thread.get("stringTable")
        stacks, frames = rows_of(thread, "stackTable"), rows_of(thread, "frameTable")
        for sample in samples:
            if sample.get("stack") is None:
                continue
            weight = sample.get("weight")
            value = scale if weight is None else round(weight * scale)
            total += value
            stack = stacks[sample["stack"]]
            frame = frames[stack["frame"]]
            if strings is not None:
                name = raw_name(strings[frame["location"]], libraries)
            else:
                name = processed_name(frame, thread)
            if not (name == "(root)" and stack["prefix"] is None):
                own[name] += value
        totals[kind] = total
    return totals, selves


def main(corpus):
    for name in FILES:
        print(f"file {name}")
        totals, selves = read(json.loads((corpus / name).read_text()))
        for kind, total in totals.items():
            print(f"type {kind} {total}")
            largest = sorted(selves[kind].items(), key=lambda item: (-item[1], item[0]))
            for function, value in [item for item in largest if item[1] > 0][:10]:
                print(f"self {value} {function}")


main(Path(sys.argv[1]))
