"""Named errors. Each says what was wrong, where, and what would be accepted."""

from __future__ import annotations

from typing import Any

__all__ = [
    "BudgetExceeded",
    "InvalidInputError",
    "InvalidModelError",
    "InvalidTypeError",
    "MissingLibraryError",
    "NotFittedError",
    "UnsupportedModelError",
    "XylogicError",
]


class XylogicError(Exception):
    """Base class of every error that xylogic raises on purpose."""


class InvalidInputError(XylogicError, ValueError):
    """A table, row or argument value that cannot be used; names the column and row."""


class InvalidModelError(XylogicError, ValueError):
    """A tree, ensemble or model file that is not well formed; names the tree and node."""


class InvalidTypeError(InvalidInputError, TypeError):
    """A cell or a table of a type that is not taken, a date or a sparse matrix, say; names the column and row."""


class MissingLibraryError(XylogicError, ImportError):
    """A library that an optional part needs is not installed; names the extra to install."""


class UnsupportedModelError(XylogicError, TypeError):
    """An object, or a kind of model, that xylogic does not read."""


class BudgetExceeded(XylogicError, RuntimeError):
    """A time, node or memory limit was reached before the answer was proven.

    ``bounds`` holds what is known all the same, by name; ``interrupted`` says that the limit was Ctrl-C.
    """

    def __init__(self, message: str, bounds: dict[str, Any] | None = None, *, interrupted: bool = False) -> None:
        super().__init__(message)
        self.bounds = dict(bounds or {})
        self.interrupted = interrupted


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import; only code that already holds one of its models asks for this.
    if name != "NotFittedError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    class NotFittedError(XylogicError, SklearnNotFittedError):
        """A model that has not been fitted yet."""

        __module__ = __name__

    globals()["NotFittedError"] = NotFittedError
    return NotFittedError
