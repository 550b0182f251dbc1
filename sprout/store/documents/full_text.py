"""The full-text index of passages: FTS5 on SQLite, a GIN index on PostgreSQL; the database keeps it up to date."""

import re
from collections.abc import Mapping, Sequence
from unicodedata import normalize

from sqlalchemy import Connection, Row, Table, event, text

from sprout.store.schema.columns import table_of
from sprout.store.schema.tables import Passage

INDEX_NAME = "passage_words"
MOST_WORDS = 16

CREATE_ON_SQLITE = (
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
DROP_ON_SQLITE = (
    "drop trigger passage_words_gone",
    "drop trigger passage_words_added",
    "drop table passage_words",
)
CREATE_ON_POSTGRES = (
    "create index passage_words on passages using gin (to_tsvector('simple', coalesce(heading, '') || ' ' || text))",
)
DROP_ON_POSTGRES = ("drop index passage_words",)

_SEARCH_ON_SQLITE = text("""
    select passages.id from passage_words
    join passages on passages.creation = passage_words.rowid
    join topic_documents on topic_documents.id = passages.document_id
    where passage_words match :words and topic_documents.node_id = :root
    order by bm25(passage_words, 2.0, 1.0), passages.creation limit :most
""")
_SEARCH_ON_POSTGRES = text("""
    select passages.id from passages
    join topic_documents on topic_documents.id = passages.document_id,
    to_tsquery('simple', :words) as asked, to_tsvector('simple', coalesce(heading, '') || ' ' || text) as words
    where to_tsvector('simple', coalesce(heading, '') || ' ' || text) @@ asked and topic_documents.node_id = :root
    order by ts_rank_cd(words, asked) desc, passages.creation limit :most
""")
_WORD = re.compile(r"\w+")


def _execute(connection: Connection, statements: Mapping[str, Sequence[str]]) -> None:
    for statement in statements[connection.dialect.name]:
        connection.exec_driver_sql(statement)


@event.listens_for(table_of(Passage), "after_create")
def _create_index(table: Table, connection: Connection, **_: object) -> None:
    _execute(connection, {"sqlite": CREATE_ON_SQLITE, "postgresql": CREATE_ON_POSTGRES})


@event.listens_for(table_of(Passage), "before_drop")
def _drop_index(table: Table, connection: Connection, **_: object) -> None:
    _execute(connection, {"sqlite": DROP_ON_SQLITE, "postgresql": DROP_ON_POSTGRES})


def rebuild_index(connection: Connection) -> None:
    """Rebuild the index on SQLite, so that no word of a deleted passage is left in it."""
    connection.exec_driver_sql("insert into passage_words(passage_words) values ('rebuild')")


def belongs_to_index(name: str | None) -> bool:
    """Whether a table belongs to the index of FTS5, which no model describes."""
    return name is not None and name.startswith(INDEX_NAME)


def search_passages(connection: Connection, root_id: str, query: str, limit: int) -> Sequence[str]:
    """Ids of the passages under a topic that hold a word of the query or one that begins with it, best first."""
    words = list(dict.fromkeys(_WORD.findall(normalize("NFC", query).lower())))[:MOST_WORDS]
    if not words:
        return []
    on_sqlite = connection.dialect.name == "sqlite"
    asked = " OR ".join(f'"{word}"*' for word in words) if on_sqlite else " | ".join(f"{word}:*" for word in words)
    statement = _SEARCH_ON_SQLITE if on_sqlite else _SEARCH_ON_POSTGRES
    rows: Sequence[Row[tuple[str]]] = connection.execute(
        statement, {"words": asked, "root": root_id, "most": limit}
    ).all()
    return [row.id for row in rows]
