"""Reads keys and attributes of items as docs/formats/metadata-item.md describes them."""

import json
import struct


def key_of(value, kind):
    if kind == "string":
        return value.encode()
    if kind in ("long", "timestamp"):
        return struct.pack(">Q", (value + (1 << 63)) & ((1 << 64) - 1))
    bits = struct.unpack(">Q", struct.pack(">d", value + 0.0))[0]
    turned = bits ^ ((1 << 64) - 1) if bits >> 63 else bits ^ (1 << 63)
    return struct.pack(">Q", turned)


def read_attributes(text):
    lines = text.split("\n")
    assert lines.pop() == ""
    pairs = (line.split(":", 1) for line in lines)
    return {name: json.loads(value) for name, value in pairs}
