"""The kernels of diagrams are valid Python: run from source, they answer as the compiled ones do."""

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
from models import seeded_case
from xylogic.circuit.conjunction import Conjunction
from xylogic.compile import product_kernel
answers = [product_kernel.__file__.endswith(".py")]
for seed in range(24):
    case = seeded_case(seed)
    options = {"ties": case.ties, "form": ("joint", "pairs")[seed % 2]}
    if case.classes is None:
        options = {"band": (0.0, 0.5)}
    for label, made in xl.compile_model(case.model, **options).items():
        diagram = made.joined() if isinstance(made, Conjunction) else made
        other = ~diagram
        answers.append([
            str(label), diagram.to_dict(), diagram.count(), diagram.probability(), diagram == other,
            (diagram & other).count(), (diagram | other).count(), diagram.restrict(case.row).to_dict(),
            diagram.evaluate([case.row]).tolist(), [str(box) for box in diagram.boxes()],
        ])
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", QUESTIONS, folder, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kernels_answer_alike_compiled_and_uncompiled():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    assert compiled[1:] == source[1:]
