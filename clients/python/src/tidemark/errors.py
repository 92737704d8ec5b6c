"""What can go wrong between here and the service."""

from __future__ import annotations

import json
from typing import Any, Optional

__all__ = ["NoAnswerError", "ServiceError", "TidemarkError", "WriteError"]


class TidemarkError(Exception):
    """Every error of a request."""


class ServiceError(TidemarkError):
    """The service answered with a problem. A retryable one means that nothing was stored."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: tuple[tuple[str, str], ...] = (),
        retryable: bool = False,
        retry_after_s: Optional[float] = None,
    ) -> None:
        faults = [f"{path}: {message}" for path, message in errors if message not in detail]
        super().__init__("\n".join([f"{detail} ({status} {code})", *faults]))
        self.status = status
        #: `unknown` where something else answered in the place of the service.
        self.code = code
        self.detail = detail
        #: Pairs of the path of an invalid property and what is wrong with it.
        self.errors = errors
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class NoAnswerError(TidemarkError):
    """No answer came. With `sent` false the service has seen nothing of the request; otherwise nobody knows what became of it."""

    def __init__(self, message: str, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class WriteError(TidemarkError):
    """A frame of which not every row was acknowledged; `__cause__` is the reason. With the same `id` it can be written again."""

    def __init__(self, cause: TidemarkError, acknowledged: int, rows: int, id: str) -> None:
        super().__init__(
            f"{cause}\n{acknowledged} of {rows} rows are on disk. Once the cause is mended, write the same frame "
            f"again with id={id!r}: within 24 hours no row is stored twice."
        )
        self.acknowledged = acknowledged
        self.rows = rows
        self.id = id


def service_error_of(status: int, body: Optional[bytes], retry_after: Optional[str]) -> ServiceError:
    """The error that an answer tells of. The body is None where the connection broke in the middle of it."""
    retry_after_s = float(retry_after) if retry_after is not None and retry_after.isdigit() else None
    try:
        problem: Any = json.loads(body or b"")
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        code, detail, retryable = problem.get("code"), problem.get("detail"), problem.get("retryable")
        # Others write codes and details too; each problem of the service's own says whether it may go better.
        if isinstance(code, str) and isinstance(detail, str) and isinstance(retryable, bool):
            return ServiceError(status, code, detail, _errors_of(problem.get("errors")), retryable, retry_after_s)
    detail = (
        f"The answer has status {status}, and the connection broke before the rest of it came."
        if body is None
        else f"The answer has status {status} and is not from a Tidemark service; is the address right?"
    )
    return ServiceError(status, "unknown", detail, retry_after_s=retry_after_s)


def _errors_of(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        return ()
    return tuple((str(one.get("path", "")), str(one.get("message", ""))) for one in value if isinstance(one, dict))
