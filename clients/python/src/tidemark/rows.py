"""Frames as rows of JSON, in batches."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator

import pyarrow as pa
import pyarrow.compute as pc

max_batch_rows = 10_000
max_batch_bytes = 4 * 1024 * 1024


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a frame as JSON."""

    #: Place of its first row in the frame, from 0.
    first: int
    texts: list[bytes]

    def body(self) -> bytes:
        return b"[" + b",".join(self.texts) + b"]"

    def key(self, id: str) -> str:
        return f"{id}-{self.first + 1}-{len(self.texts)}"

    def halves(self) -> list[Batch]:
        half = (len(self.texts) + 1) // 2
        return [Batch(self.first, self.texts[:half]), Batch(self.first + half, self.texts[half:])]


def table_of(frame: Any) -> pa.Table:
    """A frame of pandas or Polars, or of any library that hands out Arrow, as columns that JSON can write."""
    return pa.table({name: _writable(name, column) for name, column in zip(*_columns(frame))})


def _columns(frame: Any) -> tuple[list[str], list[pa.ChunkedArray]]:
    if isinstance(frame, pa.Table):
        table = frame
    elif type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        # An index without a name is a numbering, unless it holds something else.
        table = pa.Table.from_pandas(frame)
        if any(name.startswith("__index_level_") for name in table.column_names):
            raise ValueError('The index of the frame has no name: name it after its field, frame.index.name = "D", or drop it.')
    elif hasattr(frame, "__arrow_c_stream__"):
        table = pa.table(frame)
    elif hasattr(frame, "to_arrow"):
        table = frame.to_arrow()
    else:
        raise TypeError(f"A {type(frame).__name__} is no frame: give one of pandas, Polars or pyarrow.")
    return table.column_names, table.columns


def _writable(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    type_ = column.type
    if pa.types.is_dictionary(type_):
        return _writable(name, column.cast(type_.value_type))
    if pa.types.is_timestamp(type_) or pa.types.is_date(type_):
        return _time_texts(column)
    if pa.types.is_decimal(type_):
        return column.cast(pa.float64())
    if pa.types.is_floating(type_):
        return _finite(name, column.cast(pa.float64()))
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_time(type_) or pa.types.is_duration(type_):
        raise ValueError(f'The column "{name}" is of the type {type_}, which no field holds: write it as a number or a text.')
    return column


def _time_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """ISO 8601 in UTC, with milliseconds; a time without a zone is UTC."""
    zone = getattr(column.type, "tz", None)
    milliseconds = column.cast(pa.timestamp("ms", tz=zone), safe=False).cast(pa.int64())
    spaced = milliseconds.cast(pa.timestamp("ms")).cast(pa.string())
    return pc.binary_join_element_wise(pc.replace_substring(spaced, " ", "T"), "Z", "")


def _finite(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """NaN is what frames have where nothing is known. Raises `ValueError` for an infinity."""
    infinite = pc.index(pc.is_inf(column), True).as_py()
    if infinite >= 0:
        raise ValueError(f'Row {infinite}, column "{name}": an infinity cannot be stored; make it a number or null.')
    return pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)


def batches(table: pa.Table) -> Iterator[Batch]:
    """Nulls are left out: a property that is missing reads as null."""
    names = table.column_names
    first = 0
    for start in range(0, table.num_rows, max_batch_rows):
        columns = [column.to_pylist() for column in table.slice(start, max_batch_rows).columns]
        texts: list[bytes] = []
        size = 0
        for values in zip(*columns):
            row = {name: value for name, value in zip(names, values) if value is not None}
            text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            if texts and size + len(text) + 1 > max_batch_bytes:
                yield Batch(first, texts)
                first, texts, size = first + len(texts), [], 0
            texts.append(text)
            size += len(text) + 1
        yield Batch(first, texts)
        first += len(texts)
