"""Makes traces of Perfetto from samples that it knows, and prints what the viewer must show of each:
the total of every sample type and the functions with the largest self values.

    python3 tests/golden/imports/perfetto.py > tests/golden/imports/perfetto.txt

It shares no code with Pilotlight and needs nothing but Python. Written from Perfetto's protos. The
traces are in tests/golden/imports/made.
"""

import zlib
from collections import Counter
from pathlib import Path

MADE = Path(__file__).parent / "made"


def varint(value):
    value &= 2**64 - 1
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def message(*fields):
    """Pairs of a number and a value: a number, a text, bytes, or a list of numbers, which is packed."""
    data = b""
    for number, value in fields:
        if isinstance(value, int):
            data += varint(number << 3) + varint(value)
            continue
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, list):
            value = b"".join(varint(item) for item in value)
        data += varint(number << 3 | 2) + varint(len(value)) + value
    return data


class Names:
    """What one writer gives numbers to; `fresh` are those of the next packet."""

    def __init__(self, first=1):
        self.first, self.known, self.fresh = first, {}, []

    def text(self, field, text):
        return self.number(field, text, lambda iid: message((1, iid), (2, text)))

    def number(self, field, key, make):
        table = self.known.setdefault(field, {})
        if key not in table:
            iid = table[key] = len(table) + self.first
            self.fresh.append((field, make(iid)))
        return table[key]

    def mapping(self, path, build):
        words = [self.text(17, word) for word in path.strip("/").split("/")]
        build = self.text(16, build)
        return self.number(19, path, lambda iid: message((1, iid), (2, build), *((7, word) for word in words)))

    def frame(self, frame):
        if frame.startswith("0x"):
            address, path = frame.split(" ")
            mapping = self.mapping(path, b"\x01\xab\xff")
            return self.number(6, frame, lambda iid: message((1, iid), (3, mapping), (4, int(address, 16))))
        name, _, place = frame.partition(" ")
        name = self.text(5, name)
        file, _, line = place.partition(":")
        behind = [(5, self.text(18, file)), (6, int(line))] if file else []
        return self.number(6, frame, lambda iid: message((1, iid), (2, name), *behind))

    def stack(self, stack, packed=False):
        """Frames, the root first."""
        frames = [self.frame(frame) for frame in stack.split(";")]
        ids = [(2, frames)] if packed else [(2, frame) for frame in frames]
        return self.number(7, stack, lambda iid: message((1, iid), *ids))

    def take(self):
        fresh, self.fresh = self.fresh, []
        return [(12, message(*fresh))] if fresh else []


def packet(*fields):
    return message((1, message(*fields)))


def clocks(*read, sequence=1):
    """Number, time, and perhaps whether it counts on and its unit."""
    read = [message(*zip((1, 2, 3, 4), clock)) for clock in read]
    return packet((10, sequence), (6, message(*((1, clock) for clock in read))))


def golden(name, trace, columns):
    (MADE / name).write_bytes(trace)
    print(f"file made/{name}")
    for kind, own in columns.items():
        print(f"type {kind} {sum(own.values())}")
        for shown, value in sorted(own.items(), key=lambda item: (-item[1], item[0]))[:10]:
            if value > 0:
                print(f"self {value} {shown}")


def leaf(stack):
    return stack.split(";")[-1].split(" ")[0]


def cpu():
    """Samples of traced_perf: two writers, one of which begins anew; a part packed; symbols at the end."""
    own = Counter()
    tree = message(
        (1, message((1, 70), (2, 1), (3, "/bin/server"), (3, "--port"))),
        (2, message((1, 71), (3, 70), (2, "worker"))),
    )
    trace = clocks((6, 5_000_000), (5, 1_000_000), (3, 4_000_000)) + packet((2, tree), (8, 5_000_000), (10, 1))
    stacks = ["main;handle;parse", "main;handle;0x1040 /lib/libc.so.6", "main;wait", "main;0x2000 /lib/libc.so.6"]
    symbols = {"0x1040": "memcpy"}

    def samples(names, sequence, cleared, time):
        data = b""
        for row, stack in enumerate(stacks * 3):
            sample = message((1, row % 2), (2, 70), (3, 70 + row % 2), (4, names.stack(stack, packed=sequence == 3)), (5, 2))
            flags = 3 if cleared and row == 0 else 2
            data += packet((8, time + row * 10_000), (58, 5), (10, sequence), (13, flags), *names.take(), (66, sample))
            own[symbols.get(leaf(stack), leaf(stack))] += 1
        return data

    trace += samples(Names(), 2, True, 1_000_000)
    # The numbers mean something else from here on.
    stacks.reverse()
    trace += packet((50, zlib.compress(samples(Names(), 2, True, 1_500_000))))
    trace += samples(Names(100), 3, True, 1_200_000)
    lost = message((2, 70), (3, 70), (4, 1))
    trace += packet((8, 1), (10, 3), (13, 2), (42, 1), (66, lost))
    trace += packet((8, 1), (10, 2), (66, message((17, 5))))
    lines = message((1, 0x1040), (2, message((1, "memcpy"), (2, "string.c"), (3, 7))), (2, message((1, "copy_all"))))
    trace += packet((10, 9), (61, message((1, "/lib/libc.so.6"), (2, b"\x01\xab\xff"), (3, lines))))
    golden("cpu.pftrace", trace, {"samples count": own})


def chrome():
    """Samples and slices of Chrome: times are differences on a clock of the writer's own."""
    own, slices, names = Counter(), Counter(), Names()
    trace = clocks((6, 9_000_000), (3, 8_000_000), (64, 8_000, 1, 1000), sequence=4)
    thread = message((1, 12), (2, 34), (5, "CrRendererMain"))
    process = message((1, 12), (6, "Renderer"))
    trace += packet((10, 4), (60, message((1, 77), (4, thread), (5, 76)))) + packet((10, 4), (60, message((1, 76), (3, process))))
    defaults = message((58, 64), (11, message((11, 77))))
    trace += packet((10, 4), (13, 1), (59, defaults))
    for batch in range(3):
        stacks = ["main;run;script a.js:3", "main;run;gc", "main;run;script a.js:3"]
        ids = [names.stack(stack) for stack in stacks]
        deltas = [0, 1000, 1500]
        rows = [(1, ids), (2, deltas)] if batch else [*((1, row) for row in ids), *((2, delta) for delta in deltas)]
        trace += packet((8, 5000), (10, 4), (13, 2), *names.take(), (54, message(*rows)))
        own.update(leaf(stack) for stack in stacks)

    def event(step, kind, name=None):
        field = [] if name is None else [(10, names.number(2, name, lambda iid: message((1, iid), (2, name))))]
        return packet((8, step), (10, 4), (13, 2), *names.take(), (11, message((9, kind), *field)))

    # Task 10 µs, of which Layout 4 and Paint 3.
    for _ in range(2):
        trace += event(100, 1, "Task") + event(1, 1, "Layout") + event(4, 2) + event(2, 1, "Paint") + event(3, 2) + event(0, 2)
        slices.update({"Task": 3_000, "Layout": 4_000, "Paint": 3_000})
    whole = message((10, names.number(2, "Old", lambda iid: message((1, iid), (2, "Old")))), (6, message((2, ord("X")), (3, 6))))
    trace += packet((8, 50), (10, 4), (13, 2), *names.take(), (11, whole))
    slices["Old"] += 6_000
    golden("chrome.pftrace", trace, {"samples count": own, "wall nanoseconds": slices})


def heap():
    """Dumps of two processes, in parts as heapprofd writes them: all samples, then their stacks, then an
    empty end. In use is what the last dump of each says; allocated, what the last sample of each stack says.
    """
    kinds = ["alloc_objects count", "alloc_space bytes", "inuse_objects count", "inuse_space bytes"]
    columns, names, trace = {kind: Counter() for kind in kinds}, Names(), b""
    dumps = [
        [
            {70: [("main;load", 1000, 200, 10, 2), ("main;parse", 700, 700, 7, 7)]},
            {80: [("main;save", 64, 0, 1, 0)]},
        ],
        [{70: [("main;load", 3000, 500, 30, 5)]}, {70: [("main;keep", 900, 0, 9, 0)]}],
    ]
    last_dump, last_sample = {80: 0, 70: 1}, {}
    first = True
    for row, parts in enumerate(dumps):
        for processes in parts:
            fields = []
            for pid, samples in processes.items():
                heaps = [(1, pid), (11, "libc.malloc"), (9, row)]
                for stack, *values in samples:
                    fields_of = zip((1, 2, 3, 5, 6), (names.stack(stack), *values))
                    heaps.append((2, message(*fields_of)))
                    last_sample[pid, stack] = (row, *values)
                fields.append((5, message(*heaps)))
            trace += packet((8, row + 1), (10, 5), (13, int(first)), (37, message(*fields, (6, 1))))
            first = False
        trace += packet((8, row + 1), (10, 5), *names.take())
        trace += packet((8, row + 1), (10, 5), (37, b""))
    for (pid, stack), (row, allocated, freed, count, free_count) in last_sample.items():
        left = (count - free_count, allocated - freed) if row == last_dump[pid] else (0, 0)
        for kind, value in zip(kinds, (count, allocated, *left)):
            columns[kind][leaf(stack)] += value
    golden("heap.pftrace", trace, columns)


def python():
    """What CPython's profiler writes: samples with weights, and slices on tracks below a thread."""
    own, slices, names, trace = Counter(), Counter(), Names(), b""
    counter = message((2, "wall-time"), (3, 1))
    defaults = message((100, message((1, "python.wall"), (2, counter))))
    for row, stack in enumerate(["<module> app.py:1;work app.py:7", "<module> app.py:1;idle app.py:9", "<module> app.py:1"] * 2):
        head = [(41, 1), (59, defaults)] if row == 0 else []
        sample = message((1, message((2, 5), (3, 2**40))), (6, names.stack(stack)), (11, 10_000))
        trace += packet((10, 1), (8, row * 10_000), *head, *names.take(), (135, sample))
        own[leaf(stack)] += 10_000
    trace += packet((10, 1), (60, message((1, 1), (4, message((1, 5), (2, 2**40))))))
    trace += packet((10, 1), (60, message((1, 2), (2, "gil"), (5, 1))))
    for time, kind, *name in [(0, 1, "Waiting for GIL"), (30_000, 2), (40_000, 1, "Waiting for GIL"), (60_000, 2)]:
        trace += packet((10, 1), (8, time), (13, 2), (11, message((9, kind), (11, 2), *((23, text) for text in name))))
    slices["Waiting for GIL"] = 50_000
    golden("python.pftrace", trace, {"wall-time nanoseconds": own, "wall nanoseconds": slices})


cpu()
chrome()
heap()
python()
