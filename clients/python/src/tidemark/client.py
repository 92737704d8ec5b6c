"""The client: what a notebook asks of a Tidemark service."""

from __future__ import annotations

import json
import secrets
import warnings
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Literal, Mapping, Optional, Sequence, TypeVar, Union, overload
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pyarrow as pa

from .errors import NoAnswerError, TidemarkError
from .frames import frame_of, require, wide
from .progress import Progress, ProgressOption
from .push import Push
from .retries import Retries, may_go_better
from .rows import batches, table_of
from .times import Moment, moment_text, period_text, zone_of
from .transport import Transport, arrow_type

if TYPE_CHECKING:
    import pandas
    import polars

Frame = TypeVar("Frame")
Names = Union[str, Sequence[str]]

_numeric = ("double", "long")
#: Properties of requests whose texts may be lengths of time.
_lengths = ("granularity", "start_date", "end_date", "date", "max_gap")
_rejected_columns = {"row": pa.int64(), "field": pa.string(), "code": pa.string(), "message": pa.string()}


@dataclass(frozen=True)
class Written(Generic[Frame]):
    """What became of a frame. All its rows are on disk; `rows = stored + rejected + pending`."""

    rows: int
    stored: int
    #: How many were not validated within the wait for them; `batches` are the ids for their receipts.
    pending: int
    #: A row for each rejected row: `row`, its place in the frame from 0 (`frame.iloc[rejected.row]`), `field`, `code` and `message`.
    rejected: Frame
    batches: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Live:
    """Items that became queryable together, as the service writes them: flat, with dates as texts."""

    #: Whoever goes on from it, with `after`, misses nothing and is told nothing twice.
    id: str
    items: list[dict[str, Any]]
    #: Whether rows may be missing before this: those from `date` on, of any date where it is None.
    reset: bool = False
    date: Optional[str] = None
    #: Of the items that were told before, those of `deleted["selection"]` are deleted. Where `deleted["undone"]` is true they are seen again.
    deleted: Optional[dict[str, Any]] = None


class Tidemark(Generic[Frame]):
    """
    A Tidemark service.

    `url` is its address, `key` a key with the rights that are needed, `entity` what is queried where a call names none, and `frames` the library
    of the frames that it answers: pandas, polars or arrow. `timeout_s` is how long it waits for a part of an answer. `progress` takes the lines
    that tell how far a long call is; without it notebooks show them, and with False nobody.
    """

    @overload
    def __init__(
        self: Tidemark[pandas.DataFrame], url: str, key: Optional[str] = ..., *, entity: Optional[str] = ...,
        frames: Literal["pandas"] = ..., timeout_s: float = ..., retries: Retries = ..., progress: ProgressOption = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: Tidemark[polars.DataFrame], url: str, key: Optional[str] = ..., *, entity: Optional[str] = ...,
        frames: Literal["polars"], timeout_s: float = ..., retries: Retries = ..., progress: ProgressOption = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: Tidemark[pa.Table], url: str, key: Optional[str] = ..., *, entity: Optional[str] = ...,
        frames: Literal["arrow"], timeout_s: float = ..., retries: Retries = ..., progress: ProgressOption = ...,
    ) -> None: ...

    def __init__(
        self, url: str, key: Optional[str] = None, *, entity: Optional[str] = None, frames: str = "pandas",
        timeout_s: float = 120, retries: Retries = Retries(), progress: ProgressOption = None,
    ) -> None:
        require(frames)
        self._http = Transport(url, key, timeout_s)
        self._entity = entity
        self._frames = frames
        self._retries = retries
        self._progress = progress

    def __repr__(self) -> str:
        return f"Tidemark({self._http.url!r})"

    def read(
        self,
        ids: Names = (),
        start: Optional[Moment] = None,
        end: Optional[Moment] = None,
        every: Union[str, timedelta, None] = None,
        agg: Optional[Names] = None,
        *,
        entity: Optional[str] = None,
        metric: Names = (),
        tag: Optional[str] = None,
        zone: str = "UTC",
        **more: object,
    ) -> Frame:
        """
        A wide frame: a row for each time, in `zone`, and a column for each tag of `ids` (none: all tags).

        Without `every` it has the items; of items of one date the newest counts. With it each row is a bucket of that length (`"5m"`, `"hour"`,
        `"all"`), stamped with its start in the calendar of `zone`; `agg` is `mean`, or the aggregates that the service's kind `aggregate` has,
        one or several. Both ends of the range belong to it; one of them may be a length (`"24h"`), and a length as the start alone ends now.
        Times without a zone are of `zone`. Where there are several metrics or aggregates, columns are named `tag/metric`.

        `metric` names metrics (without it those that can be aggregated, or all items' metrics), `tag` the tag field that `ids` are of, if the
        entity has several. `more` are further properties of the request, under the service's names.
        """
        name, description = self._described(entity)
        kind, asked = self._read_request(description, every, agg, metric, zone)
        ids_asked = _names(ids)
        place = zone_of(zone)
        request = {
            "entity": name,
            "ids": ids_asked,
            **({} if tag is None else {"id_name_field": tag}),
            **_range(start, end, place),
            **asked,
            **_plain(more, place),
        }
        tags = 1 if tag is not None else sum(1 for one in description["fields"] if one["role"] == "tag")
        table, missing = wide(self._arrow(f"/consumer/data/{kind}", request, name), tags, ids_asked, zone)
        if missing and tags == 1:
            text = f"{name} has no items of {', '.join(map(repr, missing))} there; .tags(prefix) lists the tags that have some."
            warnings.warn(text, stacklevel=2)
        return self._frame(table, table.column_names[0])

    def query(self, kind: str, *, entity: Optional[str] = None, **request: object) -> Frame:
        """The answer to a query of any kind, flat, with times in UTC: `query("latest", ids=["a"])`. Its properties have the service's names."""
        name = entity or self._only_entity()[0]
        body = {"entity": name, **_plain(request, ZoneInfo("UTC"))}
        return self._frame(self._arrow(f"/consumer/data/{quote(kind, safe='')}", body, name))

    def sql(self, text: str) -> Frame:
        """The answer to a SELECT in Druid's SQL, flat, with times in UTC."""
        return self._frame(self._arrow("/consumer/data/sql-query", {"sql_query": text}, "SQL"))

    def tags(self, prefix: str = "", *, entity: Optional[str] = None, tag: Optional[str] = None) -> list[str]:
        """The tags that have items, by code point."""
        path = f"/consumer/data/entities/{quote(entity or self._only_entity()[0], safe='')}/tags"
        return list(self._items(self._http.json, path, prefix=prefix or None, id_name_field=tag, limit=10_000))

    def entities(self) -> list[dict[str, Any]]:
        """The entities that the key may read, with their fields, numbers of rows, and first and last dates."""
        described: list[dict[str, Any]] = self._http.json("GET", "/consumer/data/entities")
        return described

    def live(
        self, ids: Names = (), *, entity: Optional[str] = None, prefixes: Names = (), tag: Optional[str] = None,
        metric: Names = (), fields: Names = (), after: Optional[str] = None,
    ) -> Iterator[Live]:
        """
        The items of an entity as they become queryable, for as long as it is looped over.

        After a cut it connects again by itself and misses nothing. `after` goes on behind the `id` of an earlier loop. Where `reset` is true, rows may
        be missing: those from `date` on, or of any date where it is None, have to be read anew. Where `deleted` is not None, items that were told
        before are deleted.
        """
        name = entity or self._only_entity()[0]
        lists = {"ids": ids, "prefixes": prefixes, "metric_name_field": metric, "fields": fields}
        # Each value by itself, with what parts lists escaped.
        values = [(key, one.replace("\\", "\\\\").replace(",", "\\,")) for key, names in lists.items() for one in _names(names)]
        asked = [("entity", name), *values, *([] if tag is None else [("id_name_field", tag)])]
        last_id, wait_s = after, self._retries.first_wait_s
        while True:
            try:
                for id, event, data in self._http.events("/consumer/data/live", asked, last_id):
                    wait_s = self._retries.first_wait_s
                    if event == "rows" and id and data:
                        yield Live(id, json.loads(data))
                    elif event == "reset" and id and data:
                        yield Live(id, [], True, json.loads(data)["date"])
                    elif event == "deleted" and id and data:
                        yield Live(id, [], deleted={"undone": False, **json.loads(data)})
                    last_id = id or last_id
            except TidemarkError as error:
                if not may_go_better(error):
                    raise
            self._retries.sleep(wait_s)
            wait_s = min(wait_s * 2, self._retries.longest_wait_s)

    def write(self, frame: Any, ingest: str, *, id: Optional[str] = None, wait_s: float = 60) -> Written[Frame]:
        """
        Pushes a frame of pandas, Polars or pyarrow whose columns are the properties of the ingest's rows.

        It goes in batches of up to 10,000 rows or 4 MiB. A batch is tried again where that may help, always with the same idempotency key, so that
        every row is stored once; `id` is what these keys begin with: the same frame under the same id within 24 hours stores nothing twice. Returns
        once the rows can be queried or `wait_s` is over. Null and NaN are left out. Raises `WriteError` with the first failure.
        """
        table = table_of(frame)
        progress = Progress(self._progress)
        push = Push(self._http, self._retries, ingest, id or secrets.token_hex(16), table.num_rows, progress)
        for batch in batches(table):
            push.send(batch)
        receipts = push.receipts(wait_s)
        rejected = pa.Table.from_pylist(list(self._rejected(push)), schema=pa.schema(_rejected_columns))
        stored, pending = (sum(receipt[name] for receipt in receipts) for name in ("stored", "pending"))
        progress.end(f"{ingest}: {stored} of {table.num_rows} rows stored, {rejected.num_rows} rejected")
        return Written(table.num_rows, stored, pending, self._frame(rejected), tuple(batch for _, batch in push.acknowledged))

    def _rejected(self, push: Push) -> Iterator[dict[str, object]]:
        for first, batch in push.acknowledged:
            if batch not in push.with_rejected:
                continue
            found = self._items(push.json, f"{push.path}/rejected", batch=batch, limit=10_000)
            for one in sorted(found, key=lambda one: int(one["index"])):
                yield {"row": first + one["index"], **{name: one[name] for name in ("field", "code", "message")}}

    def _items(self, ask: Callable[..., Any], path: str, **parameters: object) -> Iterator[Any]:
        token = None
        while True:
            page = ask("GET", path, NextToken=token, **parameters)
            yield from page["Items"]
            token = page["NextToken"]
            if token is None:
                return

    def _frame(self, table: pa.Table, index: Optional[str] = None) -> Frame:
        made: Frame = frame_of(table, self._frames, index)
        return made

    def _arrow(self, path: str, request: Mapping[str, object], what: str) -> pa.Table:
        progress = Progress(self._progress)

        def received(size: int) -> None:
            progress.tell(f"{what}: {size / 1e6:.1f} MB received")

        body = json.dumps(request, default=list).encode()
        answer = self._http.send("POST", path, body, accept=arrow_type, on_bytes=received)
        try:
            table = pa.ipc.open_stream(pa.py_buffer(answer)).read_all()
        except pa.ArrowInvalid:
            raise NoAnswerError("The answer is no Arrow stream: its end may be lost on the way.", sent=True) from None
        progress.end(f"{what}: {table.num_rows} rows")
        return table

    def _only_entity(self) -> tuple[str, Optional[dict[str, Any]]]:
        """The entity where a call names none."""
        if self._entity is not None:
            return self._entity, None
        found = self.entities()
        if len(found) == 1:
            return found[0]["entity"], found[0]
        names = ", ".join(one["entity"] for one in found) or "none"
        raise ValueError(f'Say which entity: entity="..." here or in Tidemark(url, key, entity="..."). The key may read: {names}.')

    def _described(self, entity: Optional[str]) -> tuple[str, dict[str, Any]]:
        name, description = (entity, None) if entity is not None else self._only_entity()
        if description is None:
            found = self.entities()
            description = next((one for one in found if one["entity"] == name), None)
            if description is None:
                names = ", ".join(one["entity"] for one in found) or "none"
                raise ValueError(f'There is no entity "{name}" that the key may read; it may read: {names}.')
        return name, description

    def _read_request(
        self, description: dict[str, Any], every: Union[str, timedelta, None], agg: Optional[Names], metric: Names, zone: str
    ) -> tuple[str, dict[str, object]]:
        metrics = _names(metric)
        if every is None:
            if agg is not None:
                raise ValueError(f'agg={agg!r} needs the length of its buckets: every="5m", or every="all" for the whole range.')
            return "select", {"metric_name_field": metrics}
        numeric = [one["name"] for one in description["fields"] if one["role"] == "metric" and one["type"] in _numeric]
        if not metrics and not numeric:
            raise ValueError(f"{description['entity']} has no metric of numbers; without every=... its items are read.")
        # Said also of UTC: the entity may have a zone of its own.
        asked: dict[str, object] = {"metric_name_field": metrics or numeric, "granularity": period_text(every), "time_zone": zone}
        if agg is None or agg == "mean":
            return "average", asked
        return "aggregate", {**asked, "aggregates": _names(agg)}


def _names(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _range(start: Optional[Moment], end: Optional[Moment], zone: ZoneInfo) -> dict[str, str]:
    given = {"start_date": start, "end_date": end}
    return {name: moment_text(moment, zone) for name, moment in given.items() if moment is not None}


def _plain(request: Mapping[str, object], zone: ZoneInfo) -> dict[str, object]:
    """With times and lengths as texts, and short lengths as ISO 8601."""

    def plain(name: str, value: object) -> object:
        if isinstance(value, (date, timedelta)):
            return moment_text(value, zone)
        if isinstance(value, str) and name in _lengths:
            return period_text(value)
        return value

    return {name: plain(name, value) for name, value in request.items() if value is not None}
