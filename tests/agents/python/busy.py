"""A program with a known hot function, profiled by pyroscope-io, old or new."""

import os
import time

import pyroscope


def hot_work():
    total = 0
    for step in range(300_000):
        total += step * step
    return total


def mild_work():
    total = 0
    for step in range(100_000):
        total += step * step
    return total


def main():
    options = dict(
        application_name=os.environ["AGENT_APPLICATION"],
        server_address=os.environ["AGENT_SERVER"],
        tags={"region": "eu"},
    )
    token = os.environ.get("AGENT_TOKEN")
    if token:
        options |= dict(basic_auth_username="agent", basic_auth_password=token)
    # 0.8 has neither memory nor a choice of interval: it uploads every 10 s.
    if "upload_interval" in pyroscope.configure.__code__.co_varnames:
        options |= dict(upload_interval=5, mem_enabled=True)
    pyroscope.configure(**options)
    end = time.monotonic() + float(os.environ["AGENT_SECONDS"])
    kept = []
    while time.monotonic() < end:
        with pyroscope.tag_wrapper({"step": "hot"}):
            hot_work()
        mild_work()
        kept.append(bytearray(64 << 10))
        del kept[:-64]
    pyroscope.shutdown()


main()
