"""Files that ask to be connected somewhere: nobody calls."""

import asyncio

import pytest

from sprout.documents.drafts import draft_of, reader_of
from sprout.documents.extracting import Extractor
from sprout.documents.kinds import Kind
from sprout.documents.limits import ReadingLimits
from tests.documents.asking import asking
from tests.documents.listening import listener


@pytest.mark.parametrize("kind", [Kind.HTML, Kind.PDF, Kind.DOCX, Kind.PPTX])
async def test_B9_nothing_is_fetched_that_a_file_refers_to(kind: Kind) -> None:
    async with listener() as (url, asked):
        content = asking(url)[kind]
        alone = await Extractor().extracted("asking", kind, content)
        here = await asyncio.to_thread(draft_of, reader_of(kind), content, ReadingLimits())
    assert asked == []
    assert alone.text == here.text
    assert url not in here.text
