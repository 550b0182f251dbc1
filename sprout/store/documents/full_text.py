"""The full-text index of passages: FTS5 on SQLite, a GIN index on PostgreSQL; the database keeps it up to date."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Row, Table, event, text

from sprout.learning.text.stemmers import unaccented
from sprout.learning.text.word_search import ACCENTED, SearchQuery, beginning_of
from sprout.store.schema.columns import table_of
from sprout.store.schema.tables import Passage

INDEX_NAME = "passage_words"
MOST_CANDIDATES = 200

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


def search_candidates(connection: Connection, root_id: str, query: SearchQuery) -> Sequence[str]:
    """Ids of passages under a topic with words that begin as those of the query do, the likeliest first; at most 200.

    With phrases only those that have all words of one.
    """
    on_sqlite = connection.dialect.name == "sqlite"
    either, both = (" OR ", " AND ") if on_sqlite else (" | ", " & ")

    form = '"{}"*' if on_sqlite else "{}:*"

    def any_form(word: str) -> str:
        parts = dict.fromkeys([word, *_beginnings(word, accented=not on_sqlite)])
        return f"({either.join(form.format(part) for part in parts)})"

    wanted = [both.join(map(any_form, phrase)) for phrase in query.phrases] or [*map(any_form, query.words)]
    if not wanted:
        return []
    statement = _SEARCH_ON_SQLITE if on_sqlite else _SEARCH_ON_POSTGRES
    rows: Sequence[Row[tuple[str]]] = connection.execute(
        statement, {"words": either.join(f"({one})" for one in wanted), "root": root_id, "most": MOST_CANDIDATES}
    ).all()
    return [row.id for row in rows]


def _beginnings(word: str, *, accented: bool) -> list[str]:
    """What the forms of a word begin with; also with one accent more or less, where the index keeps accents."""
    beginning = beginning_of(word)
    if not accented:
        return [beginning]
    changed = (
        f"{beginning[:at]}{other}{beginning[at + 1 :]}"
        for at, letter in enumerate(beginning)
        for other in ACCENTED.get(letter, unaccented(letter)[:1])
    )
    return [beginning, *changed]
