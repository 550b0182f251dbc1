"""Graph repository: what agents load and change; each call is one transaction with its events."""

from collections.abc import Callable, Sequence
from typing import Literal, cast

from pydantic import JsonValue
from sqlmodel import col, select

from sprout.errors import InvalidQuestion
from sprout.events import EdgeEnds, Event, NodeRow, QuestionReady
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.passages import DocumentStatus, Passage
from sprout.learning.questions.diagnostics import AskedQuestion, SavedQuestion
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import QuestionDraft
from sprout.store.assessment.mastery import update_after_edit
from sprout.store.assessment.question_tests import resolve_tests
from sprout.store.assessment.questions import (
    asked_questions,
    complete_if_empty,
    get_or_create_diagnostic,
    insert_question,
    positions,
    question_at,
    reopen_assessment,
    unchecked_state,
)
from sprout.store.documents.passages import Split, as_passages, cite, insert_passages, passages_under, unsplit_documents
from sprout.store.documents.search import find_passages
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import children_of, edges_among, fetch_owned_node, lock_node
from sprout.store.paths.edits import edit_children
from sprout.store.runs.event_log import EventLog, Publish
from sprout.store.runs.tool_effects import record_effect
from sprout.store.schema import mapping, tables


class SqlPathRepository:
    """GraphRepository on SQL; `split` makes the passages of a document from its file name and text."""

    def __init__(self, database: Database, publish: Publish, *, split: Split) -> None:
        self._database = database
        self._log = EventLog(publish)
        self._split = split

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        return await fetch_owned_node(self._database, node_id, user_id)

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        return await self._database.read_tx(
            lambda connection: (children_of(connection, parent_id), edges_among(connection, parent_id))
        )

    async def edit_graph(
        self,
        parent_id: str,
        operation: Callable[[ConceptGraph], Edit],
        *,
        actor: Actor,
        reason: str | None = None,
        evidence: Sequence[str] = (),
        passages: Sequence[str] = (),
    ) -> Edit:
        def body(tx: WriteTransaction) -> Edit:
            parent = lock_node(tx.connection, parent_id, actor.user_id)
            edit = edit_children(tx, self._log, parent, operation, actor=actor, reason=reason, evidence=evidence)
            if passages and edit.node is not None:
                cite(tx.connection, edit.node.id, passages, branch_id=parent.branch_id)
            return edit

        return await self._database.write_tx(body, order=actor.root_run_id)

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        sound = validate_draft(draft)
        return await self._database.write_tx(
            lambda tx: self._save_question(tx, concept_id, sound, actor, held_back), order=actor.root_run_id
        )

    def _save_question(
        self, tx: WriteTransaction, concept_id: str, draft: QuestionDraft, actor: Actor, held_back: bool
    ) -> SavedQuestion:
        connection = tx.connection
        concept = lock_node(connection, concept_id, actor.user_id)
        assessment_id = get_or_create_diagnostic(connection, concept, actor.user_id)
        last, same = positions(connection, assessment_id, draft.prompt)
        events: list[Event] = []
        if same is None:
            question = insert_question(
                connection,
                draft,
                assessment_id=assessment_id,
                concept_id=concept_id,
                position=last + 1,
                state="drafted" if held_back else unchecked_state(draft.format),
            )
            reopen_assessment(connection, assessment_id)
            saved = SavedQuestion(question.id, assessment_id, last + 1, True)
            if not held_back:
                events.append(QuestionReady(concept_node_id=concept_id, question=mapping.question_shown(question)))
        else:
            question_id = question_at(connection, assessment_id, same)
            _refuse_voided(tx, question_id)
            saved = SavedQuestion(question_id, assessment_id, same, False)
        result: dict[str, JsonValue] = {"saved": saved.created, "questionId": saved.id, "position": saved.position}
        record_effect(tx, self._log, actor, events, result=result)
        return saved

    async def close_empty_diagnostic(self, concept_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            concept = lock_node(tx.connection, concept_id, user_id)
            complete_if_empty(tx.connection, get_or_create_diagnostic(tx.connection, concept, user_id), self._log.now())

        await self._database.write_tx(body)

    async def asked_questions(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        return await self._database.read_tx(lambda connection: asked_questions(connection, concept_id, user_id))

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        def body(tx: WriteTransaction) -> None:
            concept = lock_node(tx.connection, concept_id, actor.user_id)
            parts = children_of(tx.connection, concept_id)
            resolve_tests(tx.connection, concept_id, actor.user_id, parts)
            record_effect(
                tx, self._log, actor, update_after_edit(tx, concept, actor.user_id, self._log.now()), result={}
            )

        await self._database.write_tx(body, order=actor.root_run_id)

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        wanted = select(tables.Progress.has_generated_subnodes).where(
            tables.Progress.node_id == node_id, tables.Progress.user_id == user_id
        )
        return bool(await self._database.read_orm_tx(lambda session: session.exec(wanted).first()))

    async def mark_generated(self, node_id: str, *, user_id: str) -> None:
        def body(tx: WriteTransaction) -> None:
            lock_node(tx.connection, node_id, user_id)
            progress = _progress(tx, node_id, user_id)
            progress.has_generated_subnodes = True
            progress.updated_at = self._log.now()
            tx.session.add(progress)

        await self._database.write_tx(body)

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        def body(tx: WriteTransaction) -> None:
            noted = select(tables.NodeGeneration.id).where(tables.NodeGeneration.id == run_id)
            if tx.session.exec(noted).first() is None:
                tx.session.add(
                    tables.NodeGeneration(id=run_id, node_id=node_id, trigger=trigger, model=model, response_meta=meta)
                )

        await self._database.write_tx(body)

    async def document_statuses(self, root_id: str) -> Sequence[DocumentStatus]:
        document = tables.Document
        wanted = (
            select(document.original_filename, document.extraction_status, document.extraction_error)
            .where(document.node_id == root_id)
            .order_by(col(document.creation))
        )
        found = await self._database.read_orm_tx(lambda session: session.exec(wanted).all())
        return [
            DocumentStatus(name, cast(Literal["pending", "completed", "failed"], status), problem)
            for name, status, problem in found
        ]

    async def passages(self, root_id: str) -> Sequence[Passage]:
        if await self._database.read_orm_tx(lambda session: bool(unsplit_documents(session, root_id))):
            await self._database.write_tx(lambda tx: self._split_documents(tx, root_id))
        return as_passages(await self._database.read_orm_tx(lambda session: passages_under(session, root_id)))

    def _split_documents(self, tx: WriteTransaction, root_id: str) -> None:
        for document in unsplit_documents(tx.session, root_id):
            passages = self._split(document.original_filename, document.extracted_text or "")
            insert_passages(tx.connection, document.id, passages)

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        return as_passages(await find_passages(self._database, root_id, query, limit=limit))


def _refuse_voided(tx: WriteTransaction, question_id: str) -> None:
    wanted = select(tables.Question.state).where(tables.Question.id == question_id)
    if tx.session.exec(wanted).one() == "voided":
        raise InvalidQuestion("This question was taken back, because it did not hold: write another one.")


def _progress(tx: WriteTransaction, node_id: str, user_id: str) -> tables.Progress:
    """The learner's progress on a node whose row is locked."""
    wanted = select(tables.Progress).where(tables.Progress.node_id == node_id, tables.Progress.user_id == user_id)
    found = tx.session.exec(wanted).first()
    return found or tables.Progress(id=new_id(), user_id=user_id, node_id=node_id)
