"""Reads store/<entity>/*.index as docs/formats/series-index.md describes it, and checks it against the rows of the Parquet file."""

import math
import struct
from functools import reduce
from fractions import Fraction

from damage import Damaged, crc32, expect
from parquet import delta_binary_packed, lz4_block

TYPES = {1: "timestamp", 2: "string", 3: "double", 4: "long", 5: "boolean"}
ROLES = {1: "time", 2: "tag", 3: "field", 4: "position"}
HOUR_MS = 3_600_000


def array(kind, data, at, count):
    """Returns the numbers of a packed array and the offset of its end."""
    packing, digits, zero, size = struct.unpack_from("<BBHI", data, at)
    expect(zero, 0, "zeros of a packed array")
    content = data[at + 8 : at + 8 + size]
    if packing == 0:
        numbers = list(struct.unpack(f"<{count}{kind}", content))
    elif packing == 1:
        whole = delta_binary_packed(content, count)[0] if count > 0 else []
        numbers = [value / 10**digits for value in whole] if kind == "d" else whole
    else:
        expect((packing, digits, kind), (2, 0, "d"), "packing of an array")
        split = lz4_block(content, 8 * count)
        scattered = bytes(split[byte * count + index] for index in range(count) for byte in range(8))
        numbers = list(struct.unpack(f"<{count}d", scattered))
    return numbers, at + 8 + size


class SeriesIndex:
    def __init__(self, data):
        magic, version, sections = struct.unpack_from("<8sII", data)
        expect(magic, b"TIDEINDX", "magic")
        expect(version, 1, "version")
        self.entity, self.day, self.rows, self.series, self.pages, self.groups, self.columns_count, self.footer_crc = (
            struct.unpack_from("<IiIIIIII", data, 16)
        )
        (self.footer_offset, self.parquet_bytes, self.first_ms, self.last_ms, self.first_position, self.last_position) = (
            struct.unpack_from("<6d", data, 48)
        )
        end = 96 + 32 * sections
        (crc,) = struct.unpack_from("<I", data, end)
        expect(crc, crc32(data[:end]), "crc of the header and the table")
        expect(data[end + 4 : end + 8], bytes(4), "zeros after the table")
        self.sections = {}
        at = end + 8
        for number in range(sections):
            kind, column, crc, zero, offset, size = struct.unpack_from("<IIIIdd", data, 96 + 32 * number)
            expect(zero, 0, "zero in the table")
            expect(offset, at, f"offset of section {kind} of column {column}")
            content = data[int(offset) : int(offset + size)]
            expect(crc, crc32(content), f"crc of section {kind} of column {column}")
            self.sections[(kind, column)] = content
            at = int(offset + size) + -int(offset + size) % 8
        expect(len(data), at, "the file's end")
        expect([kind for kind, _ in self.sections][:5], [1, 2, 3, 4, 5], "the first five sections")
        self.read_columns()
        self.read_series()
        self.read_pages()

    def read_columns(self):
        data, at = self.sections[(1, 0)], 0
        self.columns = []
        while at < len(data):
            kind, role, length = struct.unpack_from("<BBH", data, at)
            name = data[at + 4 : at + 4 + length].decode()
            digits = kind - 16 if kind >= 16 else None
            column_type = TYPES[kind] if digits is None else "double"
            self.columns.append({"name": name, "type": column_type, "digits": digits, "role": ROLES[role]})
            at += 4 + length
        expect(len(self.columns), self.columns_count, "columns")

    def read_series(self):
        data, count = self.sections[(2, 0)], self.series
        self.series_first, at = array("d", data, 0, count)
        self.series_last, at = array("d", data, at, count)
        self.numbers, at = array("I", data, at, count)
        self.row_ends, at = array("I", data, at, count)
        self.places, at = array("I", data, at, count)
        expect(at, len(data), "bytes of the section of series")
        expect([self.numbers[place] for place in self.places], sorted(self.numbers), "places in the order of the numbers")

    def read_pages(self):
        data, count = self.sections[(3, 0)], self.pages
        self.page_first, at = array("d", data, 0, count)
        self.page_last, at = array("d", data, at, count)
        self.page_ends, at = array("I", data, at, count)
        self.group_ends, at = array("I", data, at, self.groups)
        expect(at, len(data), "bytes of the section of pages")
        names = "offset dictionary_offset dictionary_bytes dictionary_crc encoding codec is_empty".split()
        records = struct.iter_unpack("<ddIIBBB5x", self.sections[(4, 0)])
        self.chunks = [dict(zip(names, record)) for record in records]
        expect(len(self.chunks), self.groups * self.columns_count, "column chunks")
        cells = self.columns_count * count
        self.place_ends, at = array("I", self.sections[(5, 0)], 0, cells)
        self.page_crcs, at = array("I", self.sections[(5, 0)], at, cells)


def check_index(index, parquet, columns):
    """Raises at the first value of the index that does not follow from the Parquet file. Returns the sections checked against the rows."""
    expect(index.parquet_bytes, len(parquet), "Parquet bytes")
    expect(index.footer_crc, crc32(parquet[int(index.footer_offset) :]), "footer crc")
    described = [[(c["name"], c["type"], c["digits"]) for c in some] for some in (index.columns, columns)]
    expect(described[0], described[1], "columns")
    time, position = columns[0]["values"], columns[-1]["values"]
    expect([index.columns[0]["name"], index.columns[-1]["name"]], ["__time", "@position"], "names of the first and last column")
    expect(index.rows, len(time), "rows")
    bounds = (min(time), max(time), min(position), max(position))
    expect((index.first_ms, index.last_ms, index.first_position, index.last_position), bounds, "bounds")
    days = {moment // 86_400_000 for moment in time}
    if index.day != -2147483648:
        expect(days, {index.day}, "day")
    check_series(index, columns, time, position)
    check_pages(index, parquet, columns, time)
    hours = check_rollups(index, columns, time)
    check_pooled(index, columns, time, hours)
    check_tails(index, columns, time, position)
    check_common_values(index, columns)
    return sorted({kind for kind, _ in index.sections})


def ranges(ends):
    begin = 0
    for end in ends:
        yield begin, end
        begin = end


def check_series(index, columns, time, position):
    tags = [place for place, column in enumerate(index.columns) if column["role"] == "tag"]
    order = []
    for place, (begin, end) in enumerate(ranges(index.row_ends)):
        values = {tuple(columns[tag]["values"][row] for tag in tags) for row in range(begin, end)}
        expect(len(values), 1, f"series in the rows of series {place}")
        order.append([(value is not None, value or "") for value in values.pop()])
        moments = [(time[row], position[row]) for row in range(begin, end)]
        expect(moments, sorted(moments), f"rows of series {place} by time and position")
        span = (index.series_first[place], index.series_last[place])
        expect(span, (moments[0][0], moments[-1][0]), f"dates of series {place}")
    expect(order, sorted(order), "series by their tags")
    expect(index.row_ends[-1], index.rows, "the last series' end")


def check_pages(index, parquet, columns, time):
    first_group_pages = [0, *index.group_ends]
    for page, (begin, end) in enumerate(ranges(index.page_ends)):
        span = (index.page_first[page], index.page_last[page])
        expect(span, (time[begin], time[end - 1]), f"dates of the rows of page {page}")
    for place, column in enumerate(columns):
        for number, group in enumerate(column["groups"]):
            chunk, meta = index.chunks[number * index.columns_count + place], group["meta"]
            what = f"column {column['name']} of row group {number}"
            expect(chunk["offset"], meta[9], f"{what}: offset")
            expect(chunk["codec"], meta[4], f"{what}: codec")
            if chunk["dictionary_bytes"] > 0:
                expect(chunk["dictionary_offset"], meta[11], f"{what}: dictionary offset")
                begin = int(chunk["dictionary_offset"])
                dictionary = parquet[begin : begin + chunk["dictionary_bytes"]]
                expect(chunk["dictionary_crc"], crc32(dictionary), f"{what}: dictionary crc")
            else:
                expect(11 in meta, False, f"{what}: a dictionary")
            rows_before = sum(earlier["rows"] for earlier in column["groups"][:number])
            values = column["values"][rows_before : rows_before + group["rows"]]
            check_empty(index, place, chunk, values, what)
            for page, (begin, end, _) in enumerate(group["pages"], first_group_pages[number]):
                cell = place * index.pages + page
                expect(index.place_ends[cell], end - group["pages"][0][0], f"{what}: end of page {page}")
                expect(index.page_crcs[cell], crc32(parquet[begin:end]), f"{what}: crc of page {page}")


def check_empty(index, place, chunk, values, what):
    is_field = index.columns[place]["role"] == "field"
    has_value = any(value is not None for value in values)
    if not is_field:
        expect(chunk["is_empty"], 0, f"{what}: is empty")
    elif has_value:
        expect(chunk["is_empty"], 0, f"{what}: is empty, with a value in it")


def rows_by_hour(begin, end, time):
    hours = {}
    for row in range(begin, end):
        hours.setdefault(time[row] // HOUR_MS, []).append(row)
    return hours


def two_sum(values):
    """Knuth's TwoSum: returns the sum and the error of the additions."""
    total = lost = 0.0
    for value in values:
        value = float(value)
        added = total + value
        part = added - total
        lost += (total - (added - part)) + (value - part)
        total = added
    return total, lost


def is_same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


def check_rollups(index, columns, time):
    """Checks the hours of each series that has rollups."""
    if (6, 0) not in index.sections:
        return None
    data = index.sections[(6, 0)]
    ends, at = array("I", data, 0, index.series)
    hours, at = array("i", data, at, ends[-1])
    steps, at = array("I", data, at, index.series)
    first_rows, at = array("i", data, at, ends[-1])
    lengths, at = array("i", data, at, ends[-1])
    expect(at, len(data), "bytes of the section of hours")
    rows_of_entry = []
    step_of_entry = []
    with_rollups = set()
    for place, ((row_begin, row_end), (begin, end)) in enumerate(zip(ranges(index.row_ends), ranges(ends))):
        if begin == end:
            continue
        with_rollups.add(place)
        by_hour = rows_by_hour(row_begin, row_end, time)
        expect(hours[begin:end], sorted(by_hour), f"hours of series {place}")
        rows_of_entry += [by_hour[hour] for hour in hours[begin:end]]
        distances = [time[row] - time[rows[0]] for rows in by_hour.values() for row in rows]
        expect(steps[place], reduce(math.gcd, map(int, distances), 0) or 1, f"step of series {place}")
        step_of_entry += [steps[place]] * (end - begin)
    for entry, (rows, step) in enumerate(zip(rows_of_entry, step_of_entry)):
        found = (hours[entry] * HOUR_MS + first_rows[entry], lengths[entry] * step)
        expect(found, (time[rows[0]], time[rows[-1]] - time[rows[0]]), f"dates of the rows of hour {hours[entry]}")
    for place, column in enumerate(columns):
        if (7, place) not in index.sections:
            continue
        count = len(hours)
        sums, at = array("d", index.sections[(7, place)], 0, count)
        losses, at = array("d", index.sections[(7, place)], at, count)
        counts, _ = array("I", index.sections[(7, place)], at, count)
        least, at = array("d", index.sections[(8, place)], 0, count)
        greatest, _ = array("d", index.sections[(8, place)], at, count)
        for entry, rows in enumerate(rows_of_entry):
            values = [column["values"][row] for row in rows if column["values"][row] is not None]
            what = f"hour {hours[entry]} of {column['name']}"
            expect(counts[entry], len(values), f"{what}: values")
            total, lost = two_sum(values)
            if not (math.isfinite(total) and math.isfinite(lost)):
                expect(math.isnan(sums[entry]), True, f"{what}: a sum that is not finite")
            else:
                found = Fraction(sums[entry]) + Fraction(losses[entry])
                expect(found, Fraction(total) + Fraction(lost), f"{what}: sum")
            bounds = (float(min(values)), float(max(values))) if values else (math.nan, math.nan)
            if not (is_same(least[entry], bounds[0]) and is_same(greatest[entry], bounds[1])):
                raise Damaged(f"{what}: bounds {least[entry]}, {greatest[entry]} of {bounds}")
        found = [[(time[row], column["values"][row]) for row in rows if column["values"][row] is not None] for rows in rows_of_entry]
        dates = [(time[rows[0]], time[rows[-1]], step) for rows, step in zip(rows_of_entry, step_of_entry)]
        kept = check_items(index, place, found, dates, [total + loss for total, loss in zip(sums, losses)])
        check_bound_dates(index, place, found, dates, kept)
        check_falls(index, place, found, kept)
    return with_rollups


def neighbours(items):
    return list(zip(items, items[1:]))


def is_near(one, other, size):
    return abs(one - other) <= 1e-12 * size


def check_items(index, place, found, dates, sums):
    """Checks the items of the hours against their rows."""
    data, count = index.sections[(14, place)], len(found)
    first_at, at = array("i", data, 0, count)
    last_at, at = array("i", data, at, count)
    gaps, at = array("i", data, at, count)
    first, at = array("d", data, at, count)
    last, at = array("d", data, at, count)
    uneven = []
    for entry, items in enumerate(found):
        what = f"hour {entry} of column {place}"
        begin, end, step = dates[entry]
        longs = any(isinstance(value, int) and abs(value) >= 2**53 for _, value in items)
        if not items or gaps[entry] == -1:
            expect((first_at[entry], last_at[entry], first[entry], last[entry]), (0, 0, 0, 0), f"{what}: nothing")
            if items:
                expect(longs or any(one[0] == other[0] for one, other in neighbours(items)), True, f"{what}: rows to be read")
            continue
        ends = (begin + first_at[entry] * step, first[entry], end - last_at[entry] * step, last[entry])
        expect(ends, (*items[0], *items[-1]), f"{what}: first and last")
        distances = [to - since for (since, _), (to, _) in neighbours(items)]
        expect(gaps[entry] * step, max(distances, default=0), f"{what}: longest gap")
        if len(set(distances)) > 1:
            uneven.append(entry)
        elif distances:
            check_integrals(what, items, distances[0] * (sums[entry] - last[entry]), distances[0] * (sums[entry] - first[entry] / 2 - last[entry] / 2))
    held, at = array("d", data, at, len(uneven))
    line, at = array("d", data, at, len(uneven))
    expect(at, len(data), f"bytes of the items of column {place}")
    for number, entry in enumerate(uneven):
        check_integrals(f"hour {entry} of column {place}", found[entry], held[number], line[number])
    return [gap != -1 for gap in gaps]


def check_integrals(what, items, held, line):
    size = sum(abs(value) * (to - since) for (since, value), (to, _) in neighbours(items))
    size += sum(abs(value) * (to - since) for (since, _), (to, value) in neighbours(items))
    if not is_near(held, sum(value * (to - since) for (since, value), (to, _) in neighbours(items)), size):
        raise Damaged(f"{what}: integral of values that hold")
    if not is_near(line, sum((one + other) / 2 * (to - since) for (since, one), (to, other) in neighbours(items)), size):
        raise Damaged(f"{what}: integral of values on the line")


def check_bound_dates(index, place, found, dates, kept):
    values = sum(len(items) for items in found)
    expect((15, place) in index.sections, values >= 128 * sum(1 for items in found if items), f"dates of bounds of column {place}")
    if (15, place) not in index.sections:
        return
    least, at = array("i", index.sections[(15, place)], 0, len(found))
    greatest, _ = array("i", index.sections[(15, place)], at, len(found))
    for entry, items in enumerate(found):
        begin, _, step = dates[entry]
        for at, pick in ((least[entry], min), (greatest[entry], max)):
            bound = pick((value for _, value in items), default=None)
            wanted = next((date for date, value in items if value == bound), begin) if kept[entry] else begin
            expect(begin + at * step, wanted, f"hour {entry} of column {place}: date of a bound")


def are_exact(pairs):
    """Whether doubles represent exactly, after each fall of a counter, the totals of its falls and of the values that it restarted at."""
    fallen = restarted = 0.0
    for one, other in pairs:
        exact = (Fraction(fallen) + Fraction(one) - Fraction(other), Fraction(restarted) + Fraction(max(0, other)))
        drop = one - other
        if Fraction(drop) != Fraction(one) - Fraction(other):
            return False
        fallen, restarted = fallen + drop, restarted + max(0, other)
        if (Fraction(fallen), Fraction(restarted)) != exact:
            return False
    return True


def check_falls(index, place, found, kept):
    falls = [[(one, other) for (_, one), (_, other) in neighbours(items) if other < one] if kept[entry] else [] for entry, items in enumerate(found)]
    expect((16, place) in index.sections, any(falls), f"falls of column {place}")
    if not any(falls):
        return
    counts, at = array("i", index.sections[(16, place)], 0, len(found))
    expect(counts, [len(some) if len(some) <= 4 and are_exact(some) else -1 for some in falls], f"falls of column {place}")
    some = [pairs for pairs in falls if 0 < len(pairs) <= 4 and are_exact(pairs)]
    fallen, at = array("d", index.sections[(16, place)], at, len(some))
    restarted, _ = array("d", index.sections[(16, place)], at, len(some))
    for pairs, by, to in zip(some, fallen, restarted):
        wanted = (sum(one - other for one, other in pairs), sum(max(0, other) for _, other in pairs))
        expect((by, to), wanted, f"what column {place} fell by")


def check_pooled(index, columns, time, with_rollups):
    if (11, 0) not in index.sections:
        return
    data = index.sections[(11, 0)]
    (count, without_count), at = array("I", data, 0, 2)
    hours, at = array("i", data, at, count)
    without, _ = array("I", data, at, without_count)
    expect(without, [place for place in range(index.series) if place not in with_rollups], "series without rollups")
    rows = {}
    for place, (begin, end) in enumerate(ranges(index.row_ends)):
        if place in with_rollups:
            for hour, found in rows_by_hour(begin, end, time).items():
                rows.setdefault(hour, []).extend(found)
    expect(hours, sorted(rows), "pooled hours")
    for place, column in enumerate(columns):
        if (12, place) not in index.sections:
            continue
        sums, at = array("d", index.sections[(12, place)], 0, count)
        losses, at = array("d", index.sections[(12, place)], at, count)
        counts, _ = array("I", index.sections[(12, place)], at, count)
        for entry, hour in enumerate(hours):
            values = [column["values"][row] for row in rows[hour] if column["values"][row] is not None]
            expect(counts[entry], len(values), f"pooled hour {hour} of {column['name']}: values")
            exact = math.fsum(values)
            if not math.isclose(sums[entry] + losses[entry], exact, rel_tol=1e-15, abs_tol=1e-300):
                raise Damaged(f"pooled hour {hour} of {column['name']}: {sums[entry] + losses[entry]} of {exact}")


def check_tails(index, columns, time, position):
    if (9, 0) not in index.sections:
        return
    dates, at = array("d", index.sections[(9, 0)], 0, index.series)
    positions, _ = array("d", index.sections[(9, 0)], at, index.series)
    newest = [end - 1 for end in index.row_ends]
    expect(list(zip(dates, positions)), [(time[row], position[row]) for row in newest], "newest rows")
    for place, column in enumerate(columns):
        if index.columns[place]["role"] != "field":
            continue
        wanted = [column["values"][row] for row in newest]
        if (10, place) not in index.sections:
            expect(wanted, [None] * index.series, f"tails of {column['name']}, which has no section")
            continue
        expect(tail_values(index, place), wanted, f"tails of {column['name']}")


def check_common_values(index, columns):
    for place, column in enumerate(columns):
        if (13, place) not in index.sections:
            continue
        expect((index.columns[place]["role"], index.columns[place]["type"] in ("string", "boolean")), ("field", True), "a column with common values")
        begins = [0] + index.row_ends[:-1]
        wanted = [int(len(set(column["values"][begin:end])) == 1) for begin, end in zip(begins, index.row_ends)]
        expect(array("I", index.sections[(13, place)], 0, index.series)[0], wanted, f"common values of {column['name']}")


def tail_values(index, place):
    data, count, kind = index.sections[(10, place)], index.series, index.columns[place]["type"]
    if kind == "boolean":
        return [{0: False, 1: True, 2: None}[byte] for byte in data[:count]]
    if kind == "string":
        codes, at = array("i", data, 0, count)
        (strings,), at = array("I", data, at, 1)
        ends, at = array("I", data, at, strings)
        texts = [data[at + begin : at + end].decode() for begin, end in ranges(ends)]
        return [None if code == -1 else texts[code] for code in codes]
    doubles, at = array("d", data, 0, count)
    exact = list(struct.unpack_from(f"<{count}q", data, at)) if kind == "long" and at < len(data) else doubles
    return [None if math.isnan(near) else value for near, value in zip(doubles, exact)]
