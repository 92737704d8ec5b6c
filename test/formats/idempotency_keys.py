"""Reads idempotency/*.keys as docs/formats/idempotency-keys.md describes them."""

import hashlib
import os
import re
import struct

from damage import crc32, expect


def key_hash(subscriber, ingest, key):
    return hashlib.sha256(f"{subscriber} {ingest} {key}".encode()).digest()[:16]


def body_hash(body):
    return hashlib.sha256(body).digest()[:8]


def read_keys(directory):
    """Returns the valid entries by their hash. Reads the files from the newest to the oldest."""
    numbers = sorted(int(name[:12]) for name in os.listdir(directory) if re.fullmatch(r"\d{12}\.keys", name))
    entries = []
    through = 0
    bound = None
    number = numbers[-1] if numbers else 0
    while number in numbers:
        with open(os.path.join(directory, f"{number:012}.keys"), "rb") as file:
            data = file.read()
        vouched_bytes, number, found, reached = read_file(data if bound is None else data[:bound], f"{number:012}.keys")
        bound = vouched_bytes
        through = max(through, reached)
        entries = found + entries
    return {"entries": {entry["keyHash"]: entry for entry in entries}, "through": through}


def read_file(data, name):
    magic, version, salt, vouched_bytes, vouched_file, crc = struct.unpack_from("<8sIIQII", data)
    expect(magic, b"TIDEKEYS", f"{name}: magic")
    expect(version, 1, f"{name}: version")
    expect(crc, crc32(data[:28]), f"{name}: header crc")
    entries = []
    through = 0
    at = 32
    while at < len(data):
        magic, payload_crc, through, synced, count, crc = struct.unpack_from("<4sIQQII", data, at)
        expect(magic, b"\xffTKB", f"{name} at {at}: magic")
        expect(crc, crc32(data[at : at + 28], salt), f"{name} at {at}: header crc")
        payload = data[at + 32 : at + 32 + 40 * count]
        expect(payload_crc, crc32(payload), f"{name} at {at}: payload crc")
        for hashed, body, position, rows, received in struct.iter_unpack("<16s8sQII", payload):
            entry = {"keyHash": hashed.hex(), "bodyHash": body.hex(), "position": position, "rows": rows, "received": received}
            entries.append(entry)
        at += 32 + 40 * count
    return vouched_bytes, vouched_file, entries, through
