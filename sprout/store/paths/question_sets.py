"""Question sets on SQL: the questions of a path or of a part of it that are asked, each once, with their answers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlmodel import Session
from sqlmodel import select as select_rows

from sprout.errors import Conflict
from sprout.events import NodeRow
from sprout.learning.questions.question_sets import (
    Content,
    IdentifiedQuestion,
    QuestionSection,
    QuestionSet,
    content_of,
)
from sprout.store.assessment.question_tests import Tested, gather_tests, tested_ids, with_tests
from sprout.store.assessment.questions import draft_of
from sprout.store.engine.database import Database
from sprout.store.graph.nodes import children_of, owned_node_row
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

NOT_WRITTEN_DOWN = frozenset({"draw"})  # its answer is a drawing
NO_QUESTIONS = "There are no questions here yet: start with the diagnostic of a concept."

_questions, _nodes, _assessments = table_of(tables.Question), table_of(tables.Node), table_of(tables.Assessment)


class SqlQuestionSets:
    """QuestionSets on SQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_branch(self, branch_id: str, *, user_id: str) -> QuestionSet:
        def body(session: Session) -> QuestionSet:
            branch = owned_branch(session, branch_id, user_id)
            topics = select(_nodes.c.id).where(_nodes.c.branch_id == branch_id, _nodes.c.type == "root")
            found = session.connection().execute(topics).scalars().all()
            concepts = [concept for topic in found for concept in children_of(session.connection(), topic)]
            return _set(session, branch.id, branch.title, concepts, user_id)

        return await self._database.read_orm_tx(body)

    async def of_node(self, node_id: str, *, user_id: str) -> QuestionSet:
        def body(session: Session) -> QuestionSet:
            node = owned_node_row(session.connection(), node_id, user_id)
            if node.type == "root":
                concepts = children_of(session.connection(), node.id)
                return _set(session, node.id, node.title, concepts, user_id)
            if node.type == "concept" or node.parent_id is None:
                return _set(session, node.id, node.title, [node], user_id)
            concept = owned_node_row(session.connection(), node.parent_id, user_id)
            return _set(session, node.id, node.title, [concept], user_id, part_id=node.id)

        return await self._database.read_orm_tx(body)


def _set(
    session: Session, id_: str, title: str, concepts: Sequence[NodeRow], user_id: str, *, part_id: str | None = None
) -> QuestionSet:
    """The questions of the concepts, of one only those that test this part. Raises Conflict if there are none."""
    found: defaultdict[str | None, dict[Content, IdentifiedQuestion]] = defaultdict(dict)
    for question, tests in _questions_about([concept.id for concept in concepts], session, user_id):
        draft = draft_of(question, [test.title for test in tests])
        is_whole = draft.format != "mcq" or draft.correct_answer in draft.options
        if is_whole and (part_id is None or part_id in tested_ids(tests)):
            content = content_of(draft.prompt, draft.options)
            found[question.node_id].setdefault(content, IdentifiedQuestion(question.id, draft))
    sections = [QuestionSection(one.id, one.title, tuple(found[one.id].values())) for one in concepts if found[one.id]]
    if not sections:
        raise Conflict(NO_QUESTIONS, code="no_questions_yet")
    return QuestionSet(id_, title, tuple(sections))


def _questions_about(
    concept_ids: Sequence[str], session: Session, user_id: str
) -> Iterator[tuple[tables.Question, Sequence[Tested]]]:
    """The questions that are asked about the concepts, with what they test, the oldest first."""
    mine = select(_assessments.c.id).where(_assessments.c.user_id == user_id)
    about = [_questions.c.node_id.in_(concept_ids), _questions.c.assessment_id.in_(mine)]
    ids = select(_questions.c.id).where(*about).order_by(_questions.c.creation)
    tested = {row.id: tests for row, tests in gather_tests(session.connection().execute(with_tests(ids)))}
    asked = select_rows(tables.Question).where(*about, _questions.c.state.not_in(tables.NOT_ASKED))
    for question in session.exec(asked.order_by(_questions.c.creation)):
        if question.kind not in NOT_WRITTEN_DOWN:
            yield question, tested.get(question.id, ())
