"""Typed verdicts on one's own answer: "partly" alone is asked about, since it says nothing of any one criterion."""

import re
from collections.abc import Sequence
from itertools import takewhile

from sprout.learning.marking.attempts import copies
from sprout.learning.marking.choice_clauses import words_of
from sprout.learning.marking.comparison import (
    Comparison,
    left_out,
    longest_phrase,
    parse_self_verdict,
    phrases,
    remarks,
)
from sprout.learning.marking.point_verdicts import is_verdict_alone, point_verdicts
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.text.confusables import plain
from sprout.learning.text.stems import shared_stems, stems

FEWEST_SHARED = 2  # content words of a thought that a misconception has

_APOSTROPHE = re.compile("['’`´]")
_SENTENCE = re.compile(r"[^.!?…？\n]+[.!?…？\n]*")
_CLAUSE_END = re.compile(r"[,.;:!?…\n]+")
_THOUGHT = re.compile(
    r"(?:(?:because|bc|since|weil|and|und) )?(?:i|ich) (?:\w+ )?(?:thought|dachte)(?: that| dass)? (.+)"
)
_DISOWNS = re.compile(
    r"\b(?:not|isnt|wasnt|never) (?:\w+ )?(?:what i (?:wrote|said|meant|answered|typed|sent)"
    r"|my (?:real )?(?:answer|text|sentence|words))\b|\bi (?:didnt|did not|never) (?:write|say|type|send|mean)"
    r" (?:that|this)\b"
    r"|\bnicht (?:meine antwort|was ich)\b|\b(?:habe|hab) ich (?:so )?nicht (?:geschrieben|gesagt|gemeint)\b"
    r"|\bpas (?:ma reponse|ce que jai)\b|\bno es (?:mi respuesta|lo que)\b"
)


def without_question_after(text: str, comparison: Comparison) -> str:
    """The verdict that the text begins with, where a question of another kind follows it: "The same. Can I have a
    break?"; else the text."""
    sentences = _SENTENCE.findall(text)
    head = "".join(takewhile(lambda one: "?" not in one and "？" not in one, sentences)).strip()
    return head if head and head != text.strip() and begins_with_verdict(head, comparison) else text


def begins_with_verdict(text: str, comparison: Comparison) -> bool:
    """Whether the first sentence is a verdict on an answer, and none itself, whatever follows it."""
    first = next(iter(_SENTENCE.findall(text)), "")
    return is_verdict_alone(first, comparison) and parse_self_verdict(first, comparison) is not None


def typed_self_mark(text: str, before: Sequence[str], comparison: Comparison) -> SelfMark | None:
    """The learner's verdicts; None where the text has none, or leaves open which of the criteria are met.

    Args:
        before: their messages since they gave the answer. Where one left it open they were asked; "partly" once more is
            kept for the whole, with no verdict on any criterion, and so is the model answer copied once more.
    """
    no_verdicts = SelfMark({one.id: None for one in comparison.criteria})
    if copies_model_answer(text, comparison):
        return no_verdicts if any(copies_model_answer(one, comparison) for one in before) else None
    text = without_question_after(text, comparison)
    was_asked = any(leaves_open(one, comparison) for one in before)
    is_single = len(comparison.criteria) == 1
    named = None if is_single else point_verdicts(text, comparison, is_asked=was_asked)
    if named is not None:
        return SelfMark(named)
    if (thought := _thought_instead(text)) is not None:
        return SelfMark({one.id: "missing" for one in comparison.criteria}, _belief_in(thought, comparison))
    if not leaves_open(text, comparison):
        return parse_self_verdict(text, comparison)
    if (lacking := _left_out_point(text, comparison)) is not None:
        return SelfMark({one.id: "missing" if one.id == lacking else "met" for one in comparison.criteria})
    return no_verdicts if was_asked else None


def copies_model_answer(text: str, comparison: Comparison) -> bool:
    """Whether the text is most of the model answer, word for word, and no verdict: one of "The same." may be both."""
    return copies(text, comparison.model_answer) and not is_verdict_alone(text, comparison)


def _thought_instead(text: str) -> str | None:
    """Thought that the writer tells of behind "none of them"; None where it does not begin so, or goes on
    with anything else."""
    first, *rest = [plain(part) for part in _CLAUSE_END.split(_APOSTROPHE.sub("", text)) if part.strip()] or [""]
    found = _THOUGHT.match(" ".join(rest))
    return found[1] if first in phrases("no_points") and found else None


def _belief_in(thought: str, comparison: Comparison) -> str | None:
    """The one misconception offered whose first clause has all content words of the thought; neither denies a thing."""
    said = stems([thought])
    alike = [
        one
        for one in comparison.misconceptions
        if len(said) >= FEWEST_SHARED
        and shared_stems(said, stems([clause := one.partition(",")[0]])) == len(said)
        and words_of("negations").isdisjoint(f"{thought} {plain(_APOSTROPHE.sub('', clause))}".split())
    ]
    return alike[0] if len(alike) == 1 else None


def leaves_open(text: str, comparison: Comparison) -> bool:
    """Whether the text is "partly" and no more, or a remark on the answers, where there are several criteria."""
    if comparison.is_whole or "?" in text or point_verdicts(text, comparison) is not None:
        return False
    mark = parse_self_verdict(text, comparison)
    return remarks(text) if mark is None else set(mark.verdicts.values()) == {"partly"}


def _left_out_point(text: str, comparison: Comparison) -> str | None:
    """The one criterion that shares content words with what the text says was left out, unless it denies the whole."""
    said = stems([left_out(text)])
    alike = [one.id for one in comparison.criteria if shared_stems(said, stems([one.label, one.statement]))]
    denies_whole = longest_phrase(plain(_APOSTROPHE.sub("", text)).split(), "missing") > 0
    return alike[0] if len(alike) == 1 and not denies_whole else None


def disowns_answer(text: str) -> bool:
    """Whether the text says that what is compared is not what its writer meant as an answer."""
    return _DISOWNS.search(plain(_APOSTROPHE.sub("", text))) is not None


def listed_criteria(comparison: Comparison) -> str:
    """The labels of the criteria with their numbers."""
    return "; ".join(f"{at}. {one.label}" for at, one in enumerate(comparison.criteria, start=1))
