"""The kernels of diagrams are valid Python: run from source, they answer as the compiled ones do."""

from uncompiled import asked_both_ways

QUESTIONS = """
import xylogic as xl
from models import seeded_case
from xylogic.circuit.conjunction import Conjunction
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
"""


def test_kernels_answer_alike_compiled_and_uncompiled():
    asked_both_ways(QUESTIONS, "xylogic.compile.product_kernel")
