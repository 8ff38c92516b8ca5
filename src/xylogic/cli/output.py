"""Answers on stdout, everything else on stderr; the exit codes."""

from __future__ import annotations

import json
import math
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xylogic.errors import InvalidInputError
from xylogic.view.text import printable

__all__ = ["Progress", "check_out", "interrupts", "print_json", "say"]

DONE, NEGATIVE, UNUSABLE, BUDGET = 0, 1, 2, 3
INTERNAL, INTERRUPTED, PIPE_CLOSED = 70, 130, 141


def say(message: object) -> None:
    """One line on stderr."""
    print(f"xylogic: {printable(str(message).strip())}", file=sys.stderr, flush=True)


def check_out(path: Path | None, inputs: Iterable[Path | None] = ()) -> None:
    """Raise InvalidInputError, before the work is done, if a model cannot be saved there: bad suffix, no folder, or a
    file that is read."""
    from xylogic.model.file import check_path

    if path is None:
        return
    check_path(path)
    if not path.parent.is_dir():
        raise InvalidInputError(f"--out is {path}, and there is no folder {path.parent}")
    if path.exists() and any(given is not None and path.samefile(given) for given in inputs):
        raise InvalidInputError(f"--out is {path}, which is read here too; another file is accepted")


def print_json(document: Mapping[str, Any]) -> None:
    """One strict JSON document on stdout, in ASCII: missing is ``null``, an infinity the text "Infinity"."""
    print(json.dumps(strict(document), indent=2, allow_nan=False))


def strict(value: Any) -> Any:
    """The value with plain scalars, text keys, and no number that JSON lacks; as deep as a result is, no deeper."""
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Inside it, the list holds an item for each Ctrl-C so far; each is raised as ever."""
    seen: list[int] = []

    def note(number: int, _: object) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield seen  # only the main thread hears signals
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """Says on stderr, from the second second on, that a step still runs; a terminal's line is rewritten."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        start = time.monotonic()
        terminal = sys.stderr.isatty()
        wait, said = 1.0, False
        while not self._done.wait(wait):
            seconds = time.monotonic() - start
            if terminal:
                sys.stderr.write(f"\rxylogic: {self.label}: {seconds:.0f} s ")
                sys.stderr.flush()
            else:
                say(f"{self.label}: {seconds:.0f} s")
                wait *= 2  # a log needs no line a second
            said = True
        if terminal and said:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
