"""Files that ask to be connected somewhere: nobody calls."""

import asyncio

import pytest

from harness.documents.listener import listener
from harness.documents.phoning_home import phoning_home_files
from sprout.documents.file_types import FileType
from sprout.documents.formats.readers import read_document, reader_for
from sprout.documents.limits import ReadingLimits
from sprout.documents.sandbox.extractor import Extractor


@pytest.mark.parametrize("kind", [FileType.HTML, FileType.PDF, FileType.DOCX, FileType.PPTX])
async def test_B9_nothing_is_fetched_that_a_file_refers_to(kind: FileType) -> None:
    async with listener() as (url, asked):
        content = phoning_home_files(url)[kind]
        alone = await Extractor().extract("asking", kind, content)
        here = await asyncio.to_thread(read_document, reader_for(kind), content, ReadingLimits())
    assert asked == []
    assert alone.text == here.text
    assert url not in here.text
