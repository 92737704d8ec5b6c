"""Reads a batch id as docs/formats/batch-id.md describes it."""

import base64
import hashlib
import hmac
import struct

from damage import expect


def read_batch_id(text, secret):
    expect(len(text), 43, "length of a batch id")
    data = base64.urlsafe_b64decode(text + "=")
    position, rows, ingest, subscriber = struct.unpack_from(">QIII", data)
    expect(data[20:], hmac.new(secret, data[:20], hashlib.sha256).digest()[:12], "signature of a batch id")
    return {"position": position, "rows": rows, "ingest": ingest, "subscriber": subscriber}
