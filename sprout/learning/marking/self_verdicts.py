"""Typed verdicts on one's own answer: "partly" alone is asked about, since it says nothing of any one criterion."""

import re
from collections.abc import Iterator, Sequence

from sprout.events import Mark
from sprout.learning.marking.comparison import Comparison, parse_self_verdict, remarks
from sprout.learning.marking.number_words import count_of
from sprout.learning.marking.ordinals import ordinals
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.text.confusables import plain
from sprout.learning.text.normalization import occurs_in
from sprout.learning.text.stems import stems

_NONE = re.compile(
    r"\W*(?:none|not (?:a single )?one|nothing|keine[nrs]?|nichts|aucune?|ningun[oa]|nessun[oa])"
    r"(?: of (?:them|these|those))?\W*"
)
_LACKING = re.compile(
    r"\b(?:but not|all but|not|without|except|missing|forgot|lacks?|nicht|ohne|ausser|fehlt|pas|sans|sauf|falta|sin"
    r"|salvo)\b"
)


def typed_self_mark(text: str, before: Sequence[str], comparison: Comparison) -> SelfMark | None:
    """The learner's verdicts; None where the text has none, or leaves open which of the criteria are met.

    Args:
        before: their messages since they gave the answer. Where one left it open they were asked; "partly" once more is
            kept for the whole, with no verdict on any criterion.
    """
    was_asked = any(leaves_open(one, comparison) for one in before)
    mark = parse_self_verdict(text, comparison)
    if was_asked and (named := _named_criteria(text, comparison)):
        return SelfMark(named)
    if not leaves_open(text, comparison):
        return mark
    return SelfMark({one.id: None for one in comparison.criteria}) if was_asked else None


def leaves_open(text: str, comparison: Comparison) -> bool:
    """Whether the text is "partly" and no more, or a remark on the answers, where there are several criteria."""
    if len(comparison.criteria) == 1 or "?" in text:
        return False
    mark = parse_self_verdict(text, comparison)
    return remarks(text) if mark is None else set(mark.verdicts.values()) == {"partly"}


def listed_criteria(comparison: Comparison) -> str:
    """The labels of the criteria with their numbers."""
    return "; ".join(f"{at}. {one.label}" for at, one in enumerate(comparison.criteria, start=1))


def _named_criteria(text: str, comparison: Comparison) -> dict[str, Mark]:
    """The verdicts where criteria are named by number, place or label, or as "none"; empty where none is.

    Those that are named are met, behind "but not" missing, and the rest are what these are not.
    """
    if _NONE.fullmatch(text.casefold()):
        return {one.id: "missing" for one in comparison.criteria}
    said = plain(text)
    lacking = _LACKING.search(said)
    met = {*_named(said[: lacking.start()] if lacking else said, comparison)}
    missing = {*_named(said[lacking.end() :], comparison)} if lacking else set[str]()
    if not met | missing:
        return {}
    rest: Mark = "missing" if met else "met"
    return {one.id: "missing" if one.id in missing else "met" if one.id in met else rest for one in comparison.criteria}


def _named(said: str, comparison: Comparison) -> Iterator[str]:
    words, many = said.split(), len(comparison.criteria)
    places = {count - 1 for word in words if (count := count_of(word)) and word not in ("a", "an", "one")}
    places |= {ordinals()[word] % many for word in words if word in ordinals()}
    for at, one in enumerate(comparison.criteria):
        label, own = plain(one.label), stems([one.label])
        if at in places or (label and occurs_in(label, said)) or (own and own <= stems([said])):
            yield one.id
