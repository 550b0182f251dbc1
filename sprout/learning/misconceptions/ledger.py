"""Ledger of a learner's misconceptions, folded from their answers: what showed, what was put right, what cleared it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

CLEARS_AFTER = timedelta(days=1)


class BeliefState(StrEnum):
    """OPEN as it showed, TREATED once a question on it was answered right, CLEARED once that held a day later."""

    OPEN = "open"
    TREATED = "treated"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True)
class LedgerAnswer:
    """An answer as the ledger reads it; questions that are voided or still open have none.

    Args:
        item: what a question that is asked again has in common with its first form, as in `Evidence`.
        right: whether it was marked right; not where only its learner marked it.
        shows: ids of the beliefs that it reveals.
        could_show: ids of the beliefs that an answer to its question can reveal.
    """

    answer_id: str
    question_id: str
    item: str
    topic_id: str
    at: datetime
    right: bool
    help_level: int = 0
    sure: bool = False
    shows: Collection[str] = ()
    could_show: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A belief of a topic that has shown in a learner's answers.

    Args:
        evidence: the answers that showed it, oldest first.
        sure: whether the learner was sure of one of them since it was cleared last.
        cleared_by: the answer that cleared it; None unless it is cleared.
        relapses: how often it came back after it was cleared.
    """

    belief_id: str
    topic_id: str
    state: BeliefState
    evidence: tuple[LedgerAnswer, ...]
    sure: bool
    cleared_by: LedgerAnswer | None = None
    relapses: int = 0

    @property
    def last_shown(self) -> LedgerAnswer:
        return self.evidence[-1]

    @property
    def clears_from(self) -> datetime:
        """From when on a right answer clears it."""
        return self.last_shown.at + CLEARS_AFTER

    def can_clear(self, now: datetime) -> bool:
        return self.state is not BeliefState.CLEARED and now >= self.clears_from


@dataclass(slots=True)
class _Seen:
    """Earlier answers: items with the time of their last answer, and questions."""

    items: dict[str, datetime] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)

    def add(self, answer: LedgerAnswer) -> None:
        self.items[answer.item] = answer.at
        self.questions.add(answer.question_id)


def ledger(answers: Iterable[LedgerAnswer]) -> list[LedgerEntry]:
    """The beliefs that have shown: open ones first, then treated, then cleared.

    Among open and treated ones those that the learner was sure of come first, then the newest.

    A belief is cleared by a right answer, without help, at least a day after it showed, to a question that could have
    revealed it: the first attempt at the question, whose item neither showed the belief nor was answered within a day.
    It is open again when it shows again.

    Args:
        answers: oldest first.
    """
    entries: dict[tuple[str, str], LedgerEntry] = {}
    seen = _Seen()
    for answer in answers:
        for id_ in answer.shows:
            key = (answer.topic_id, id_)
            entries[key] = _shown(entries.get(key), id_, answer)
        if answer.right:
            for id_ in answer.could_show:
                known = entries.get((answer.topic_id, id_))
                if known is not None and id_ not in answer.shows:
                    entries[answer.topic_id, id_] = _put_right(known, answer, seen)
        seen.add(answer)
    return sorted(entries.values(), key=_rank)


def is_fresh(item: str, entry: LedgerEntry, last_seen: Mapping[str, datetime], now: datetime) -> bool:
    """Whether a question about this item can clear the belief, as far as what was asked before goes."""
    last = last_seen.get(item)
    return (last is None or now - last >= CLEARS_AFTER) and all(one.item != item for one in entry.evidence)


@dataclass(frozen=True, slots=True)
class Clearable:
    """Beliefs that a right answer can clear at a time.

    Args:
        last_seen: when each item was answered last.
    """

    entries: Sequence[LedgerEntry]
    last_seen: Mapping[str, datetime]
    now: datetime

    def by(self, item: str, could_show: Collection[str]) -> bool:
        """Whether a question about the item, with the beliefs that it can reveal, can clear one."""
        return any(
            one.belief_id in could_show and is_fresh(item, one, self.last_seen, self.now) for one in self.entries
        )


def clearable(answers: Sequence[LedgerAnswer], now: datetime) -> Clearable:
    """The beliefs that showed at least a day ago and are not cleared."""
    entries = [one for one in ledger(answers) if one.can_clear(now)]
    return Clearable(entries, {one.item: one.at for one in answers} if entries else {}, now)


def _shown(known: LedgerEntry | None, id_: str, answer: LedgerAnswer) -> LedgerEntry:
    is_sure = answer.sure and not answer.right
    if known is None:
        return LedgerEntry(id_, answer.topic_id, BeliefState.OPEN, (answer,), is_sure)
    was_cleared = known.state is BeliefState.CLEARED
    return LedgerEntry(
        id_,
        answer.topic_id,
        BeliefState.OPEN,
        (*known.evidence, answer),
        is_sure or (known.sure and not was_cleared),
        relapses=known.relapses + was_cleared,
    )


def _put_right(known: LedgerEntry, answer: LedgerAnswer, seen: _Seen) -> LedgerEntry:
    if known.state is BeliefState.CLEARED:
        return known
    is_first = answer.question_id not in seen.questions
    unaided = answer.help_level == 0 and is_first
    clears = unaided and known.can_clear(answer.at) and is_fresh(answer.item, known, seen.items, answer.at)
    return LedgerEntry(
        known.belief_id,
        known.topic_id,
        BeliefState.CLEARED if clears else BeliefState.TREATED,
        known.evidence,
        known.sure,
        cleared_by=answer if clears else None,
        relapses=known.relapses,
    )


def _rank(entry: LedgerEntry) -> tuple[int, bool, float]:
    order = (BeliefState.OPEN, BeliefState.TREATED, BeliefState.CLEARED).index(entry.state)
    is_cleared = entry.cleared_by is not None
    moment = entry.cleared_by.at if entry.cleared_by is not None else entry.last_shown.at
    return order, not entry.sure and not is_cleared, -moment.timestamp()


def open_entries(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """Those that are not cleared, in their order."""
    return [one for one in entries if one.state is not BeliefState.CLEARED]
