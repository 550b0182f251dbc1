"""Tables of paths and teaching: nodes, documents, questions, progress and conversations, with their constraints."""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, TableModel, UtcTime, one_of, unique_where

NODE_TYPES = ("root", "concept", "subconcept")
FORMATS = ("mcq", "open_ended", "numeric")
ANSWER_KINDS = ("text", "code", "draw", "mcq")
QUESTION_STATES = ("drafted", "verified", "posed", "answered", "graded", "skipped", "voided")
SHOWS_MIX_UP = {  # a grade has statements: a text is searched faster than read, and `@?` is planned for as rare
    "sqlite": """instr(answers.grade, '"misconceptions":["') > 0""",
    "postgresql": "answers.grade @? '$.misconceptions[0]'",
}
NOT_ASKED = ("drafted", "voided")  # held back until its key is checked; voided


class User(OrderedModel, table=True):
    __tablename__ = "users"

    email: str | None = Field(default=None, unique=True, sa_type=SafeText)
    title: str | None = Field(default=None, sa_type=SafeText)
    desc: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Branch(OrderedModel, table=True):
    """One topic of a learner. `places`: where its nodes stand on the map, by their ids."""

    __tablename__ = "branches"

    title: str = Field(sa_type=SafeText)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    places: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class Node(OrderedModel, table=True):
    """A topic, a concept of it or a part of a concept. `title_key` makes titles unique among siblings."""

    __tablename__ = "nodes"
    __table_args__ = (
        one_of("type", NODE_TYPES),
        CheckConstraint("(type = 'root') = (parent_id is null)", name="only_roots_have_no_parent"),
        CheckConstraint("parent_id <> id", name="not_its_own_parent"),
        CheckConstraint("accuracy_score between 0 and 1", name="accuracy_score"),
        UniqueConstraint("parent_id", "title_key"),
        UniqueConstraint("id", "parent_id"),  # the target of edges' references, so that they can only join siblings
        unique_where("type = 'root'", "uq_nodes_root_of_branch", "branch_id"),
        Index(None, "user_id", "type"),
        Index(None, "branch_id", "type"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    type: str = Field(sa_type=SafeText)
    branch_id: str | None = Field(default=None, foreign_key="branches.id", ondelete="CASCADE", sa_type=SafeText)
    parent_id: str | None = Field(default=None, foreign_key="nodes.id", sa_type=SafeText)
    title: str = Field(sa_type=SafeText)
    title_key: str = Field(sa_type=SafeText)
    desc: str | None = Field(default=None, sa_type=SafeText)
    reason: str | None = Field(default=None, sa_type=SafeText)
    accuracy_score: float = 0.0
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Edge(OrderedModel, table=True):
    """The source is needed before the target; both are children of `parent_id`."""

    __tablename__ = "node_edges"
    __table_args__ = (
        ForeignKeyConstraint(
            ["source_node_id", "parent_id"],
            ["nodes.id", "nodes.parent_id"],
            name="fk_node_edges_source",
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["target_node_id", "parent_id"],
            ["nodes.id", "nodes.parent_id"],
            name="fk_node_edges_target",
            ondelete="CASCADE",
        ),
        CheckConstraint("source_node_id <> target_node_id", name="not_to_itself"),
        UniqueConstraint("source_node_id", "target_node_id"),
    )

    parent_id: str = Field(index=True, sa_type=SafeText)
    source_node_id: str = Field(sa_type=SafeText)
    target_node_id: str = Field(index=True, sa_type=SafeText)
    reason: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Document(OrderedModel, table=True):
    """A learner's file: its text is here, its bytes are in the storage under `storage_name`.

    While it is `pending` it waits for extraction, claimed by `claimed_by` until `claimed_until`; `attempts` counts
    the claims. One that has `failed` has its `extraction_error`, a sentence for its learner,
    and its code.
    """

    __tablename__ = "topic_documents"
    __table_args__ = (
        one_of("extraction_status", ("pending", "completed", "failed")),
        CheckConstraint("file_size_bytes >= 0", name="file_size_bytes"),
        CheckConstraint("attempts >= 0", name="attempts"),
        Index(
            "ix_topic_documents_pending",
            "creation",
            sqlite_where=text("extraction_status = 'pending'"),
            postgresql_where=text("extraction_status = 'pending'"),
        ),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    original_filename: str = Field(sa_type=SafeText)
    storage_name: str = Field(unique=True, sa_type=SafeText)
    mime_type: str = Field(sa_type=SafeText)
    file_size_bytes: int
    extracted_text: str | None = Field(default=None, sa_type=SafeText)
    extraction_status: str = Field(default="pending", sa_type=SafeText)
    extraction_error: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    pages: int | None = None
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    retry_may_help: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    claimed_by: str | None = Field(default=None, sa_type=SafeText)
    claimed_until: datetime | None = Field(default=None, sa_type=UtcTime)
    extraction_code: str | None = Field(default=None, sa_type=SafeText)


class Passage(OrderedModel, table=True):
    """A piece of a document's text, `starts_at` to `ends_at`; its words are in the full-text index."""

    __tablename__ = "passages"
    __table_args__ = (UniqueConstraint("document_id", "position"),)

    document_id: str = Field(foreign_key="topic_documents.id", ondelete="CASCADE", sa_type=SafeText)
    position: int
    heading: str | None = Field(default=None, sa_type=SafeText)
    page: int | None = None
    starts_at: int
    ends_at: int
    text: str = Field(sa_type=SafeText)


class Citation(TableModel, table=True):
    """A passage that a node teaches from."""

    __tablename__ = "citations"

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    passage_id: str = Field(
        foreign_key="passages.id", ondelete="CASCADE", primary_key=True, index=True, sa_type=SafeText
    )


class MessageCitation(TableModel, table=True):
    """A passage that a tutor's message teaches from; `position` is its place among the message's citations."""

    __tablename__ = "message_citations"

    message_id: str = Field(foreign_key="chat_messages.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    passage_id: str = Field(
        foreign_key="passages.id", ondelete="CASCADE", primary_key=True, index=True, sa_type=SafeText
    )
    position: int


class Reading(TableModel, table=True):
    """That the passages which a message cites are to be read: before the question that they are about, if there is one.

    `settled_by` are the pieces of their text that settle it, which are secret until it is settled.
    """

    __tablename__ = "readings"

    message_id: str = Field(foreign_key="chat_messages.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="CASCADE", unique=True, sa_type=SafeText
    )
    settled_by: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class NodeContent(OrderedModel, table=True):
    __tablename__ = "node_contents"
    __table_args__ = (
        one_of("status", ("draft", "active", "archived")),
        unique_where("status = 'active'", "uq_node_contents_active", "node_id"),
        Index(None, "node_id", "status"),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=SafeText)
    explanation_md: str = Field(sa_type=SafeText)
    visualization_kind: str | None = Field(default=None, sa_type=SafeText)
    visualization_payload: str | None = Field(default=None, sa_type=SafeText)
    cards: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    generated_by_model: str | None = Field(default=None, sa_type=SafeText)
    generation_prompt_hash: str | None = Field(default=None, sa_type=SafeText)
    status: str = Field(default="active", sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class NodeGeneration(OrderedModel, table=True):
    __tablename__ = "node_generations"
    __table_args__ = (
        one_of("trigger", ("on_first_enter", "manual_regenerate", "system_refresh")),
        Index(None, "node_id", "created_at"),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=SafeText)
    trigger: str = Field(sa_type=SafeText)
    model: str | None = Field(default=None, sa_type=SafeText)
    prompt: str | None = Field(default=None, sa_type=SafeText)
    response_meta: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Assessment(OrderedModel, table=True):
    __tablename__ = "assessments"
    __table_args__ = (
        one_of("type", ("diagnostic", "quiz", "recall")),
        unique_where("type = 'diagnostic'", "uq_assessments_diagnostic", "user_id", "target_node_id"),
        Index(None, "user_id", "target_node_id", "type"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    target_node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    type: str = Field(default="diagnostic", sa_type=SafeText)
    title: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Question(OrderedModel, table=True):
    """A question with its key.

    One that is `drafted` is held back until its key is checked, and asked when it is `verified` or, if it could not be
    checked, `posed`.

    `options` is [{id, text}] with ids that never change, `criteria` and `misconceptions` are lists of objects.

    Of a checkpoint question, `kind` is the form of its answer and `ladder` the state of its help ladder. `anchors`,
    `solution` (steps) and `help` (a text for each level) are lists of strings, prepared and secret. `marked_by` holds
    the program tests and the accepted terms by which code marks an open answer. `contest` is a learner's contest of
    the question and its outcome.
    """

    __tablename__ = "questions"
    __table_args__ = (
        one_of("format", FORMATS),
        one_of("state", QUESTION_STATES),
        CheckConstraint("difficulty between 1 and 5", name="difficulty"),
        CheckConstraint("(format = 'mcq') = (correct_option_id is not null)", name="only_choices_have_a_right_option"),
        CheckConstraint("tolerance >= 0", name="tolerance"),
        one_of("kind", ANSWER_KINDS),
        UniqueConstraint("assessment_id", "prompt_key"),
        UniqueConstraint("assessment_id", "position"),
    )

    assessment_id: str = Field(foreign_key="assessments.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    position: int
    state: str = Field(default="verified", sa_type=SafeText)
    format: str = Field(sa_type=SafeText)
    prompt: str = Field(sa_type=SafeText)
    prompt_key: str = Field(sa_type=SafeText)
    options: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    correct_option_id: str | None = Field(default=None, sa_type=SafeText)
    correct_answer: str | None = Field(default=None, sa_type=SafeText)
    criteria: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    tolerance: float | None = None
    unit: str | None = Field(default=None, sa_type=SafeText)
    misconceptions: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    difficulty: int = 1
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    kind: str | None = Field(default=None, sa_type=SafeText)
    anchors: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    marked_by: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    solution: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    help: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    ladder: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    contest: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class TopicMisconception(TableModel, table=True):
    """A belief that wrong answers of a topic stand for; questions and grades name it by its statement.

    `id` is made of the words of the statement. `contrast` is a case in which it and the right idea differ.
    """

    __tablename__ = "misconceptions"

    topic_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    id: str = Field(primary_key=True, sa_type=SafeText)
    statement: str = Field(sa_type=SafeText)
    contrast: str | None = Field(default=None, sa_type=SafeText)


class QuestionTest(TableModel, table=True):
    """A subconcept that a question tests; `position` is its place among them, from 0.

    `node_id` is null until the subconcept of that title exists, and once it is removed.
    """

    __tablename__ = "question_tests"

    question_id: str = Field(foreign_key="questions.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    position: int = Field(primary_key=True)
    title: str = Field(sa_type=SafeText)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="SET NULL", index=True, sa_type=SafeText)


class Answer(OrderedModel, table=True):
    """An attempt, of which only the grade may come later; the first graded one of a question counts for mastery.

    `help_level` is the level of help given before it; `grade` is the whole of its grade as JSON; `sure` is whether the
    learner said that they were.
    """

    __tablename__ = "answers"
    __table_args__ = (
        CheckConstraint("score between 0 and 1", name="score"),
        CheckConstraint("help_level between 0 and 4", name="help_level"),
        Index(None, "user_id", "assessment_id"),
        Index(None, "user_id", "created_at"),
        Index(
            "ix_answers_shows_mix_up",
            "user_id",
            sqlite_where=text(SHOWS_MIX_UP["sqlite"].replace("answers.", "")),
            postgresql_where=text(SHOWS_MIX_UP["postgresql"].replace("answers.", "")),
        ),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    assessment_id: str = Field(foreign_key="assessments.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    question_id: str = Field(foreign_key="questions.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    answer_text: str | None = Field(default=None, sa_type=SafeText)
    selected_option: str | None = Field(default=None, sa_type=SafeText)
    is_correct: bool | None = None
    score: float | None = None
    feedback: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    help_level: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    grade: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    sure: bool | None = None


class Progress(OrderedModel, table=True):
    """Progress on a node; `overridden_at` is the time of a person's override, until the next graded answer.

    `completed_at` is the time at which it was learned, `mastered_at` that at which it was mastered, as long as it is.

    `attempts_count` counts the graded answers, `entered_count` how often the learner has entered the node.
    """

    __tablename__ = "user_node_progress"
    __table_args__ = (
        CheckConstraint("mastery_score between 0 and 1", name="mastery_score"),
        CheckConstraint("attempts_count >= 0", name="attempts_count"),
        CheckConstraint("entered_count >= 0", name="entered_count"),
        UniqueConstraint("user_id", "node_id"),
        Index(None, "node_id", "mastery_score"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=SafeText)
    first_entered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_entered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    mastery_score: float = 0.0
    attempts_count: int = 0
    has_generated_subnodes: bool = False
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    overridden_at: datetime | None = Field(default=None, sa_type=UtcTime)
    mastered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    entered_count: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class ChatSession(OrderedModel, table=True):
    """A conversation; at most one question is pending in it. `plan` is what is taught in which chunk, and how far.

    `delivered_question_id` is the question that its client was shown last; it may be gone.
    """

    __tablename__ = "chat_sessions"
    __table_args__ = (Index(None, "user_id", "started_at"), Index(None, "node_id", "started_at"))

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="CASCADE", sa_type=SafeText)
    started_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    pending_question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    plan: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    delivered_question_id: str | None = Field(default=None, sa_type=SafeText)


class ChatMessage(OrderedModel, table=True):
    __tablename__ = "chat_messages"
    __table_args__ = (
        one_of("role", ("system", "user", "assistant")),
        one_of("kind", ("learning", "hint_request", "hint_response", "evaluation")),
        Index(None, "session_id", "created_at"),
        Index(None, "user_id", "was_successful"),
        Index(None, "user_id", "created_at"),
    )

    session_id: str = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", sa_type=SafeText)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    role: str = Field(sa_type=SafeText)
    kind: str = Field(default="learning", sa_type=SafeText)
    content: str = Field(sa_type=SafeText)
    was_successful: bool | None = None
    success_signal: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    answer_id: str | None = Field(
        default=None, foreign_key="answers.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )


class HintEvent(OrderedModel, table=True):
    __tablename__ = "hint_events"
    __table_args__ = (Index(None, "user_id", "node_id", "created_at"),)

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    session_id: str | None = Field(
        default=None, foreign_key="chat_sessions.id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    request_message_id: str | None = Field(
        default=None, foreign_key="chat_messages.id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    response_message_id: str | None = Field(
        default=None, foreign_key="chat_messages.id", ondelete="CASCADE", index=True, sa_type=SafeText
    )
    referenced_success_message_ids: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Concern(OrderedModel, table=True):
    """A sign that a learner was in distress: the fact and the time, never the words.

    `seen_at` is when a teacher of theirs has said that they know of it.
    """

    __tablename__ = "concerns"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    session_id: str | None = Field(
        default=None, foreign_key="chat_sessions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    seen_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Memory(OrderedModel, table=True):
    """A note about a learner that lasts between lessons, and its `source`."""

    __tablename__ = "learner_memories"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    text: str = Field(sa_type=SafeText)
    source: str = Field(sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Drawing(OrderedModel, table=True):
    """A learner's drawing as an answer."""

    __tablename__ = "drawings"

    session_id: str = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    media_type: str = Field(sa_type=SafeText)
    data: bytes
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
