"""The kernels of prime implicants are valid Python: run from source, they answer as the compiled ones do."""

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
from xylogic.compare import primes_kernel
answers = [primes_kernel.__file__.endswith(".py")]
for seed in range(16):
    case = seeded_case(seed, regression=False, trees=(1, 3))
    for label in case.model.classes:
        found = xl.prime_implicants(case.model, label)
        answers.append([str(label), found.count, found.n_nodes, [str(term) for term in found]])
answers.append([str(xl.prime_implicants(gadget(200), label).count) for label in (0, 1)])
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
    assert source[-1] == ["201", str(3 * 2**200 - 2)]
