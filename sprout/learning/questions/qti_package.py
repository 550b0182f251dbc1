"""Question sets as QTI 3.0 content packages: the manifest, a test with a section for each concept, and the items."""

import io
import xml.etree.ElementTree as ET
import zipfile
from collections import defaultdict
from collections.abc import Iterable

from sprout.learning.questions.qti_item import document, item_identifier, item_xml
from sprout.learning.questions.qti_markup import QTI, element, xml_text
from sprout.learning.questions.question_sets import IdentifiedQuestion, QuestionSection, QuestionSet

MEDIA_TYPE = "application/zip"
MANIFEST, TEST = "imsmanifest.xml", "test.xml"
PACKAGING = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the same questions make the same bytes


def write_package(questions: QuestionSet) -> bytes:
    """The package as a zip archive; the answers stand in it."""
    items = [question for section in questions.sections for question in section.questions]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, MANIFEST, _manifest(questions, items))
        _write(archive, TEST, _test(questions))
        for question in items:
            _write(archive, _item_name(question), item_xml(question))
    return packed.getvalue()


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _FIRST_DAY), content, zipfile.ZIP_DEFLATED)


def _item_name(question: IdentifiedQuestion) -> str:
    return f"items/{item_identifier(question)}.xml"


def _manifest(questions: QuestionSet, items: list[IdentifiedQuestion]) -> bytes:
    root = _packaging(None, "manifest", identifier=f"manifest-{questions.id}")
    metadata = _packaging(root, "metadata")
    _packaging(metadata, "schema").text = "QTI Package"
    _packaging(metadata, "schemaversion").text = "3.0.0"
    _packaging(root, "organizations")
    resources = _packaging(root, "resources")
    test = _packaging(resources, "resource", identifier=f"test-{questions.id}", type="imsqti_test_xmlv3p0", href=TEST)
    _packaging(test, "file", href=TEST)
    for question in items:
        identifier, name = item_identifier(question), _item_name(question)
        _packaging(test, "dependency", identifierref=identifier)
        item = _packaging(resources, "resource", identifier=identifier, type="imsqti_item_xmlv3p0", href=name)
        _packaging(item, "file", href=name)
    return document(root, PACKAGING)


def _packaging(parent: ET.Element | None, name: str, **attributes: str) -> ET.Element:
    tag = f"{{{PACKAGING}}}{name}"
    return ET.Element(tag, attributes) if parent is None else ET.SubElement(parent, tag, attributes)


def _test(questions: QuestionSet) -> bytes:
    title = xml_text(questions.title)
    root = element(None, "qti-assessment-test", identifier=f"test-{questions.id}", title=title)
    part = element(
        root, "qti-test-part", identifier="questions", navigation_mode="nonlinear", submission_mode="individual"
    )
    for section in questions.sections:
        _add_section(part, section)
    return document(root, QTI)


def _add_section(part: ET.Element, section: QuestionSection) -> None:
    """The section of a concept, in it one for each part that questions test, and then the other questions."""
    outer = element(
        part, "qti-assessment-section", identifier=f"section-{section.id}", title=section.title, visible="true"
    )
    by_part: defaultdict[str, list[IdentifiedQuestion]] = defaultdict(list)
    for question in section.questions:
        by_part[question.draft.tests[0] if question.draft.tests else ""].append(question)
    whole = by_part.pop("", [])
    for at, (title, questions) in enumerate(by_part.items(), start=1):
        identifier = f"section-{section.id}-{at}"
        inner = element(outer, "qti-assessment-section", identifier=identifier, title=title, visible="true")
        _add_references(inner, questions)
    _add_references(outer, whole)


def _add_references(section: ET.Element, questions: Iterable[IdentifiedQuestion]) -> None:
    for question in questions:
        element(section, "qti-assessment-item-ref", identifier=item_identifier(question), href=_item_name(question))
