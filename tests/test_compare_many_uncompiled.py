"""The kernels of fingerprints and Rashomon sets are valid Python: run from source, they find what the compiled do."""

import json
import subprocess
import sys
from pathlib import Path

QUESTIONS = """
import json, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "source":
    import uncompiled, warnings
    uncompiled.install()
    warnings.simplefilter("ignore")  # of numbers that wrap around
import xylogic as xl
from models import Draws, seeded_case
from rashomon_cases import draw_praxis, draw_treefarms, rows_of
from xylogic.compare import rashomon_kernel
from xylogic.errors import UnsupportedModelError

answers = [rashomon_kernel.__file__.endswith(".py")]
for seed in range(40):
    case = seeded_case(seed, trees=(1, 1 + seed % 3))
    try:
        answers.append(xl.fingerprint(case.model))
    except UnsupportedModelError:
        pass
    d = Draws(seed)
    sets = [xl.RashomonSet.from_treefarms(draw_treefarms(d, 3))]
    sets.append(xl.RashomonSet.from_praxis(draw_praxis(d, 3), feature_names="abc"))
    for found in sets:
        if found.n_trees:
            numbers = [found.n_trees, found.fingerprints, found.counts.tolist(), found.groups_on(rows_of(3)).tolist()]
            answers.append([*numbers, found.predict(rows_of(3)).tolist(), list(found.importance().values())])
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS, folder, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_compiled_and_source_agree():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    for one, other in zip(compiled[1:], source[1:], strict=True):
        assert one == other
