"""Reads store/<entity>/series.log as docs/formats/series-registry.md describes it."""

import json
import struct

from damage import crc32, expect


def read_registry(data, entity):
    """Returns the tags, and the tag values of each series by its number; null for tags that were added later."""
    magic, version, found, zero, crc = struct.unpack_from("<8sIIII", data)
    expect(magic, b"TIDESERI", "magic")
    expect(version, 1, "version")
    expect(found, entity, "entity")
    expect(zero, 0, "zero")
    expect(crc, crc32(data[:20]), "header crc")
    tags = []
    series = []
    at = 24
    while at < len(data):
        text_bytes, first, text_crc, crc = struct.unpack_from("<IIII", data, at)
        expect(crc, crc32(data[at : at + 12], entity), f"block at {at}: crc")
        expect(first, len(series), f"block at {at}: first series")
        text = data[at + 16 : at + 16 + text_bytes]
        expect(text_crc, crc32(text), f"block at {at}: text crc")
        block = json.loads(text)
        expect(block["tags"][: len(tags)], tags, f"block at {at}: tags of the block before")
        tags = block["tags"]
        series.extend(block["series"])
        at += 16 + text_bytes
    return {"tags": tags, "series": [values + [None] * (len(tags) - len(values)) for values in series]}
