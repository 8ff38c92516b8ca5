"""The kernel of power indices is valid Python: run from source, it answers as the compiled one does."""

from uncompiled import asked_both_ways

QUESTIONS = """
import random
from xylogic.budget import Budget
from xylogic.importance.game import game_of_conflicts
from xylogic.importance.indices import counted_scores, pivot_scores

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
"""


def test_the_kernel_answers_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.importance.power_kernel", overflow="error")
