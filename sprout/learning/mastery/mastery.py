"""Mastery: what a learner's graded answers say about each node, and whether it is learned or mastered.

It is always computed from the answers, so taking one back is computing without it.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate

from sprout.learning.mastery.knowledge_tracing import (
    NEUTRAL_SCORE,
    PARAMETERS,
    update,
    update_prerequisite,
)
from sprout.learning.questions.questions import QuestionFormat

LEARNED_FROM = 0.7  # the value of what is learned is never below it, that of anything else never above `HIGHEST_OPEN`
HIGHEST_OPEN = 0.69
RIGHT_FROM = 0.8  # a score from which an answer counts as right: one that lacks a criterion is right in part
RIGHT_TO_LEARN = 2  # different questions answered right at the first attempt, without help
RUN_TO_LEARN = 2  # the last opportunities, of which none was missed
MASTERED_AFTER = timedelta(days=1)  # since it was learned; what is a day later is another sitting


@dataclass(frozen=True, slots=True)
class Evidence:
    """A graded answer.

    Args:
        number: of its row. Answers count in the order in which they were stored: a clock may be wrong for a while.
        question_id: only the first answer to a question counts, where nothing was said to an earlier one.
        item: what was asked. The same words asked again are another question and a new opportunity, but being right
            about them twice is not being right about two things.
        tests: ids of the nodes that the question is about.
        difficulty: 1..5.
        score: 0..1.
        help_level: of the help that was given before it; 0 where the answer was the learner's own.
    """

    answer_id: str
    question_id: str
    item: str
    tests: tuple[str, ...]
    format: QuestionFormat
    difficulty: int
    score: float
    help_level: int
    at: datetime
    number: int

    @property
    def right(self) -> bool:
        return self.score >= RIGHT_FROM

    @property
    def missed(self) -> bool:
        return self.score < NEUTRAL_SCORE


@dataclass(frozen=True, slots=True)
class Claim:
    """That a node is known, or is not: found by a placement, or said by the learner, who may overrule it.

    What is known by a claim is learned, as if it had been answered, until an answer says otherwise; it is mastered as
    everything else is, by a right answer a day later.
    """

    node_id: str
    known: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Mastery:
    """A learner's mastery of a node.

    Args:
        known: the probability that the learner knows it, 0..1.
        evidence: the answers about the node itself, oldest first, those among them that were practice too; what came
            along edges is in the probability alone.
        right_items: what was answered right at the first attempt, without help.
        run: the number of opportunities since the last miss, but for those with a score that says nothing.
        learned_at: the time of the answer, or the claim, by which it was learned; None unless it is.
        mastered_at: the time of the answer, a day after that one, by which it was mastered; None unless it is.
    """

    known: float = PARAMETERS.initially_known
    evidence: tuple[Evidence, ...] = ()
    right_items: frozenset[str] = frozenset()
    run: int = 0
    learned_at: datetime | None = None
    mastered_at: datetime | None = None

    @property
    def value(self) -> float:
        """The mastery that is shown, 0..1: the probability, counted from what is assumed before the first answer."""
        start = PARAMETERS.initially_known
        gained = max(0.0, self.known - start) / (1 - start)
        return max(gained, LEARNED_FROM) if self.learned else min(gained, HIGHEST_OPEN)

    @property
    def attempts(self) -> int:
        return len(self.evidence)

    @property
    def learned(self) -> bool:
        """Whether the learner can go on from here."""
        return self.learned_at is not None

    @property
    def mastered(self) -> bool:
        return self.mastered_at is not None

    @property
    def right_answers_needed(self) -> int:
        """Number of further questions that make it learned if each is answered right at once, without help."""
        return 0 if self.learned else max(0, RIGHT_TO_LEARN - len(self.right_items), RUN_TO_LEARN - self.run)

    @property
    def mastered_from(self) -> datetime | None:
        """From when on one right answer without help masters it; None if it is mastered, or not learned yet."""
        return None if self.learned_at is None or self.mastered else self.learned_at + MASTERED_AFTER


def mastery(evidence: Iterable[Evidence | Claim], edges: Iterable[tuple[str, str]]) -> dict[str, Mastery]:
    """Mastery of each node that the answers and claims reach; other nodes are left out.

    Args:
        evidence: in any order.
        edges: prerequisite → what builds on it.
    """
    found: dict[str, Mastery] = {}
    for _, reached in trace(evidence, edges):
        found.update(reached)
    return found


def trace(
    evidence: Iterable[Evidence | Claim], edges: Iterable[tuple[str, str]]
) -> Iterator[tuple[datetime, Mapping[str, Mastery]]]:
    """The time of each answer and claim, in their order, with what is known after it of the nodes that it reaches.

    An answer reaches nothing but the nodes it tests and, within `max_edges`, what they rest on; so answers that reach
    no node in common may come in any order.
    """
    before = _prerequisites(edges)
    found: dict[str, Mastery] = {}
    attempted: set[str] = set()
    for answer in _in_order(evidence):
        if isinstance(answer, Claim):
            found[answer.node_id] = _claimed(found.get(answer.node_id, Mastery()), answer)
            yield answer.at, {answer.node_id: found[answer.node_id]}
            continue
        is_opportunity = answer.help_level == 0 and answer.question_id not in attempted
        attempted.add(answer.question_id)
        tested = {node_id: found.get(node_id, Mastery()) for node_id in answer.tests}
        reached = {
            node_id: replace(known, evidence=(*known.evidence, answer))
            for node_id, known in (_after_opportunity(tested, answer) if is_opportunity else tested).items()
        }
        if is_opportunity:
            for node_id, distance in _distances(answer.tests, before, PARAMETERS.max_edges).items():
                known = found.get(node_id, Mastery())
                reached[node_id] = replace(known, known=_rested_on(known, answer, distance))
        found.update(reached)
        yield answer.at, reached


def mean_mastery(values: Sequence[float]) -> float:
    """The mastery of a node that has parts: the mean of theirs, 0 for one of which nothing is known; 0 without any."""
    return sum(values) / len(values) if values else 0.0


def _in_order(evidence: Iterable[Evidence | Claim]) -> Iterator[Evidence | Claim]:
    """The answers as they were stored, and each claim right after the answers that it goes by."""
    given = list(evidence)
    answers = sorted((one for one in given if isinstance(one, Evidence)), key=lambda one: (one.number, one.answer_id))
    earliest_left = list(accumulate((one.at for one in reversed(answers)), min))[::-1]
    claims = defaultdict[int, list[Claim]](list)
    for claim in sorted((one for one in given if isinstance(one, Claim)), key=lambda one: (one.at, one.node_id)):
        claims[bisect_right(earliest_left, claim.at)].append(claim)
    for place, answer in enumerate(answers):
        yield from claims[place]
        yield answer
    yield from claims[len(answers)]


def _claimed(known: Mastery, claim: Claim) -> Mastery:
    if not claim.known:
        return replace(known, run=0, learned_at=None, mastered_at=None)
    return known if known.learned else replace(known, learned_at=claim.at)


def _after_opportunity(tested: Mapping[str, Mastery], answer: Evidence) -> dict[str, Mastery]:
    """Mastery of the tested nodes after an answer that counts.

    A miss is held against the least known of them, by all odds its cause: for the others it is no opportunity.
    """
    if not tested:
        return {}
    before = [one.known for one in tested.values()]
    after = update(before, answer.score, answer.format, answer.difficulty)
    least = min(before)
    return {
        node_id: replace(one, known=known)
        if answer.missed and one.known > least
        else _advance(replace(one, known=known), answer)
        for (node_id, one), known in zip(tested.items(), after, strict=True)
    }


def _advance(known: Mastery, answer: Evidence) -> Mastery:
    """The mastery one opportunity later."""
    if answer.missed:
        return replace(known, run=0, learned_at=None, mastered_at=None)
    items = known.right_items | {answer.item} if answer.right else known.right_items
    now = replace(known, right_items=items, run=known.run + (answer.score > NEUTRAL_SCORE))
    if now.mastered_from is not None and answer.right and answer.at >= now.mastered_from:
        return replace(now, mastered_at=answer.at)
    if now.learned or now.right_answers_needed:
        return now
    return replace(now, learned_at=answer.at)


def _rested_on(known: Mastery, answer: Evidence, distance: int) -> float:
    return update_prerequisite(known.known, answer.score, answer.format, answer.difficulty, edges=distance)


def _prerequisites(edges: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    before: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        before[target].append(source)
    return before


def _distances(node_ids: Sequence[str], before: Mapping[str, Sequence[str]], most: int) -> Mapping[str, int]:
    """Prerequisite → its distance from the nodes, by the shortest way to it, up to `most` edges."""
    seen, reached = set(node_ids), list(node_ids)
    distances: dict[str, int] = {}
    for distance in range(1, most + 1):
        reached = [one for node_id in reached for one in before.get(node_id, ()) if one not in seen]
        reached = list(dict.fromkeys(reached))
        seen.update(reached)
        distances.update(dict.fromkeys(reached, distance))
    return distances
