"""The kernels of growing are valid Python: run from source, they grow the trees that the compiled ones grow."""

from uncompiled import asked_both_ways

GROWN = """
from grow_cases import draw_case
from grow_oracle import CLASSES, NUMBERS
from models import Draws

for criterion in (*CLASSES, *NUMBERS):
    for seed in range(24):
        case = draw_case(Draws(seed), criterion)
        grown = case.grown(mode=["exact", "hist", "random"][seed % 3], seed=seed)
        parts = [getattr(grown.tree, part) for part in ("feature", "cut", "left", "right", "missing", "set_items")]
        parts += [grown.n_rows, grown.weight, grown.impurity, grown.value, grown.gain]
        answers.append([criterion, seed, [part.tolist() for part in parts]])
"""


def test_trees_grow_alike_compiled_and_uncompiled():
    asked_both_ways(GROWN, "xylogic.grow.grower_kernel")
