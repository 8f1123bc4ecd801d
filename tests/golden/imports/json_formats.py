"""Reads profiles of DHAT, GHC, Safari and stackprof, independently of Pilotlight, and prints what the
viewer must show of each: the total of every sample type and the functions with the largest self
values.

    python3 tests/golden/imports/json_formats.py ../shared/corpus \\
        > tests/golden/imports/json_formats.txt

It shares no code with Pilotlight and needs nothing but Python. Written from the formats' own
descriptions.
"""

import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path


def dhat(document):
    """Blocks and bytes: in all, at the peak, at the end."""
    types = ["alloc_objects count", "alloc_space bytes"]
    keys = ["tbk", "tb"]
    if document["bklt"]:
        types += ["peak_objects count", "peak_space bytes"]
        types += ["inuse_objects count", "inuse_space bytes"]
        keys += ["gbk", "gb", "ebk", "eb"]
    for kind, key in zip(types, keys):
        own = Counter()
        for point in document["pps"]:
            frame = document["ftbl"][point["fs"][0]]
            name = re.sub(r"^0x[0-9a-f]+: ", "", frame)
            name = re.sub(r" \([^()]*:\d+\)$| \(in [^()]*\)$", "", name)
            own[name] += point[key]
        yield kind, own


def ghc(document):
    """Entries, bytes and ticks of each cost centre."""
    names = {c["id"]: f"{c['module']}.{c['label']}" for c in document["cost_centres"]}
    tick = document["tick_interval"] * 1000
    types = [
        ("entries count", "entries", 1),
        ("alloc_space bytes", "alloc", 1),
        ("time nanoseconds", "ticks", tick),
    ]
    for kind, key, scale in types:
        own, left = Counter(), [document["profile"]]
        while left:
            node = left.pop()
            own[names[node["id"]]] += node[key] * scale
            left += node["children"]
        yield kind, own


def safari(document):
    """Seconds of each stack trace."""
    own, recording = Counter(), document["recording"]
    for trace, duration in zip(recording["sampleStackTraces"], recording["sampleDurations"]):
        frames = trace["stackFrames"]
        name = (frames[0]["name"] or "(anonymous function)") if frames else None
        own[name] += round(duration * 1e9)
    yield "time nanoseconds", own


def stackprof(document):
    """Samples, and what they stand for."""
    raw, deltas = document["raw"], iter(document["raw_timestamp_deltas"])
    counts, second = Counter(), Counter()
    at = 0
    while at < len(raw):
        depth = raw[at]
        leaf, count = raw[at + depth], raw[at + depth + 1]
        name = document["frames"][str(leaf)]["name"]
        counts[name] += count
        if document["mode"] == "wall":
            second[name] += sum(next(deltas) for _ in range(count)) * 1000
        else:
            second[name] += count * document["interval"]
        at += depth + 2
    yield "samples count", counts
    yield {"wall": "wall nanoseconds", "object": "alloc_objects count"}[document["mode"]], second


FILES = {
    "firefox/dhat.json.gz": dhat,
    "speedscope/Safari/13.1/simple.html-recording.json": safari,
    "speedscope/haskell/simple.prof": ghc,
    "speedscope/stackprof/object-stackprof.json": stackprof,
    "speedscope/stackprof/simple-stackprof.json": stackprof,
}


def main(corpus):
    for name, read in FILES.items():
        data = (corpus / name).read_bytes()
        if name.endswith(".gz"):
            data = gzip.decompress(data)
        print(f"file {name}")
        for kind, own in read(json.loads(data)):
            print(f"type {kind} {sum(own.values())}")
            named = [(name, value) for name, value in own.items() if name and value > 0]
            for function, value in sorted(named, key=lambda item: (-item[1], item[0]))[:10]:
                print(f"self {value} {function}")


main(Path(sys.argv[1]))
