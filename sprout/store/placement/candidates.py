"""Candidates for the questions of a placement: for each part one that code marks and that was not just seen."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Row, func, select

from sprout.learning.paths.repository import NodeDetail
from sprout.learning.questions.questions import QuestionDraft, QuestionFormat, prompt_key
from sprout.learning.reviews.items import Candidate, ItemSource, choose_item, is_marked_at_once
from sprout.store.assessment.placement_findings import PlacedPath
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.placement_tables import PlacementItem

NOT_PLACED_KINDS = frozenset({"code", "draw"})

_tests, _questions, _answers = table_of(tables.QuestionTest), table_of(tables.Question), table_of(tables.Answer)
_assessments, _sessions, _items = (
    table_of(tables.Assessment),
    table_of(tables.ChatSession),
    table_of(PlacementItem),
)
_SEEN = select(func.max(_answers.c.created_at)).where(_answers.c.question_id == _questions.c.id).scalar_subquery()


@dataclass(frozen=True, slots=True)
class Choice:
    """The question that would be asked about a part."""

    candidate: Candidate
    format: QuestionFormat


def choices_for(
    connection: Connection,
    paths: Collection[PlacedPath],
    user_id: str,
    source: ItemSource,
    *,
    without: Collection[str] = (),
) -> Mapping[str, Choice]:
    """The question that would be asked about each part of the paths; parts without one are left out.

    A question may be taken from a diagnostic that is still open: a placement shows no key.

    Args:
        without: keys of prompts that the placement has asked already.
    """
    found: defaultdict[str, list[Candidate]] = defaultdict(list)
    formats: dict[str, QuestionFormat] = {}
    for row in connection.execute(_stored([unit for path in paths for unit in path.space.node_ids], user_id)):
        if _is_usable(row):
            found[row.node_id].append(Candidate(row.prompt, True, question_id=row.id, seen_at=row.seen_at))
            formats[prompt_key(row.prompt)] = cast(QuestionFormat, row.format)
    for part, draft in (each for path in paths for each in _prepared(path, source)):
        found[part.id].append(Candidate(draft.prompt, True, prepared=draft))
        formats[prompt_key(draft.prompt)] = draft.format
    chosen = {
        node_id: choose_item([one for one in candidates if prompt_key(one.prompt) not in without])
        for node_id, candidates in found.items()
    }
    return {node_id: Choice(one, formats[prompt_key(one.prompt)]) for node_id, one in chosen.items() if one is not None}


def asked_prompts(connection: Connection, placement_id: str) -> set[str]:
    """The keys of the prompts that a placement has asked."""
    wanted = (
        select(_questions.c.prompt)
        .join(_items, _items.c.question_id == _questions.c.id)
        .where(_items.c.placement_id == placement_id)
    )
    return {prompt_key(prompt) for prompt in connection.execute(wanted).scalars()}


def _prepared(path: PlacedPath, source: ItemSource) -> Iterator[tuple[NodeDetail, QuestionDraft]]:
    """The fresh questions about the parts of a path."""
    topic, by_id = next((node.title for node in path.nodes if node.type == "root"), ""), path.by_id
    for part in path.parts:
        for draft in source.items(topic, by_id[part.parent_id or ""].title, part.title):
            if is_marked_at_once(draft):
                yield part, draft


def _stored(node_ids: Sequence[str], user_id: str) -> Any:
    """The stored questions that are mainly about one of the parts, unless they wait in a lesson."""
    waits = select(_sessions.c.pending_question_id).where(
        _sessions.c.user_id == user_id, _sessions.c.pending_question_id.is_not(None)
    )
    columns = (_questions.c[name] for name in ("id", "prompt", "format", "kind", "marked_by"))
    return (
        select(_tests.c.node_id, *columns, _SEEN.label("seen_at"))
        .join_from(_tests, _questions, _questions.c.id == _tests.c.question_id)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .where(_tests.c.node_id.in_(node_ids), _tests.c.position == 0)
        .where(_assessments.c.user_id == user_id, _questions.c.state.not_in(tables.NOT_ASKED))
        .where(_questions.c.id.not_in(waits))
        .order_by(_questions.c.creation)
    )


def _is_usable(row: Row[Any]) -> bool:
    marked_by = row.marked_by or {}
    if row.kind in NOT_PLACED_KINDS or marked_by.get("program_tests"):
        return False
    return row.format != "open_ended" or bool(marked_by.get("accepted"))
