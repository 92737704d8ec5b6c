"""Typical writes with influxdb-client to a Tidemark; each function writes points for a test.

    python influxdb_client_writes.py <function> <url> <key> <bucket>
"""

import sys
from datetime import datetime, timezone

from influxdb_client import InfluxDBClient, Point, WriteOptions, WritePrecision
from influxdb_client.client.exceptions import InfluxDBError
from influxdb_client.client.write_api import SYNCHRONOUS

function, url, key, bucket = sys.argv[1:5]
start = 1767225600


def client(**more):
    return InfluxDBClient(url=url, token=key, org="any", **more)


def all_types():
    point = (
        Point("boiler, north")
        .tag("host", "a=b c")
        .field("d", 0.5)
        .field("whole", 3.0)
        .field("i", -(2**63))
        .field("most", 2**63 - 1)
        .field("on", True)
        .field("note", 'a "text", with = and \\ and\nä')
        .time(datetime(2026, 1, 1, 0, 0, 0, 123000, tzinfo=timezone.utc))
    )
    with client() as made:
        assert made.ping()
        made.write_api(write_options=SYNCHRONOUS).write(bucket=bucket, record=point)


def every_precision():
    times = {WritePrecision.S: start + 1, WritePrecision.MS: start * 1000 + 2000}
    times |= {WritePrecision.US: (start + 3) * 10**6, WritePrecision.NS: (start + 4) * 10**9}
    with client() as made:
        api = made.write_api(write_options=SYNCHRONOUS)
        for precision, time in times.items():
            point = Point("m").tag("host", precision).field("d", 1.0).time(time, precision)
            api.write(bucket=bucket, record=point, write_precision=precision)


def gzip():
    with client(enable_gzip=True) as made:
        lines = [f"m,host=z d={index}.5 {start + index}" for index in range(1000)]
        made.write_api(write_options=SYNCHRONOUS).write(bucket, record=lines, write_precision="s")


def batches():
    options = WriteOptions(batch_size=100, flush_interval=500, retry_interval=200, max_retries=5)
    with client() as made, made.write_api(write_options=options) as api:
        for index in range(1000):
            point = Point("m").tag("host", "batched").field("d", float(index)).time(start + index, WritePrecision.S)
            api.write(bucket=bucket, record=point, write_precision=WritePrecision.S)


def refused():
    with client() as made:
        try:
            made.write_api(write_options=SYNCHRONOUS).write(bucket="nothing", record="m d=1")
        except InfluxDBError as error:
            print(error.response.status, error.message)


globals()[function]()
