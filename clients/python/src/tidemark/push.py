"""A frame on its way into an ingest."""

from __future__ import annotations

import logging
from typing import Any, Callable, Optional
from urllib.parse import quote

from .errors import ServiceError, TidemarkError, WriteError, service_error_of
from .progress import Progress
from .retries import Retries
from .rows import Batch
from .transport import Transport, parsed

_log = logging.getLogger("tidemark")
_warn_every_s = 60
#: Fewer rows may be taken where all were not: too many of them, or one that is no JSON.
_may_go_in_halves = ("too_many_rows", "body_too_large", "invalid_json")


class Push:
    """One frame on its way into an ingest."""

    def __init__(self, http: Transport, retries: Retries, ingest: str, id: str, rows: int, progress: Progress) -> None:
        self.path = f"/ingests/{quote(ingest, safe='')}"
        #: The place in the frame at which each batch begins, and the id that the service gave it.
        self.acknowledged: list[tuple[int, str]] = []
        self.with_rejected: set[str] = set()
        self._http = http
        self._retries = retries
        self._ingest = ingest
        self._id = id
        self._rows = rows
        self._done = 0
        self._progress = progress
        self._warned_s: Optional[float] = None

    def send(self, batch: Batch) -> None:
        try:
            answer = self._retried(lambda: self._once(batch))
        except ServiceError as error:
            if error.code not in _may_go_in_halves or len(batch.texts) == 1:
                raise WriteError(error, self._done, self._rows, self._id) from error
        except TidemarkError as error:
            raise WriteError(error, self._done, self._rows, self._id) from error
        else:
            self.acknowledged.append((batch.first, answer))
            self._done += len(batch.texts)
            self._progress.tell(f"{self._ingest}: {self._done} of {self._rows} rows on disk")
            return
        for half in batch.halves():
            self.send(half)

    def _once(self, batch: Batch) -> str:
        answer = parsed(self._http.send("POST", f"{self.path}/data", batch.body(), idempotency_key=batch.key(self._id)))
        # Who is told that rows are on disk lets go of them: only the service may say so.
        if not isinstance(answer, dict) or not isinstance(answer.get("batch"), str):
            raise service_error_of(200, b"", None)
        made: str = answer["batch"]
        return made

    def receipts(self, wait_s: float) -> list[dict[str, int]]:
        """What became of each batch by the time that all its rows are validated, or `wait_s` is over."""
        until_s = self._retries.now_s() + wait_s
        found = []
        for _, batch in self.acknowledged:
            pause_s = 0.02
            while True:
                receipt = self.json("GET", f"{self.path}/batches/{quote(batch, safe='')}")
                if receipt["pending"] == 0 or self._retries.now_s() >= until_s:
                    break
                self._progress.tell(f"{self._ingest}: {self._rows} rows on disk, some of them not validated yet")
                self._retries.sleep(pause_s)
                pause_s = min(pause_s * 2, 1)
            found.append(receipt)
            if receipt["rejected"] > 0:
                self.with_rejected.add(batch)
        return found

    def json(self, method: str, path: str, **parameters: object) -> Any:
        return self._retried(lambda: self._http.json(method, path, **parameters))

    def _retried(self, attempt: Callable[[], Any]) -> Any:
        return self._retries.run(attempt, self._told)

    def _told(self, error: TidemarkError, wait_s: float) -> None:
        """In the log the first time, and then once a minute: nobody is told of tries otherwise, for hours."""
        text = f"rows wait: {error} Trying again in {wait_s:.1f} s."
        self._progress.tell(f"{self._ingest}: {text}")
        now_s = self._retries.now_s()
        if self._warned_s is None or now_s - self._warned_s >= _warn_every_s:
            self._warned_s = now_s
            _log.warning("%s", text)
