"""Trees rewritten into other trees of the same function, or of one with a single leaf changed.

Columns are seen as their states, number 0 .. n - 1 in order or categories; ``MISSING`` is one more where tests have a
way for it. A tree is a leaf (a dict for ``build_tree``) or a :class:`Split`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from models import Column, Draws

MISSING = -1


@dataclass(frozen=True)
class Split:
    """``states`` of a column go left."""

    column: int
    states: frozenset[int]
    left: object
    right: object


Inside = tuple[frozenset[int], ...]  # per column the states that reach a node


def everything(columns: list[Column], routes: bool) -> Inside:
    return tuple(frozenset(range(c.n_states)) | ({MISSING} if routes else set()) for c in columns)


def sides(split: Split, inside: Inside) -> tuple[Inside, Inside]:
    c, now = split.column, inside[split.column]
    return tuple((*inside[:c], kept, *inside[c + 1 :]) for kept in (now & split.states, now - split.states))


def draw_split(d: Draws, columns: list[Column], inside: Inside) -> Split | None:
    """A test that what reaches it does not decide, without children."""
    open_columns = [c for c, states in enumerate(inside) if len(states - {MISSING}) > 1]
    if not open_columns:
        return None
    c = d.pick(open_columns)
    numbers = sorted(inside[c] - {MISSING})
    if columns[c].feature.categories:
        left = {numbers[0], *d.some(numbers[1:-1], 50)}
    else:
        left = set(range(d.pick(numbers[:-1]) + 1))
    if MISSING in inside[c] and d.chance(50):
        left.add(MISSING)
    return Split(c, frozenset(left), None, None)


def draw_tree(d: Draws, columns: list[Column], inside: Inside, leaf, depth: int) -> object:
    split = None if depth == 0 or d.chance(10) else draw_split(d, columns, inside)
    if split is None:
        return leaf(d)
    left, right = (draw_tree(d, columns, side, leaf, depth - 1) for side in sides(split, inside))
    return replace(split, left=left, right=right)


def restricted(tree: object, inside: Inside) -> object:
    """The tree without the tests that what reaches them decides."""
    if not isinstance(tree, Split):
        return tree
    to_left, to_right = sides(tree, inside)
    if not to_left[tree.column]:
        return restricted(tree.right, inside)
    if not to_right[tree.column]:
        return restricted(tree.left, inside)
    return replace(tree, left=restricted(tree.left, to_left), right=restricted(tree.right, to_right))


def splits(tree: object) -> list[Split]:
    return [tree, *splits(tree.left), *splits(tree.right)] if isinstance(tree, Split) else []


def rewritten(d: Draws, tree: object, columns: list[Column], inside: Inside) -> object:
    """The same function: tests in another order, subtrees doubled, leaves split, redundant tests pruned."""
    if not isinstance(tree, Split):
        split = draw_split(d, columns, inside) if d.chance(20) else None  # a leaf is split
        return tree if split is None else replace(split, left=tree, right=tree)
    if tree.left == tree.right and d.chance(50):  # a redundant test is pruned
        return rewritten(d, tree.left, columns, inside)
    top = tree
    if d.chance(40) and len(splits(tree)) < 12:  # another of its tests comes first
        top = d.pick(splits(tree))
    elif d.chance(10):  # the whole of it is doubled
        top = draw_split(d, columns, inside) or tree
    parts = []
    for side in sides(top, inside):
        if not side[top.column]:
            return tree
        parts.append(rewritten(d, restricted(tree, side), columns, side))
    return replace(top, left=parts[0], right=parts[1])


def with_a_leaf_changed(d: Draws, tree: object, leaves: list) -> object:
    """Another function: one leaf gets another of ``leaves``."""
    if not isinstance(tree, Split):
        return d.pick([leaf for leaf in leaves if leaf != tree])
    if d.chance(50):
        return replace(tree, left=with_a_leaf_changed(d, tree.left, leaves))
    return replace(tree, right=with_a_leaf_changed(d, tree.right, leaves))


def written(tree: object, columns: list[Column], routes: bool) -> dict:
    """For ``build_tree``."""
    if not isinstance(tree, Split):
        return tree
    column = columns[tree.column]
    node = {"feature": column.feature.name}
    numbers = tree.states - {MISSING}
    if column.feature.categories:
        node["in"] = [column.feature.categories[s] for s in sorted(numbers)]
    else:
        node["compare"], node["cut"] = column.boundaries[max(numbers)][0]
    if routes:
        node["missing"] = "left" if MISSING in tree.states else "right"
    return {**node, "left": written(tree.left, columns, routes), "right": written(tree.right, columns, routes)}
