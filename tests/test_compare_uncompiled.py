"""The kernels of comparisons are valid Python: run from source, they answer as the compiled ones do."""

import json
import subprocess
import sys
from pathlib import Path

QUESTIONS = """
import json, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "source":
    import uncompiled
    uncompiled.install()
import xylogic as xl
from model_pairs import seeded_pair
from xylogic.compare import clash_kernel
answers = [clash_kernel.__file__.endswith(".py")]
for seed in range(24):
    pair = seeded_pair(seed, trees=(1, 3))
    found = xl.compare(pair.a, pair.b, engine="search")
    row = found.equivalence.to_dict()
    del row["seconds"]
    answers.append([repr(row), str(found.disagreement), [str(region) for region in found.regions()]])
    if len(pair.a.classes or ()) > 1:
        found = xl.compare(pair.a, pair.b, engine="diagram")
        answers.append([str(found.table), [str(region) for region in found.regions()]])
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS, folder, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_kernels_answer_alike_compiled_and_uncompiled():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    assert compiled[1:] == source[1:]
