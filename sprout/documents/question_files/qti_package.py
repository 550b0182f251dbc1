"""Reader of QTI content packages: the items that the manifest lists, sorted by the sections of its tests."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.drafts import Drafted
from sprout.documents.question_files.qti_items import ITEM, attribute, elements, plain_name, read_item
from sprout.documents.question_files.xml_trees import parse_xml
from sprout.documents.zip_archive import check_entries, read_entries
from sprout.errors import UnreadableDocument
from sprout.learning.questions.question_files import LeftOutQuestion, LeftOutReason

MANIFEST = "imsmanifest.xml"
TEST = "assessmenttest"


def read_qti_package(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of the package. Raises UnreadableDocument."""
    check_entries(content, read_entries(content), limits)
    with ZipFile(BytesIO(content)) as archive:
        names = set(archive.namelist())
        if MANIFEST not in names:
            raise unreadable(UnreadableReason.DAMAGED, detail="manifest")
        manifest = parse_xml(archive.read(MANIFEST))
        listed = [name for name in _listed(manifest) if name in names]
        labels = _labels(archive, manifest, names)
        for name in listed:
            yield from _read_entry(archive, name, labels.get(name, ()))


def _listed(manifest: Any) -> Iterator[str]:
    """The names of the items, in the order of the manifest."""
    for resource in elements(manifest, "resource"):
        if attribute(resource, "type").startswith("imsqti_item") or attribute(resource, "type") == "":
            yield unquote(attribute(resource, "href"))


def _read_entry(archive: ZipFile, name: str, labels: tuple[str, ...]) -> Iterator[Drafted]:
    try:
        root = parse_xml(archive.read(name))
    except UnreadableDocument:
        yield LeftOutQuestion(PurePosixPath(name).name, LeftOutReason.BROKEN)
        return
    if plain_name(root.tag) == ITEM:
        yield from read_item(root, labels)


def _labels(archive: ZipFile, manifest: Any, names: set[str]) -> dict[str, tuple[str, ...]]:
    """The titles of the sections in which each item stands, the innermost first."""
    found: dict[str, tuple[str, ...]] = {}
    for resource in elements(manifest, "resource"):
        name = unquote(attribute(resource, "href"))
        if attribute(resource, "type").startswith("imsqti_test") and name in names:
            try:
                test = parse_xml(archive.read(name))
            except UnreadableDocument:
                continue  # the items are what counts
            for reference in elements(test, "assessmentitemref"):
                above = (one for one in reference.iterancestors() if plain_name(one.tag) == "assessmentsection")
                path = PurePosixPath(name).parent / unquote(attribute(reference, "href"))
                found[str(path)] = tuple(filter(None, (attribute(one, "title") for one in above)))
    return found
