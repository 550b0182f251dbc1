"""Mastery: knowledge tracing over graded answers, propagated along the graph.

The model and its update are Corbett & Anderson's (1995, "Knowledge tracing: modeling the acquisition of procedural
knowledge"). It is always computed from the answers, so taking one back is computing without it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sprout.learning.questions.questions import QuestionFormat

MASTERED_FROM = 0.7
ATTEMPTS_TO_MASTER = 2
GOOD_FROM = 0.5  # a score from which an answer speaks for what it rests on, below which against it


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every number of the model, all of them probabilities; judgement until there are answers to fit them to.

    Args:
        initially_known: that a node is known before the first answer; low, since paths are made of what is new, and so
            low that one right answer masters nothing.
        learned: that one who does not know a node does after an answer and what was said to it.
        slipped: that one who knows answers wrong. At most 0.1, or knowing would mean little (Corbett & Anderson 1995).
        guessed: that one who does not know answers right in words or a number.
        chosen: the same among four options: more than chance, since some can be ruled out; at most 0.3, as above.
        edge_weight: how much of an answer's weight a prerequisite gets, and of that again the one before it.
        max_edges: how many edges an answer is propagated along.
    """

    initially_known: float = 0.08
    learned: float = 0.1
    slipped: float = 0.1
    guessed: float = 0.05
    chosen: float = 0.3
    edge_weight: float = 0.3
    max_edges: int = 2

    def guess_probability(self, format: QuestionFormat) -> float:
        """The probability that one who does not know answers a question of this format right."""
        return self.chosen if format == "mcq" else self.guessed


PARAMETERS = Parameters()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A graded answer.

    Args:
        tests: ids of the nodes that the question is about.
        score: 0..1.
        help_level: of the help that was given before it; 0 where the answer was the learner's own.
    """

    answer_id: str
    tests: tuple[str, ...]
    format: QuestionFormat
    score: float
    help_level: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Mastery:
    """A learner's mastery of a node.

    Args:
        value: the probability that the learner knows it, 0..1.
        evidence: the answers about the node itself, oldest first; what came along edges is in the value alone.
    """

    value: float
    evidence: tuple[Evidence, ...] = ()

    @property
    def attempts(self) -> int:
        return len(self.evidence)

    @property
    def mastered(self) -> bool:
        """Whether the learner can go on from here."""
        return self.value >= MASTERED_FROM and self.attempts >= ATTEMPTS_TO_MASTER


def mastery(
    evidence: Iterable[Evidence], edges: Iterable[tuple[str, str]], parameters: Parameters = PARAMETERS
) -> dict[str, Mastery]:
    """Mastery of each node that the answers reach; other nodes are left out.

    Args:
        evidence: in any order; they count in the order in which they were given.
        edges: prerequisite → what builds on it.
    """
    found: dict[str, Mastery] = {}
    for _, reached in trace(evidence, edges, parameters):
        found.update(reached)
    return found


def trace(
    evidence: Iterable[Evidence], edges: Iterable[tuple[str, str]], parameters: Parameters = PARAMETERS
) -> Iterator[tuple[Evidence, Mapping[str, Mastery]]]:
    """Each answer, in the order in which they were given, with what is known after it of the nodes that it reaches."""
    before = _prerequisites(edges)
    found: dict[str, Mastery] = {}
    for answer in sorted(evidence, key=lambda one: (one.at, one.answer_id)):
        reached: dict[str, Mastery] = {}
        for node_id in answer.tests:
            known = found.get(node_id, Mastery(parameters.initially_known))
            reached[node_id] = Mastery(_update(known.value, answer, parameters), (*known.evidence, answer))
        if not answer.help_level:
            for node_id, weight in _prerequisite_weights(answer.tests, before, parameters).items():
                known = found.get(node_id, Mastery(parameters.initially_known))
                reached[node_id] = Mastery(
                    _update_prerequisite(known.value, answer, weight, parameters), known.evidence
                )
        found.update(reached)
        yield answer, reached


def mean_mastery(values: Sequence[float]) -> float:
    """The mastery of a node that has parts: the mean of theirs, 0 for one of which nothing is known; 0 without any."""
    return sum(values) / len(values) if values else 0.0


def right_answers_needed(value: float, attempts: int, parameters: Parameters = PARAMETERS) -> int:
    """Number of further answers that master a node if all are right, in the learner's own words and without help."""
    answer = Evidence("", (), "open_ended", 1.0, 0, datetime.min.replace(tzinfo=UTC))
    needed = 0
    while not Mastery(value, (answer,) * (attempts + needed)).mastered:
        value, needed = _update(value, answer, parameters), needed + 1
    return needed


def _update(value: float, answer: Evidence, parameters: Parameters) -> float:
    """The value after an answer about the node itself.

    With help, a right answer is practice: it may have taught something, but shows nothing. A miss is a miss.
    """
    right = _if_right(value, answer.format, parameters) if answer.help_level == 0 else value
    wrong = _if_wrong(value, answer.format, parameters)
    shown = answer.score * right + (1 - answer.score) * wrong
    taught = shown + (1 - shown) * parameters.learned
    return taught if answer.help_level == 0 else _below_mastered(value, taught)


def _update_prerequisite(value: float, answer: Evidence, weight: float, parameters: Parameters) -> float:
    """The value of a node that the answer rests on: doubt after a miss, credit after a good answer, never mastery."""
    if answer.score < GOOD_FROM:
        return value + weight * (_if_wrong(value, answer.format, parameters) - value)
    credited = value + weight * answer.score * (_if_right(value, answer.format, parameters) - value)
    return _below_mastered(value, credited)


def _below_mastered(value: float, risen: float) -> float:
    """`risen`, kept just below mastery if `value` is below it."""
    just_below = MASTERED_FROM - 1e-6
    return min(risen, max(value, just_below)) if value < MASTERED_FROM else risen


def _if_right(value: float, format: QuestionFormat, parameters: Parameters) -> float:
    """P(known | right), by Bayes' rule."""
    known, guessed = value * (1 - parameters.slipped), (1 - value) * parameters.guess_probability(format)
    return known / (known + guessed)


def _if_wrong(value: float, format: QuestionFormat, parameters: Parameters) -> float:
    """P(known | wrong), by Bayes' rule."""
    slipped, unknown = value * parameters.slipped, (1 - value) * (1 - parameters.guess_probability(format))
    return slipped / (slipped + unknown)


def _prerequisites(edges: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    before: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        before[target].append(source)
    return before


def _prerequisite_weights(
    node_ids: Sequence[str], before: Mapping[str, Sequence[str]], parameters: Parameters
) -> Mapping[str, float]:
    """Prerequisite → its share of an answer about the nodes, by the shortest way to it."""
    seen, reached = set(node_ids), list(node_ids)
    shares: dict[str, float] = {}
    for distance in range(1, parameters.max_edges + 1):
        reached = [one for node_id in reached for one in before.get(node_id, ()) if one not in seen]
        reached = list(dict.fromkeys(reached))
        seen.update(reached)
        shares.update(dict.fromkeys(reached, parameters.edge_weight**distance))
    return shares
