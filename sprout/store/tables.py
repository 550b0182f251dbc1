"""The tables of what people keep: paths, documents, questions, progress, talk; with the rules that rows must keep."""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, false, text
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.columns import JSON_VALUE, Listed, Row, UtcTime, Words, one_of, unique_where

NODE_TYPES = ("root", "concept", "subconcept")
FORMATS = ("mcq", "open_ended", "numeric")
ANSWER_KINDS = ("text", "code", "draw", "mcq")
QUESTION_STATES = ("drafted", "verified", "posed", "answered", "graded", "skipped", "voided")
NOT_ASKED = ("drafted", "voided")  # held back until its key is checked; taken back


class User(Listed, table=True):
    __tablename__ = "users"

    email: str | None = Field(default=None, unique=True, sa_type=Words)
    title: str | None = Field(default=None, sa_type=Words)
    desc: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Branch(Listed, table=True):
    """One topic of a learner."""

    __tablename__ = "branches"

    title: str = Field(sa_type=Words)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Node(Listed, table=True):
    """A topic, a concept of it or a part of a concept. `title_key` makes titles unique among siblings."""

    __tablename__ = "nodes"
    __table_args__ = (
        one_of("type", NODE_TYPES),
        CheckConstraint("(type = 'root') = (parent_id is null)", name="only_roots_have_no_parent"),
        CheckConstraint("parent_id <> id", name="not_its_own_parent"),
        CheckConstraint("accuracy_score between 0 and 1", name="accuracy_score"),
        UniqueConstraint("parent_id", "title_key"),
        UniqueConstraint("id", "parent_id"),  # what edges refer to, so that they can only join siblings
        unique_where("type = 'root'", "uq_nodes_root_of_branch", "branch_id"),
        Index(None, "user_id", "type"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    type: str = Field(sa_type=Words)
    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    parent_id: str | None = Field(default=None, foreign_key="nodes.id", sa_type=Words)
    title: str = Field(sa_type=Words)
    title_key: str = Field(sa_type=Words)
    desc: str | None = Field(default=None, sa_type=Words)
    reason: str | None = Field(default=None, sa_type=Words)
    accuracy_score: float = 0.0
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Edge(Listed, table=True):
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

    parent_id: str = Field(index=True, sa_type=Words)
    source_node_id: str = Field(sa_type=Words)
    target_node_id: str = Field(index=True, sa_type=Words)
    reason: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Document(Listed, table=True):
    """A learner's file: its text is here, its bytes are where files are kept, under `storage_name`.

    While it is `pending` it waits to be read, by `reader` (the name of the claim) until `reader_until`; `attempts`
    counts how often that was begun. One that has `failed` has its `extraction_error`, a sentence for its learner.
    """

    __tablename__ = "topic_documents"
    __table_args__ = (
        one_of("extraction_status", ("pending", "completed", "failed")),
        CheckConstraint("file_size_bytes >= 0", name="file_size_bytes"),
        CheckConstraint("attempts >= 0", name="attempts"),
        Index(
            "ix_topic_documents_unread",
            "creation",
            sqlite_where=text("extraction_status = 'pending'"),
            postgresql_where=text("extraction_status = 'pending'"),
        ),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=Words)
    original_filename: str = Field(sa_type=Words)
    storage_name: str = Field(unique=True, sa_type=Words)
    mime_type: str = Field(sa_type=Words)
    file_size_bytes: int
    extracted_text: str | None = Field(default=None, sa_type=Words)
    extraction_status: str = Field(default="pending", sa_type=Words)
    extraction_error: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    pages: int | None = None
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    retry_may_help: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    reader: str | None = Field(default=None, sa_type=Words)
    reader_until: datetime | None = Field(default=None, sa_type=UtcTime)


class Passage(Listed, table=True):
    """A piece of a document's text, `starts_at` to `ends_at`; its words are in an index for full-text search."""

    __tablename__ = "passages"
    __table_args__ = (UniqueConstraint("document_id", "position"),)

    document_id: str = Field(foreign_key="topic_documents.id", ondelete="CASCADE", sa_type=Words)
    position: int
    heading: str | None = Field(default=None, sa_type=Words)
    page: int | None = None
    starts_at: int
    ends_at: int
    text: str = Field(sa_type=Words)


class Citation(Row, table=True):
    """That a node teaches from a passage."""

    __tablename__ = "citations"

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    passage_id: str = Field(foreign_key="passages.id", ondelete="CASCADE", primary_key=True, index=True, sa_type=Words)


class MessageCitation(Row, table=True):
    """That the tutor's words teach from a passage; `position` is its place among those that they name."""

    __tablename__ = "message_citations"

    message_id: str = Field(foreign_key="chat_messages.id", ondelete="CASCADE", primary_key=True, sa_type=Words)
    passage_id: str = Field(foreign_key="passages.id", ondelete="CASCADE", primary_key=True, index=True, sa_type=Words)
    position: int


class NodeContent(Listed, table=True):
    __tablename__ = "node_contents"
    __table_args__ = (
        one_of("status", ("draft", "active", "archived")),
        unique_where("status = 'active'", "uq_node_contents_active", "node_id"),
        Index(None, "node_id", "status"),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=Words)
    explanation_md: str = Field(sa_type=Words)
    visualization_kind: str | None = Field(default=None, sa_type=Words)
    visualization_payload: str | None = Field(default=None, sa_type=Words)
    cards: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    generated_by_model: str | None = Field(default=None, sa_type=Words)
    generation_prompt_hash: str | None = Field(default=None, sa_type=Words)
    status: str = Field(default="active", sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class NodeGeneration(Listed, table=True):
    __tablename__ = "node_generations"
    __table_args__ = (
        one_of("trigger", ("on_first_enter", "manual_regenerate", "system_refresh")),
        Index(None, "node_id", "created_at"),
    )

    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=Words)
    trigger: str = Field(sa_type=Words)
    model: str | None = Field(default=None, sa_type=Words)
    prompt: str | None = Field(default=None, sa_type=Words)
    response_meta: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Assessment(Listed, table=True):
    __tablename__ = "assessments"
    __table_args__ = (
        one_of("type", ("diagnostic", "quiz", "recall")),
        unique_where("type = 'diagnostic'", "uq_assessments_diagnostic", "user_id", "target_node_id"),
        Index(None, "user_id", "target_node_id", "type"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    target_node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=Words)
    type: str = Field(default="diagnostic", sa_type=Words)
    title: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)


class Question(Listed, table=True):
    """A question with its answer.

    One that is `drafted` is held back until its key is checked, and asked when it is `verified` or, where it could not
    be checked, `posed`.

    `options` is [{id, text}] with ids that never change, `criteria` and `misconceptions` are lists of objects,
    `tests` is [{title, nodeId}] where nodeId is null until the subconcept of that title is there.

    Of a checkpoint, `kind` is how it is answered and `ladder` how far its help has gone. `anchors`, `solution` (steps)
    and `help` (a text for each level) are lists of strings, prepared and secret. `contest` is what came of the
    learner's word that the question is wrong.
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

    assessment_id: str = Field(foreign_key="assessments.id", ondelete="CASCADE", sa_type=Words)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=Words)
    position: int
    state: str = Field(default="verified", sa_type=Words)
    format: str = Field(sa_type=Words)
    prompt: str = Field(sa_type=Words)
    prompt_key: str = Field(sa_type=Words)
    options: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    correct_option_id: str | None = Field(default=None, sa_type=Words)
    correct_answer: str | None = Field(default=None, sa_type=Words)
    criteria: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    tolerance: float | None = None
    unit: str | None = Field(default=None, sa_type=Words)
    misconceptions: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    tests: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    difficulty: int = 1
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    kind: str | None = Field(default=None, sa_type=Words)
    anchors: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    solution: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    help: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    ladder: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    contest: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class Answer(Listed, table=True):
    """An attempt, of which only the grade may come later; the newest per question counts.

    `help_level` is the help that had been given before it (H1); `grade` is the whole of its grade as JSON.
    """

    __tablename__ = "answers"
    __table_args__ = (
        CheckConstraint("score between 0 and 1", name="score"),
        CheckConstraint("help_level between 0 and 4", name="help_level"),
        Index(None, "user_id", "assessment_id"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    assessment_id: str = Field(foreign_key="assessments.id", ondelete="CASCADE", index=True, sa_type=Words)
    question_id: str = Field(foreign_key="questions.id", ondelete="CASCADE", index=True, sa_type=Words)
    answer_text: str | None = Field(default=None, sa_type=Words)
    selected_option: str | None = Field(default=None, sa_type=Words)
    is_correct: bool | None = None
    score: float | None = None
    feedback: str | None = Field(default=None, sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    help_level: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    grade: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class Progress(Listed, table=True):
    """What the graded answers say of a node; `overridden_at` is when a person said otherwise, until the next answer.

    `attempts_count` counts the graded answers, `entered_count` how often the learner has come to the node.
    """

    __tablename__ = "user_node_progress"
    __table_args__ = (
        CheckConstraint("mastery_score between 0 and 1", name="mastery_score"),
        CheckConstraint("attempts_count >= 0", name="attempts_count"),
        CheckConstraint("entered_count >= 0", name="entered_count"),
        UniqueConstraint("user_id", "node_id"),
        Index(None, "node_id", "mastery_score"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", sa_type=Words)
    first_entered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    last_entered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    mastery_score: float = 0.0
    attempts_count: int = 0
    has_generated_subnodes: bool = False
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    overridden_at: datetime | None = Field(default=None, sa_type=UtcTime)
    entered_count: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class ChatSession(Listed, table=True):
    """A conversation; at most one question is pending in it. `plan` is what is taught in which chunk, and how far."""

    __tablename__ = "chat_sessions"
    __table_args__ = (Index(None, "user_id", "started_at"), Index(None, "node_id", "started_at"))

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="CASCADE", sa_type=Words)
    started_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    pending_question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="SET NULL", index=True, sa_type=Words
    )
    plan: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)


class ChatMessage(Listed, table=True):
    __tablename__ = "chat_messages"
    __table_args__ = (
        one_of("role", ("system", "user", "assistant")),
        one_of("kind", ("learning", "hint_request", "hint_response", "evaluation")),
        Index(None, "session_id", "created_at"),
        Index(None, "user_id", "was_successful"),
    )

    session_id: str = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", sa_type=Words)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    role: str = Field(sa_type=Words)
    kind: str = Field(default="learning", sa_type=Words)
    content: str = Field(sa_type=Words)
    was_successful: bool | None = None
    success_signal: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    answer_id: str | None = Field(
        default=None, foreign_key="answers.id", ondelete="SET NULL", index=True, sa_type=Words
    )


class HintEvent(Listed, table=True):
    __tablename__ = "hint_events"
    __table_args__ = (Index(None, "user_id", "node_id", "created_at"),)

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=Words)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=Words)
    session_id: str | None = Field(
        default=None, foreign_key="chat_sessions.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    request_message_id: str | None = Field(
        default=None, foreign_key="chat_messages.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    response_message_id: str | None = Field(
        default=None, foreign_key="chat_messages.id", ondelete="CASCADE", index=True, sa_type=Words
    )
    referenced_success_message_ids: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Concern(Listed, table=True):
    """That a learner seemed to be in distress: the fact and the time, never the words."""

    __tablename__ = "concerns"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=Words)
    session_id: str | None = Field(
        default=None, foreign_key="chat_sessions.id", ondelete="SET NULL", index=True, sa_type=Words
    )
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Memory(Listed, table=True):
    """Something about a learner that is worth keeping; `source` says where it comes from."""

    __tablename__ = "learner_memories"

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=Words)
    text: str = Field(sa_type=Words)
    source: str = Field(sa_type=Words)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    updated_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Drawing(Listed, table=True):
    """A picture that a learner has drawn as an answer."""

    __tablename__ = "drawings"

    session_id: str = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", index=True, sa_type=Words)
    media_type: str = Field(sa_type=Words)
    data: bytes
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
