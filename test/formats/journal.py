"""Reads journal/*.journal as docs/formats/journal.md describes them."""

import os
import re
import json
import struct

from damage import Damaged, crc32, expect

KINDS = {1: "push", 2: "mark", 3: "replay", 4: "lost", 5: "replay into"}
PRECISIONS = ["ns", "us", "ms", "s", "m", "h"]
LINE_FORMATS = [f"{rows}-{precision}" for rows in ("lines", "fields") for precision in PRECISIONS]
FORMATS = dict(enumerate([None, "json", "ndjson", *LINE_FORMATS]))


def read_journal(directory):
    entries = []
    position = None
    names = sorted(name for name in os.listdir(directory) if name.endswith(".journal"))
    for name in names:
        if not re.fullmatch(r"\d{20}\.journal", name):
            raise Damaged(f"{name} is no name of a segment")
        with open(os.path.join(directory, name), "rb") as file:
            first, found = read_segment(file.read(), name)
        expect(first, int(name[:20]), f"{name}: first position")
        if position is not None:
            expect(first, position, f"{name}: follows on the segment before")
        position = first
        for entry in found:
            expect(entry["position"], position, f"{name}: position of a record")
            position += entry["takes"]
        entries.extend(found)
    return {"entries": entries, "end": position}


def read_segment(data, name):
    magic, version, salt, first, zero, crc = struct.unpack_from("<8sIIQII", data)
    expect(magic, b"TIDEJRNL", f"{name}: magic")
    expect(version, 1, f"{name}: version")
    expect(zero, 0, f"{name}: zero")
    expect(crc, crc32(data[:28]), f"{name}: header crc")
    entries = []
    at = 32
    while at < len(data):
        entry, at = read_record(data, at, salt, f"{name} at {at}")
        entries.append(entry)
    return first, entries


def read_record(data, at, salt, place):
    header = data[at : at + 64]
    (magic, payload_crc, body_bytes, rows, position, watermark, received, ingest, fields_version, subscriber,
     kind, flags, form, _, key_bytes, _, crc) = struct.unpack("<4sIIIQQdIIIBBBBHHI", header)  # fmt: skip
    expect(magic, b"\xffTMR", f"{place}: magic")
    expect(crc, crc32(header[:60], salt), f"{place}: header crc")
    if watermark > at:
        raise Damaged(f"{place}: a watermark of {watermark} behind the record itself")
    payload = data[at + 64 : at + 64 + key_bytes + body_bytes]
    expect(len(payload), key_bytes + body_bytes, f"{place}: payload bytes")
    expect(payload_crc, crc32(payload), f"{place}: payload crc")
    end = at + 64 + len(payload)
    padded = end + -end % 8
    expect(data[end:padded], bytes(padded - end), f"{place}: zeros at the end")
    body = payload[key_bytes:]
    entry = {
        "kind": KINDS[kind],
        "format": FORMATS[form],
        "position": position,
        "rows": rows,
        "takes": 0 if kind == 2 else max(1, rows),
        "received": received,
        "ingest": ingest,
        "fieldsVersion": fields_version,
        "subscriber": subscriber,
        "key": payload[:key_bytes].decode() if flags & 1 else None,
        "body": None if kind != 1 else body.decode(),
        "replayed": list(read_replayed(body)) if kind in (3, 5) else [],
    }
    return entry, padded


def read_replayed(body):
    at = 0
    while at < len(body):
        position, text_bytes = struct.unpack_from("<QI", body, at)
        has_longs, text_bytes = text_bytes >> 31, text_bytes & 0x7FFFFFFF
        row = {"position": position, "text": body[at + 12 : at + 12 + text_bytes].decode(), "longs": []}
        at += 12 + text_bytes
        if has_longs:
            (names_bytes,) = struct.unpack_from("<I", body, at)
            row["longs"] = json.loads(body[at + 4 : at + 4 + names_bytes])
            at += 4 + names_bytes
        yield row
