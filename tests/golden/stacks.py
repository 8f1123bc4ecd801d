"""Reads folded stacks and speedscope's JSON, independently of Pilotlight, and prints what a store must
hold after a push of each: series (profile type and labels) with their totals.

    python3 tests/golden/stacks.py ../shared/corpus > tests/golden/stacks.txt

The layout is that of recorded.py. It shares no code with Pilotlight and needs nothing but Python.
The files are pushed as `name=text.app{region=eu}`, without a rate: a sample that is only counted is
a hundredth of a second of CPU time.
"""

import json
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
SCALES = {
    "none": 10**7,
    "nanoseconds": 1,
    "microseconds": 10**3,
    "milliseconds": 10**6,
    "seconds": 10**9,
}


def text(data):
    if data[:2] == b"\xff\xfe":
        return data[2:].decode("utf-16-le")
    return data.decode()


def folded(data):
    total = 0
    for line in text(data).split("\n"):
        words = line.split()
        if len(words) > 1 and words[-1].lstrip("-").isdigit():
            total += int(words[-1]) * SCALES["none"]
    return {"": total}


def speedscope(data):
    totals = Counter()
    for profile in json.loads(data, parse_float=Decimal)["profiles"]:
        if profile["type"] == "sampled":
            total = sum(profile["weights"])
        else:
            total = open_frames = before = 0
            for event in profile["events"]:
                total += (event["at"] - before) * (open_frames > 0)
                before = event["at"]
                open_frames += 1 if event["type"] == "O" else -1
        totals[profile["name"]] += int(total * SCALES[profile["unit"]])
    return totals


def show(name, totals):
    print(name)
    for profile, total in sorted(totals.items()):
        labels = {"region": "eu", "service_name": "text.app"}
        if profile:
            labels["profile_name"] = profile
        spelt = ", ".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        print(f"  {{{spelt}}}")
        print(f"    {CPU} {total}")
    print()


def main():
    corpus = Path(sys.argv[1])
    folder = corpus / "speedscope"
    for file in sorted(folder.glob("stackcollapse/*.txt")):
        show(str(file.relative_to(corpus)), folded(file.read_bytes()))
    for file in sorted(folder.glob("speedscope/*/*.speedscope.json")):
        show(str(file.relative_to(corpus)), speedscope(file.read_bytes()))


main()
