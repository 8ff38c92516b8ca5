"""The front door: a model and a row in, exact answers out."""

from xylogic.explain.explainer import Explainer
from xylogic.explain.explanation import Explanation

__all__ = ["Explainer", "Explanation"]
