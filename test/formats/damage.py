"""Shared by all readers: data that differs from its page ends the run with an error that names the place."""

import zlib


class Damaged(Exception):
    pass


def expect(found, wanted, what):
    if found != wanted:
        raise Damaged(f"{what}: {found!r}, where the page says {wanted!r}")


def crc32(data, salt=0):
    return zlib.crc32(data, salt) & 0xFFFFFFFF
