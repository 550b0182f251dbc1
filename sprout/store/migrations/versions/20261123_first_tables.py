"""The first tables.

The full-text index of passages is made by statements of each database. On PostgreSQL the events of runs are
partitioned; the default partition takes what no other covers. A database of 0.1 keeps its rows.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from sprout.store.engine import release_0_1

revision: str = "a3d58f1c6e92"
down_revision: str | Sequence[str] | None = "b61f0c7e2d94"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

JSON_VALUE = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ON_SQLITE = (
    """
    create virtual table passage_words using fts5(
        heading, text, content='passages', content_rowid='creation', tokenize='unicode61 remove_diacritics 2'
    )
    """,
    """
    create trigger passage_words_added after insert on passages begin
        insert into passage_words(rowid, heading, text) values (new.creation, new.heading, new.text);
    end
    """,
    """
    create trigger passage_words_gone after delete on passages begin
        insert into passage_words(passage_words, rowid, heading, text)
        values ('delete', old.creation, old.heading, old.text);
    end
    """,
)
ON_POSTGRES = (
    "create index passage_words on passages using gin (to_tsvector('simple', coalesce(heading, '') || ' ' || text))",
    "create table run_events_default partition of run_events default",
)
OFF_SQLITE = ("drop trigger passage_words_gone", "drop trigger passage_words_added", "drop table passage_words")
TABLES = (
    "budget_days",
    "budget_reservations",
    "users",
    "worker_leases",
    "branches",
    "learner_memories",
    "graph_operations",
    "nodes",
    "assessments",
    "node_contents",
    "node_edges",
    "node_generations",
    "runs",
    "topic_documents",
    "user_node_progress",
    "checkpoints",
    "idempotency_keys",
    "passages",
    "questions",
    "run_events",
    "tool_calls",
    "answers",
    "chat_sessions",
    "citations",
    "chat_messages",
    "concerns",
    "drawings",
    "hint_events",
    "message_citations",
    "question_tests",
)


def upgrade() -> None:
    was_0_1 = release_0_1.set_aside(op.get_bind())
    op.create_table(
        "budget_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("spent_nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("spent_tokens", sa.BigInteger(), nullable=False),
        sa.Column("reserved_nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("reserved_nano_usd >= 0 and reserved_tokens >= 0", name=op.f("ck_budget_days_reserved")),
        sa.CheckConstraint("spent_nano_usd >= 0 and spent_tokens >= 0", name=op.f("ck_budget_days_spent")),
        sa.PrimaryKeyConstraint("day", "account", name=op.f("pk_budget_days")),
    )
    op.create_table(
        "budget_reservations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("learner", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("attempt_id", sa.Text(), nullable=False),
        sa.Column("nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("reserved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lapsed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_budget_reservations")),
    )
    op.create_table(
        "users",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("desc", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sa.UniqueConstraint("id", name=op.f("uq_users_id")),
    )
    op.create_table(
        "worker_leases",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_worker_leases")),
    )
    op.create_table(
        "branches",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_branches_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_branches")),
        sa.UniqueConstraint("id", name=op.f("uq_branches_id")),
    )
    op.create_index(op.f("ix_branches_user_id"), "branches", ["user_id"], unique=False)
    op.create_table(
        "learner_memories",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_learner_memories_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_learner_memories")),
        sa.UniqueConstraint("id", name=op.f("uq_learner_memories_id")),
    )
    op.create_index(op.f("ix_learner_memories_user_id"), "learner_memories", ["user_id"], unique=False)
    op.create_table(
        "graph_operations",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=True),
        sa.Column("parent_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("before", JSON_VALUE, nullable=False),
        sa.Column("after", JSON_VALUE, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("evidence", JSON_VALUE, server_default="[]", nullable=False),
        sa.Column(
            "removed_rows",
            JSON_VALUE,
            server_default="{}",
            nullable=False,
        ),
        sa.Column("undoes", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["branch_id"], ["branches.id"], name=op.f("fk_graph_operations_branch_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_graph_operations_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_graph_operations")),
        sa.UniqueConstraint("id", name=op.f("uq_graph_operations_id")),
        sa.UniqueConstraint("undoes", name=op.f("uq_graph_operations_undoes")),
    )
    op.create_index(op.f("ix_graph_operations_branch_id"), "graph_operations", ["branch_id"], unique=False)
    op.create_index(op.f("ix_graph_operations_parent_id"), "graph_operations", ["parent_id"], unique=False)
    op.create_index(op.f("ix_graph_operations_user_id"), "graph_operations", ["user_id"], unique=False)
    op.create_table(
        "nodes",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=True),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_key", sa.Text(), nullable=False),
        sa.Column("desc", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("accuracy_score", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(type = 'root') = (parent_id is null)", name=op.f("ck_nodes_only_roots_have_no_parent")),
        sa.CheckConstraint("type in ('root', 'concept', 'subconcept')", name=op.f("ck_nodes_type")),
        sa.CheckConstraint("accuracy_score between 0 and 1", name=op.f("ck_nodes_accuracy_score")),
        sa.CheckConstraint("parent_id <> id", name=op.f("ck_nodes_not_its_own_parent")),
        sa.ForeignKeyConstraint(["branch_id"], ["branches.id"], name=op.f("fk_nodes_branch_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["parent_id"], ["nodes.id"], name=op.f("fk_nodes_parent_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_nodes_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_nodes")),
        sa.UniqueConstraint("id", "parent_id", name=op.f("uq_nodes_id_parent_id")),
        sa.UniqueConstraint("id", name=op.f("uq_nodes_id")),
        sa.UniqueConstraint("parent_id", "title_key", name=op.f("uq_nodes_parent_id_title_key")),
    )
    op.create_index(op.f("ix_nodes_branch_id"), "nodes", ["branch_id"], unique=False)
    op.create_index(op.f("ix_nodes_user_id_type"), "nodes", ["user_id", "type"], unique=False)
    op.create_index(
        "uq_nodes_root_of_branch",
        "nodes",
        ["branch_id"],
        unique=True,
        sqlite_where=sa.text("type = 'root'"),
        postgresql_where=sa.text("type = 'root'"),
    )
    op.create_table(
        "assessments",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("target_node_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("type in ('diagnostic', 'quiz', 'recall')", name=op.f("ck_assessments_type")),
        sa.ForeignKeyConstraint(
            ["target_node_id"], ["nodes.id"], name=op.f("fk_assessments_target_node_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_assessments_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_assessments")),
        sa.UniqueConstraint("id", name=op.f("uq_assessments_id")),
    )
    op.create_index(op.f("ix_assessments_target_node_id"), "assessments", ["target_node_id"], unique=False)
    op.create_index(
        op.f("ix_assessments_user_id_target_node_id_type"),
        "assessments",
        ["user_id", "target_node_id", "type"],
        unique=False,
    )
    op.create_index(
        "uq_assessments_diagnostic",
        "assessments",
        ["user_id", "target_node_id"],
        unique=True,
        sqlite_where=sa.text("type = 'diagnostic'"),
        postgresql_where=sa.text("type = 'diagnostic'"),
    )
    op.create_table(
        "node_contents",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("explanation_md", sa.Text(), nullable=False),
        sa.Column("visualization_kind", sa.Text(), nullable=True),
        sa.Column("visualization_payload", sa.Text(), nullable=True),
        sa.Column("cards", JSON_VALUE, nullable=True),
        sa.Column("generated_by_model", sa.Text(), nullable=True),
        sa.Column("generation_prompt_hash", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status in ('draft', 'active', 'archived')", name=op.f("ck_node_contents_status")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_node_contents_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_node_contents")),
        sa.UniqueConstraint("id", name=op.f("uq_node_contents_id")),
    )
    op.create_index(op.f("ix_node_contents_node_id_status"), "node_contents", ["node_id", "status"], unique=False)
    op.create_index(
        "uq_node_contents_active",
        "node_contents",
        ["node_id"],
        unique=True,
        sqlite_where=sa.text("status = 'active'"),
        postgresql_where=sa.text("status = 'active'"),
    )
    op.create_table(
        "node_edges",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=False),
        sa.Column("source_node_id", sa.Text(), nullable=False),
        sa.Column("target_node_id", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("source_node_id <> target_node_id", name=op.f("ck_node_edges_not_to_itself")),
        sa.ForeignKeyConstraint(
            ["source_node_id", "parent_id"],
            ["nodes.id", "nodes.parent_id"],
            name="fk_node_edges_source",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["target_node_id", "parent_id"],
            ["nodes.id", "nodes.parent_id"],
            name="fk_node_edges_target",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_node_edges")),
        sa.UniqueConstraint("id", name=op.f("uq_node_edges_id")),
        sa.UniqueConstraint(
            "source_node_id", "target_node_id", name=op.f("uq_node_edges_source_node_id_target_node_id")
        ),
    )
    op.create_index(op.f("ix_node_edges_parent_id"), "node_edges", ["parent_id"], unique=False)
    op.create_index(op.f("ix_node_edges_target_node_id"), "node_edges", ["target_node_id"], unique=False)
    op.create_table(
        "node_generations",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("prompt", sa.Text(), nullable=True),
        sa.Column("response_meta", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "trigger in ('on_first_enter', 'manual_regenerate', 'system_refresh')",
            name=op.f("ck_node_generations_trigger"),
        ),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name=op.f("fk_node_generations_node_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_node_generations")),
        sa.UniqueConstraint("id", name=op.f("uq_node_generations_id")),
    )
    op.create_index(
        op.f("ix_node_generations_node_id_created_at"), "node_generations", ["node_id", "created_at"], unique=False
    )
    op.create_table(
        "runs",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("root_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=True),
        sa.Column("small", sa.Boolean(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("offline", sa.Boolean(), nullable=False),
        sa.Column("caps", JSON_VALUE, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("reached_limit", JSON_VALUE, nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("error", JSON_VALUE, nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("question", JSON_VALUE, nullable=True),
        sa.Column("answered", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("approvals", JSON_VALUE, nullable=True),
        sa.Column("crashes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("crash_marker", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cause", sa.Text(), server_default="cut_off", nullable=False),
        sa.Column("discarded", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("idle", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint(
            "(state in ('cancelled', 'completed', 'failed', 'timed_out')) = (ended_at is not null)",
            name=op.f("ck_runs_ended_has_its_time"),
        ),
        sa.CheckConstraint(
            "state in ('queued', 'running', 'waiting_on_human', 'completed', 'failed', 'cancelled', 'timed_out')",
            name=op.f("ck_runs_state"),
        ),
        sa.CheckConstraint("(parent_id is null) = (root_id = id)", name=op.f("ck_runs_roots_have_no_parent")),
        sa.CheckConstraint("last_seq >= 0", name=op.f("ck_runs_last_seq")),
        sa.ForeignKeyConstraint(["branch_id"], ["branches.id"], name=op.f("fk_runs_branch_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_runs_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["parent_id"], ["runs.id"], name=op.f("fk_runs_parent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["root_id"], ["runs.id"], name=op.f("fk_runs_root_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_runs_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
    )
    op.create_index(op.f("ix_runs_branch_id"), "runs", ["branch_id"], unique=False)
    op.create_index(op.f("ix_runs_lane_state"), "runs", ["lane", "state"], unique=False)
    op.create_index(op.f("ix_runs_node_id"), "runs", ["node_id"], unique=False)
    op.create_index(op.f("ix_runs_owner"), "runs", ["owner"], unique=False)
    op.create_index(op.f("ix_runs_parent_id"), "runs", ["parent_id"], unique=False)
    op.create_index(op.f("ix_runs_root_id"), "runs", ["root_id"], unique=False)
    op.create_index(op.f("ix_runs_state"), "runs", ["state"], unique=False)
    op.create_index(op.f("ix_runs_user_id_branch_id"), "runs", ["user_id", "branch_id"], unique=False)
    op.create_index(
        "uq_runs_active_in_lane",
        "runs",
        ["lane"],
        unique=True,
        sqlite_where=sa.text("state in ('running', 'waiting_on_human')"),
        postgresql_where=sa.text("state in ('running', 'waiting_on_human')"),
    )
    op.create_table(
        "topic_documents",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("original_filename", sa.Text(), nullable=False),
        sa.Column("storage_name", sa.Text(), nullable=False),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("file_size_bytes", sa.Integer(), nullable=False),
        sa.Column("extracted_text", sa.Text(), nullable=True),
        sa.Column("extraction_status", sa.Text(), nullable=False),
        sa.Column("extraction_error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("retry_may_help", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "extraction_status in ('pending', 'completed', 'failed')", name=op.f("ck_topic_documents_extraction_status")
        ),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_topic_documents_attempts")),
        sa.CheckConstraint("file_size_bytes >= 0", name=op.f("ck_topic_documents_file_size_bytes")),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_topic_documents_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_topic_documents")),
        sa.UniqueConstraint("id", name=op.f("uq_topic_documents_id")),
        sa.UniqueConstraint("storage_name", name=op.f("uq_topic_documents_storage_name")),
    )
    op.create_index(op.f("ix_topic_documents_node_id"), "topic_documents", ["node_id"], unique=False)
    op.create_index(
        "ix_topic_documents_pending",
        "topic_documents",
        ["creation"],
        unique=False,
        sqlite_where=sa.text("extraction_status = 'pending'"),
        postgresql_where=sa.text("extraction_status = 'pending'"),
    )
    op.create_table(
        "user_node_progress",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("first_entered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_entered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mastery_score", sa.Float(), nullable=False),
        sa.Column("attempts_count", sa.Integer(), nullable=False),
        sa.Column("has_generated_subnodes", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("overridden_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("mastered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("entered_count", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint("attempts_count >= 0", name=op.f("ck_user_node_progress_attempts_count")),
        sa.CheckConstraint("entered_count >= 0", name=op.f("ck_user_node_progress_entered_count")),
        sa.CheckConstraint("mastery_score between 0 and 1", name=op.f("ck_user_node_progress_mastery_score")),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name=op.f("fk_user_node_progress_node_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_user_node_progress_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_user_node_progress")),
        sa.UniqueConstraint("id", name=op.f("uq_user_node_progress_id")),
        sa.UniqueConstraint("user_id", "node_id", name=op.f("uq_user_node_progress_user_id_node_id")),
    )
    op.create_index(
        op.f("ix_user_node_progress_node_id_mastery_score"),
        "user_node_progress",
        ["node_id", "mastery_score"],
        unique=False,
    )
    op.create_table(
        "checkpoints",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("iteration", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("elapsed_s", sa.Float(), server_default="0", nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.CheckConstraint(
            "kind in ('input', 'llm_response', 'tool_result', 'compaction', 'journal_update', 'human_pause', 'final')",
            name=op.f("ck_checkpoints_kind"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_checkpoints_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_checkpoints")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_idempotency_keys_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_idempotency_keys_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_run_id"), "idempotency_keys", ["run_id"], unique=False)
    op.create_table(
        "passages",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=True),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("starts_at", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["topic_documents.id"], name=op.f("fk_passages_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_passages")),
        sa.UniqueConstraint("document_id", "position", name=op.f("uq_passages_document_id_position")),
        sa.UniqueConstraint("id", name=op.f("uq_passages_id")),
    )
    op.create_table(
        "questions",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("assessment_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("prompt_key", sa.Text(), nullable=False),
        sa.Column("options", JSON_VALUE, nullable=True),
        sa.Column("correct_option_id", sa.Text(), nullable=True),
        sa.Column("correct_answer", sa.Text(), nullable=True),
        sa.Column("criteria", JSON_VALUE, nullable=True),
        sa.Column("tolerance", sa.Float(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column("misconceptions", JSON_VALUE, nullable=True),
        sa.Column("difficulty", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("anchors", JSON_VALUE, nullable=True),
        sa.Column("marked_by", JSON_VALUE, nullable=True),
        sa.Column("solution", JSON_VALUE, nullable=True),
        sa.Column("help", JSON_VALUE, nullable=True),
        sa.Column("ladder", JSON_VALUE, nullable=True),
        sa.Column("contest", JSON_VALUE, nullable=True),
        sa.CheckConstraint(
            "(format = 'mcq') = (correct_option_id is not null)",
            name=op.f("ck_questions_only_choices_have_a_right_option"),
        ),
        sa.CheckConstraint("format in ('mcq', 'open_ended', 'numeric')", name=op.f("ck_questions_format")),
        sa.CheckConstraint("kind in ('text', 'code', 'draw', 'mcq')", name=op.f("ck_questions_kind")),
        sa.CheckConstraint(
            "state in ('drafted', 'verified', 'posed', 'answered', 'graded', 'skipped', 'voided')",
            name=op.f("ck_questions_state"),
        ),
        sa.CheckConstraint("difficulty between 1 and 5", name=op.f("ck_questions_difficulty")),
        sa.CheckConstraint("tolerance >= 0", name=op.f("ck_questions_tolerance")),
        sa.ForeignKeyConstraint(
            ["assessment_id"], ["assessments.id"], name=op.f("fk_questions_assessment_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_questions_node_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_questions")),
        sa.UniqueConstraint("assessment_id", "position", name=op.f("uq_questions_assessment_id_position")),
        sa.UniqueConstraint("assessment_id", "prompt_key", name=op.f("uq_questions_assessment_id_prompt_key")),
        sa.UniqueConstraint("id", name=op.f("uq_questions_id")),
    )
    op.create_index(op.f("ix_questions_node_id"), "questions", ["node_id"], unique=False)
    op.create_table(
        "run_events",
        sa.Column("root_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["root_id"], ["runs.id"], name=op.f("fk_run_events_root_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("root_id", "seq", name=op.f("pk_run_events")),
        postgresql_partition_by="RANGE (root_id)",
    )
    op.create_table(
        "tool_calls",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("is_error", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("iteration", sa.Integer(), server_default="0", nullable=False),
        sa.Column("text_before", sa.Text(), server_default="[]", nullable=False),
        sa.Column("repeatable", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.CheckConstraint("effect in ('read', 'write')", name=op.f("ck_tool_calls_effect")),
        sa.CheckConstraint(
            "(completed_at is null) = (result is null)", name=op.f("ck_tool_calls_completed_has_its_result")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_tool_calls_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "call_id", name=op.f("pk_tool_calls")),
    )
    op.create_table(
        "answers",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("assessment_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("answer_text", sa.Text(), nullable=True),
        sa.Column("selected_option", sa.Text(), nullable=True),
        sa.Column("is_correct", sa.Boolean(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("feedback", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("help_level", sa.Integer(), server_default="0", nullable=False),
        sa.Column("grade", JSON_VALUE, nullable=True),
        sa.CheckConstraint("help_level between 0 and 4", name=op.f("ck_answers_help_level")),
        sa.CheckConstraint("score between 0 and 1", name=op.f("ck_answers_score")),
        sa.ForeignKeyConstraint(
            ["assessment_id"], ["assessments.id"], name=op.f("fk_answers_assessment_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_answers_question_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_answers_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_answers")),
        sa.UniqueConstraint("id", name=op.f("uq_answers_id")),
    )
    op.create_index(op.f("ix_answers_assessment_id"), "answers", ["assessment_id"], unique=False)
    op.create_index(op.f("ix_answers_question_id"), "answers", ["question_id"], unique=False)
    op.create_index(op.f("ix_answers_user_id_assessment_id"), "answers", ["user_id", "assessment_id"], unique=False)
    op.create_table(
        "chat_sessions",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("pending_question_id", sa.Text(), nullable=True),
        sa.Column("plan", JSON_VALUE, nullable=True),
        sa.Column("delivered_question_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_chat_sessions_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["pending_question_id"],
            ["questions.id"],
            name=op.f("fk_chat_sessions_pending_question_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_chat_sessions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("id", name=op.f("uq_chat_sessions_id")),
    )
    op.create_index(
        op.f("ix_chat_sessions_node_id_started_at"), "chat_sessions", ["node_id", "started_at"], unique=False
    )
    op.create_index(
        op.f("ix_chat_sessions_pending_question_id"), "chat_sessions", ["pending_question_id"], unique=False
    )
    op.create_index(
        op.f("ix_chat_sessions_user_id_started_at"), "chat_sessions", ["user_id", "started_at"], unique=False
    )
    op.create_table(
        "citations",
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_citations_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["passage_id"], ["passages.id"], name=op.f("fk_citations_passage_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("node_id", "passage_id", name=op.f("pk_citations")),
    )
    op.create_index(op.f("ix_citations_passage_id"), "citations", ["passage_id"], unique=False)
    op.create_table(
        "chat_messages",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("was_successful", sa.Boolean(), nullable=True),
        sa.Column("success_signal", JSON_VALUE, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer_id", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind in ('learning', 'hint_request', 'hint_response', 'evaluation')", name=op.f("ck_chat_messages_kind")
        ),
        sa.CheckConstraint("role in ('system', 'user', 'assistant')", name=op.f("ck_chat_messages_role")),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.id"], name=op.f("fk_chat_messages_answer_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_chat_messages_session_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_chat_messages_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_chat_messages")),
        sa.UniqueConstraint("id", name=op.f("uq_chat_messages_id")),
    )
    op.create_index(op.f("ix_chat_messages_answer_id"), "chat_messages", ["answer_id"], unique=False)
    op.create_index(
        op.f("ix_chat_messages_session_id_created_at"), "chat_messages", ["session_id", "created_at"], unique=False
    )
    op.create_index(
        op.f("ix_chat_messages_user_id_was_successful"), "chat_messages", ["user_id", "was_successful"], unique=False
    )
    op.create_table(
        "concerns",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_concerns_session_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_concerns_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_concerns")),
        sa.UniqueConstraint("id", name=op.f("uq_concerns_id")),
    )
    op.create_index(op.f("ix_concerns_session_id"), "concerns", ["session_id"], unique=False)
    op.create_index(op.f("ix_concerns_user_id"), "concerns", ["user_id"], unique=False)
    op.create_table(
        "drawings",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_drawings_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_drawings")),
        sa.UniqueConstraint("id", name=op.f("uq_drawings_id")),
    )
    op.create_index(op.f("ix_drawings_session_id"), "drawings", ["session_id"], unique=False)
    op.create_table(
        "hint_events",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("request_message_id", sa.Text(), nullable=True),
        sa.Column("response_message_id", sa.Text(), nullable=True),
        sa.Column("referenced_success_message_ids", JSON_VALUE, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_hint_events_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["request_message_id"],
            ["chat_messages.id"],
            name=op.f("fk_hint_events_request_message_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["response_message_id"],
            ["chat_messages.id"],
            name=op.f("fk_hint_events_response_message_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_hint_events_session_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_hint_events_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_hint_events")),
        sa.UniqueConstraint("id", name=op.f("uq_hint_events_id")),
    )
    op.create_index(op.f("ix_hint_events_node_id"), "hint_events", ["node_id"], unique=False)
    op.create_index(op.f("ix_hint_events_request_message_id"), "hint_events", ["request_message_id"], unique=False)
    op.create_index(op.f("ix_hint_events_response_message_id"), "hint_events", ["response_message_id"], unique=False)
    op.create_index(op.f("ix_hint_events_session_id"), "hint_events", ["session_id"], unique=False)
    op.create_index(
        op.f("ix_hint_events_user_id_node_id_created_at"),
        "hint_events",
        ["user_id", "node_id", "created_at"],
        unique=False,
    )
    op.create_table(
        "message_citations",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["chat_messages.id"], name=op.f("fk_message_citations_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["passage_id"], ["passages.id"], name=op.f("fk_message_citations_passage_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", "passage_id", name=op.f("pk_message_citations")),
    )
    op.create_index(op.f("ix_message_citations_passage_id"), "message_citations", ["passage_id"], unique=False)
    op.create_table(
        "question_tests",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_question_tests_node_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_question_tests_question_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("question_id", "position", name=op.f("pk_question_tests")),
    )
    op.create_index(op.f("ix_question_tests_node_id"), "question_tests", ["node_id"], unique=False)
    for statement in ON_SQLITE if op.get_bind().dialect.name == "sqlite" else ON_POSTGRES:
        op.execute(statement)
    if was_0_1:
        release_0_1.copy_rows(op.get_bind())


def downgrade() -> None:
    for statement in OFF_SQLITE if op.get_bind().dialect.name == "sqlite" else ():
        op.execute(statement)
    for name in reversed(TABLES):
        op.drop_table(name)
