"""Search in a topic's documents: candidates from the full-text index, ranked by stems and phrases."""

import asyncio
from collections.abc import Sequence

from sqlmodel import Session

from sprout.learning.sources import PassageRow
from sprout.learning.text.word_search import SearchedText, SearchQuery, rank
from sprout.store.documents.full_text import search_candidates
from sprout.store.documents.passages import passages_under
from sprout.store.engine.database import Database


async def find_passages(database: Database, root_id: str, query: str, *, limit: int) -> Sequence[PassageRow]:
    """The passages under a topic that have words or a phrase of the query, best first."""
    asked = SearchQuery.parse(query)

    def body(session: Session) -> list[PassageRow]:
        return passages_under(session, root_id, search_candidates(session.connection(), root_id, asked))

    found = await database.read_orm_tx(body)
    texts = [SearchedText(one.heading or "", one.text) for one in found]
    return [found[at] for at in (await asyncio.to_thread(rank, asked, texts))[:limit]]
