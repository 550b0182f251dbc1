"""Hostile question files (O2): each ends with a clear error in a confined process, and the next one is read."""

import io
import json
import zipfile
from collections.abc import Mapping

import pytest

from sprout.documents.question_files.file_reader import QuestionFileReader, parse_child_output
from sprout.errors import UnreadableDocument, UnsupportedType

ITEM = (
    '<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="{0}"><itemBody><p>{0}</p>'
    "</itemBody></assessmentItem>"
)
ENTITIES = '<!DOCTYPE quiz [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'


def packed(entries: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def package(items: Mapping[str, str | bytes]) -> bytes:
    resources = "".join(f'<resource type="imsqti_item_xmlv2p1" href="{name}"/>' for name in items)
    return packed({"imsmanifest.xml": f"<manifest><resources>{resources}</resources></manifest>", **items})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (f'<?xml version="1.0"?>{ENTITIES}<quiz><question>&b;</question></quiz>'.encode(), "hostile"),
        (b'<quiz><question type="essay"><name><text>', "damaged"),
        (b"<quiz>" + b"<question>" * 3_000 + b"</question>" * 3_000 + b"</quiz>", "damaged"),
        (b"\n\n".join(b"Is it %d?{T}" % at for at in range(2_001)), "too_many_questions"),
        (b"<quiz></quiz>", "no_file_questions"),
        (package({"a.xml": b"<a>" + b" " * 100_000_000 + b"</a>"}), "hostile"),
        (packed({"imsmanifest.xml": f'<?xml version="1.0"?>{ENTITIES}<manifest/>'}), "hostile"),
        (package({"a.xml": "<quiz/>"})[:-30], "damaged"),
    ],
    ids=["entities", "cut", "deep", "many", "none", "bomb", "manifest", "broken zip"],
)
async def test_O2_a_hostile_file_ends_with_a_clear_error(content: bytes, code: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        await QuestionFileReader().read("quiz", content)
    assert refused.value.code == code


async def test_O2_one_broken_item_of_a_package_is_left_out_alone() -> None:
    items = {"a.xml": ITEM.format("Text"), "b/x.xml": "<assessmentItem><p>"}
    found = await QuestionFileReader().read("a.zip", package(items))
    assert [(one.name, one.reason.value) for one in found.left_out] == [
        ("Text", "question_none"),
        ("x.xml", "question_broken"),
    ]


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n", b"PK\x03\x04", b"<?xml version='1.0'?><questestinterop/>", b"<log>{x}</log>", b"words"]
)
async def test_O2_another_file_is_refused_by_its_content(content: bytes) -> None:
    with pytest.raises((UnsupportedType, UnreadableDocument)) as refused:
        await QuestionFileReader().read("quiz.gift", content)
    assert refused.value.code in ("not_a_question_file", "damaged")


@pytest.mark.parametrize(
    "fields",
    [{}, {"questions": 7, "left_out": []}, {"questions": [], "left_out": [{"name": "a", "reason": "nothing"}]}],
)
def test_O2_what_a_reader_answers_is_not_trusted(fields: dict[str, object]) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        parse_child_output(json.dumps(fields | {"unconfined": []}).encode())
    assert refused.value.code == "damaged"
