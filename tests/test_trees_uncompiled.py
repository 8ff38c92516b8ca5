"""The kernels of single trees, run from source, answer as the compiled ones do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from gadgets import gadget
from models import seeded_case
from tree_pairs import seeded_pair
from xylogic.search.pair import Pair
from xylogic.search.single import Single
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
"""


def test_single_trees_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.search.pair_kernel")
