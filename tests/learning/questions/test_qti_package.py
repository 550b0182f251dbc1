"""QTI packages (O2): each kind of question as the specification has it, nothing of a text as markup, the same bytes."""

import io
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from sprout.learning.questions.qti_package import MANIFEST, PACKAGING, write_package
from sprout.learning.questions.question_sets import IdentifiedQuestion, QuestionSection, QuestionSet
from sprout.learning.questions.questions import Criterion, QuestionDraft

PROFILE = etree.RelaxNG(etree.parse(Path(__file__).parent / "qti_profile.rng"))
LIGHT, AIR = Criterion("light", "Names *light* & warmth.", 0.5), Criterion("air", "Names air.", 0.5)
RICH = (
    "What is **x** in $x^2=4$ & \\[\\frac{a}{b}\\]?\n\n```python\nif a < b:\n    pass\n```\n\n1. a\n   - b\n\n"
    "> said\n\n| a | b |\n|:-:|---|\n| 1 | 2 |\n\n## Head\n\n---\n\n"
    '[link](http://a.de/?a=1&b "t") ![a picture](a.png)  \nend'
)
HOSTILE = '</p><script>alert(1)</script>]]>&amp;&nope; <b onclick="x">\x0b\ufffe [a](javascript:alert(1))'
QUESTIONS = {
    "choice": QuestionDraft(RICH, "mcq", "b & <c>", 1, ("One",), options=("a", "b & <c>"), solution=("As `x`.", "So.")),
    "number": QuestionDraft("How far?", "numeric", "3.5 km", 1, ("One",), tolerance=0.25, unit="km"),
    "exact": QuestionDraft("How much?", "numeric", "1/4", 1, ("Two",)),
    "term": QuestionDraft(
        "Where?", "open_ended", "Cardiff", 1, (), criteria=(LIGHT,), accepted=("Cardiff", "Caerdydd")
    ),
    "words": QuestionDraft("Why?", "open_ended", "Light and\n\nair.", 1, (), criteria=(LIGHT, AIR)),
    "hostile": QuestionDraft(HOSTILE, "mcq", HOSTILE, 1, (HOSTILE,), options=(HOSTILE, "b"), solution=(HOSTILE,)),
}


def package() -> zipfile.ZipFile:
    identified = tuple(IdentifiedQuestion(name, draft) for name, draft in QUESTIONS.items())
    whole = QuestionSet(
        "path", f"Path & more {HOSTILE}", (QuestionSection("concept", f"Concept {HOSTILE}", identified),)
    )
    content = write_package(whole)
    assert content == write_package(whole), "the same questions make the same file"
    return zipfile.ZipFile(io.BytesIO(content))


@pytest.mark.parametrize("name", ["test.xml", *(f"items/question-{name}.xml" for name in QUESTIONS)])
def test_O2_every_document_is_what_the_specification_asks_for(name: str) -> None:
    PROFILE.assertValid(etree.fromstring(package().read(name)))


def test_O2_the_manifest_names_every_file_once_and_the_test_holds_every_item() -> None:
    archive = package()
    manifest, ns = etree.fromstring(archive.read(MANIFEST)), {"c": PACKAGING}
    listed = manifest.xpath("c:resources/c:resource/@href", namespaces=ns)
    assert listed == ["test.xml", *(f"items/question-{name}.xml" for name in QUESTIONS)]
    assert {MANIFEST, *listed} == set(archive.namelist())
    assert manifest.xpath("c:resources/c:resource/c:file/@href", namespaces=ns) == listed
    test = etree.fromstring(archive.read("test.xml"))
    held = test.xpath("//*[local-name()='qti-assessment-item-ref']/@identifier")
    assert sorted(held) == sorted(manifest.xpath("//c:dependency/@identifierref", namespaces=ns))
    assert len(held) == len(QUESTIONS)


def test_O2_a_text_becomes_no_markup_and_no_address_of_a_script() -> None:
    item = etree.fromstring(package().read("items/question-hostile.xml"))
    assert not item.xpath("//*[local-name()='script' or local-name()='b']")
    assert not item.xpath("//@href")
    assert "<script>alert(1)</script>" in "".join(item.itertext())
