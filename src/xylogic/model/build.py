"""The one construction door: arrays in, checked and normalised trees and ensembles out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from xylogic.domain.feature import Feature
from xylogic.errors import InvalidModelError
from xylogic.model.ensemble import Ensemble
from xylogic.model.links_kernel import is_tree
from xylogic.model.tree import Tree, node_depths, parents

__all__ = ["adopt_tree", "as_cut", "feature_cuts", "make_ensemble", "make_tree"]

MAX_NODES = 2**31 - 2


def make_tree(
    feature: ArrayLike,
    threshold: ArrayLike,
    left: ArrayLike,
    right: ArrayLike,
    value: ArrayLike,
    *,
    missing: ArrayLike,
    cast: str,
    n_features: int,
    sets: Mapping[int, ArrayLike] | None = None,
    n_codes: Sequence[int] | None = None,
    strict: bool | Sequence[bool] = False,
    infinite: bool = False,
    where: str = "tree 0",
) -> Tree:
    """Check a tree's arrays and freeze copies of them. O(n_nodes log depth).

    Parameters
    ----------
    feature, threshold, left, right : (n_nodes,), as in ``Tree``; node 0 is the root. A leaf is a node whose children
        are both negative; its feature and threshold are not looked at.
    value : (n_nodes, n_outputs); only the rows of leaves are looked at.
    missing : (n_nodes,), 0 no way for NaN, 1 left, 2 right.
    cast : ``"float32"`` or ``"float64"``, the precision that the source rounds its input to.
    n_features : number of columns.
    sets : node -> the category codes that go left there; these nodes are category tests.
    n_codes : per feature its number of categories, 0 for numbers; where given, codes are checked against it.
    strict : whether the source goes left when ``x < threshold`` rather than ``x <= threshold``; one for all, or
        (n_nodes,).
    infinite : whether the source takes infinite numbers; if not, cuts that no finite number lies above (or below)
        become +inf (-inf).
    where : how errors name the tree.

    Raises
    ------
    InvalidModelError
        Naming tree and node: lengths that differ, children out of range, nodes with one child, with two parents, on
        a cycle or cut off from the root; features out of range; thresholds that are NaN; leaf values not finite;
        category tests with no code or with unknown ones.
    """
    links = (_integers(left, "left", where), _integers(right, "right", where))
    n_nodes = len(links[0])
    inner = _check_links(*links, where)
    columns = _integers(feature, "feature", where)
    ways = _integers(missing, "missing", where)
    cuts = _floats(threshold, "threshold", where)
    values = _floats(value, "value", where)
    if values.ndim == 1:
        values = values[:, None]
    for name, array in [
        ("right", links[1]),
        ("feature", columns),
        ("threshold", cuts),
        ("missing", ways),
        ("value", values),
    ]:
        if len(array) != n_nodes:
            raise InvalidModelError(f"{where}: {name} has {len(array)} entries for {n_nodes} nodes")
    if values.ndim != 2 or values.shape[1] == 0 or cuts.ndim != 1:
        raise InvalidModelError(f"{where}: value has shape {values.shape}; (n_nodes, n_outputs) is accepted")

    category_test = np.zeros(n_nodes, dtype=bool)
    set_ptr, set_items = _pack_sets(sets or {}, n_nodes, category_test, where)
    _refuse(where, inner & ((columns < 0) | (columns >= n_features)), columns, f"tests feature {{}} of {n_features}")
    _refuse(where, inner & ~category_test & np.isnan(cuts), cuts, "has threshold {}")
    _refuse(where, inner & ((ways < 0) | (ways > 2)), ways, "has missing route {}; 0, 1 or 2 is accepted")
    _refuse(where, ~inner & ~np.isfinite(values).all(axis=1), values, "is a leaf with value {}")
    _refuse(where, ~inner & category_test, columns, "is a leaf with a category set")
    if n_codes is not None:
        _check_codes(np.asarray(n_codes), columns, inner, category_test, set_ptr, set_items, where)

    numeric = inner & ~category_test
    cut = np.zeros(n_nodes, dtype=np.float64)
    cut[numeric] = as_cut(cuts[numeric], cast, strict=np.broadcast_to(strict, n_nodes)[numeric], infinite=infinite)
    return Tree(
        feature=np.where(inner, columns, -1).astype(np.int32),
        cut=cut,
        left=np.where(inner, links[0], -1).astype(np.int32),
        right=np.where(inner, links[1], -1).astype(np.int32),
        missing=np.where(inner, ways, 0).astype(np.int8),
        set_ptr=set_ptr,
        set_items=set_items,
        value=np.where(inner[:, None], 0.0, values),
    )


def adopt_tree(
    feature: NDArray[np.int32],
    cut: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    missing: NDArray[np.int8],
    value: NDArray[np.float64],
    *,
    cast: str,
    n_features: int,
) -> Tree:
    """``make_tree`` without copies, in a tenth of its time, of arrays that are as in ``Tree`` already. O(n_nodes).

    All nodes test numbers, infinite ones too, and parents come before their children. Whatever is not so is left to
    ``make_tree``, which may raise InvalidModelError.
    """
    n_nodes = len(left)
    if not is_tree(
        feature, cut, left, right, missing, value, cast == "float32", n_features, np.zeros(n_nodes, np.uint8)
    ):
        return make_tree(
            feature, cut, left, right, value, missing=missing, cast=cast, n_features=n_features, infinite=True
        )
    no_sets = np.zeros(n_nodes + 1, np.int32), np.zeros(0, np.int32)
    return Tree(feature, cut, left, right, missing, *no_sets, value)


def as_cut(
    threshold: NDArray[np.float64], cast: str, *, strict: ArrayLike = False, infinite: bool = False
) -> NDArray[np.float64]:
    """The largest number of the cast's precision that goes left at each threshold (not NaN); see ``make_tree``."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = threshold.astype(cast)
        below = np.nextafter(narrow, narrow.dtype.type(-np.inf))
    goes_right = (narrow > threshold) | (np.asarray(strict) & (narrow == threshold))
    cut = np.where(goes_right, below, narrow).astype(np.float64)
    if not infinite:
        highest = float(np.finfo(cast).max)
        cut[cut >= highest] = np.inf
        cut[cut < -highest] = -np.inf
    return cut + 0.0  # -0.0 becomes 0.0


def make_ensemble(
    trees: Sequence[Tree],
    features: Sequence[Feature],
    classes: Sequence[Hashable] | None,
    *,
    voting: str,
    cast: str,
    base: Sequence[float] | None = None,
    **options: Any,
) -> Ensemble:
    """An ``Ensemble`` whose features carry the trees' cuts; ``options``: its other fields. O(n_nodes log n_nodes).

    Raises InvalidModelError as ``Ensemble`` does.
    """
    cuts = feature_cuts(trees, len(features))
    return Ensemble(
        trees=tuple(trees),
        features=tuple(replace(feature, cuts=own) for feature, own in zip(features, cuts, strict=True)),
        classes=None if classes is None else tuple(classes),
        voting=voting,
        cast=cast,
        base=tuple(float(b) for b in base) if base is not None else (0.0,) * (trees[0].n_outputs if trees else 1),
        **options,
    )


def feature_cuts(trees: Sequence[Tree], n_features: int) -> list[tuple[float, ...]]:
    """Each feature's distinct finite cuts over all trees, ascending."""
    columns, cuts = [np.zeros(0, np.int32)], [np.zeros(0)]
    for tree in trees:
        numeric = (tree.left >= 0) & (tree.set_ptr[1:] == tree.set_ptr[:-1]) & np.isfinite(tree.cut)
        columns.append(tree.feature[numeric])
        cuts.append(tree.cut[numeric])
    column, cut = np.concatenate(columns), np.concatenate(cuts)
    order = np.lexsort((cut, column))
    column, cut = column[order], cut[order]
    new = np.ones(len(cut), dtype=bool)
    new[1:] = (column[1:] != column[:-1]) | (cut[1:] != cut[:-1])
    column, cut = column[new], cut[new]
    ends = np.searchsorted(column, np.arange(n_features + 1))
    return [tuple(cut[start:stop].tolist()) for start, stop in pairwise(ends)]


def _integers(array: ArrayLike, name: str, where: str) -> NDArray[np.int64]:
    found = np.asarray(array)
    if found.ndim != 1 or (found.dtype.kind not in "iub" and len(found)):
        raise InvalidModelError(f"{where}: {name} is not a list of integers")
    return found.astype(np.int64)


def _floats(array: ArrayLike, name: str, where: str) -> NDArray[np.float64]:
    try:
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidModelError(f"{where}: {name} is not a list of numbers ({error})") from error


def _refuse(where: str, bad: NDArray[np.bool_], shown: NDArray[Any], what: str) -> None:
    if bad.any():
        node = int(np.argmax(bad))
        raise InvalidModelError(f"{where}, node {node}: {what.format(shown[node].tolist())}")


def _check_links(left: NDArray[np.int64], right: NDArray[np.int64], where: str) -> NDArray[np.bool_]:
    """Which nodes are inner ones, once every node is known to hang on the root by one path."""
    n_nodes = len(left)
    if not 0 < n_nodes <= MAX_NODES or len(right) != n_nodes:
        raise InvalidModelError(
            f"{where}: {n_nodes} left and {len(right)} right children; one of each per node, at least 1"
        )
    inner = left >= 0
    _refuse(where, inner != (right >= 0), left, "has only one child")
    for children in (left, right):
        _refuse(where, children >= n_nodes, children, f"has child {{}}; the tree has {n_nodes} nodes")
        _refuse(where, inner & (children == 0), children, "has the root as its child")
    n_parents = np.bincount(np.concatenate([left[inner], right[inner]]), minlength=n_nodes)
    _refuse(where, n_parents > 1, n_parents, "has {} parents")
    if n_parents[1:].all() and (np.minimum(left, right)[inner] > np.flatnonzero(inner)).all():
        return inner  # the usual order of nodes, in which there is no cycle
    depth = node_depths(parents(left, right))
    _refuse(where, depth < 0, depth, "is not reached from the root: it is cut off or on a cycle")
    return inner


def _pack_sets(
    sets: Mapping[int, ArrayLike], n_nodes: int, category_test: NDArray[np.bool_], where: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """``Tree.set_ptr`` and ``Tree.set_items``; marks the nodes with a set in ``category_test``."""
    sizes = np.zeros(n_nodes + 1, dtype=np.int64)
    items = [np.zeros(0, np.int32)]
    for node in sorted(sets):
        codes = np.asarray(sets[node], dtype=np.int64)
        if not (codes[1:] > codes[:-1]).all():
            codes = np.unique(codes)
        if not 0 <= node < n_nodes:
            raise InvalidModelError(f"{where}: a category set is given for node {node} of {n_nodes}")
        if not len(codes) or codes[0] < 0 or codes[-1] >= 2**31:
            raise InvalidModelError(
                f"{where}, node {node}: category codes {codes[:5].tolist()}; at least one, from 0 up, is accepted"
            )
        category_test[node] = True
        sizes[node + 1] = len(codes)
        items.append(codes.astype(np.int32))
    return np.cumsum(sizes).astype(np.int32), np.concatenate(items)


def _check_codes(
    n_codes: NDArray[Any],
    columns: NDArray[np.int64],
    inner: NDArray[np.bool_],
    category_test: NDArray[np.bool_],
    set_ptr: NDArray[np.int32],
    set_items: NDArray[np.int32],
    where: str,
) -> None:
    known = n_codes[np.where(inner, columns, 0)] if len(n_codes) else np.zeros(len(columns), dtype=int)
    _refuse(
        where, category_test & (known == 0), columns, "tests category codes of feature {}, which is not categorical"
    )
    _refuse(where, inner & ~category_test & (known > 0), columns, "compares categorical feature {} with a number")
    highest = np.full(len(columns), -1, dtype=np.int64)
    highest[category_test] = set_items[set_ptr[1:][category_test] - 1]
    _refuse(where, category_test & (highest >= known), highest, "lists category code {}, which does not exist")
