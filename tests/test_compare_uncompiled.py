"""The kernel of comparisons is valid Python: run from source, it answers as the compiled one does."""

from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from model_pairs import seeded_pair
for seed in range(24):
    pair = seeded_pair(seed, trees=(1, 3))
    found = xl.compare(pair.a, pair.b, engine="search")
    row = found.equivalence.to_dict()
    del row["seconds"]
    answers.append([repr(row), str(found.disagreement), [str(region) for region in found.regions()]])
"""


def test_the_kernel_answers_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.compare.clash_kernel")
