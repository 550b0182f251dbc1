"""Reader of QTI items, of version 3.0 and of 2.x, whose elements have the same names in another spelling."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from lxml import etree

from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.drafts import (
    FULL_SHARE,
    GAP,
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
from sprout.documents.question_files.markup import BrokenMarkup
from sprout.documents.question_files.xml_trees import parse_xml
from sprout.learning.questions.question_files import LeftOutReason
from sprout.learning.questions.questions import parse_number

ITEM = "assessmentitem"
_NOT_SHOWN = frozenset(
    {"rubricblock", "feedbackinline", "feedbackblock", "modalfeedback", "stylesheet", "templateblock"}
)
_INLINE = frozenset({"textentryinteraction", "inlinechoiceinteraction"})
_SOLUTIONS = frozenset({"solution", "explanation", "rationale", "general", "correct"})
_NUMBERS = frozenset({"float", "integer"})


@dataclass(frozen=True, slots=True)
class _Response:
    """Declaration of a response in the item.

    Args:
        right: the values of the right response.
        points: what each value is worth, where the item says so.
    """

    base_type: str
    right: tuple[str, ...]
    points: dict[str, float]

    def full_values(self) -> list[str]:
        """The values that alone are worth all there is, the one that is given as right first."""
        most = max(self.points.values(), default=0.0)
        return list(dict.fromkeys((*self.right, *(key for key, points in self.points.items() if points >= most > 0))))


def read_qti_item(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of a file with one item. Raises UnreadableDocument."""
    yield from read_item(parse_xml(content), ())


def plain_name(name: object) -> str:
    """The name of an element or attribute without namespace, prefix and the spelling of a version."""
    local = etree.QName(name).localname if isinstance(name, str) else ""
    return local.removeprefix("qti-").replace("-", "").lower()


def attribute(element: Any, name: str) -> str:
    """The value of the attribute, in whichever spelling; empty where there is none."""
    return next((value for key, value in element.attrib.items() if plain_name(key) == name), "")


def elements(root: Any, *names: str) -> Iterator[Any]:
    """The elements below with one of these plain names, in order."""
    return (found for found in root.iter() if plain_name(found.tag) in names)


def read_item(item: Any, labels: tuple[str, ...]) -> Iterator[Drafted]:
    """The questions that an item makes, or why it makes none."""
    body = next(elements(item, "itembody"), None)
    interactions = [] if body is None else [one for one in body.iter() if plain_name(one.tag).endswith("interaction")]
    stem = Stem(attribute(item, "title"), "" if body is None else _prompt(body), labels, tuple(_solutions(item)))
    try:
        if len(interactions) != 1:
            raise LeftOut(LeftOutReason.KIND if interactions else LeftOutReason.NO_QUESTION)
        read = _READERS.get(plain_name(interactions[0].tag))
        is_drawn_anew = next(elements(body, "printedvariable"), None) is not None
        if read is None or is_drawn_anew:
            raise LeftOut(LeftOutReason.KIND)
        yield from read(item, interactions[0], stem)
    except LeftOut as left_out:
        yield stem.left_out(left_out.reason)
    except BrokenMarkup:
        yield stem.left_out(LeftOutReason.BROKEN)


def _choice(item: Any, interaction: Any, stem: Stem) -> Iterator[Drafted]:
    response = _response(item, interaction)
    right = response.right or response.full_values()
    answers = [
        Answer(inner_html(choice), 100.0 * (attribute(choice, "identifier") in right))
        for choice in elements(interaction, "simplechoice", "inlinechoice")
    ]
    yield choice_draft(stem, answers)


def _entry(item: Any, interaction: Any, stem: Stem) -> Iterator[Drafted]:
    response = _response(item, interaction)
    values = response.full_values()
    if not values:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    number = parse_number(values[0])
    if response.base_type in _NUMBERS and number is not None:
        yield number_draft(stem, number, _tolerance(item, number), unit=_word_behind(interaction) or None)
    else:
        yield term_draft(stem, [Answer(_escaped(value), FULL_SHARE) for value in values])


def _words(item: Any, interaction: Any, stem: Stem) -> Iterator[Drafted]:
    """Marked by what the item tells its scorers: each point of a list, or all of it."""
    rubrics = [one for one in elements(item, "rubricblock") if "scorer" in attribute(one, "view").split()]
    listed = [inner_html(point) for rubric in rubrics for point in elements(rubric, "li")]
    answer = "<br>".join(_escaped(value).replace("\n", "<br>") for value in _response(item, interaction).right)
    yield words_draft(stem, listed or [inner_html(rubric) for rubric in rubrics], answer=answer)


def _matches(item: Any, interaction: Any, stem: Stem) -> Iterator[Drafted]:
    sets = list(elements(interaction, "simplematchset"))
    if len(sets) != 2:
        raise LeftOut(LeftOutReason.KIND)
    asked, fitting = (
        {attribute(one, "identifier"): inner_html(one) for one in elements(part, "simpleassociablechoice")}
        for part in sets
    )
    found = [value.split() for value in _response(item, interaction).right]
    pairs = [(pair[0], pair[1]) for pair in found if len(pair) == 2 and pair[0] in asked and pair[1] in fitting]
    if not pairs:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    if len({left for left, _ in pairs}) < len(pairs):
        raise LeftOut(LeftOutReason.SEVERAL_RIGHT)
    others = [text for name, text in fitting.items() if name not in {right for _, right in pairs}]
    yield from pair_drafts(stem, [(asked[left], fitting[right]) for left, right in pairs], others)


_READERS: dict[str, Callable[[Any, Any, Stem], Iterator[Drafted]]] = {
    "choiceinteraction": _choice,
    "inlinechoiceinteraction": _choice,
    "textentryinteraction": _entry,
    "extendedtextinteraction": _words,
    "matchinteraction": _matches,
}


def _response(item: Any, interaction: Any) -> _Response:
    name = attribute(interaction, "responseidentifier")
    declared = (one for one in elements(item, "responsedeclaration") if attribute(one, "identifier") == name)
    found = next(declared, None)
    if found is None:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    right = [text for correct in elements(found, "correctresponse") for text in _values(correct)]
    entries = list(elements(found, "mapentry"))
    points = {attribute(one, "mapkey"): parse_number(attribute(one, "mappedvalue")) or 0.0 for one in entries}
    return _Response(attribute(found, "basetype"), tuple(right), points)


def _values(correct: Any) -> Sequence[str]:
    return [text for value in elements(correct, "value") if (text := "".join(value.itertext()).strip())]


def _tolerance(item: Any, right: float) -> float:
    """Tolerance, where the item's rule compares with a tolerance, the same to both sides."""
    for rule in elements(item, "equal"):
        within = parse_number(attribute(rule, "tolerance").split(" ")[0])
        if within is not None and attribute(rule, "tolerancemode") == "absolute":
            return within
        if within is not None and attribute(rule, "tolerancemode") == "relative":
            return abs(right) * within / 100
    return 0.0


def _solutions(item: Any) -> Iterator[str]:
    """The explanations that are for everybody who has answered."""
    for feedback in elements(item, "modalfeedback"):
        if attribute(feedback, "identifier").lower() in _SOLUTIONS:
            yield inner_html(feedback)


def _prompt(body: Any) -> str:
    """The body as HTML, without what its interactions offer and what is for others than the learner."""
    return inner_html(body, with_gaps=True)


def inner_html(element: Any, *, with_gaps: bool = False) -> str:
    """The content of an element as HTML.

    Args:
        with_gaps: a gap in place of each interaction within a line, and the prompt alone in place of any other.
    """
    root = deepcopy(element)
    for found in [one for one in root.iter() if isinstance(one.tag, str)]:
        name = plain_name(found.tag)
        if found is root:
            continue
        if name in _NOT_SHOWN:
            _replace(found, None)
        elif with_gaps and name.endswith("interaction"):
            _replace(found, _gap(found) if name in _INLINE else next(elements(found, "prompt"), None))
        elif name == "prompt":
            found.tag = "p"
    for found in root.iter():
        if isinstance(found.tag, str):
            found.tag = etree.QName(found).localname
    etree.cleanup_namespaces(root)
    inner = "".join(etree.tostring(child, encoding="unicode", method="html") for child in root)
    return _escaped(root.text or "") + inner


def _gap(interaction: Any) -> str:
    """The placeholder of an entry in the prompt: nothing where it is a line of its own, also with a unit behind it."""
    if _word_behind(interaction) is None:
        return GAP
    interaction.tail = None
    return ""


def _word_behind(interaction: Any) -> str | None:
    """The text behind an entry that is a line of its own: a word such as a unit, or nothing."""
    parent = interaction.getparent()
    is_alone = len(parent) == 1 and not (parent.text or "").strip()
    behind = (interaction.tail or "").strip()
    return behind if is_alone and len(behind.split()) < 2 else None


def _replace(found: Any, new: Any) -> None:
    """Put a text or an element in the place of an element, and keep the text behind it."""
    parent = found.getparent()
    if parent is None:
        return
    text = f"{new} {found.tail or ''}" if isinstance(new, str) else found.tail or ""
    before = found.getprevious()
    if new is None or isinstance(new, str):
        if before is not None:
            before.tail = f"{before.tail or ''} {text}"
        else:
            parent.text = f"{parent.text or ''} {text}"
        parent.remove(found)
    else:
        new.tail = found.tail
        new.tag = "p"
        parent.replace(found, new)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
