"""Times and lengths of time as requests have them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from typing import Union
from zoneinfo import ZoneInfo

#: A text is ISO 8601, or a length such as `5m` or `PT5M`; a datetime without a zone is of the zone that is asked for.
Moment = Union[str, date, timedelta]

_units = {"s": "PT{}S", "m": "PT{}M", "h": "PT{}H", "d": "P{}D", "w": "P{}W"}
_short = re.compile(r"(\d+)(ms|[smhdw])")
_has_zone = re.compile(r"[T ].*(Z|[+-]\d\d(:?\d\d)?)$", re.IGNORECASE)


def zone_of(name: str) -> ZoneInfo:
    """Raises `ValueError` where there is no such zone."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass
    raise ValueError(
        f'There is no time zone "{name}" here: give an IANA name such as "Europe/Madrid" (where the system has no zones: pip install tzdata).'
    )


def period_text(length: Union[str, timedelta]) -> str:
    """A length of time as ISO 8601; names such as `hour` stay as they are."""
    if isinstance(length, timedelta):
        return f"PT{_decimal(length // timedelta(milliseconds=1))}S"
    short = _short.fullmatch(length)
    if short is None:
        return length
    count, unit = short.groups()
    return f"PT{_decimal(int(count))}S" if unit == "ms" else _units[unit].format(count)


def _decimal(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


def is_length(moment: Moment) -> bool:
    return isinstance(moment, timedelta) or (isinstance(moment, str) and period_text(moment)[:1].upper() == "P")


def moment_text(moment: Moment, zone: ZoneInfo) -> str:
    """A time for a request. Raises `ValueError` where a text without a zone cannot be read as a time of `zone`."""
    if is_length(moment):
        assert isinstance(moment, (str, timedelta))
        return period_text(moment)
    if isinstance(moment, str):
        # The service reads more forms than Python: what means the same in every zone is left to it.
        if zone.key == "UTC" or _has_zone.search(moment):
            return moment
        moment = _local(moment)
    if not isinstance(moment, datetime):
        assert isinstance(moment, date)
        moment = datetime.combine(moment, time())
    placed = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
    return placed.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _local(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    raise ValueError(f'"{text}" is no time that can be placed in a zone: write it as 2026-01-31T08:00:00, or with its zone.')
