"""The kernels of growing are valid Python: run from source, they grow the trees that the compiled ones grow."""

import json
import subprocess
import sys
from pathlib import Path

GROWN = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "source":
    import uncompiled
    uncompiled.install()
    warnings.simplefilter("ignore")  # of numbers that wrap around
from grow_cases import draw_case
from grow_oracle import CLASSES, NUMBERS
from models import Draws
from xylogic.grow import grower_kernel

answers = [grower_kernel.__file__.endswith(".py")]
for criterion in (*CLASSES, *NUMBERS):
    for seed in range(24):
        case = draw_case(Draws(seed), criterion)
        grown = case.grown(mode=["exact", "hist", "random"][seed % 3], seed=seed)
        parts = [getattr(grown.tree, part) for part in ("feature", "cut", "left", "right", "missing", "set_items")]
        parts += [grown.n_rows, grown.weight, grown.impurity, grown.value, grown.gain]
        answers.append([criterion, seed, [part.tolist() for part in parts]])
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", GROWN, folder, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_trees_grow_alike_compiled_and_uncompiled():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    for one, other in zip(compiled[1:], source[1:], strict=True):
        assert one == other
