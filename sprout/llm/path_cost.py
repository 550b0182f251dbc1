"""Estimated time and cost of a path, before it is paid for."""

from dataclasses import dataclass

from sprout.events import Usage
from sprout.llm.catalogue import facts_of

TOKENS_PER_S = 60.0
TOPIC_CALLS = Usage(input_tokens=8_000, output_tokens=4_000)
CONCEPT_CALLS = Usage(input_tokens=12_000, output_tokens=9_000)
SMALL_CONCEPT_CALLS = Usage(input_tokens=6_000, output_tokens=3_000)


@dataclass(frozen=True, slots=True)
class PathCostEstimate:
    """Minutes until the path is whole, and dollars from the smallest path to the largest."""

    minutes: int
    cost_usd_low: float
    cost_usd_high: float


def estimate_path_cost(
    *, topic_model: str, subconcept_model: str, fewest: int, most: int, small: bool
) -> PathCostEstimate:
    """Estimate from a run's typical token counts (concepts are worked on together) and the catalogue's prices.

    Args:
        fewest, most: numbers of concepts.
    """
    per_concept = SMALL_CONCEPT_CALLS if small else CONCEPT_CALLS
    topic_usd = facts_of(topic_model).priced(TOPIC_CALLS).cost_usd
    concept_usd = facts_of(subconcept_model).priced(per_concept).cost_usd
    seconds = (TOPIC_CALLS.output_tokens / 2 + per_concept.output_tokens) / TOKENS_PER_S
    return PathCostEstimate(
        minutes=max(1, round(seconds / 60)),
        cost_usd_low=round(topic_usd + fewest * concept_usd, 2),
        cost_usd_high=round(topic_usd + most * concept_usd, 2),
    )
