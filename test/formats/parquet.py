"""Reads a sealed Parquet file; docs/formats/parquet.md says which parts of Apache Parquet it uses.

Struct and field numbers are from parquet.thrift, encodings from Encodings.md, both in the format's own repository.
"""

import struct

from damage import crc32, expect

PHYSICAL = {0: "boolean", 2: "int64", 5: "double", 6: "bytes"}
PLAIN, RLE, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, RLE_DICTIONARY, BYTE_STREAM_SPLIT = 0, 3, 5, 6, 8, 9
UNCOMPRESSED, LZ4_RAW = 0, 7


class Thrift:
    """The compact protocol. A struct becomes a dictionary by field number."""

    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 7:
            self.at += 8
            return struct.unpack_from("<d", self.data, self.at - 8)[0]
        if kind == 8:
            length = self.varint()
            self.at += length
            return self.data[self.at - length : self.at]
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            # In a list, each boolean is a byte.
            return [self.byte() == 1 if head & 15 in (1, 2) else self.value(head & 15) for _ in range(count)]
        expect(kind, 12, "kind of a field")
        return self.struct()

    def struct(self):
        fields = {}
        number = 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self.value(head & 15)


def lz4_block(data, length):
    out = bytearray()
    at = 0

    def extended(count):
        nonlocal at
        while count >= 15:
            more = data[at]
            at += 1
            count += more
            if more < 255:
                break
        return count

    while at < len(data):
        token = data[at]
        at += 1
        literals = extended(token >> 4)
        out += data[at : at + literals]
        at += literals
        if at >= len(data):
            break
        distance = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(extended(token & 15) + 4):
            out.append(out[-distance])
    expect(len(out), length, "length after decompression")
    return bytes(out)


def hybrid(data, width, count):
    """Runs and bit-packed groups of eight."""
    reader = Thrift(data)
    values = []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            size = (head >> 1) * width
            packed = int.from_bytes(data[reader.at : reader.at + size], "little")
            reader.at += size
            values += [packed >> index * width & (1 << width) - 1 for index in range((head >> 1) * 8)]
        else:
            size = (width + 7) // 8
            value = int.from_bytes(data[reader.at : reader.at + size], "little")
            reader.at += size
            values += [value] * (head >> 1)
    return values[:count]


def signed(value):
    return (value + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def delta_binary_packed(data, wanted=None):
    """Returns the numbers and the offset of their end."""
    reader = Thrift(data)
    expect(reader.varint(), 128, "numbers of a block")
    expect(reader.varint(), 4, "parts of a block")
    count = reader.varint()
    if wanted is not None:
        expect(count, wanted, "numbers of a page")
    values = [reader.zigzag()]
    while len(values) < count:
        least = reader.zigzag()
        widths = [reader.byte() for _ in range(4)]
        for width in widths:
            if len(values) >= count:
                break
            packed = int.from_bytes(data[reader.at : reader.at + 4 * width], "little")
            reader.at += 4 * width
            for index in range(32):
                values.append(signed(values[-1] + least + (packed >> index * width & (1 << width) - 1)))
    return values[:count], reader.at


def plain(data, physical, count):
    if physical == "double":
        return list(struct.unpack_from(f"<{count}d", data))
    if physical == "int64":
        return list(struct.unpack_from(f"<{count}q", data))
    values = []
    at = 0
    for _ in range(count):
        (length,) = struct.unpack_from("<I", data, at)
        values.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return values


def decode(data, encoding, physical, count, dictionary):
    if count == 0:
        return []
    if encoding == PLAIN:
        return plain(data, physical, count)
    if encoding == RLE_DICTIONARY:
        return [dictionary[code] for code in hybrid(data[1:], data[0], count)]
    if encoding == DELTA_BINARY_PACKED:
        return delta_binary_packed(data, count)[0]
    if encoding == DELTA_LENGTH_BYTE_ARRAY:
        lengths, at = delta_binary_packed(data, count)
        values = []
        for length in lengths:
            values.append(data[at : at + length])
            at += length
        return values
    if encoding == BYTE_STREAM_SPLIT:
        scattered = bytes(data[byte * count + index] for index in range(count) for byte in range(8))
        return list(struct.unpack(f"<{count}d", scattered))
    expect(encoding, RLE, "encoding")
    (length,) = struct.unpack_from("<I", data)
    return [value == 1 for value in hybrid(data[4 : 4 + length], 1, count)]


def read_page(data, at):
    """Returns a page's header, its content as stored, and the offset of its end."""
    reader = Thrift(data, at)
    header = reader.struct()
    content = data[reader.at : reader.at + header[3]]
    expect(header[4] & 0xFFFFFFFF, crc32(content), "crc of a page")
    return header, content, reader.at + header[3]


def read_chunk(data, meta, is_optional):
    """Returns the values of a chunk, and the start, the end and the number of rows of each page."""
    physical, codec, count = PHYSICAL[meta[1]], meta[4], meta[5]
    dictionary = []
    if 11 in meta:
        header, content, end = read_page(data, meta[11])
        expect(header[7][2], PLAIN, "encoding of a dictionary")
        whole = lz4_block(content, header[2]) if codec == LZ4_RAW else content
        dictionary = plain(whole, physical, header[7][1])
        expect(end, meta[9], "the first data page follows on the dictionary")
    values, pages, at = [], [], meta[9]
    while len(values) < count:
        header, content, end = read_page(data, at)
        v2 = header[8]
        rows, nulls, encoding, level_bytes = v2[1], v2[2], v2[4], v2[5]
        expect(v2[6], 0, "bytes of repetition levels")
        levels = hybrid(content[:level_bytes], 1, rows) if is_optional else [1] * rows
        coded = content[level_bytes:]
        if codec == LZ4_RAW and v2.get(7, True):
            coded = lz4_block(coded, header[2] - level_bytes)
        found = iter(decode(coded, encoding, physical, rows - nulls, dictionary))
        values += [next(found) if level else None for level in levels]
        pages.append((at, end, rows))
        at = end
    return values, pages


def read_parquet(data):
    """Returns the columns: name, type and values, and for each row group the footer's metadata of the chunk."""
    expect(data[:4], b"PAR1", "magic")
    expect(data[-4:], b"PAR1", "magic at the end")
    (footer_bytes,) = struct.unpack_from("<I", data, len(data) - 8)
    footer = Thrift(data, len(data) - 8 - footer_bytes).struct()
    expect(footer[1], 2, "version")
    expect(footer[6], b"tidemark version 1", "created_by")
    leaves = footer[2][1:]
    columns = [column_of(leaf) for leaf in leaves]
    for group in footer[4]:
        for leaf, column, chunk in zip(leaves, columns, group[1]):
            values, pages = read_chunk(data, chunk[3], leaf[3] == 1)
            column["values"] += [value_of(value, column["digits"]) for value in values]
            column["groups"].append({"rows": len(values), "meta": chunk[3], "pages": pages})
        expect(group[3], columns[0]["groups"][-1]["rows"], "rows of a row group")
    return columns


def column_of(leaf):
    name, kind, digits = leaf[4].decode(), type_of(leaf), None
    if kind == "decimal":
        name, digits = name.split("@decimal")
        kind, digits = "double", int(digits)
        expect((leaf[10][5], leaf[7], leaf[8]), ({1: digits, 2: 18}, digits, 18), "digits of decimals")
    return {"name": name, "type": kind, "digits": digits, "values": [], "groups": []}


def value_of(value, digits):
    if digits is not None and value is not None:
        return value / 10**digits
    return value.decode() if isinstance(value, bytes) else value


def type_of(leaf):
    physical, logical = PHYSICAL[leaf[1]], leaf.get(10, {})
    if physical == "int64" and 5 in logical:
        return "decimal"
    if physical == "int64":
        return "timestamp" if 8 in logical else "long"
    return {"bytes": "string"}.get(physical, physical)
