"""Reads what V8 and Chrome write, independently of Pilotlight, and prints what the viewer must show of
each file: the totals of its sample types, and the ten functions with the largest values of their own.

    python3 tests/golden/imports/v8.py ../shared/corpus > tests/golden/imports/v8.txt

It shares no code with Pilotlight and needs nothing but Python. An event's own time is found without
sorting what is nested: each slice of time between two moments belongs to the innermost event over it.
"""

import json
import re
import sys
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

FILES = [
    "firefox/hello.cjs-20231120T211435.cpuprofile",
    "firefox/test.chrome-unchunked.json",
    "speedscope/Chrome/116/Trace-20230603T221323.json",
    "speedscope/Chrome/65/simple-timeline.json",
    "speedscope/Chrome/65/simple.cpuprofile",
    "speedscope/Chrome/65/sucrase.cpuprofile",
    "speedscope/Chrome/70/worker.json",
    "speedscope/node/10.11.0/Heap-20181003T105432.heapprofile",
    "speedscope/node/10.11.0/example.cpuprofile",
    "speedscope/trace-event/bex-interaction.json",
    "speedscope/trace-event/multi-thread-with-samples.json",
    "speedscope/trace-event/multiprocess.json",
    "speedscope/trace-event/out-of-order.json",
    "speedscope/trace-event/simple-object.json",
    "speedscope/trace-event/simple-partial.json",
    "speedscope/trace-event/simple.json",
    "speedscope/trace-event/unbalanced-name.json",
    "speedscope/trace-event/x-events-matching-start.json",
]
# The page opens archives, and a reader the file in one.
ZIPPED = ["speedscope/node/8.5.0/simple.v8log.json.zip"]


class Column:
    """A sample type: its total, and values by function."""

    def __init__(self):
        self.total = 0
        self.self_values = Counter()

    def add(self, name, value):
        self.total += value
        if name is not None:
            self.self_values[name] += value


def ns(time):
    return round(float(time) * 1000) if "." in str(time) else int(time) * 1000


def function(frame):
    """The name of a frame of V8; none for the root."""
    name = frame.get("functionName")
    if name == "(root)":
        return None
    if name:
        return name
    url = frame.get("url", "")
    if not url:
        return "(anonymous)"
    base = re.split(r"[?#]", url)[0].split("/")[-1] or url
    place = [n + 1 for n in (frame.get("lineNumber", -1), frame.get("columnNumber", -1))]
    shown = [str(n) for n in place[: 2 if place[0] else 0] if n > 0]
    return f"(anonymous {':'.join([base, *shown])})"


def cpu_samples(column, names, samples, times, end):
    """Each sample lasts until the next one in time."""
    order = sorted(range(len(samples)), key=lambda i: times[i])
    for i, j in zip(order, order[1:] + [None]):
        until = times[j] if j is not None else max(end, times[i])
        column.add(names.get(samples[i]), until - times[i])


def summed(start, deltas):
    times = []
    for delta in deltas:
        start += ns(delta)
        times.append(start)
    return times


def flat(node):
    """All nodes of a tree whose children stand inside, without recursion."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left.extend(node.get("children", []))


def cpu_profile(profile, columns):
    nodes = profile.get("nodes") or list(flat(profile["head"]))
    names = {node["id"]: function(node.get("callFrame", node)) for node in nodes}
    if "timestamps" in profile:
        stamps = [ns(stamp) for stamp in profile["timestamps"]]
        end = stamps[-1]
        times = stamps[: len(profile["samples"])]
    else:
        times = summed(ns(profile["startTime"]), profile["timeDeltas"])
        end = ns(profile.get("endTime", 0))
    cpu_samples(columns["cpu nanoseconds"], names, profile["samples"], times, end)


def heap_profile(profile, columns):
    for node in flat(profile["head"]):
        columns["inuse_space bytes"].add(function(node["callFrame"]), node["selfSize"])


def log(file, columns):
    for tick in file["ticks"]:
        code = file["code"][tick["s"][0]]
        name = code["name"]
        if code["type"] == "JS":
            name, file_name, line, column = re.fullmatch(r"(.*) (.*):(\d+):(\d+)", name).groups()
            name = name or f"(anonymous {file_name.split('/')[-1]}:{line}:{column})"
        elif code["type"] == "CPP":
            name = re.sub(r"^[A-Za-z] ", "", name)
        columns["samples count"].add(name, 1)


def spans(events):
    """Name, start and end of the events of a thread, in the order of the file."""
    found = []
    last = max(ns(event["ts"]) + ns(event.get("dur", event.get("tdur", 0))) for event in events)
    open_events = []
    for number, event in sorted(enumerate(events), key=lambda pair: ns(pair[1]["ts"])):
        start = ns(event["ts"])
        detail = event.get("args", {}).get("detail")
        name = event.get("name", "(unnamed)")
        shown = f"{name} {detail}" if isinstance(detail, (str, int)) else name
        if event["ph"] == "X":
            found.append((number, shown, start, start + ns(event.get("dur", event.get("tdur", 0)))))
        elif event["ph"] == "B":
            open_events.append((number, name, shown, start))
        elif not any("name" not in event or event["name"] == each[1] for each in open_events):
            pass  # An end of nothing.
        else:
            while True:
                begin, of, of_shown, since = open_events.pop()
                found.append((begin, of_shown, since, start))
                if "name" not in event or of == event["name"]:
                    break
    found += [(number, shown, start, last) for number, _, shown, start in open_events]
    return sorted(found)


def wall(column, events):
    """Cuts time where anything begins or ends; of the events over a slice the innermost has it."""
    events = spans(events)
    moments = sorted({moment for event in events for moment in event[2:]})
    # The innermost is the one that began last, then the shortest, then the last of the file.
    begun = sorted(events, key=lambda event: (event[2], -event[3], event[0]))
    running = []
    for now, until in zip(moments, moments[1:]):
        running = [event for event in running if event[3] > now]
        while begun and begun[0][2] == now:
            event = begun.pop(0)
            if event[3] > now:
                around = running[-1][3] if running else event[3]
                running.append((*event[:3], min(event[3], around)))
        if running:
            column.add(running[-1][1], until - now)


def trace(file, columns):
    events = file if isinstance(file, list) else file["traceEvents"]
    threads = defaultdict(list)
    for event in events:
        if event["ph"] in ("B", "E", "X"):
            threads[str(event["pid"]), str(event["tid"])].append(event)
    for thread in threads.values():
        wall(columns["wall nanoseconds"], thread)
    if isinstance(file, dict):
        for sample in file.get("samples", []):
            frame = file["stackFrames"][str(sample["sf"])]
            columns["samples count"].add(frame["name"], int(sample["weight"]))
    chunks = defaultdict(list)
    starts = {}
    for event in events:
        data = event.get("args", {}).get("data")
        if event["name" if "name" in event else "ph"] == "CpuProfile":
            cpu_profile(data["cpuProfile"], columns)
        elif event.get("name") == "Profile":
            starts[event["pid"], event["id"]] = data["startTime"]
        elif event.get("name") == "ProfileChunk":
            chunks[event["pid"], event["id"]].append(event)
    for key, pieces in chunks.items():
        names, samples, deltas, end = {}, [], [], 0
        for piece in sorted(pieces, key=lambda event: event["ts"]):
            data = piece["args"]["data"]
            profile = data.get("cpuProfile", {})
            names.update((node["id"], function(node["callFrame"])) for node in profile.get("nodes", []))
            samples += profile.get("samples", [])
            deltas += data.get("timeDeltas", [])
            end = ns(data.get("endTime", end))
        times = summed(ns(starts[key]), deltas)
        cpu_samples(columns["cpu nanoseconds"], names, samples, times, end)


def load(text):
    """JSON, or a list of events that lacks its end."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(text.rstrip().rstrip(",") + "]")


def read(file):
    columns = defaultdict(Column)
    if isinstance(file, list) or "traceEvents" in file:
        trace(file, columns)
    elif "ticks" in file:
        log(file, columns)
    elif "selfSize" in file.get("head", {}):
        heap_profile(file, columns)
    else:
        cpu_profile(file, columns)
    # As a profile shows its types: the main one is the last.
    order = ["wall nanoseconds", "samples count", "cpu nanoseconds", "inuse_space bytes"]
    for kind, column in sorted(columns.items(), key=lambda item: order.index(item[0])):
        if not column.self_values:
            continue
        print("type", kind, column.total)
        values = sorted(column.self_values.items(), key=lambda item: (-item[1], item[0].encode()))
        for name, value in [item for item in values if item[1] > 0][:10]:
            print("self", value, name)


def main():
    corpus = Path(sys.argv[1])
    for name in FILES + ZIPPED:
        data = (corpus / name).read_bytes()
        print("file", name)
        if name.endswith(".zip"):
            with zipfile.ZipFile(corpus / name) as archive:
                data = archive.read(archive.namelist()[0])
        read(load(data.decode()))


main()
