"""The kernels of fingerprints and Rashomon sets are valid Python: run from source, they find what the compiled do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from models import Draws, seeded_case
from rashomon_cases import draw_praxis, draw_treefarms, rows_of
from xylogic.errors import UnsupportedModelError

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
"""


def test_compiled_and_source_agree():
    asked_both_ways(QUESTIONS, "xylogic.compare.rashomon_kernel")
