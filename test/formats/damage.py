"""What all readers share: a format that is not as its page says ends the run, and names the place."""

import zlib


class Damaged(Exception):
    pass


def expect(found, wanted, what):
    if found != wanted:
        raise Damaged(f"{what}: {found!r}, where the page says {wanted!r}")


def crc32(data, salt=0):
    return zlib.crc32(data, salt) & 0xFFFFFFFF
