"""Placement: which question tells most about what a learner knows of a path, when to stop, and what was found.

The answer to a question depends on the learner's whole state only through the node that it is about. So what it tells
about the state, the expected fall of its entropy, is the mutual information of the answer and that node alone: exact,
and as cheap as the node's belief. It is the half-split rule of Falmagne & Doignon 1988 ("A class of stochastic
procedures for the assessment of knowledge"), with the noise of each question weighed in.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2

from sprout.learning.mastery.knowledge_tracing import NEUTRAL_SCORE, PARAMETERS
from sprout.learning.mastery.mastery import RIGHT_FROM
from sprout.learning.placement.beliefs import Observation, beliefs
from sprout.learning.placement.knowledge_space import KnowledgeSpace
from sprout.learning.questions.questions import QuestionFormat

MAX_QUESTIONS = 25
MAX_SHARE = 0.35  # of the nodes; asking about all of them is what a placement saves
SHORTEST = 6  # questions for which a small path may be asked, whatever the share
MIN_SHARE = 0.25  # of the nodes, before confidence ends it: first answers make it surer than it may be
CONFIDENT = 0.98  # expected share of nodes whose place is right
KNOWN_FROM = 0.5  # belief from which a node is found known that was answered right, or on which such a node rests
INFERRED_FROM = 0.8  # the same for any other node: to skip what was never learned costs more than a lesson too many
CHECK_QUESTIONS = 2
SECONDS_A_QUESTION = 20

_SURE, _UNSURE = 0.95, 0.05  # of what was learned before, and of what its learner says they do not know
_GIVEN_UP = (0.03, 0.6)  # how likely "I don't know" is of one who knows, and of one who does not


class Reply(StrEnum):
    """Finding of an answer; one that is right in part says neither that the node is known nor that it is not."""

    RIGHT = "right"
    WRONG = "wrong"
    PARTLY = "partly"
    NOT_KNOWN = "not_known"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a placement that was answered or skipped."""

    node_id: str
    format: QuestionFormat
    difficulty: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class Step:
    """What is next in a placement.

    Args:
        beliefs: the probability that each node is known.
        known: the nodes that are found known, as far as was asked.
        ask: the node that the next question is about; None at the end.
        most: the number of questions that will be asked at most.
    """

    beliefs: Mapping[str, float]
    known: frozenset[str]
    ask: str | None
    most: int


def reply_of(score: float | None) -> Reply:
    """The finding of a marked answer; without a score it tried nothing."""
    if score is None:
        return Reply.NOT_KNOWN
    if score >= RIGHT_FROM:
        return Reply.RIGHT
    return Reply.WRONG if score < NEUTRAL_SCORE else Reply.PARTLY


def question_limit(space: KnowledgeSpace) -> int:
    """The most questions of a placement of this path."""
    nodes = len(space.node_ids)
    return min(MAX_QUESTIONS, nodes, max(SHORTEST, int(MAX_SHARE * nodes)))


def minutes_for(questions: int) -> int:
    return max(1, ceil(questions * SECONDS_A_QUESTION / 60))


def next_step(
    space: KnowledgeSpace, asked: Sequence[Asked], before: Mapping[str, bool], askable: Mapping[str, QuestionFormat]
) -> Step:
    """The next step of the placement of a whole path.

    Args:
        before: nodes that were learned before it, and (False) those that their learner says they do not know.
        askable: node → the format of the question that would be asked about it.
    """
    believed = _beliefs(space, asked, before)
    answered, most = _count(asked), question_limit(space)
    surest = sum(max(one, 1 - one) for one in believed.values()) / max(1, len(believed))
    is_over = answered >= most or (surest >= CONFIDENT and answered >= MIN_SHARE * len(believed))
    ask = None if is_over else _most_telling(believed, _without_skipped(askable, asked))
    return Step(believed, _known(space, asked, before, believed), ask, most)


def next_check_step(
    space: KnowledgeSpace,
    targets: Collection[str],
    asked: Sequence[Asked],
    before: Mapping[str, bool],
    askable: Mapping[str, QuestionFormat],
) -> Step:
    """The next step where a learner says that they know the targets: two questions, on these and what they rest on."""
    believed = _beliefs(space, asked, before)
    known = _known(space, asked, before, believed)
    if _count(asked) >= CHECK_QUESTIONS or any(one.reply in (Reply.WRONG, Reply.NOT_KNOWN) for one in asked):
        return Step(believed, known, None, CHECK_QUESTIONS)
    rests_on = {need for node_id in targets for need in space.needs[node_id]}
    tops, around = set(targets) - rests_on, {*targets, *rests_on}
    done, open_nodes = {one.node_id for one in asked}, _without_skipped(askable, asked)
    for group in (around if done else tops, around):
        fresh = {node_id: kind for node_id, kind in open_nodes.items() if node_id in group - done}
        if fresh:
            return Step(believed, known, _most_telling(believed, fresh), CHECK_QUESTIONS)
    again = {node_id: kind for node_id, kind in open_nodes.items() if node_id in around}
    return Step(believed, known, _most_telling(believed, again), CHECK_QUESTIONS)


def confirmed(space: KnowledgeSpace, targets: Collection[str], asked: Sequence[Asked], step: Step) -> frozenset[str]:
    """The nodes that a check found known: the targets and what they rest on; none unless both answers were right."""
    answered = [one.reply for one in asked if one.reply is not Reply.SKIPPED]
    if answered != [Reply.RIGHT] * CHECK_QUESTIONS:
        return frozenset()
    return frozenset(targets) | (space.under(targets) & step.known)


def _known(
    space: KnowledgeSpace, asked: Iterable[Asked], before: Mapping[str, bool], believed: Mapping[str, float]
) -> frozenset[str]:
    """The nodes that are found known; one that its learner says they do not know, by an answer about it alone."""
    right = {one.node_id for one in asked if one.reply is Reply.RIGHT} & set(space.node_ids)
    shown = right | space.under(right)
    return frozenset(
        node_id
        for node_id, belief in believed.items()
        if belief >= (KNOWN_FROM if node_id in shown else INFERRED_FROM)
        and (before.get(node_id, True) or node_id in right)
    )


def _beliefs(space: KnowledgeSpace, asked: Iterable[Asked], before: Mapping[str, bool]) -> dict[str, float]:
    stood = [
        Observation(node_id, *((_SURE, _UNSURE) if is_known else (_UNSURE, _SURE)))
        for node_id, is_known in before.items()
    ]
    return beliefs(space.node_ids, space.edges, [*stood, *filter(None, map(_observation, asked))])


def _observation(asked: Asked) -> Observation | None:
    slip, guess = _noise(asked.format, asked.difficulty)
    likely = {
        Reply.RIGHT: (1 - slip, guess),
        Reply.WRONG: (slip, 1 - guess),
        Reply.NOT_KNOWN: _GIVEN_UP,
    }.get(asked.reply)
    return None if likely is None else Observation(asked.node_id, *likely)


def _noise(format: QuestionFormat, difficulty: int) -> tuple[float, float]:
    """The probabilities of a slip and of a lucky guess."""
    noise = PARAMETERS.noise[difficulty]
    return noise.slip, noise.chosen if format == "mcq" else noise.guess


def _count(asked: Iterable[Asked]) -> int:
    return sum(one.reply is not Reply.SKIPPED for one in asked)


def _without_skipped(askable: Mapping[str, QuestionFormat], asked: Iterable[Asked]) -> dict[str, QuestionFormat]:
    skipped = {one.node_id for one in asked if one.reply is Reply.SKIPPED}
    return {node_id: kind for node_id, kind in askable.items() if node_id not in skipped}


def _most_telling(believed: Mapping[str, float], askable: Mapping[str, QuestionFormat]) -> str | None:
    """The node whose question tells most; of equals the first in the order of the path."""
    order = [node_id for node_id in believed if node_id in askable]
    return max(order, key=lambda one: _information(believed[one], askable[one]), default=None)


def _information(known: float, format: QuestionFormat) -> float:
    """Bits that the answer to a question of middle difficulty is expected to tell."""
    slip, guess = _noise(format, 3)
    right = known * (1 - slip) + (1 - known) * guess
    return _entropy(right) - known * _entropy(slip) - (1 - known) * _entropy(guess)


def _entropy(probability: float) -> float:
    if not 0 < probability < 1:
        return 0.0
    return -probability * log2(probability) - (1 - probability) * log2(1 - probability)
