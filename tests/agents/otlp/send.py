"""Sends OTLP profiles with a known hot function, written by a published opentelemetry-proto.

The argument is `protobuf` or `json`. Versions of the package differ in the layout of their
messages: until 1.39 samples point into a list of locations, from 1.40 on at a stack.
"""

import gzip
import os
import sys
import time
import urllib.request

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.profiles.v1development.profiles_service_pb2 import (
    ExportProfilesServiceRequest,
)

# Samples at 100 a second: three quarters of them in the hot function.
FUNCTIONS = {"hot_work": 300, "mild_work": 100}
PERIOD = 10_000_000


class Dictionary:
    """The tables of a request. The first entry of each means that there is none."""

    def __init__(self, tables):
        self.tables = tables
        self.texts = {}
        self.text("")
        for table in ("mapping_table", "location_table", "function_table", "link_table", "attribute_table"):
            getattr(tables, table).add()
        if hasattr(tables, "stack_table"):
            tables.stack_table.add()

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.texts)
            self.tables.string_table.append(text)
        return self.texts[text]

    def location(self, name):
        functions, locations = self.tables.function_table, self.tables.location_table
        functions.add(name_strindex=self.text(name), filename_strindex=self.text("busy.c"))
        location = locations.add()
        lines = location.lines if hasattr(location, "lines") else location.line
        lines.add(function_index=len(functions) - 1, line=7)
        return len(locations) - 1

    def attribute(self, key, value):
        attribute = self.tables.attribute_table.add()
        if hasattr(attribute, "key_strindex"):
            attribute.key_strindex = self.text(key)
        else:
            attribute.key = key
        attribute.value.string_value = value
        return len(self.tables.attribute_table) - 1


def request(application, seconds):
    request = ExportProfilesServiceRequest()
    dictionary = Dictionary(request.dictionary)
    resource = request.resource_profiles.add()
    for key, value in [("service.name", application), ("region", "eu")]:
        resource.resource.attributes.add(key=key).value.string_value = value
    profile = resource.scope_profiles.add().profiles.add(period=PERIOD)
    samples_of_cpu(profile, dictionary)
    now = time.time_ns()
    if hasattr(profile, "time_unix_nano"):
        profile.time_unix_nano, profile.duration_nano = now, seconds * 10**9
    else:
        profile.time_nanos, profile.duration_nanos = now, seconds * 10**9
    main = dictionary.location("main")
    for name, count in FUNCTIONS.items():
        sample = (profile.samples if hasattr(profile, "samples") else profile.sample).add()
        stack(sample, profile, dictionary, [dictionary.location(name), main])
        (sample.values if hasattr(sample, "values") else sample.value).append(count)
        if name == "hot_work":
            sample.attribute_indices.append(dictionary.attribute("step", "hot"))
    return request


def samples_of_cpu(profile, dictionary):
    kind = profile.sample_type
    # One, or before 1.8 a list.
    if hasattr(kind, "add"):
        kind = kind.add()
    kind.type_strindex, kind.unit_strindex = dictionary.text("samples"), dictionary.text("count")
    kind = profile.period_type
    kind.type_strindex, kind.unit_strindex = dictionary.text("cpu"), dictionary.text("nanoseconds")


def stack(sample, profile, dictionary, locations):
    if hasattr(sample, "stack_index"):
        dictionary.tables.stack_table.add(location_indices=locations)
        sample.stack_index = len(dictionary.tables.stack_table) - 1
    else:
        sample.locations_start_index = len(profile.location_indices)
        sample.locations_length = len(locations)
        profile.location_indices.extend(locations)


def main():
    message = request(os.environ["AGENT_APPLICATION"], int(os.environ["AGENT_SECONDS"]))
    if sys.argv[1] == "json":
        kind, body = "application/json", MessageToJson(message).encode()
    else:
        kind, body = "application/x-protobuf", message.SerializeToString()
    headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
    if token := os.environ.get("AGENT_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    url = os.environ["AGENT_SERVER"] + "/v1development/profiles"
    answer = urllib.request.urlopen(urllib.request.Request(url, gzip.compress(body), headers))
    print(answer.status, answer.read())


main()
