"""Questions as agents and authors write them, and the comparison of their prompts, options and numbers."""

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from sprout.learning.questions.program_tests import ProgramTest
from sprout.learning.text.normalization import one_line

QuestionFormat = Literal["mcq", "open_ended", "numeric"]
AnswerForm = Literal["choice", "number", "term", "words"]  # what a learner is to write or choose

SOLVABLE_FORMATS: frozenset[QuestionFormat] = frozenset({"mcq", "numeric"})  # one right answer, to be found again

OPTION_COUNT = 4
CRITERIA_COUNTS = range(2, 6)
MAX_ANCHORS = 2
DIFFICULTIES = range(1, 6)
MAX_PROMPT = 2_000
MAX_ANSWER = 2_000
MAX_SOLUTION = 4_000
MAX_OPTION = 400
MAX_TESTS = 5
MAX_ACCEPTED = 20
MAX_TERM_WORDS = 5
TERM_LABEL = "the right term"

_WORDS = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_FRACTION = re.compile(r"([-+]?\d+)\s*/\s*(\d+)")
_LIFTED = re.compile("[⁰¹²³⁴-⁹]")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that a good answer does. `label` is safe to show; everything else is secret.

    Args:
        misconception: what a learner believes who says the contrary.
    """

    label: str
    statement: str
    weight: float
    partly_if: str | None = None
    misconception: str | None = None


@dataclass(frozen=True, slots=True)
class Misconception:
    """The belief that leads to an option or, for a number or a term, to that wrong one.

    Args:
        contrast: a case in which the belief and the right idea predict different things.
        slip: whether it is a slip of the pen or a misreading, and no belief.
    """

    option: str
    misconception: str
    contrast: str | None = None
    slip: bool = False


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question as an agent writes it.

    Args:
        options: four for mcq, none otherwise; their ids are assigned when the question is stored.
        correct_answer: for mcq the text of the right option, for numeric the number, for open_ended a full answer in
            a learner's words.
        criteria: for open_ended, 2-5 with weights that sum to 1; none are needed with `program_tests` or `accepted`.
        tolerance: for numeric, how far off still counts, in the unit of the answer; None is exact.
        tests: titles of the subconcepts that the question is about.
        anchors: for open_ended, up to two answers in a learner's words: a full one and a partial one. Where there are
            none, `correct_answer` is the full one.
        program_tests: for open_ended, the runs that mark an answer which is a program.
        accepted: for open_ended, terms of up to five words each of which is right: a name, a date, their synonyms.
        solution: why the right answer holds, step by step; the learner sees it once the question is settled.
    """

    prompt: str
    format: QuestionFormat
    correct_answer: str
    difficulty: int
    tests: tuple[str, ...]
    options: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    tolerance: float | None = None
    unit: str | None = None
    misconceptions: tuple[Misconception, ...] = ()
    anchors: tuple[str, ...] = ()
    program_tests: tuple[ProgramTest, ...] = ()
    accepted: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()

    @property
    def is_marked_by_code(self) -> bool:
        """Whether code marks every answer to it; of short terms it knows only those that are listed."""
        return self.format in SOLVABLE_FORMATS or bool(self.program_tests)

    @property
    def form(self) -> AnswerForm:
        """The form of the answer that it asks for; it tells nothing of its key."""
        if self.format == "mcq":
            return "choice"
        return "number" if self.format == "numeric" else "term" if self.accepted else "words"


def prompt_key(prompt: str) -> str:
    """Key by which prompts count as the same within one diagnostic."""
    return option_key(prompt)


def option_key(text: str) -> str:
    """Text for comparing answers: spaces never count; capitals do where they carry meaning (mW, MW; Na, NA), which is
    where there is no word of four letters; compatibility forms do too (x² is not x2)."""
    plain = one_line(text)
    return plain.casefold() if _WORDS.search(plain) else plain


def parse_number(text: str, *, unit: str | None = None) -> float | None:
    """The number that the text says, its unit taken off; None where it says none, or none that is beyond doubt.

    Reads 8.33, 8,33, 1/4, 1e3 and −2. Not 1,500, which is one and a half in one country and more in another, and not
    10³, whose exponent would become a digit.
    """
    if _LIFTED.search(text):
        return None
    bare = unicodedata.normalize("NFKC", text.replace("\u2212", "-")).strip()
    if unit and bare.endswith(unicodedata.normalize("NFKC", unit)):
        bare = bare.removesuffix(unicodedata.normalize("NFKC", unit)).strip()
    fraction = _FRACTION.fullmatch(bare)
    if fraction:
        return _quotient(fraction[1], fraction[2])
    if _THOUSANDS.fullmatch(bare) or not _NUMBER.fullmatch(bare):
        return None
    value = float(bare.replace(",", "."))
    return value if math.isfinite(value) else None


def _quotient(numerator: str, denominator: str) -> float | None:
    try:
        return int(numerator) / int(denominator)
    except (ZeroDivisionError, OverflowError, ValueError):  # ValueError: thousands of digits
        return None
