"""The kernel of power indices is valid Python: run from source, it answers as the compiled one does."""

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
import random
from xylogic.budget import Budget
from xylogic.importance import power_kernel
from xylogic.importance.game import game_of_conflicts
from xylogic.importance.indices import counted_scores, pivot_scores

answers = [power_kernel.__file__.endswith(".py")]
for seed in range(8):
    source = random.Random(seed)
    game = game_of_conflicts([source.randint(1, 127) for _ in range(6)], range(7), Budget())
    diagram = game.diagram
    answers.append([game.players, diagram.root, diagram.level.tolist(), diagram.low.tolist(), diagram.high.tolist()])
    reasons = game.reasons
    answers.append([reasons.root, reasons.level.tolist(), reasons.low.tolist(), reasons.high.tolist()])
    for index in ("shapley", "banzhaf"):
        answers.append(pivot_scores(diagram, game.n_players, index, Budget()).tolist())
        answers.append(list(map(str, counted_scores(diagram, game.n_players, index, Budget()))))
print(json.dumps(answers))
"""


def run(how: str) -> list:
    folder = str(Path(__file__).parent)
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", QUESTIONS, folder, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_kernel_answers_alike_compiled_and_uncompiled():
    compiled, source = run("compiled"), run("source")
    assert (compiled[0], source[0]) == (False, True)
    assert compiled[1:] == source[1:]
