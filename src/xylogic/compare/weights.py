"""Random-looking numbers modulo 2^61 - 1 for cuts, categories and labels: the same on every machine, in every process.

Two of each, from one BLAKE2b hash of what is meant: a fingerprint is a pair.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable
from functools import lru_cache
from hashlib import blake2b

from xylogic.errors import InvalidInputError

__all__ = ["PRIME", "Pair", "category_weight", "cut_weight", "label_code", "missing_weight", "value_code"]

PRIME = 2**61 - 1
Pair = tuple[int, int]
_KEPT = 1 << 16


@lru_cache(_KEPT)
def cut_weight(name: str, cut: float) -> Pair:
    """The weight of everything at or below a finite cut of an ordered feature."""
    return _numbers("cut", _text(name), struct.pack("<d", cut + 0.0))


@lru_cache(_KEPT)
def category_weight(name: str, category: Hashable) -> Pair:
    """The weight of a category, before all of a feature's are scaled to add up to 1."""
    return _numbers("category", _text(name), _plain(category))


@lru_cache(_KEPT)
def missing_weight(name: str) -> Pair:
    """The weight of the state "missing"."""
    return _numbers("missing", _text(name))


@lru_cache(_KEPT, typed=True)
def label_code(label: Hashable) -> Pair:
    """The number of a class; 1 and 1.0 are one class, True is another."""
    return _numbers("class", b"bool" if isinstance(label, bool) else b"", _plain(label))


def value_code(value: float) -> Pair:
    """The number of a regression value."""
    return _numbers("value", struct.pack("<d", value + 0.0))


def _numbers(kind: str, *parts: bytes) -> Pair:
    content = b"".join(struct.pack("<q", len(part)) + part for part in parts)
    digest = blake2b(content, digest_size=16, person=kind.encode()).digest()
    return int.from_bytes(digest[:8], "little") % PRIME, int.from_bytes(digest[8:], "little") % PRIME


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _plain(label: Hashable) -> bytes:
    """A label as bytes that say what it is."""
    if isinstance(label, tuple):
        return b"t" + b"".join(struct.pack("<q", len(part)) + part for part in map(_plain, label))
    if isinstance(label, str):
        return b"s" + _text(label)
    if isinstance(label, bytes):
        return b"b" + label
    if isinstance(label, int) or (isinstance(label, float) and label.is_integer()):
        return b"i" + str(int(label)).encode()
    if isinstance(label, float):
        return b"f" + struct.pack("<d", label)
    raise InvalidInputError(
        f"label {label!r} is a {type(label).__name__}, which has no form that is the same in every process; "
        "str, int, float, bool, bytes and tuples of these are accepted"
    )
