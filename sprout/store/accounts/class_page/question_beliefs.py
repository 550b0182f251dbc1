"""Beliefs that questions can reveal, kept by the ids of the questions, of which neither ever changes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from sprout.learning.questions.questions import prompt_key
from sprout.store.assessment.misconceptions import BELIEF_COLUMNS, belief_ids
from sprout.store.engine.many_ids import is_among
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

MAX_KEPT = 200_000

_questions = table_of(tables.Question)


class AskedItem(NamedTuple):
    """What a question asks, as prompts are compared, and the ids of the beliefs that an answer to it can reveal."""

    item: str
    could_show: frozenset[str]


class QuestionBeliefs:
    """The questions that were looked at before, since the words of a class's questions are the same all year."""

    def __init__(self) -> None:
        self._kept: dict[str, AskedItem] = {}

    def of(self, connection: Connection, question_ids: Iterable[str]) -> Mapping[str, AskedItem]:
        """The questions that exist, by their ids."""
        wanted = dict.fromkeys(question_ids)
        missing = [one for one in wanted if one not in self._kept]
        if len(self._kept) + len(missing) > MAX_KEPT:
            self._kept, missing = {}, [*wanted]
        kept = self._kept
        for row in _read(connection, missing) if missing else ():
            kept[row.id] = AskedItem(prompt_key(row.prompt), frozenset(belief_ids(row)))
        return {one: kept[one] for one in wanted if one in kept}


def _read(connection: Connection, question_ids: Sequence[str]) -> Sequence[Any]:
    wanted = select(_questions.c.id, _questions.c.prompt, *BELIEF_COLUMNS)
    return connection.execute(wanted.where(is_among(connection, _questions.c.id, question_ids))).all()
