"""Reads the recorded requests of published agents, independently of Pilotlight, and prints what a
store must hold after each: series (profile type and labels) with their totals.

    python3 tests/golden/recorded.py ../shared/corpus/agents > tests/golden/recorded.txt

It shares no code with Pilotlight and needs nothing but Python. `tests/tests/worker/recorded.rs` pushes the
same requests to the worker and compares. The rules are Pyroscope's except where a comment begins
with "Ours:".
"""

import gzip
import json
import struct
import sys
from collections import Counter
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

TRACE_LABELS = {"profile_id", "span_id", "span_name", "trace_id"}


# Protocol buffers


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def fields(data):
    """Each field of a message: its number, and a number or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"wire type {kind} at {at}")
        yield key >> 3, value


def message(data):
    """All values of each field, in order."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number, default=0):
    return found.get(number, [default])[-1]


def numbers(found, number):
    """A repeated number, packed or not."""
    values = []
    for value in found.get(number, []):
        if isinstance(value, int):
            values.append(value)
            continue
        at = 0
        while at < len(value):
            single, at = varint(value, at)
            values.append(single)
    return values


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def unzip(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


# pprof


class Pprof:
    def __init__(self, data):
        profile = message(unzip(data))
        self.texts = [text.decode() for text in profile[6]]
        self.types = [self.value_type(one_type) for one_type in profile[1]]
        self.period_type = self.value_type(one(profile, 11, b""))
        self.samples = [self.sample(sample) for sample in profile.get(2, [])]

    def value_type(self, data):
        found = message(data)
        return self.texts[one(found, 1)], self.texts[one(found, 2)]

    def sample(self, data):
        """The text labels and the values."""
        found = message(data)
        labels = {}
        for label in map(message, found.get(3, [])):
            key, text = self.texts[one(label, 1)], self.texts[one(label, 2)]
            if key and text:
                labels[key] = text
        return labels, [signed(value) for value in numbers(found, 2)]

    def totals(self, name, labels):
        """The total of each series: a type, and the labels of the process with a sample's own."""
        totals = Counter()
        for own, values in self.samples:
            # Labels of spans would make a series for each request that the program answers. Those
            # of the process win.
            own = {key: text for key, text in own.items() if key not in TRACE_LABELS and not key.startswith("__")}
            series = tuple(sorted((own | labels).items()))
            for (kind, unit), value in zip(self.types, values, strict=True):
                # Nothing that is negative can be added up over time.
                if value > 0:
                    # A profiler of the wall clock may tell the time on the processor beside it.
                    family = "process_cpu" if (name, kind) == ("wall", "cpu") else name
                    totals[":".join((family, kind, unit, *self.period_type)), series] += value
        return totals


def name_of(pprof, config):
    """The first part of a type's id, which /ingest leaves to the server."""
    kinds = [kind for kind, _ in pprof.types]
    if "wall" in kinds:
        return "wall"
    if config is None:
        config = {"samples": "cpu", "goroutine": "goroutines", "contentions": "mutex_count", "delay": "mutex_duration"}
    else:
        config = {kind: entry.get("display-name", "") for kind, entry in config.items()}
    families = [
        ("process_cpu", ["cpu"]),
        ("memory", ["alloc_", "inuse_", "space", "objects"]),
        ("mutex", ["mutex_"]),
        ("block", ["block_"]),
        ("goroutines", ["goroutines"]),
    ]
    for kind in kinds:
        shown = config.get(kind) or kind
        for family, words in families:
            if any(word in shown for word in words):
                return family
    return kinds[0]


# JFR, as far as it takes to count events


class Jfr:
    """One chunk of a recording: its events as (name of the type, fields)."""

    PLAIN = {"boolean": 1, "byte": 1, "char": 0, "short": 0, "int": 0, "long": 0, "float": 4, "double": 8}

    def __init__(self, data):
        assert data[:4] == b"FLR\0", "not a recording"
        size, pools, metadata = struct.unpack(">QQQ", data[8:32])
        (self.ticks_a_second,) = struct.unpack(">Q", data[56:64])
        assert size == len(data), "more than one chunk"
        self.data = data
        self.classes = {}
        self.read_metadata(metadata)
        self.pools = {}
        self.read_pools(pools)
        self.events = []
        at = 68
        while at < size:
            length, start = varint(data, at)
            kind, start = varint(data, start)
            # Metadata and constants are events, too.
            if kind > 1:
                self.events.append((self.classes[kind][0], self.value(kind, start)[0]))
            at += length

    def text(self, at):
        coding, at = self.data[at], at + 1
        if coding < 2:
            return "", at
        if coding == 2:
            key, at = varint(self.data, at)
            return ("constant", key), at
        length, at = varint(self.data, at)
        if coding == 4:
            units = []
            for _ in range(length):
                unit, at = varint(self.data, at)
                units.append(chr(unit))
            return "".join(units), at
        return self.data[at : at + length].decode("utf-8" if coding == 3 else "latin-1"), at + length

    def read_metadata(self, at):
        for _ in range(5):
            _, at = varint(self.data, at)
        count, at = varint(self.data, at)
        texts = []
        for _ in range(count):
            text, at = self.text(at)
            texts.append(text)

        def element(at):
            name, at = varint(self.data, at)
            count, at = varint(self.data, at)
            attributes = {}
            for _ in range(count):
                key, at = varint(self.data, at)
                value, at = varint(self.data, at)
                attributes[texts[key]] = texts[value]
            count, at = varint(self.data, at)
            children = []
            for _ in range(count):
                child, at = element(at)
                children.append(child)
            return (texts[name], attributes, children), at

        root, _ = element(at)
        metadata = next(child for child in root[2] if child[0] == "metadata")
        for kind, attributes, children in metadata[2]:
            if kind == "class":
                parts = [part[1] for part in children if part[0] == "field"]
                self.classes[int(attributes["id"])] = attributes["name"], parts

    def value(self, kind, at):
        """A value of a class, with a constant as its class and key."""
        name, parts = self.classes[kind]
        if name == "java.lang.String":
            return self.text(at)
        if name in self.PLAIN:
            if width := self.PLAIN[name]:
                return self.data[at : at + width], at + width
            value, at = varint_of_nine(self.data, at)
            return value, at
        found = {}
        for part in parts:
            count, many = 1, part.get("dimension") == "1"
            if many:
                count, at = varint(self.data, at)
            values = []
            for _ in range(count):
                if part.get("constantPool") == "true":
                    key, at = varint_of_nine(self.data, at)
                    values.append((int(part["class"]), key))
                else:
                    value, at = self.value(int(part["class"]), at)
                    values.append(value)
            found[part["name"]] = values if many else values[0]
        return found, at

    def read_pools(self, at):
        while True:
            start = at
            for _ in range(3):
                _, at = varint(self.data, at)
            _, at = varint(self.data, at)
            distance, at = varint_of_nine(self.data, at)
            at += 1
            count, at = varint(self.data, at)
            for _ in range(count):
                kind, at = varint(self.data, at)
                entries, at = varint(self.data, at)
                for _ in range(entries):
                    key, at = varint_of_nine(self.data, at)
                    self.pools[kind, key], at = self.value(kind, at)
            if distance == 0:
                return
            at = start + signed(distance)

    def totals(self, labels, rate):
        """The total of each series."""
        event = next(
            fields["value"]
            for name, fields in self.events
            if name == "jdk.ActiveSetting" and fields["name"] == "event"
        )
        series = tuple(sorted((labels | {"jfr_event": event}).items()))
        nanos = 10**9 // rate
        totals = Counter()

        def add(kind, value):
            totals[kind, series] += value

        for name, found in self.events:
            match name:
                case "jdk.ExecutionSample" | "profiler.WallClockSample":
                    state = self.pools[found["state"]]["name"]
                    time = found.get("samples", 1) * nanos
                    if event == "wall":
                        add("wall:wall:nanoseconds:wall:nanoseconds", time)
                    # Who sleeps uses no processor, and who waits is seen by the wall clock only.
                    if state != "STATE_SLEEPING" if name == "jdk.ExecutionSample" else state == "STATE_RUNNABLE":
                        add("process_cpu:cpu:nanoseconds:cpu:nanoseconds", time)
                case "jdk.ObjectAllocationInNewTLAB":
                    add("memory:alloc_in_new_tlab_objects:count:space:bytes", 1)
                    add("memory:alloc_in_new_tlab_bytes:bytes:space:bytes", found["tlabSize"])
                case "profiler.LiveObject":
                    add("memory:live:count:objects:count", 1)
                case "jdk.JavaMonitorEnter":
                    add("mutex:contentions:count:mutex:count", 1)
                    # Ours: ticks become nanoseconds; Pyroscope takes one for the other.
                    add("mutex:delay:nanoseconds:mutex:count", found["duration"] * 10**9 // self.ticks_a_second)
                case "jdk.ObjectAllocationOutsideTLAB" | "jdk.ObjectAllocationSample" | "jdk.ThreadPark":
                    raise ValueError(f"the recordings have no {name}")
        return totals


def varint_of_nine(data, at):
    """JFR's numbers: the ninth byte has eight bits."""
    value = 0
    for place in range(8):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at
    return value | data[at] << 56, at + 1


# OTLP, layout 1.10


def otlp(data):
    request = message(data)
    dictionary = message(one(request, 2, b""))
    texts = [text.decode() for text in dictionary[5]]

    def value_type(data):
        found = message(data)
        return texts[one(found, 1)], texts[one(found, 2)]

    totals = Counter()
    for resource in map(message, request[1]):
        assert 1 not in resource, "this agent sends no resource"
        for scope in map(message, resource[2]):
            for profile in map(message, scope[2]):
                kind, unit = value_type(one(profile, 1, b""))
                period = value_type(one(profile, 5, b""))
                total = sum(sum(map(signed, numbers(message(sample), 4))) for sample in profile.get(2, []))
                labels = {"service_name": "unknown_service"}
                totals[":".join((period[0], kind, unit, *period)), tuple(sorted(labels.items()))] += total
    return totals


# Requests


def parts(headers, body):
    """The parts of a form, by name."""
    form = BytesParser().parsebytes(b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body)
    return {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in form.get_payload()
    }


def ingest_labels(query):
    name, _, braces = query["name"][0].partition("{")
    pairs = [pair.split("=", 1) for pair in braces.rstrip("}").split(",") if pair]
    # The session is new with every start of a process: kept, each start would be a new series.
    labels = {key.strip(): value.strip() for key, value in pairs if not key.startswith("__")}
    spy = query.get("spyName", ["unknown"])[0]
    if spy != "unknown":
        labels["pyroscope_spy"] = spy
    return labels | {"service_name": name}


def ingest(query, headers, body):
    labels = ingest_labels(query)
    config = None
    if headers.get("content-type", "").startswith("multipart/form-data"):
        form = parts(headers, body)
        body = form["profile"]
        if "sample_type_config" in form:
            config = json.loads(form["sample_type_config"])
    pprof = Pprof(body)
    return pprof.totals(name_of(pprof, config), labels)


def push(body):
    totals = Counter()
    for series in message(unzip(body))[1]:
        found = message(series)
        labels = {}
        for pair in map(message, found[1]):
            labels[one(pair, 1, b"").decode()] = one(pair, 2, b"").decode()
        name = labels["__name__"]
        labels = {key: value for key, value in labels.items() if not key.startswith("__")}
        for sample in map(message, found[2]):
            totals += Pprof(one(sample, 1, b"")).totals(name, labels)
    return totals


def read_request(head, body):
    first, *lines = head.decode().splitlines()
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    url = urlsplit(first.split(" ")[1])
    if url.path.endswith("/push.v1.PusherService/Push"):
        return push(body)
    return ingest(parse_qs(url.query, keep_blank_values=True), headers, body)


def show(name, totals):
    print(name)
    series = {}
    for (kind, labels), total in totals.items():
        series.setdefault(labels, []).append((kind, total))
    for labels, kinds in sorted(series.items()):
        spelt = ", ".join(f'{key}="{value}"' for key, value in labels)
        print(f"  {{{spelt}}}")
        for kind, total in sorted(kinds):
            print(f"    {kind} {total}")
    print()


def main():
    corpus = Path(sys.argv[1])
    for head in sorted(corpus.glob("*/*.head")):
        name = f"{head.parent.name}/{head.stem}"
        show(name, read_request(head.read_bytes(), head.with_suffix(".body").read_bytes()))
    # Bodies without a request. recorded.rs pushes them as the agent would: name=java.app{region=eu},
    # spyName=javaspy, sampleRate=100.
    for body in sorted((corpus / "java").glob("*.jfr")):
        labels = {"region": "eu", "service_name": "java.app", "pyroscope_spy": "javaspy"}
        show(f"java/{body.name}", Jfr(body.read_bytes()).totals(labels, 100))
    for body in sorted((corpus / "java").glob("*.otlp")):
        show(f"java/{body.name}", otlp(body.read_bytes()))


main()
