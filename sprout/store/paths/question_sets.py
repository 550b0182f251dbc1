"""Question sets on SQL: the questions of a path or of a part of it that are asked, each once, with their answers."""

from collections.abc import Sequence

from sqlalchemy import Connection, select
from sqlmodel import Session

from sprout.errors import Conflict
from sprout.events import NodeRow
from sprout.learning.questions.question_sets import IdentifiedQuestion, QuestionSection, QuestionSet, content_of
from sprout.store.assessment.question_tests import Tested, gather_tests, with_tests
from sprout.store.assessment.questions import draft_of, questions_about
from sprout.store.engine.database import Database
from sprout.store.graph.nodes import children_of, owned_node_row
from sprout.store.graph.ownership import owned_branch
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

NOT_WRITTEN_DOWN = frozenset({"draw"})  # its answer is a drawing

_questions, _nodes = table_of(tables.Question), table_of(tables.Node)


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
    sections = [_section(session, concept, user_id, part_id) for concept in concepts]
    filled = tuple(section for section in sections if section.questions)
    if not filled:
        raise Conflict(
            "There are no questions here yet: start with the diagnostic of a concept.", code="no_questions_yet"
        )
    return QuestionSet(id_, title, filled)


def _section(session: Session, concept: NodeRow, user_id: str, part_id: str | None) -> QuestionSection:
    tested = _tested(session.connection(), concept.id)
    found: dict[object, IdentifiedQuestion] = {}
    for question in questions_about(session, concept.id, user_id):
        tests = tested.get(question.id, ())
        draft = draft_of(question, [test.title for test in tests])
        is_asked = question.state not in tables.NOT_ASKED and question.kind not in NOT_WRITTEN_DOWN
        is_whole = draft.format != "mcq" or draft.correct_answer in draft.options
        if is_asked and is_whole and (part_id is None or part_id in [test.node_id for test in tests]):
            found.setdefault(content_of(draft.prompt, draft.options), IdentifiedQuestion(question.id, draft))
    return QuestionSection(concept.id, concept.title, tuple(found.values()))


def _tested(connection: Connection, concept_id: str) -> dict[str, Sequence[Tested]]:
    """What the questions about a concept test, by their ids."""
    wanted = select(_questions.c.id).where(_questions.c.node_id == concept_id).order_by(_questions.c.creation)
    return {row.id: tests for row, tests in gather_tests(connection.execute(with_tests(wanted)))}
