"""The kernels of circuits and of Apply are valid Python: run from source, they answer as the compiled ones do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import random
from graphs import random_graph
from models import seeded_case
from xylogic.circuit import apply_kernel
from xylogic.circuit.apply_kernel import Apply
from xylogic.circuit.exchange_kernel import adopt, freeze, negation
from xylogic.compile.apply import compile_apply
from xylogic.compile.sortnet import compile_sortnet
from xylogic.model.states import model_cells

def plain(graph):
    return [graph.root, *(getattr(graph, name).tolist() for name in ("feature", "edge_at", "lo", "hi", "child"))]

for seed in range(10):
    case = seeded_case(seed, voting="majority", regression=False, trees=(1, 6))
    cells = model_cells(case.model, missing=case.missing)
    row = {name: value for name, value in case.row.items() if value == value}
    for interleaved in (False, True):
        for formula in compile_sortnet(case.model, cells, case.ties, interleaved=interleaved).values():
            inside = formula.restrict(row)
            answers.append([formula.to_dict(), (~formula).to_dict(), inside.to_dict(), str(formula), formula.to_dot()])
    answers.append([formula.count(), formula.evaluate([formula.row() or {}] if formula.row() else []).tolist()])
    for form in ("3A", "3B"):
        for graphs in compile_apply(case.model, cells, case.ties, form).values():
            answers.append([plain(graph) for graph in graphs])
    rng = random.Random(seed)
    graphs = Apply((3, 2, 4))
    a, b = (adopt(graphs, random_graph(rng, (3, 2, 4))) for _ in range(2))
    made = [graphs.conjunction(a, b), graphs.disjunction(a, negation(graphs, b))]
    answers.append([plain(freeze(graphs, n)) for n in graphs.collect(made)])
"""


def test_kernels_answer_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.circuit.apply_kernel", overflow="error")
