"""What the agents work on and what they make, in the database: each call is one transaction with its events."""

from collections.abc import Callable, Sequence
from typing import Literal, cast

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.errors import QuestionRefused
from sprout.events import EdgeEnds, Event, NodeRow, QuestionReady
from sprout.ids import new_id
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.shelf import Actor, AskedQuestion, Note, Passage, SavedQuestion
from sprout.learning.questions.questions import QuestionDraft, checked
from sprout.store import rows, tables
from sprout.store.children import children_of, edges_among, locked_node, their_node
from sprout.store.database import Database
from sprout.store.edits import edit_children, tell
from sprout.store.log import EventLog, Publish
from sprout.store.mastering import follow_edit
from sprout.store.passages import Split, as_passages, cite, keep_passages, not_split, passages_under
from sprout.store.questions import (
    diagnostic_of,
    kept,
    named_tests,
    positions,
    question_at,
    questions_about,
    resolved,
    unchecked_state,
)
from sprout.store.word_index import found
from sprout.store.write import Write


class SqlShelf:
    """Shelf on SQL; `split` makes the passages of a document of its file name and text."""

    def __init__(self, database: Database, publish: Publish, *, split: Split) -> None:
        self._database = database
        self._log = EventLog(publish)
        self._split = split

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        """Raises NotFound, also for somebody else's node."""
        return await self._database.look(lambda connection: their_node(connection, node_id, user_id))

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        """The children in order of creation, and the edges among them."""
        return await self._database.look(
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
        """Apply a pure operation to the children of a node, all or nothing.

        Raises NotFound (the parent is gone, or somebody else's), Conflict (the actor's call has ended already; a run
        is going on a node that would go), RunAlreadyEnded (the actor's run), GraphRefused (an agent would remove what
        the learner has begun; a node with parts would go; a passage is cited that is not there), and whatever the
        operation raises.
        """

        def body(write: Write) -> Edit:
            parent = locked_node(write.connection, parent_id, actor.user_id)
            edit = edit_children(write, self._log, parent, operation, actor=actor, reason=reason, evidence=evidence)
            if passages and edit.node is not None:
                cite(write.connection, edit.node.id, passages, branch_id=parent.branch_id)
            return edit

        return await self._database.write(body, order=actor.root_run_id)

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        """Add a question to the learner's one diagnostic of the concept; the same prompt again is returned as it is.

        Raises NotFound, QuestionRefused (also: it was taken back), and what `edit_graph` raises for an actor whose
        time is over.
        """
        sound = checked(draft)
        return await self._database.write(
            lambda write: self._question_saved(write, concept_id, sound, actor, held_back), order=actor.root_run_id
        )

    def _question_saved(
        self, write: Write, concept_id: str, draft: QuestionDraft, actor: Actor, held_back: bool
    ) -> SavedQuestion:
        connection = write.connection
        concept = locked_node(connection, concept_id, actor.user_id)
        assessment_id = diagnostic_of(connection, concept, actor.user_id)
        last, same = positions(connection, assessment_id, draft.prompt)
        news: list[Event] = []
        if same is None:
            question = kept(
                connection,
                draft,
                assessment_id=assessment_id,
                concept_id=concept_id,
                position=last + 1,
                parts=children_of(connection, concept_id) if draft.tests else [],
                state="drafted" if held_back else unchecked_state(draft.format),
            )
            saved = SavedQuestion(question.id, assessment_id, last + 1, True)
            if not held_back:
                news.append(QuestionReady(concept_node_id=concept_id, question=rows.question_shown(question)))
        else:
            question_id = question_at(connection, assessment_id, same)
            _refuse_voided(write, question_id)
            saved = SavedQuestion(question_id, assessment_id, same, False)
        result: dict[str, JsonValue] = {"saved": saved.created, "questionId": saved.id, "position": saved.position}
        tell(write, self._log, actor, news, result=result)
        return saved

    async def asked(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        """The questions of the learner's diagnostic of the concept, in their order."""
        questions = await self._database.read(lambda session: questions_about(session, concept_id, user_id))
        return [
            AskedQuestion(
                question.prompt,
                tuple(test["title"] or "" for test in named_tests(question.tests)),
                voided=question.state == "voided",
            )
            for question in questions
        ]

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        """Point the concept's questions at the nodes of the subconcepts that they name by title; progress follows.

        Raises NotFound, and what `tell` raises.
        """

        def body(write: Write) -> None:
            concept = locked_node(write.connection, concept_id, actor.user_id)
            parts = children_of(write.connection, concept_id)
            for question in questions_about(write.session, concept_id, actor.user_id):
                question.tests = resolved(question.tests, parts)
            tell(write, self._log, actor, follow_edit(write, concept, actor.user_id, self._log.now()), result={})

        await self._database.write(body, order=actor.root_run_id)

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        """Whether the agent that makes the children of this node has come to its end once."""
        wanted = select(tables.Progress.has_generated_subnodes).where(
            tables.Progress.node_id == node_id, tables.Progress.user_id == user_id
        )
        return bool(await self._database.read(lambda session: session.exec(wanted).first()))

    async def mark_generated(self, node_id: str, *, user_id: str) -> None:
        """Raises NotFound."""

        def body(write: Write) -> None:
            locked_node(write.connection, node_id, user_id)
            progress = _progress(write, node_id, user_id)
            progress.has_generated_subnodes = True
            progress.updated_at = self._log.now()
            write.session.add(progress)

        await self._database.write(body)

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        """Note who made the children of a node; `meta` is kept as it is. A run's second note is not taken.

        Raises Conflict (the node is gone).
        """

        def body(write: Write) -> None:
            noted = select(tables.NodeGeneration.id).where(tables.NodeGeneration.id == run_id)
            if write.session.exec(noted).first() is None:
                write.session.add(
                    tables.NodeGeneration(id=run_id, node_id=node_id, trigger=trigger, model=model, response_meta=meta)
                )

        await self._database.write(body)

    async def documents(self, root_id: str) -> Sequence[Note]:
        """The topic's documents as far as they have been read, in the order of upload."""
        document = tables.Document
        wanted = (
            select(document.original_filename, document.extraction_status, document.extraction_error)
            .where(document.node_id == root_id)
            .order_by(col(document.creation))
        )
        found = await self._database.read(lambda session: session.exec(wanted).all())
        return [
            Note(name, cast(Literal["pending", "completed", "failed"], status), problem)
            for name, status, problem in found
        ]

    async def passages(self, root_id: str) -> Sequence[Passage]:
        """All passages of the topic's documents, in the order of upload and text."""
        if await self._database.read(lambda session: bool(not_split(session, root_id))):
            await self._database.write(lambda write: self._split_up(write, root_id))
        return as_passages(await self._database.read(lambda session: passages_under(session, root_id)))

    def _split_up(self, write: Write, root_id: str) -> None:
        for document in not_split(write.session, root_id):
            passages = self._split(document.original_filename, document.extracted_text or "")
            keep_passages(write.connection, document.id, passages)

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        """The passages of the topic's documents that hold words of the query, best first."""

        def look(session: Session) -> list[Passage]:
            return as_passages(passages_under(session, root_id, found(session.connection(), root_id, query, limit)))

        return await self._database.read(look)


def _refuse_voided(write: Write, question_id: str) -> None:
    wanted = select(tables.Question.state).where(tables.Question.id == question_id)
    if write.session.exec(wanted).one() == "voided":
        raise QuestionRefused("This question was taken back, because it did not hold: write another one.")


def _progress(write: Write, node_id: str, user_id: str) -> tables.Progress:
    """The learner's progress on a node whose row is locked."""
    wanted = select(tables.Progress).where(tables.Progress.node_id == node_id, tables.Progress.user_id == user_id)
    found = write.session.exec(wanted).first()
    return found or tables.Progress(id=new_id(), user_id=user_id, node_id=node_id)
