"""Answers in Arrow as frames: flat as they came, or wide with a column for each tag."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import pyarrow as pa
import pyarrow.compute as pc

#: The libraries of which frames can be.
libraries = ("pandas", "polars", "arrow")


def require(library: str) -> None:
    """Raises where frames of this library cannot be made: before a request, and not after it."""
    if library not in libraries:
        raise ValueError(f'frames="{library}" is not known; it is one of {", ".join(libraries)}.')
    try:
        __import__("pyarrow" if library == "arrow" else library)
    except ImportError:
        text = f'Frames of {library} need it: pip install {library}. Or ask for others: Tidemark(url, key, frames="arrow").'
        raise ImportError(text) from None


def frame_of(table: pa.Table, library: str, index: Optional[str] = None) -> Any:
    """A table as a frame; `index` names its index, where the library has one."""
    if library == "arrow":
        return table
    if library == "polars":
        import polars

        return polars.from_arrow(table)
    import pandas

    # Numbers with gaps as doubles would lose digits, and truth values become objects.
    with_gaps = {column.type for column in table.columns if column.null_count > 0}
    exact = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
    frame = table.to_pandas(types_mapper=lambda type_: exact.get(type_) if type_ in with_gaps else None)
    return frame if index is None else frame.set_index(index)


def wide(table: pa.Table, tags: int, asked: Sequence[str], zone: str) -> tuple[pa.Table, list[str]]:
    """
    An answer whose first column is the time and whose next `tags` columns are tags, with a row for each time and a column for each series, in
    the order of `asked`; and those of `asked` of which it has no item. Of items of one date the newest counts.
    """
    names = table.column_names
    time, tag_names, value_names = names[0], names[1 : tags + 1], names[tags + 1 :]
    keys = _joined(table, tag_names)
    newest_first = pa.table({"key": keys, "row": pa.array(range(table.num_rows), pa.int64())})
    order = pc.sort_indices(newest_first, [("key", "ascending"), ("row", "descending")])
    dates = _flat(table[time].cast(pa.int64()))
    times = pc.unique(dates)
    columns = [times.cast(pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("ms", tz=zone))]
    places = _places(keys.take(order))
    missing = [tag for tag in asked if tag not in places]
    shown = [*dict.fromkeys([*asked, *places])] if tags == 1 else list(places)
    column_names = [time]
    for key in shown:
        rows = order.slice(*places.get(key, (0, 0)))
        row_of_time = rows.take(pc.index_in(times, value_set=dates.take(rows)))
        for name in value_names:
            columns.append(_flat(table[name]).take(row_of_time))
            column_names.append(key if len(value_names) == 1 else f"{key}/{name}")
    doubled = {name for name in column_names if column_names.count(name) > 1} if len(set(column_names)) < len(column_names) else set()
    if doubled:
        raise ValueError(f"Two columns would have the name {sorted(doubled)[0]!r}; .query(...) answers the same flat.")
    return pa.table(columns, names=column_names), missing


def _flat(column: pa.ChunkedArray) -> pa.Array:
    """In one piece."""
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _joined(table: pa.Table, names: Sequence[str]) -> pa.Array:
    """The tags of each row as one text. Raises `ValueError` where two series would have the same."""
    parts = [_flat(table[name]).cast(pa.string()) for name in names]
    joined = pc.binary_join_element_wise(*parts, "/", null_handling="replace", null_replacement="")
    if len(names) > 1 and len(pc.unique(joined)) < table.select(names).group_by(names).aggregate([]).num_rows:
        raise ValueError("Tags that hold a slash make two series look alike; .query(...) answers the same flat.")
    return joined


def _places(keys: pa.Array) -> dict[str, tuple[int, int]]:
    """Where the rows of each key begin, and how many they are; equal keys stand together."""
    places: dict[str, tuple[int, int]] = {}
    start = 0
    for counted in pc.value_counts(keys).to_pylist():
        places[counted["values"]] = (start, counted["counts"])
        start += counted["counts"]
    return places
