"""Passages of documents as rows: made once per document, cited by nodes and messages."""

import secrets
from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import Connection, insert
from sqlmodel import Session, col, select

from sprout.learning.paths.passages import Passage
from sprout.learning.sources import SLIDES, PassageRow
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

Split = Callable[[str, str], Sequence[Passage]]

_passages, _citations = table_of(tables.Passage), table_of(tables.Citation)
_message_citations = table_of(tables.MessageCitation)


def insert_passages(connection: Connection, document_id: str, passages: Sequence[Passage]) -> None:
    """Insert the passages of a document that has none yet."""
    rows = [
        {
            "id": f"p{secrets.token_hex(4)}",  # short: models copy it
            "document_id": document_id,
            "position": position,
            "heading": piece.heading,
            "page": piece.page,
            "starts_at": piece.start,
            "ends_at": piece.end,
            "text": piece.text,
        }
        for position, piece in enumerate(passages, start=1)
    ]
    if rows:
        connection.execute(insert(_passages), rows)


def unsplit_documents(session: Session, root_id: str) -> Sequence[tables.Document]:
    """Documents of the topic that have text but no passages: they were uploaded before passages existed."""
    has_passages = select(tables.Passage.id).where(tables.Passage.document_id == tables.Document.id).exists()
    wanted = select(tables.Document).where(
        tables.Document.node_id == root_id, col(tables.Document.extracted_text) != "", ~has_passages
    )
    return session.exec(wanted.order_by(col(tables.Document.creation))).all()


def passages_under(session: Session, root_id: str, ids: Sequence[str] | None = None) -> list[PassageRow]:
    """The passages of the topic's documents, in the order of upload and text; of `ids`, in their order."""
    wanted = (
        select(tables.Passage, tables.Document.original_filename, tables.Document.mime_type)
        .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
        .where(tables.Document.node_id == root_id)
    )
    if ids is not None:
        wanted = wanted.where(col(tables.Passage.id).in_(ids))
    found = session.exec(wanted.order_by(col(tables.Document.creation), col(tables.Passage.position))).all()
    rows = [passage_row(*one) for one in found]
    return rows if ids is None else sorted(rows, key=lambda row: ids.index(row.id))


def passage_row(passage: tables.Passage, document: str, mime_type: str) -> PassageRow:
    """A passage as the contract has it."""
    return PassageRow(
        id=passage.id,
        document_id=passage.document_id,
        document=document,
        heading=passage.heading,
        page=passage.page,
        slides=mime_type == SLIDES,
        start=passage.starts_at,
        end=passage.ends_at,
        text=passage.text,
    )


def as_passages(rows: Iterable[PassageRow]) -> list[Passage]:
    """The rows as the agents take them."""
    return [Passage(row.document, row.heading, row.text, row.start, row.end, row.id, row.page) for row in rows]


def cite(connection: Connection, node_id: str, passage_ids: Sequence[str], *, branch_id: str | None) -> None:
    """Record that a node teaches from these passages of its own topic's documents; unknown ids are left out."""
    wanted = _of_branch(connection, passage_ids, branch_id)
    cited = set(connection.execute(select(_citations.c.passage_id).where(_citations.c.node_id == node_id)).scalars())
    rows = [{"node_id": node_id, "passage_id": one} for one in wanted if one not in cited]
    if rows:
        connection.execute(insert(_citations), rows)


def cite_in_message(
    connection: Connection, message_id: str, passage_ids: Sequence[str], *, branch_id: str | None
) -> None:
    """Record that a new message teaches from these passages of its topic's documents; unknown ids are left out."""
    wanted = _of_branch(connection, passage_ids, branch_id) if passage_ids else []
    rows = [{"message_id": message_id, "passage_id": one, "position": at} for at, one in enumerate(wanted, start=1)]
    if rows:
        connection.execute(insert(_message_citations), rows)


def _of_branch(connection: Connection, passage_ids: Sequence[str], branch_id: str | None) -> list[str]:
    """The ids of passages of the branch's documents, each once; others are left out."""
    wanted = list(dict.fromkeys(passage_ids))
    known = (
        select(tables.Passage.id)
        .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
        .join(tables.Node, col(tables.Node.id) == col(tables.Document.node_id))
        .where(col(tables.Passage.id).in_(wanted), tables.Node.branch_id == branch_id)
    )
    there = set(connection.execute(known).scalars())
    return [one for one in wanted if one in there]
