"""Sources: passages of documents with their full-text index, and which node teaches from which."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e93b60d2f7a8"
down_revision: str | Sequence[str] | None = "c41d8a7e03f6"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

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
)


def upgrade() -> None:
    op.create_table(
        "passages",
        sa.Column("creation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
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
        sa.UniqueConstraint("id", name=op.f("uq_passages_id")),
        sa.UniqueConstraint("document_id", "position", name=op.f("uq_passages_document_id_position")),
    )
    for statement in ON_SQLITE if op.get_bind().dialect.name == "sqlite" else ON_POSTGRES:
        op.execute(statement)
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
    op.create_index(op.f("ix_citations_passage_id"), "citations", ["passage_id"])


def downgrade() -> None:
    op.drop_table("citations")
    if op.get_bind().dialect.name == "sqlite":
        for statement in (
            "drop trigger passage_words_gone",
            "drop trigger passage_words_added",
            "drop table passage_words",
        ):
            op.execute(statement)
    op.drop_table("passages")
