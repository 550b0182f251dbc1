"""PromQL expressions: the metrics and labels that one names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import promql_parser
from promql_parser import AggregateExpr, Expr, MatrixSelector, VectorSelector


@dataclass(frozen=True, slots=True)
class Named:
    """The metrics that an expression names, its labels, and the values that labels are compared with."""

    metrics: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    values: dict[str, set[str]] = field(default_factory=dict)
    grouped_by: set[str] = field(default_factory=set)

    def visit(self, part: Expr) -> bool:
        """Add what one part of the expression names."""
        if isinstance(part, MatrixSelector):
            self.visit(part.vector_selector)
        elif isinstance(part, VectorSelector):
            self.metrics.add(part.name or "")
            for matcher in part.matchers.matchers:
                self.labels.add(matcher.name)
                self.values.setdefault(matcher.name, set()).update(matcher.value.split("|"))
        elif isinstance(part, AggregateExpr) and part.modifier is not None:
            self.labels.update(part.modifier.labels)
            self.grouped_by.update(part.modifier.labels)
        return True


def names_in(expression: str, texts: Iterable[str] = ()) -> Named:
    """What an expression and its texts ({{label}}, $labels.label) name. Raises ValueError: it is no PromQL."""
    named = Named()
    promql_parser.walk(promql_parser.parse(expression), named.visit)
    for one, other in re.findall(r"{{(\w+)}}|\$labels\.(\w+)", " ".join(texts)):
        named.labels.add(one or other)
    return named
