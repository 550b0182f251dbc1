"""Progress report: the rows of a learner's answers, claims and reviews, brought together."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from sqlalchemy import Row

from sprout.clock import utc_now
from sprout.events import wire_time
from sprout.learning.mastery.mastery import Claim, Evidence, Mastery, mastery
from sprout.learning.mastery.milestones import Milestone, Reached, milestones, stage
from sprout.learning.mastery.reports import (
    MAX_LAST_MARKS,
    BegunRow,
    ConceptRow,
    CostRow,
    ProgressReport,
    RecallRow,
    StudiedRow,
    TurnRow,
    answer_mark,
    common_misconception,
)
from sprout.learning.mastery.study_time import study_periods
from sprout.learning.reviews.cards import Review
from sprout.learning.reviews.recall import MIN_REVIEWS, compare_recall, forecasts
from sprout.store.assessment.evidence import evidence_from
from sprout.store.assessment.question_tests import Tested, gather_tests, tested_ids

RECALL_WEEKS = 8
NEVER_ANSWERED = Mastery()

_Answer = tuple[Row[Any], Sequence[Tested]]


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The rows of a report: some thousand after a year, so a thread of its own reads them."""

    parts: Sequence[Row[Any]]
    answers: Sequence[Row[Any]]
    claims: Sequence[Claim]
    edges: Sequence[tuple[str, str]]
    moments: Sequence[datetime]
    reviewed: Sequence[tuple[datetime, Sequence[Review]]]
    cost: CostRow


def build_report(found: ReportRows) -> ProgressReport:
    answers = list(gather_tests(found.answers))
    about = _by_node(found.parts, answers)
    evidence = _evidence(found, answers)
    known = mastery(evidence, found.edges)
    started = [part for part in found.parts if _is_started(part)]
    begun = [_started_row(part, about[part.id], known.get(part.id, NEVER_ANSWERED)) for part in started]
    return ProgressReport(
        parts=len(found.parts),
        begun=sorted(begun, key=lambda one: one.mastery),
        concepts=_concept_rows(found.parts, {part.concept_id for part in started}),
        turns=[
            TurnRow(node_id=one.node_id, at=wire_time(one.at), reached=one.reached)
            for one in _milestones(started, evidence, found.edges)
        ],
        studied=[
            StudiedRow(at=wire_time(one.at), deeds=one.activities, seconds=one.seconds)
            for one in study_periods(moment.astimezone(UTC) for moment in found.moments)
        ],
        recall=_recall_row(found.reviewed),
        cost=found.cost,
    )


def _evidence(found: ReportRows, answers: Sequence[_Answer]) -> Sequence[Evidence | Claim]:
    """Evidence of the mastery of the parts that still exist."""
    ids = {part.id for part in found.parts}
    graded = [evidence_from(one, [test for test in tests if test.node_id in ids]) for one, tests in answers]
    return [*graded, *(one for one in found.claims if one.node_id in ids)]


def _concept_rows(parts: Sequence[Row[Any]], begun: Collection[str]) -> list[ConceptRow]:
    """The concepts with these ids, in the order of creation."""
    counts = Counter(part.concept_id for part in parts)
    first = {part.concept_id: part for part in reversed(parts)}
    return [
        ConceptRow(
            node_id=concept_id,
            title=first[concept_id].concept_title,
            branch_id=first[concept_id].branch_id or "",
            branch_title=first[concept_id].branch_title or "",
            parts=count,
        )
        for concept_id, count in counts.items()
        if concept_id in begun
    ]


def _recall_row(reviewed: Sequence[tuple[datetime, Sequence[Review]]]) -> RecallRow:
    since = utc_now() - timedelta(weeks=RECALL_WEEKS)
    made = [one for learned_at, reviews in reviewed for one in forecasts(learned_at, reviews) if one.at >= since]
    found = compare_recall(made)
    return RecallRow(
        weeks=RECALL_WEEKS,
        needed=MIN_REVIEWS,
        reviews=found.reviews,
        predicted=found.predicted,
        recalled=found.recalled,
        finding=found.finding,
    )


def _by_node(parts: Sequence[Row[Any]], answers: Sequence[_Answer]) -> Mapping[str, Sequence[Row[Any]]]:
    """The answers that count for each part, oldest first."""
    known = {part.id for part in parts}
    found: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for answer, tests in answers:
        for node_id in known.intersection(tested_ids(tests)):
            found[node_id].append(answer)
    return found


def _is_started(part: Row[Any]) -> bool:
    return bool(part.attempts_count) or part.completed_at is not None or part.overridden_at is not None


def _reached(part: Row[Any]) -> Reached:
    return stage(learned=part.completed_at is not None, mastered=part.mastered_at is not None)


def _started_row(part: Row[Any], answers: Sequence[Row[Any]], known: Mastery) -> BegunRow:
    last = answers[-MAX_LAST_MARKS:]
    is_learned = part.completed_at is not None
    return BegunRow(
        node_id=part.id,
        title=part.title,
        concept_id=part.concept_id,
        branch_id=part.branch_id or "",
        branch_title=part.branch_title or "",
        mastery=part.mastery_score,
        learned=is_learned,
        mastered=part.mastered_at is not None,
        right_needed=0 if is_learned else max(1, known.right_answers_needed),
        answers=len(answers),
        last=[answer_mark(answer.score) for answer in last],
        looks_like=common_misconception(
            thought for answer in last if not answer.is_open for thought in cast(list[str], answer.thoughts or [])
        ),
    )


def _milestones(
    started: Sequence[Row[Any]], evidence: Sequence[Evidence | Claim], edges: Sequence[tuple[str, str]]
) -> Sequence[Milestone]:
    """Milestones of each part on the way to the mastery of its row, oldest first.

    The row decides where the answers disagree: overrides and changes of the path are in no answer.
    """
    found = milestones(evidence, edges)
    last = {turn.node_id: turn.reached for turn in found}
    messages = [
        Milestone(part.id, part.overridden_at or part.updated_at, _reached(part))
        for part in started
        if last.get(part.id) != _reached(part)
    ]
    return sorted([*found, *messages], key=lambda turn: turn.at)
