"""The kernels of single trees, run from source, answer as the compiled ones do."""

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
from gadgets import gadget
from models import seeded_case
from tree_pairs import seeded_pair
from xylogic.search import pair_kernel
from xylogic.search.pair import Pair
from xylogic.search.single import Single
answers = [pair_kernel.__file__.endswith(".py")]
for seed in range(40):
    pair = seeded_pair(seed)
    for d in Pair(*pair.singles()):
        answers.append([d.node_a, d.node_b, str(d.low), str(d.high), d.missing.tolist(), d.words.tolist()])
    case = seeded_case(seed, trees=(1, 1))
    explainer = xl.Explainer(case.model, **case.explainer_options())
    e = explainer.explain(case.row)
    answers += [str(e.sufficient_reason()), str(e.robustness()), [str(r) for r in e.necessary_reasons()]]
    if case.classes:
        answers.append(str(explainer.possible_classes(dict(list(case.row.items())[:1]))))
found = Pair(Single(gadget(30)), Single(gadget(30, last=(1, 1)))).first()
answers.append([found.node_a, found.node_b])
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS, folder, how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_single_trees_alike_compiled_and_uncompiled():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    assert compiled[1:] == source[1:]
