"""When a push is tried again; as the client for JavaScript does it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Callable, TypeVar

from .errors import NoAnswerError, ServiceError, TidemarkError

Answer = TypeVar("Answer")

#: What stands between here and the service answers so when the service does not, or when it is asked too often.
_gateway_statuses = (429, 502, 503, 504)


def may_go_better(error: TidemarkError) -> bool:
    """No answer came, or one that says that the same request may go better later."""
    if isinstance(error, NoAnswerError):
        return True
    if not isinstance(error, ServiceError):
        return False
    return error.retryable or (error.code == "unknown" and error.status in _gateway_statuses)


def _is_doubtful(error: TidemarkError) -> bool:
    """Nobody knows what became of the request."""
    if isinstance(error, NoAnswerError):
        return error.sent
    if not isinstance(error, ServiceError) or error.code != "unknown":
        return False
    return error.status in (502, 504) or 200 <= error.status < 300


@dataclass(frozen=True)
class Retries:
    """How a request that is safe to be done twice is tried again: a push has an idempotency key that stays the same."""

    #: How long it is tried again before its failure counts, from the first failure on. The service knows an idempotency key for 24 hours.
    retry_s: float = 23 * 60 * 60
    #: The first wait; each further one is twice as long.
    first_wait_s: float = 0.25
    #: The longest wait, unless the service asks for a longer one.
    longest_wait_s: float = 10
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    #: From 0 up to 1: a wait is up to half as long again, so that many who lost one service do not come back at once.
    random: Callable[[], float] = random.random

    def run(self, attempt: Callable[[], Answer], on_retry: Callable[[TidemarkError, float], None]) -> Answer:
        """What an attempt answers in the end. Raises the first failure whose retry is useless, or the last within `retry_s`."""
        first_failure_s = None
        # An attempt whose outcome nobody knows says more than a later one that never arrived.
        doubtful = None
        wait_s = self.first_wait_s
        while True:
            try:
                return attempt()
            except TidemarkError as error:
                if not may_go_better(error):
                    raise
                failure = error
            if _is_doubtful(failure):
                doubtful = failure
            if first_failure_s is None:
                first_failure_s = self.now_s()
            asked_s = failure.retry_after_s if isinstance(failure, ServiceError) else None
            next_s = max(wait_s, asked_s or 0) * (1 + self.random() / 2)
            if self.now_s() - first_failure_s + next_s > self.retry_s:
                raise doubtful or failure
            on_retry(failure, next_s)
            self.sleep(next_s)
            wait_s = min(wait_s * 2, self.longest_wait_s)
