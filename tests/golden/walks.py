"""Writes what the pages of Grafana ask a server of profiles for, call by call, and what it has to answer after
the pushes that stand beside it: pushes, requests and answers of `tests/tests/walks`.

    python3 tests/golden/walks.py > tests/golden/walks.json

It shares no code with Pilotlight and needs nothing but Python: answers are sums over the stacks that are pushed.
"""

import base64
import json
from collections import Counter
from urllib.parse import urlencode

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
SAMPLES = "process_cpu:samples:count:cpu:nanoseconds"
SPACE = "memory:alloc_space:bytes:space:bytes"
COLUMNS = {"process_cpu": [SAMPLES, CPU], "memory": [SPACE]}

HOUR = 3600
# 2026-11-20, 10:00 UTC, and the day after it.
FIRST = 1_795_168_800
SECOND = FIRST + 24 * HOUR
UNTIL = SECOND + HOUR

SPAN = "00f067aa0ba902b7"
TRACE = "0af7651916cd43dd8448eb211c80319c"

# Of each service.
STACKS = {
    "shop": [
        "main",
        "main;serve;parse",
        "main;serve;query;read",
        "main;serve;query",
        "main;gc",
        "init",
        "main;serve;\u00fcber;read",
    ],
    "mail": ["main;send", "main;send;dial", "main;gc"],
}


class Push:
    """A profile of one process."""

    def __init__(self, number, service, region, name, at):
        self.number, self.name, self.at = number, name, at
        self.labels = {"service_name": service, "region": region, "k8s.pod": f"{service}-{number % 2}"}
        # Each profile has most of the stacks, and every third belongs to a span in part.
        kept = [stack for n, stack in enumerate(STACKS[service]) if (number + n) % 4]
        self.stacks = [(stack, self.values(n)) for n, stack in enumerate(kept)]
        self.traced = self.stacks[0][0] if number % 3 == 0 else None

    def values(self, n):
        count = (self.number * 7 + n * 3) % 11 + 1
        return [count, count * 10**7] if self.name == "process_cpu" else [count << 20]

    def pprof(self):
        texts, functions = [""], []

        def text(string):
            if string not in texts:
                texts.append(string)
            return texts.index(string)

        def value_type(id, first):
            return number(1, text(id.split(":")[first])) + number(2, text(id.split(":")[first + 1]))

        out = b"".join(nested(1, value_type(id, 1)) for id in COLUMNS[self.name])
        for stack, values in self.stacks:
            sample = b""
            for frame in reversed(stack.split(";")):
                if frame not in functions:
                    functions.append(frame)
                sample += number(1, functions.index(frame) + 1)
            sample += b"".join(number(2, value) for value in values)
            if stack == self.traced:
                for key, value in (("span_id", SPAN), ("trace_id", TRACE)):
                    sample += nested(3, number(1, text(key)) + number(2, text(value)))
            out += nested(2, sample)
        for id, function in enumerate(functions, 1):
            file, length = f"{function}.go", len(function)
            out += nested(4, number(1, id) + nested(4, number(1, id) + number(2, 10 + length)))
            out += nested(5, number(1, id) + number(2, text(function)) + number(4, text(file)) + number(5, length))
        period = value_type(COLUMNS[self.name][0], 3)
        out += number(9, self.at * 10**9) + number(10, 10 * 10**9) + nested(11, period) + number(12, 10**7)
        return out + b"".join(nested(6, string.encode()) for string in texts)


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def nested(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


# Six hours, four of one day; a profile every ten minutes of each process.
PUSHES = []
for start in (FIRST, FIRST + HOUR, FIRST + 2 * HOUR, FIRST + 3 * HOUR, SECOND - HOUR, SECOND):
    for service, region in (("shop", "eu"), ("shop", "us"), ("mail", "eu")):
        for at in range(start + 7, start + HOUR, 600):
            PUSHES.append(Push(len(PUSHES), service, region, "process_cpu", at))
    PUSHES.append(Push(len(PUSHES), "shop", "eu", "memory", start + 1805))


def pick(labels, start, end, id=CPU):
    return [p for p in PUSHES if id in COLUMNS[p.name] and start <= p.at <= end and labels.items() <= p.labels.items()]


def fold(labels, start, end, id=CPU, keep=lambda stack: True, traced=False):
    """What each stack has itself."""
    own = Counter()
    for push in pick(labels, start, end, id):
        for stack, values in push.stacks:
            if keep(stack) and (not traced or stack == push.traced):
                own[stack] += values[COLUMNS[push.name].index(id)]
    return dict(own)


def selector(labels):
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"


SHOP, MAIL = {"service_name": "shop"}, {"service_name": "mail"}
EU, US = SHOP | {"region": "eu"}, SHOP | {"region": "us"}


def side(labels, start, end, id=CPU, **more):
    """A selection, as the app spells it."""
    return {"profileTypeID": id, "labelSelector": selector(labels), "start": start * 1000, "end": end * 1000} | more


def site(*names):
    return {"stackTraceSelector": {"callSite": [{"name": name} for name in names]}}


def stats(name, total, own):
    return {"name": name, "total": str(total), "self": str(own)}


def table(own):
    """The functions by self value; a recursive one would count once for each stack."""
    total, selfs = Counter(), Counter()
    for stack, value in own.items():
        for name in set(stack.split(";")):
            total[name] += value
        selfs[stack.split(";")[-1]] += value
    names = sorted(total, key=lambda name: (-selfs[name], -total[name], name.encode()))
    rows = [stats(name, total[name], selfs[name]) for name in names]
    return {"total": str(sum(own.values())), "totalFunctions": str(len(rows)), "functions": rows}


def tree(name, paths, depth):
    """A tree of the paths that go on from a function, as deep as it is asked for; the largest child comes first."""
    node = stats(name, sum(value for _, value in paths), sum(value for path, value in paths if not path))
    below = {}
    for path, value in paths:
        if path:
            below.setdefault(path[0], []).append((path[1:], value))
    if below:
        node["hasChildren"] = True
    if below and depth:
        children = [tree(child, rest, depth - 1) for child, rest in below.items()]
        node["children"] = sorted(children, key=lambda child: (-int(child["total"]), child["name"].encode()))
    return node


def callees(own, name, depth):
    paths = [(stack.split(";"), value) for stack, value in own.items()]
    return tree(name, [(path[path.index(name) + 1 :], value) for path, value in paths if name in path], depth)


def callers(own, name, depth):
    paths = [(stack.split(";"), value) for stack, value in own.items()]
    root = tree(name, [(path[: path.index(name)][::-1], value) for path, value in paths if name in path], depth)
    return own_at_root(root, sum(value for path, value in paths if path[-1] == name))


def own_at_root(root, own):
    """Of callers only the root has a self value: that of its function."""
    children = [own_at_root(child, 0) for child in root.get("children", [])]
    return root | {"self": str(own)} | ({"children": children} if children else {})


def tables(*sides):
    """The functions of a comparison: each side has the rows of both, with zeros where it lacks one."""
    found = [table(own) for own in sides]
    names = {row["name"] for each in found for row in each["functions"]}
    for each in found:
        lacking = names - {row["name"] for row in each["functions"]}
        each["functions"] += [stats(name, 0, 0) for name in sorted(lacking)]
        each["totalFunctions"] = str(len(names))
    return found


def series(labels, start, end, step, by, average=False, id=CPU):
    """Sums of buckets that end at their names. No profile lies on an edge."""
    groups = {}
    for push in pick(labels, start - step, end, id):
        at = start + -(-(push.at - start) // step) * step
        if at > end:
            continue
        key = tuple((name, push.labels[name]) for name in sorted(by))
        total = sum(values[COLUMNS[push.name].index(id)] for _, values in push.stacks)
        groups.setdefault(key, {}).setdefault(at, []).append(total)
    found = []
    for key, points in sorted(groups.items()):
        lines = [[at * 1000, sum(sums) / (len(sums) if average else 1)] for at, sums in sorted(points.items())]
        found.append([[list(pair) for pair in key], lines])
    return found


WALKS = []
UTF8 = "application/json; allow-utf8-labelnames=true"
# A minute and a second past the edges, so that sums cover no more than a part of it.
RANGES = [(FIRST + 61, UNTIL - 61), (FIRST, UNTIL), (SECOND - 1800, SECOND + 1800)]
NODES = {"maxNodes": 16384}
REFUSED = {"refused": [501, "unimplemented"]}


def walk(name):
    WALKS.append({"name": name, "steps": []})


def step(name, expect, **request):
    WALKS[-1]["steps"].append({"name": name, **request, "expect": expect})


def post(name, expect, call, message, **more):
    """A call of a service; that of queries needs no name."""
    path = call if "." in call else f"querier.v1.QuerierService/{call}"
    step(name, expect, post=f"/{path}", json=message, **more)


def get(name, expect, path, **parameters):
    query = urlencode({name.replace("_", "-"): value for name, value in parameters.items()})
    step(name, expect, get=f"/pyroscope/{path}?{query}")


def lists(start, end):
    """The screens before a flame graph: services, lines, labels."""
    span = {"start": start * 1000, "end": end * 1000}
    found = pick({}, start, end) + pick({}, start, end, SPACE)
    pairs = {(p.labels["service_name"], id) for p in found for id in COLUMNS[p.name]}
    sets = [{"service_name": service, "__profile_type__": id} for service, id in sorted(pairs)]
    message = span | {"labelNames": ["service_name", "__profile_type__"], "matchers": []}
    post("services", {"sets": sets}, "Series", message, accept=UTF8)
    for labels, seconds, by in ((SHOP, 60, []), (MAIL, 60, []), (SHOP, 1800, ["region"])):
        lines = {"series": series(labels, start, end, seconds, by)}
        message = side(labels, start, end, step=seconds, groupBy=by)
        post(f"{labels} by {by}", lines, "SelectSeries", message)
    matchers = span | {"matchers": [f'{{__profile_type__="{CPU}", service_name="shop"}}']}
    parts = ["__name__", "__period_type__", "__period_unit__", "__profile_type__", "__service_name__"]
    names = {"names": parts + ["__type__", "__unit__", "k8s.pod", "region", "service_name"]}
    post("labels", names, "LabelNames", matchers, accept=UTF8)
    for label in ("region", "k8s.pod"):
        values = {"names": sorted({p.labels[label] for p in pick(SHOP, start, end)})}
        post(f"values of {label}", values, "LabelValues", matchers | {"name": label}, accept=UTF8)


def flame_graphs(start, end):
    """Flame graphs and what is exported of them."""
    span = {"start": start * 1000, "end": end * 1000}
    for labels in (SHOP, US, MAIL, {"service_name": "nobody"}):
        message = side(labels, start, end) | NODES
        post(f"flame graph of {labels}", {"stacks": fold(labels, start, end)}, "SelectMergeStacktraces", message)
    message = side(EU, start, end, SPACE) | NODES
    post("flame graph of memory", {"stacks": fold(EU, start, end, SPACE)}, "SelectMergeStacktraces", message)
    spans = {"stacks": fold(EU, start, end, traced=True)}
    message = side(EU, start, end, spanSelector=[SPAN]) | NODES
    post("flame graph of a span, as until 2025", spans, "SelectMergeSpanProfile", message)
    post("flame graph of a span", spans, "SelectMergeStacktraces", message)
    count = len({tuple(p.labels.items()) for p in pick(SHOP, start, end)})
    post("what a query costs", {"queried": count}, "AnalyzeQuery", span | {"query": CPU + selector(SHOP)})

    own = fold(EU, start, end)
    exported = {"query": CPU + selector(EU), "from": start * 1000, "until": end * 1000, "max-nodes": 16384}
    get("export as JSON", {"stacks": own, "timeline": sum(own.values())}, "render", format="json", **exported)
    names = sorted({name for stack in own for name in stack.split(";")})
    get("export for a model", {"dot": names}, "render", format="dot", **exported)
    body = nested(1, CPU.encode()) + nested(2, selector(EU).encode())
    body += number(3, start * 1000) + number(4, end * 1000) + number(5, 16384)
    path = "/querier.v1.QuerierService/SelectMergeProfile"
    step("export as pprof", {"pprof": own}, post=path, proto=base64.b64encode(body).decode())

    under = fold(SHOP, start, end, keep=lambda stack: f"{stack};".startswith("main;serve;query;"))
    lines = {name: [f"{name}.go", len(name), 10 + len(name)] for name in ("main", "serve", "query", "read")}
    call_site = [{"name": name} for name in ("main", "serve", "query")]
    selection = {"profile_typeID": CPU, "label_selector": selector(SHOP), **span}
    selection |= {"stackTraceSelector": {"call_site": call_site}, "maxNodes": 500}
    details = {"stacks of pprof": under, "lines": lines}
    post("details of a function", details, "SelectMergeProfile", selection)
    call = "vcs.v1.VCSService/GithubApp"
    post(call, REFUSED, call, {})
    post("recording rules", {"answer": {}}, "settings.v1.RecordingRulesService/ListRecordingRules", {})


def settings():
    """What the app keeps with the server."""
    setting = {"name": "pluginSettings", "value": json.dumps(NODES), "modifiedAt": str(UNTIL * 1000)}
    post("settings are kept", {"answer": {"setting": setting}}, "settings.v1.SettingsService/Set", {"setting": setting})
    post("settings are there", {"answer": {"settings": [setting]}}, "settings.v1.SettingsService/Get", {})


def second_generation(start, end):
    middle = (start + end) // 2
    folds = [fold(EU, start, middle), fold(EU, middle, end)]
    query = CPU + selector(EU)
    left = {"leftQuery": query, "leftFrom": start * 1000, "leftUntil": middle * 1000}
    right = {"rightQuery": query, "rightFrom": middle * 1000, "rightUntil": end * 1000}
    get("comparison", {"sides": folds}, "render-diff", **left, **right, max_nodes=16384)


def tree_format(selection, direction, depth=None):
    options = {"selection": f"FUNCTION_TREE_SELECTION_{selection}", "direction": f"FUNCTION_TREE_DIRECTION_{direction}"}
    options |= {} if depth is None else {"maxDepth": depth}
    return {"format": "PROFILE_FORMAT_FUNCTION_TREE", "formatOptions": {"functionTree": options}}


def third_generation(start, end):
    middle = (start + end) // 2
    folds = [fold(EU, start, middle), fold(EU, middle, end)]
    left, right = side(EU, start, middle), side(EU, middle, end)
    shop, own = side(SHOP, start, end), fold(SHOP, start, end)
    post("comparison", {"sides": folds}, "Diff", {"left": left | NODES, "right": right | NODES})
    deeper = {"stacks": fold(SHOP, start, end, keep=lambda stack: stack.startswith("main;serve;"))}
    message = shop | site("main", "serve") | {"maxNodes": 16387}
    post("below a folded box", deeper, "SelectMergeStacktraces", message)

    functions = {"format": "PROFILE_FORMAT_FUNCTIONS", "formatOptions": {"functions": {"limit": "0"}}}
    answer = {"answer": {"functions": table(own)}}
    post("functions", answer, "SelectMergeStacktraces", shop | functions)
    sides = {"sorted": {"functions": dict(zip(("left", "right"), tables(*folds)))}}
    post("functions of a comparison", sides, "Diff", {"left": left | functions, "right": right})

    # The root of all has no name.
    whole = tree("", [(stack.split(";"), value) for stack, value in own.items()], 2)
    answer = {"answer": {"functionTree": {"callees": {"root": whole}}}}
    message = shop | tree_format("ROOT_PATH", "CALLEES", 2) | site()
    post("what is called first", answer, "SelectMergeStacktraces", message)
    for depth in (None, 0, 4):
        levels = 1 if depth is None else depth
        around = {"callees": callees(own, "serve", levels), "callers": callers(own, "serve", levels)}
        around = {way: {"root": root} for way, root in around.items()}
        message = shop | tree_format("FUNCTION_CHAIN", "BOTH", depth) | site("serve")
        answer = {"answer": {"functionTree": around}}
        post(f"around a function, {depth} deep", answer, "SelectMergeStacktraces", message)
    sides = {name: {"callers": {"root": callers(of, "read", 8)}} for name, of in zip(("left", "right"), folds)}
    up = tree_format("FUNCTION_CHAIN", "CALLERS", 8)
    message = {"left": left | up | site("read"), "right": right | site("read")}
    post("callers in a comparison", {"answer": {"functionTree": sides}}, "Diff", message)

    # An earlier form of the same branch has the format beside both sides. It takes an answer without functions for
    # that of an older server, and counts those of the flame graph.
    earlier = {"format": "PROFILE_FORMAT_FUNCTIONS", "maxNodes": 16384}
    post("functions of a comparison, earlier", {"sides": folds}, "Diff", {"left": left, "right": right} | earlier)
    answer = {"answer": {"functions": table(own)}}
    post("functions, earlier", answer, "SelectMergeStacktraces", shop | earlier)
    sandwich = shop | {"format": "PROFILE_FORMAT_SANDWICH", "sandwichFunction": "serve"}
    post("sandwich", REFUSED, "SelectMergeStacktraces", sandwich)


for n, (start, end) in enumerate(RANGES):
    walk(f"2.x, range {n}")
    settings()
    lists(start, end)
    flame_graphs(start, end)
    second_generation(start, end)
    walk(f"3.x, range {n}")
    flags = "capabilities.v1.FeatureFlagsService/GetFeatureFlags"
    settings()
    post("what is served", {"flag": "functionProjections"}, flags, {})
    lists(start, end)
    flame_graphs(start, end)
    third_generation(start, end)

for walked in WALKS:
    for each in walked["steps"]:
        assert each["expect"].get("stacks") != {} or "nobody" in each["name"], each["name"]

print("{")
print(f'"now": {(UNTIL + 600) * 1000}, "from": {FIRST * 1000}, "until": {UNTIL * 1000},')
texts = []
for push in PUSHES:
    profile = base64.b64encode(push.pprof()).decode()
    texts.append(json.dumps({"labels": push.labels, "name": push.name, "at": push.at, "profile": profile}))
print('"pushes": [\n' + ",\n".join(texts) + "\n],")
texts = []
for walked in WALKS:
    steps = ",\n".join(json.dumps(each, ensure_ascii=False) for each in walked["steps"])
    texts.append(f'{{"name": {json.dumps(walked["name"])}, "steps": [\n{steps}\n]}}')
print('"walks": [\n' + ",\n".join(texts) + "\n]\n}")
