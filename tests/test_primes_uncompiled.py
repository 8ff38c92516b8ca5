"""The kernels of prime implicants are valid Python: run from source, they answer as the compiled ones do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from gadgets import gadget
from models import seeded_case
for seed in range(16):
    case = seeded_case(seed, regression=False, trees=(1, 3))
    for label in case.model.classes:
        found = xl.prime_implicants(case.model, label)
        answers.append([str(label), found.count, found.n_nodes, [str(term) for term in found]])
answers.append([str(xl.prime_implicants(gadget(200), label).count) for label in (0, 1)])
"""


def test_kernels_answer_alike_compiled_and_uncompiled():
    answers = asked_both_ways(QUESTIONS, "xylogic.compare.primes_kernel")
    assert answers[-1] == ["201", str(3 * 2**200 - 2)]
