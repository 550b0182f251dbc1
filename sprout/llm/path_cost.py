"""Estimated time and cost of a path, before it is paid for."""

from dataclasses import dataclass

from sprout.events import Usage
from sprout.llm.catalogue import catalogue, facts_of
from sprout.runs.model_probes import ModelProbe

TOKENS_PER_S = 60.0
TOPIC_CALLS = Usage(input_tokens=8_000, output_tokens=4_000)
CONCEPT_CALLS = Usage(input_tokens=12_000, output_tokens=9_000)
SMALL_CONCEPT_CALLS = Usage(input_tokens=6_000, output_tokens=3_000)
REPLIES, REPLIES_OF_ONE_CALL = 3, 15  # of one run


@dataclass(frozen=True, slots=True)
class PathCostEstimate:
    """Minutes until the path is whole, and dollars from the smallest path to the largest."""

    minutes: int
    cost_usd_low: float
    cost_usd_high: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a model works.

    Args:
        one_call: whether a reply has one tool call at most, so that there are more of them.
        serial: whether its server answers one request after another: then concepts wait for one another.
    """

    tokens_per_s: float = TOKENS_PER_S
    first_byte_s: float = 0.0
    one_call: bool = False
    serial: bool = False

    def run_s(self, output_tokens: float) -> float:
        """Seconds of a run that writes so much."""
        replies = REPLIES_OF_ONE_CALL if self.one_call else REPLIES
        return output_tokens / max(self.tokens_per_s, 0.1) + replies * self.first_byte_s


def pace_of(probe: ModelProbe | None) -> Pace | None:
    """The pace that a probe has measured; None where it has not."""
    if probe is None or probe.tokens_per_s is None:
        return None
    return Pace(
        probe.tokens_per_s,
        probe.first_byte_s or 0.0,
        one_call=probe.calls_in_one_reply == 1,
        serial=probe.model not in catalogue(),
    )


def estimate_path_cost(
    *,
    topic_model: str,
    subconcept_model: str,
    fewest: int,
    most: int,
    small: bool,
    topic_pace: Pace | None = None,
    subconcept_pace: Pace | None = None,
) -> PathCostEstimate:
    """Estimate from a run's typical token counts, the catalogue's prices, and the pace where it was measured.

    Args:
        fewest, most: numbers of concepts, which are worked on together.
    """
    per_concept = SMALL_CONCEPT_CALLS if small else CONCEPT_CALLS
    topic_usd = facts_of(topic_model).priced(TOPIC_CALLS).cost_usd
    concept_usd = facts_of(subconcept_model).priced(per_concept).cost_usd
    topic, concepts = topic_pace or Pace(), subconcept_pace or Pace()
    waves = (fewest + most) / 2 if concepts.serial else 1
    seconds = topic.run_s(TOPIC_CALLS.output_tokens / 2) + waves * concepts.run_s(per_concept.output_tokens)
    return PathCostEstimate(
        minutes=max(1, round(seconds / 60)),
        cost_usd_low=round(topic_usd + fewest * concept_usd, 2),
        cost_usd_high=round(topic_usd + most * concept_usd, 2),
    )
