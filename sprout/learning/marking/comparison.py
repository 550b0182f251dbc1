"""Comparison: the learner marks an answer that has no grader beside the model answer (rules A9, A11)."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from sprout.errors import BadInput
from sprout.events import Compare, ComparedCriterionShown, Mark
from sprout.learning.marking.answers import split_drawing
from sprout.learning.marking.attempts import asks_something, is_genuine_attempt
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.grading import criterion_ids
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.questions.questions import Criterion, QuestionDraft
from sprout.learning.text.confusables import plain

MAX_WORDS = 60  # of a verdict that is typed, with what the learner says of it
WHOLE = "the whole answer"

MARKS: tuple[Mark, ...] = ("met", "partly", "missing")
_LONGEST = 4  # words of a phrase
_STOP = "."
_DOUBTS = re.compile(
    r"\b(?:but|only|nur|aber)(?: that| dass)? (?:you|du)\b|"
    r"\b(?:except|apart from|not sure|unsure|nicht sicher|bis auf|sauf|excepto|salvo"
    r"|(?:but|though|although|only|just|aber|nur|mais|pero)\b.*\b(?:not|no|never|didnt|dont|doesnt|havent|hadnt|wasnt|isnt"
    r"|without|forgot|left out|miss\w*|lacks?|less|worse|wrong|nicht|kein\w*|ohne|vergessen|fehl\w*|weniger|pas|sans"
    r"|oublie|moins|sin|falta|olvide|menos))\b"
)
_LEFT_OUT = re.compile(
    r"\bi (?:only |just )?(?:forgot|left out|missed|(?:didnt|did not|havent) (?:say|mention|name|explain|give|write))\b"
    r"|\b(?:vergessen|weggelassen|oublie|olvide)\b"
)
_REMARK = re.compile(
    r"(?:(?:but|well|ok|okay|so|hm+|and|aber|also|naja|mais|pero|i think|i guess) )*"
    r"(?:mine|my (?:answer|sentence|one|version)|yours?|the (?:model|full|other|right) (?:answer|one)|same"
    r"|i (?:only |just |also |didnt |did not |havent |hadnt )*(?:sa(?:y|id)|wr(?:o|i)te|written|forgot|left|miss(?:ed)?"
    r"|put|mention(?:ed)?|named?|explain(?:ed)?|got)"
    r"|ich (?:habe|hab|hatte)|meine?s?|deine?s?|jai|ma reponse|la mienne|mi respuesta|he dicho|dije)\b"
)
_CLAUSE_END = re.compile(r"[,.;:!…–—\n]+|-\s")
_APOSTROPHE = re.compile("['’`´]")


@dataclass(frozen=True, slots=True)
class ComparedCriterion:
    """One thing that the model answer does, for the learner to tick."""

    id: str
    label: str
    statement: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The model answer, the criteria to tick and the misconceptions offered.

    Args:
        criteria: at least one.
        misconceptions: mix-ups that the author expects.
    """

    model_answer: str
    criteria: tuple[ComparedCriterion, ...]
    misconceptions: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether there is one thing to tick, or the first is all of the model answer, as of a passage that is read."""
        return len(self.criteria) == 1 or self.criteria[0].statement == self.model_answer


def remarks(text: str) -> bool:
    """Whether the words speak of one of the two answers that are compared: "I left out the reason"."""
    return _REMARK.match(" ".join(_words(text)).replace(f"{_STOP} ", "")) is not None


def left_out(text: str) -> str:
    """What the words say that their writer left out: "the total" of "partly, I forgot the total"; else empty."""
    said = " ".join(_words(text))
    found = _LEFT_OUT.search(said)
    return said[found.end() :] if found else ""


def build_comparison(draft: QuestionDraft) -> Comparison:
    """The comparison for a question; one without criteria has its whole answer as the one thing to tick."""
    criteria = draft.criteria or (Criterion(WHOLE, draft.correct_answer, 1.0),)
    named = [one.misconception for one in draft.criteria] + [
        one.misconception for one in draft.misconceptions if not one.slip
    ]
    return Comparison(
        draft.correct_answer,
        tuple(
            ComparedCriterion(id_, one.label, one.statement)
            for id_, one in zip(criterion_ids(criteria), criteria, strict=True)
        ),
        tuple(dict.fromkeys(one for one in named if one)),
    )


def compare_response(comparison: Comparison, *, answer_id: str, given: str) -> Compare:
    """The comparison as a learner sees it.

    Args:
        given: the answer as it is stored, a drawing before its words.
    """
    drawing_id, words = split_drawing(given)
    criteria = [
        ComparedCriterionShown(id=one.id, label=one.label, statement=one.statement) for one in comparison.criteria
    ]
    return Compare(
        answer_id=answer_id,
        yours=words,
        drawn=drawing_id is not None,
        model_answer=comparison.model_answer,
        criteria=criteria,
        misconceptions=list(comparison.misconceptions),
    )


def left_to_learner() -> Grade:
    """The grade of an answer that its grader leaves to the learner: a mark of no kind."""
    return ungraded("its learner compares it", remedy=Remedy.COMPARE)


def grade_self_mark(current: Grade | None, comparison: Comparison, mark: SelfMark) -> Grade:
    """The grade after the learner has compared; a grader's mark stays. It has no score.

    Raises BadInput: the verdicts are not one for each criterion, or the misconception is none of those offered.
    """
    if current is not None and current.state in (GradeState.GRADED, GradeState.SELF_MARKED):
        return current
    ids = [one.id for one in comparison.criteria]
    if sorted(mark.verdicts) != sorted(ids):
        raise BadInput(f"verdicts: give one for each of {', '.join(ids)}.", field="verdicts")
    if mark.misconception is not None and mark.misconception not in comparison.misconceptions:
        raise BadInput("misconception: this is none of those that were offered.", field="misconception")
    results = tuple(
        CriterionResult(one.id, one.label, 1 / len(ids), mark.verdicts[one.id], confidence=1.0)
        for one in comparison.criteria
    )
    return replace(
        current or Grade(GradeState.SELF_MARKED),
        state=GradeState.SELF_MARKED,
        results=results,
        misconceptions=(mark.misconception,) if mark.misconception else (),
        remedy=None,
        next_step="",
    )


def whole_verdict(verdicts: Sequence[Mark | None]) -> Mark:
    """The verdict on the whole answer: met or missing only where all are."""
    return verdicts[0] if verdicts and verdicts[0] is not None and len(set(verdicts)) == 1 else "partly"


def parse_self_verdict(text: str, comparison: Comparison) -> SelfMark | None:
    """The learner's verdict, such as "the same", "partly, I think" or "not yet, I had the wrong number": the words that
    the text begins with, or comes to: "I named the wage but not the rest, so partly". "The same" with a doubt in it is
    partly. None where there are others, or where it asks something."""
    words = _words(text)
    if not words or len(words) > MAX_WORDS or "?" in text or "？" in text:
        return None
    found = _verdict(words) or _conclusion(words)
    said = " ".join(words)
    if (found == "met" and _DOUBTS.search(said)) or (found == "missing" and _LEFT_OUT.search(said)):
        found = "partly"  # "not yet, I forgot the reason" leaves the other points open
    return None if found is None else SelfMark({one.id: found for one in comparison.criteria})


def _verdict(words: Sequence[str]) -> Mark | None:
    """The verdict that the words begin with; a comma or a full stop is a word of its own."""
    while filler := longest_phrase(words, "before"):
        if longest_phrase(words, *MARKS) > filler:
            break
        words = _from_word(words[filler:])
    length, mark = max((longest_phrase(words, one), one) for one in MARKS)
    said, rest = " ".join(words[:length]), words[length:]
    if not length or (said in phrases("open") and rest and rest[0] != _STOP and rest[0] not in phrases("after")):
        return None
    behind = " ".join(_from_word(rest)).replace(f" {_STOP}", "")
    if asks_something(f"{behind.removeprefix('but ')}?"):
        return None
    if said in phrases("short") and behind:
        return _verdict(_from_word(rest)) or (mark if is_genuine_attempt(behind, prompt="") else None)
    return mark


def _conclusion(words: Sequence[str]) -> Mark | None:
    """The verdict that is all of the last clause, behind "so"."""
    clause = words[max(at for at, word in enumerate([_STOP, *words]) if word == _STOP) :]
    said = clause[1:] if clause[:1] == ["so"] else []
    is_verdict = longest_phrase(said, *MARKS) == len(said) > 0 and " ".join(said) not in phrases("open")
    return _verdict(said) if is_verdict else None


def longest_phrase(words: Sequence[str], *names: str) -> int:
    """Length, in words, of the longest phrase under these names that the words begin with."""
    known = frozenset[str]().union(*map(phrases, names))
    return next((many for many in range(min(_LONGEST, len(words)), 0, -1) if " ".join(words[:many]) in known), 0)


def _from_word(words: Sequence[str]) -> Sequence[str]:
    return words[1:] if words[:1] == [_STOP] else words


def _words(text: str) -> list[str]:
    clauses = [plain(clause).split() for clause in _CLAUSE_END.split(_APOSTROPHE.sub("", text))]
    return [word for clause in clauses if clause for word in (*clause, _STOP)][:-1]


@cache
def phrases(name: str) -> frozenset[str]:
    """The phrases under a name of the table of typed verdicts, plain."""
    table = tomllib.loads(files("sprout.learning.marking").joinpath("self_verdicts.toml").read_text(encoding="utf-8"))
    phrases = table[name].split() if name == "after" else table[name]
    return frozenset(plain(phrase) for phrase in phrases)
