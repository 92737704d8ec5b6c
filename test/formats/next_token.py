"""Reads a NextToken as docs/formats/next-token.md describes it."""

import base64
import hashlib
import hmac
import json

from damage import expect


def read_next_token(token, scope, secret):
    """The key of the last item on the page."""
    data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    expect(data[0], 1, "version of a token")
    key = data[17:].decode()
    text = json.dumps([1, scope, key], separators=(",", ":"), ensure_ascii=False)
    expect(data[1:17], hmac.new(secret, text.encode(), hashlib.sha256).digest()[:16], "signature of a token")
    return key
