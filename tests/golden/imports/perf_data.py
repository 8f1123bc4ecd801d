"""Reads recordings of perf, independently of Pilotlight, and prints what the viewer must show of
each: the total of every event and the addresses with the largest self values.

    python3 tests/golden/imports/perf_data.py ../shared/corpus > tests/golden/imports/perf_data.txt

It shares no code with Pilotlight and needs Python and the program `zstd`. Written from
perf.data-file-format.txt and perf_event.h of Linux.
"""

import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

FILES = ["perfdata/fibo.compressed2.pipe.data", "perfdata/sleep.compressed.data"]

# Bits of sample_type that come before the period, in the order of a sample.
BEFORE = [("identifier", 16), ("ip", 0), ("tid", 1), ("time", 2), ("addr", 3), ("id", 6), ("stream", 9), ("cpu", 7)]
BEHIND = [1, 2, 6, 9, 7, 16]
HARDWARE = ["cycles", "instructions"]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def text(data):
    return data.split(b"\0")[0].decode(errors="replace")


def records(data):
    at = 0
    while at + 8 <= len(data):
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        yield kind, misc, data[at + 8 : at + size]
        at += size


def unpack(data):
    """The records that were packed; their stream has no end, which zstd complains of."""
    stream = b""
    for kind, _, body in records(data):
        if kind == 81:
            stream += body
        elif kind == 83:
            stream += body[8 : 8 + u64(body, 0)]
    return subprocess.run(["zstd", "-dc"], input=stream, capture_output=True).stdout


class Event:
    def __init__(self, attr, ids):
        self.ids = ids
        self.kind, self.config, self.period = u32(attr, 0), u64(attr, 8), u64(attr, 16)
        self.bits, self.read_format, self.flags = u64(attr, 24), u64(attr, 32), u64(attr, 40)
        assert not self.bits >> 4 & 1, "counters in samples"
        self.name = HARDWARE[self.config] if self.kind == 0 else f"event {self.kind}"

    def fields(self, body):
        values, at = {}, 0
        for name, bit in BEFORE:
            if self.bits >> bit & 1:
                values[name] = u64(body, at)
                at += 8
        if self.bits >> 8 & 1:
            values["period"] = u64(body, at)
            at += 8
        elif not self.flags >> 10 & 1:
            values["period"] = self.period
        if self.bits >> 5 & 1:
            count = u64(body, at)
            values["chain"] = struct.unpack_from(f"<{count}Q", body, at + 8)
        return values

    def stamp(self, body):
        """The time at the end of a record that is no sample."""
        size = 8 * sum(self.bits >> bit & 1 for bit in BEHIND)
        return u64(body, len(body) - size + 8 * (self.bits >> 1 & 1))


def file_mode(data):
    size, start, length = u64(data, 16), u64(data, 24), u64(data, 32)
    events = []
    for at in range(start, start + length, size):
        place, count = u64(data, at + size - 16), u64(data, at + size - 8) // 8
        events.append(Event(data[at:], list(struct.unpack_from(f"<{count}Q", data, place))))
    start, length = u64(data, 40), u64(data, 48)
    names, table = [], start + length
    for bit in range(256):
        if not u64(data, 72 + bit // 64 * 8) >> bit % 64 & 1:
            continue
        if bit == 12:
            names = event_names(data[u64(data, table) :])
        table += 16
    for event, name in zip(events, names):
        event.name = name
    return data[start : start + length], events


def event_names(data):
    names, at, size = [], 8, u32(data, 4)
    for _ in range(u32(data, 0)):
        at += size
        ids, length = u32(data, at), u32(data, at + 4)
        names.append(text(data[at + 8 : at + 8 + length]))
        at += 8 + length + 8 * ids
    return names


def read(data):
    if u64(data, 8) == 16:
        data, events = data[16:], []
    else:
        data, events = file_mode(data)
    for kind, _, body in records(data):
        if kind == 64:
            size = u32(body, 4)
            events.append(Event(body, list(struct.unpack(f"<{len(body[size:]) // 8}Q", body[size:]))))
    by_id = {number: event for event in events for number in event.ids}
    for kind, _, body in records(data):
        if kind == 78 and u64(body, 0) == 2:
            by_id[u64(body, 8)].name = text(body[16:])
        if kind == 80 and u64(body, 0) == 12:
            for event, name in zip(events, event_names(body[8:])):
                event.name = name

    timed = []
    for part in [data, unpack(data)]:
        for kind, misc, body in records(part):
            if kind == 9:
                values = events[0].fields(body)
                event = by_id.get(values.get("identifier", values.get("id")), events[0])
                timed.append((event.fields(body)["time"], kind, misc, body, event))
            elif kind in (1, 3, 7, 10, 17):
                timed.append((events[0].stamp(body), kind, misc, body, None))
    timed.sort(key=lambda row: row[0])

    areas, columns = {}, {}
    for _, kind, misc, body, event in timed:
        if kind in (1, 10):
            pid = -1 if misc & 7 == 1 else u32(body, 0)
            start, length, offset = struct.unpack_from("<3Q", body, 8)
            name = text(body[32 if kind == 1 else 64 :])
            relative = pid != -1 and (name == "[vdso]" or name.startswith("/") and not name.startswith(("//", "/dev/zero", "/memfd:")))
            areas.setdefault(pid, []).append((start, start + length, offset - start if relative else 0, None))
        elif kind == 17:
            start, length = u64(body, 0), u32(body, 8)
            areas.setdefault(-1, []).append((start, start + length, 0, text(body[16:])))
        elif kind == 3 and misc >> 13 & 1:
            areas.pop(u32(body, 0), None)
        elif kind == 7 and not misc >> 13 & 1 and u32(body, 0) != u32(body, 4):
            areas[u32(body, 0)] = list(areas.get(u32(body, 4), []))
        elif kind == 9:
            values = event.fields(body)
            mode, pid = misc & 7, values["tid"] & 0xFFFFFFFF
            leaf = values["ip"]
            for address in values.get("chain", []):
                if address < 2**64 - 4095:
                    leaf = address
                    break
                mode = {2**64 - 128: 1, 2**64 - 512: 2}[address]
            shown = f"{leaf:#x}"
            # The last one over others is what is there.
            for start, end, shift, name in reversed(areas.get(-1 if mode == 1 else pid, [])):
                if start <= leaf < end:
                    shown = name or f"{leaf + shift:#x}"
                    break
            name = event.name.split(":")[0]
            unit = "nanoseconds" if name in ("cpu-clock", "task-clock") else "count"
            columns.setdefault(f"{name} {unit}", Counter())[shown] += values.get("period", 1)
    return columns


def main(corpus):
    for name in FILES:
        print(f"file {name}")
        for kind, own in read((corpus / name).read_bytes()).items():
            print(f"type {kind} {sum(own.values())}")
            for shown, value in sorted(own.items(), key=lambda item: (-item[1], item[0]))[:10]:
                print(f"self {value} {shown}")


main(Path(sys.argv[1]))
