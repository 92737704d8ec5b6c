"""What a notebook shows while a request takes its time."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

Show = Callable[[str], None]
#: None: in notebooks alone; False: nowhere; else what is called with each line.
ProgressOption = Union[None, bool, Show]

_quiet_s = 0.5
_between_s = 0.2


def notebook_line() -> Optional[Show]:
    """A line in the output of the cell that runs, which is replaced by the next; None outside of notebooks."""
    shell: Any = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if running is None or not hasattr(running, "kernel"):
        return None
    display: Any = shell.display.display
    handle: Any = None

    def show(text: str) -> None:
        nonlocal handle
        data = {"text/plain": text}
        if handle is None:
            handle = display(data, raw=True, display_id=True)
        else:
            handle.update(data, raw=True)

    return show


class Progress:
    """The line of one call. What is quick shows none, and none changes too often to be read."""

    def __init__(self, option: ProgressOption, now_s: Callable[[], float] = time.monotonic) -> None:
        self._show = option if callable(option) else None if option is not None else notebook_line()
        self._now_s = now_s
        self._due_s = now_s() + _quiet_s
        self._is_shown = False

    def tell(self, text: str) -> None:
        if self._show is not None and self._now_s() >= self._due_s:
            self._due_s = self._now_s() + _between_s
            self._is_shown = True
            self._show(text)

    def end(self, text: str) -> None:
        """The last line, where there was one before."""
        if self._show is not None and self._is_shown:
            self._show(text)
