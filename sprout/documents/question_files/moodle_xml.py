"""Reader of Moodle's XML format of questions."""

import math
import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.drafts import (
    FULL_SHARE,
    Answer,
    Drafted,
    LeftOut,
    Stem,
    choice_draft,
    number_draft,
    pair_drafts,
    term_draft,
    words_draft,
)
from sprout.documents.question_files.markup import BrokenMarkup, as_html
from sprout.documents.question_files.xml_trees import parse_xml
from sprout.learning.questions.question_files import LeftOutReason
from sprout.learning.questions.questions import parse_number

_FOLDER = re.compile(r"(?<!/)/(?!/)")
_TRUTH = {"true": "True", "false": "False"}


def read_moodle_xml(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of the file. Raises UnreadableDocument."""
    category: tuple[str, ...] = ()
    for question in parse_xml(content).iterfind("question"):
        kind = question.get("type") or ""
        if kind == "category":
            category = tuple(filter(None, (_last_folder(question.findtext("category/text") or ""),)))
            continue
        stem = _stem(question, category)
        try:
            yield from _drafts(question, kind, stem)
        except LeftOut as left_out:
            yield stem.left_out(left_out.reason)
        except BrokenMarkup:
            yield stem.left_out(LeftOutReason.BROKEN)


def _last_folder(path: str) -> str:
    return _FOLDER.split(path.strip())[-1].replace("//", "/").strip()


def _stem(question: Any, category: tuple[str, ...]) -> Stem:
    tags = (tag.strip() for tag in question.xpath("tags/tag/text/text()"))
    return Stem(
        (question.findtext("name/text") or "").strip(),
        _html(question.find("questiontext")),
        (*category, *filter(None, tags)),
        (_html(question.find("generalfeedback")),),
    )


def _drafts(question: Any, kind: str, stem: Stem) -> Iterator[Drafted]:
    """The questions that this one makes. Raises LeftOut, BrokenMarkup."""
    if kind == "description":
        raise LeftOut(LeftOutReason.NO_QUESTION)
    read = _READERS.get(kind)
    if read is None:
        raise LeftOut(LeftOutReason.KIND)
    yield from read(question, stem)


def _choice(question: Any, stem: Stem) -> Iterator[Drafted]:
    yield choice_draft(stem, _answers(question))


def _true_or_false(question: Any, stem: Stem) -> Iterator[Drafted]:
    answers = _answers(question)
    named = [Answer(_TRUTH.get(one.html.strip().lower(), one.html), one.share, one.note) for one in answers]
    yield choice_draft(stem, named)


def _term(question: Any, stem: Stem) -> Iterator[Drafted]:
    yield term_draft(stem, _answers(question))


def _words(question: Any, stem: Stem) -> Iterator[Drafted]:
    yield words_draft(stem, [_html(question.find("graderinfo"))])


def _pairs(question: Any, stem: Stem) -> Iterator[Drafted]:
    pairs = [(_html(one), _html(one.find("answer"))) for one in question.iterfind("subquestion")]
    asked = [(left, right) for left, right in pairs if left]
    yield from pair_drafts(stem, asked, [right for left, right in pairs if not left])


def _number(question: Any, stem: Stem) -> Iterator[Drafted]:
    """Of several numbers the first that is worth all points; its unit is the one that all others are counted in."""
    for answer in question.iterfind("answer"):
        value = parse_number((answer.findtext("text") or "").strip())
        within = parse_number((answer.findtext("tolerance") or "0").strip() or "0")
        if _share(answer) < FULL_SHARE or value is None or within is None:
            continue
        base = (
            unit for unit in question.iterfind("units/unit") if parse_number(unit.findtext("multiplier") or "1") == 1
        )
        name = next((unit.findtext("unit_name") for unit in base), None)
        yield number_draft(stem, value, within, note=_html(answer.find("feedback")), unit=name)
        return
    raise LeftOut(LeftOutReason.NO_ANSWER)


_READERS: dict[str, Callable[[Any, Stem], Iterator[Drafted]]] = {
    "multichoice": _choice,
    "truefalse": _true_or_false,
    "shortanswer": _term,
    "numerical": _number,
    "matching": _pairs,
    "essay": _words,
}


def _answers(question: Any) -> list[Answer]:
    found = question.iterfind("answer")
    return [Answer(_html(answer), _share(answer), _html(answer.find("feedback"))) for answer in found]


def _share(answer: Any) -> float:
    share = parse_number(answer.get("fraction") or "0")
    return share if share is not None and math.isfinite(share) else 0.0


def _html(element: Any) -> str:
    """The text of an element as HTML; nothing where there is none."""
    text = (element.findtext("text") or "").strip() if element is not None else ""
    match element.get("format") if element is not None else None:
        case "html":
            return text
        case "plain_text":
            return escape(text, quote=False).replace("\n", "<br>")
        case _:
            return as_html(text)
