"""Due reviews of a learner, from a fixed number of statements."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from sprout.events import wire_time
from sprout.learning.reviews.cards import Card, ReviewGrade, retrievability
from sprout.learning.reviews.day import PathReviews, ReviewsDue
from sprout.learning.reviews.days import LearnerDays
from sprout.learning.reviews.items import ItemSource
from sprout.learning.reviews.planning import DuePart, PlannedReview, plan_reviews
from sprout.learning.reviews.repository import ReviewSettings
from sprout.learning.reviews.workload import Workload, by_path, minutes_for, pace, workload
from sprout.store.reviews.candidates import askable_parts
from sprout.store.reviews.contrasts import pending_contrasts
from sprout.store.reviews.settings import days_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import OPEN_STATES, ReviewCard, ReviewEntry, ReviewItem, ReviewSessionRow

MEASURED_REVIEWS = 50

_cards, _reviews = table_of(ReviewCard), table_of(ReviewEntry)
_items, _sessions = table_of(ReviewItem), table_of(ReviewSessionRow)
_answers = table_of(tables.Answer)
_nodes, _edges, _branches = table_of(tables.Node), table_of(tables.Edge), table_of(tables.Branch)


@dataclass(frozen=True, slots=True)
class DueReviews:
    """What is due at a time.

    Args:
        plan: the questions that cover it: contrasts that a teacher sent, then the most urgent first.
        titles: branch → its title.
        pace_s: seconds that a review takes the learner.
    """

    plan: Sequence[PlannedReview]
    titles: Mapping[str, str]
    pace_s: float
    load: Workload
    done_today: int
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """The questions that cover what is due, and what they were chosen from: the cards of the day, and what was skipped
    on it."""

    reviews: Sequence[PlannedReview]
    titles: Mapping[str, str]
    cards: Sequence[Row[Any]]
    skipped: Set[str]


def due_reviews(
    connection: Connection, user_id: str, *, settings: ReviewSettings, now: datetime, source: ItemSource
) -> DueReviews:
    """Everything that is due now, about which something can be asked and which was not skipped today."""
    days = days_of(settings)
    plan = _plan(connection, user_id, days, now, source)
    done, pace_s = _done_today(connection, user_id, days, now), pace_of(connection, user_id)
    return DueReviews(
        plan=plan.reviews,
        titles=plan.titles,
        pace_s=pace_s,
        load=workload(len(plan.reviews), done=done, minutes=settings.minutes, pace_s=pace_s),
        done_today=done,
        next_at=None if plan.reviews else _next_at(connection, user_id, days, now, plan),
    )


def due_parts(
    connection: Connection, user_id: str, *, settings: ReviewSettings, now: datetime, source: ItemSource
) -> frozenset[str]:
    """Ids of the parts that `due_reviews` are about, for a page that shows no more of them."""
    return parts_of(_plan(connection, user_id, days_of(settings), now, source).reviews)


def parts_of(plan: Iterable[PlannedReview]) -> frozenset[str]:
    """Ids of the parts that these reviews are about, those included that the question about another one credits."""
    return frozenset(part.node_id for review in plan for part in (review.part, *review.covers))


def _plan(connection: Connection, user_id: str, days: LearnerDays, now: datetime, source: ItemSource) -> _Plan:
    rows = connection.execute(_due_query(user_id, days.end_of(now))).all()
    skipped = _skipped_today(connection, user_id, days, now)
    available = [row for row in rows if days.is_available(card_of(row), now)]
    asked_today = [row for row in available if row.node_id not in skipped]
    askable = askable_parts(connection, [row.node_id for row in asked_today], user_id, source) if asked_today else set()
    sure = _missed_though_sure(connection, user_id, askable)
    due = [_due_part(row, now, was_sure=row.node_id in sure) for row in asked_today if row.node_id in askable]
    contrasts = pending_contrasts(connection, user_id, now)
    sent = {one.review.part.node_id for one in contrasts}
    planned = plan_reviews(due, _edges_among(connection, {one.concept_id for one in due}))
    return _Plan(
        reviews=[*(one.review for one in contrasts), *(one for one in planned if one.part.node_id not in sent)],
        titles={row.branch_id: row.branch_title for row in rows if row.branch_id is not None}
        | {one.branch_id: one.branch_title for one in contrasts},
        cards=rows,
        skipped=skipped,
    )


def due_summary(connection: Connection, user_id: str, found: DueReviews, *, session_id: str | None) -> ReviewsDue:
    """The summary of what is due, as the page has it."""
    missed = _coming_back(connection, session_id)
    titles = {**found.titles, **{row.branch_id: row.branch_title for row in missed}}
    counted = by_path([*(review.part.branch_id for review in found.plan), *(row.branch_id for row in missed)])
    today = found.load.today + len(missed)
    cards = select(func.count()).select_from(_cards).where(_cards.c.user_id == user_id)
    return ReviewsDue(
        due=found.load.due + len(missed),
        today=today,
        minutes=minutes_for(today, found.pace_s),
        days=found.load.days,
        done_today=found.done_today,
        cards=connection.execute(cards).scalar_one(),
        next_at=None if found.next_at is None else wire_time(found.next_at),
        session_id=session_id,
        paths=[
            PathReviews(
                branch_id=branch_id,
                title=titles[branch_id],
                due=count,
                minutes=minutes_for(count, found.pace_s),
            )
            for branch_id, count in sorted(counted.items(), key=lambda one: -one[1])
        ],
    )


def _coming_back(connection: Connection, session_id: str | None) -> Sequence[Any]:
    """The path of each question of a session that comes back after a miss: the card of its part has moved on."""
    if session_id is None:
        return ()
    wanted = (
        select(_nodes.c.branch_id, _branches.c.title.label("branch_title"))
        .join_from(_items, _nodes, _nodes.c.id == _items.c.node_id)
        .join(_branches, _branches.c.id == _nodes.c.branch_id)
        .where(_items.c.session_id == session_id, _items.c.comes_back, _items.c.state.in_(OPEN_STATES))
    )
    return connection.execute(wanted).all()


def within_day(at: ColumnElement[datetime], days: LearnerDays, now: datetime) -> ColumnElement[bool]:
    """Whether a time is of the learner's day that it is now; one ahead of it was written while the clock was wrong."""
    return and_(at >= days.start_of(now), at < days.end_of(now))


def card_of(row: Row[Any]) -> Card:
    """The card in a row with its columns."""
    return Card(row.due_at, row.seen_at, row.stability, row.difficulty)


def cards_of(connection: Connection, user_id: str) -> Sequence[Card]:
    """All cards of the learner, in the order in which they were made."""
    wanted = select(_cards).where(_cards.c.user_id == user_id).order_by(_cards.c.creation)
    return [card_of(row) for row in connection.execute(wanted)]


def pace_of(connection: Connection, user_id: str) -> float:
    """Seconds that a review takes the learner."""
    wanted = select(_reviews.c.seconds).where(_reviews.c.user_id == user_id, _reviews.c.seconds.is_not(None))
    newest = wanted.order_by(_reviews.c.creation.desc()).limit(MEASURED_REVIEWS)
    return pace(list(connection.execute(newest).scalars()))


def _due_query(user_id: str, before: datetime) -> Any:
    """The cards that are due before a time, in the order of the path: concepts as they were made, then their parts."""
    concepts = _nodes.alias()
    return (
        select(
            _cards.c.node_id,
            *(_cards.c[name] for name in ("due_at", "seen_at", "stability", "difficulty")),
            _nodes.c.title,
            _nodes.c.desc,
            _nodes.c.parent_id,
            _nodes.c.branch_id,
            _branches.c.title.label("branch_title"),
        )
        .join(_nodes, _nodes.c.id == _cards.c.node_id)
        .outerjoin(concepts, concepts.c.id == _nodes.c.parent_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .where(_cards.c.user_id == user_id, _cards.c.due_at < before)
        .order_by(concepts.c.creation, _nodes.c.creation)
    )


def _due_part(row: Row[Any], now: datetime, *, was_sure: bool) -> DuePart:
    card = card_of(row)
    return DuePart(
        node_id=row.node_id,
        concept_id=row.parent_id,
        branch_id=row.branch_id,
        retrievability=retrievability(card, now),
        is_new=card.is_new,
        words=f"{row.title} {row.desc or ''}",
        was_sure=was_sure,
    )


def _missed_though_sure(connection: Connection, user_id: str, node_ids: set[str]) -> set[str]:
    """Those of the parts whose last review that counted was missed by a learner who was sure."""
    if not node_ids:
        return set()
    of_card = (_cards.c.node_id == _reviews.c.node_id) & (_cards.c.user_id == _reviews.c.user_id)
    wanted = (
        select(_reviews.c.node_id)
        .join(_cards, of_card & (_cards.c.seen_at == _reviews.c.at))
        .join(_answers, _answers.c.id == _reviews.c.answer_id)
        .where(_reviews.c.user_id == user_id, _reviews.c.node_id.in_(list(node_ids)), ~_reviews.c.is_credit)
        .where(_reviews.c.grade == ReviewGrade.AGAIN.value, _answers.c.sure)
    )
    return set(connection.execute(wanted).scalars())


def _edges_among(connection: Connection, concept_ids: set[str]) -> list[tuple[str, str]]:
    if not concept_ids:
        return []
    wanted = select(_edges.c.source_node_id, _edges.c.target_node_id).where(_edges.c.parent_id.in_(list(concept_ids)))
    return [(source, target) for source, target in connection.execute(wanted)]


def _skipped_today(connection: Connection, user_id: str, days: LearnerDays, now: datetime) -> set[str]:
    wanted = (
        select(_items.c.node_id)
        .join(_sessions, _sessions.c.id == _items.c.session_id)
        .where(_sessions.c.user_id == user_id, _items.c.state == "skipped", within_day(_items.c.settled_at, days, now))
    )
    return {node_id for node_id in connection.execute(wanted).scalars() if node_id is not None}


def _done_today(connection: Connection, user_id: str, days: LearnerDays, now: datetime) -> int:
    wanted = select(func.count()).select_from(_reviews)
    mine = (_reviews.c.user_id == user_id, within_day(_reviews.c.at, days, now), ~_reviews.c.is_credit)
    return int(connection.execute(wanted.where(*mine)).scalar_one())


def _next_at(connection: Connection, user_id: str, days: LearnerDays, now: datetime, plan: _Plan) -> datetime | None:
    """When the next review comes, where nothing is due now."""
    tomorrow = days.end_of(now)
    today = [moment for row in plan.cards if (moment := days.available_from(card_of(row))) > now]
    later = select(_cards).where(_cards.c.user_id == user_id, _cards.c.due_at >= tomorrow)
    row = connection.execute(later.order_by(_cards.c.due_at).limit(1)).one_or_none()
    waiting = [tomorrow] if plan.skipped else []
    return min([*today, *([days.available_from(card_of(row))] if row is not None else ()), *waiting], default=None)
