"""Teachers' questions: questions that a person adds, under the rules without which nothing can be marked."""

import math
from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from sprout.errors import BadInput
from sprout.learning.questions.draft_validation import tidy_draft
from sprout.learning.questions.questions import (
    CRITERIA_COUNTS,
    DIFFICULTIES,
    MAX_ACCEPTED,
    MAX_ANSWER,
    MAX_OPTION,
    MAX_PROMPT,
    MAX_SOLUTION,
    MAX_TERM_WORDS,
    Criterion,
    QuestionDraft,
    QuestionFormat,
    parse_number,
    prompt_key,
)
from sprout.learning.text.normalization import folded, occurs_in, one_line, tidy

MAX_OPTIONS = 10
DEFAULT_CRITERION_LABEL = "what a good answer says"
TELLS_ANSWER = "question_tells_answer"
NO_POINTS = "an open question needs the points of a good answer, or correctAnswer"


def build_teachers_question(
    *,
    prompt: str,
    format: QuestionFormat,
    options: Sequence[str] = (),
    correct_answer: str | None = None,
    rubric: JsonValue = None,
    difficulty: int = 1,
) -> QuestionDraft:
    """The question as it can be kept, without what it tests. Raises BadInput, which says what to mend.

    Args:
        rubric: of an open question 2-5 points: texts, or objects with label, statement, weight and partly_if. Where
            there is none, the one point is the correct answer.
    """
    right = tidy(correct_answer or "")
    criteria = _criteria(rubric, right) if format == "open_ended" else ()
    return check_teachers_question(
        QuestionDraft(prompt, format, right, difficulty, (), options=tuple(options), criteria=criteria)
    )


def check_teachers_question(draft: QuestionDraft) -> QuestionDraft:
    """The draft with its text tidied, and its right option as it stands among the options; what it tests stays.

    Raises BadInput: it cannot be marked, or its prompt gives its answer away. The message never has the answer.
    """
    tidied = tidy_draft(draft)
    asked, right, steps = tidied.prompt, tidied.correct_answer, tuple(filter(None, tidied.solution))
    _require(bool(asked) and len(asked) <= MAX_PROMPT, "prompt", f"write a question of 1 to {MAX_PROMPT} characters")
    _require(len(right) <= MAX_ANSWER, "correctAnswer", f"keep it below {MAX_ANSWER} characters")
    _require(draft.difficulty in DIFFICULTIES, "difficulty", "choose 1 to 5")
    _require(sum(map(len, steps)) <= MAX_SOLUTION, "solution", f"keep it below {MAX_SOLUTION} characters")
    if draft.format == "mcq":
        right = _right_option(tidied.options, right)
    else:
        _require(not tidied.options, "options", f"leave them out, or make the format mcq: it is {draft.format}")
    if draft.format == "numeric":
        _check_number(tidied)
    elif draft.format == "open_ended":
        _check_points(tidied)
    names_candidates = draft.format == "mcq" and _names_several(tidied.options, asked)
    if draft.format != "numeric" and not names_candidates and _gives_away(right, asked):
        raise _fault("prompt", "the answer stands in it; put the question in other words", code=TELLS_ANSWER)
    return replace(tidied, correct_answer=right, solution=steps)


def _right_option(options: Sequence[str], right: str) -> str:
    """The option that is right, as it stands among the options."""
    _require(2 <= len(options) <= MAX_OPTIONS, "options", f"give 2 to {MAX_OPTIONS} of them")
    _require(all(options), "options", "one is empty; write it out")
    _require(all(len(one) <= MAX_OPTION for one in options), "options", f"keep each below {MAX_OPTION} characters")
    _require(len({prompt_key(one) for one in options}) == len(options), "options", "two say the same; change one")
    found = next((one for one in options if prompt_key(one) == prompt_key(right)), None)
    if found is None:
        raise _fault("correctAnswer", "it is not one of the options; copy the text of the right one")
    return found


def _check_number(draft: QuestionDraft) -> None:
    found = parse_number(draft.correct_answer, unit=draft.unit)
    _require(found is not None, "correctAnswer", "write the bare number, like 8.33, 1500 or 1/4")
    within = draft.tolerance
    _require(within is None or (math.isfinite(within) and within >= 0), "tolerance", "make it a number of 0 or more")


def _check_points(draft: QuestionDraft) -> None:
    """Raises BadInput: nothing says what a good answer is, or a term is none."""
    _require(bool(draft.criteria), "gradingRubric", NO_POINTS)
    statements = [one.statement for one in draft.criteria]
    _require(all(statements), "gradingRubric", NO_POINTS)
    _require(max(map(len, statements)) <= MAX_ANSWER, "gradingRubric", f"keep each point below {MAX_ANSWER} characters")
    _require(len(draft.accepted) <= MAX_ACCEPTED, "accepted", f"keep the {MAX_ACCEPTED} likeliest terms")
    terms = [one.split() for one in draft.accepted]
    _require(all(0 < len(one) <= MAX_TERM_WORDS for one in terms), "accepted", f"keep each to {MAX_TERM_WORDS} words")


def _criteria(rubric: JsonValue, right: str) -> tuple[Criterion, ...]:
    if rubric is None or rubric in ("", [], {}):
        _require(bool(right), "gradingRubric", NO_POINTS)
        return (Criterion(DEFAULT_CRITERION_LABEL, right, 1.0),)
    if isinstance(rubric, str):
        return (Criterion(DEFAULT_CRITERION_LABEL, tidy(rubric)[:MAX_ANSWER], 1.0),)
    points = rubric.get("criteria") if isinstance(rubric, dict) else rubric
    if not isinstance(points, list) or len(points) not in CRITERIA_COUNTS:
        raise _fault(
            "gradingRubric",
            f"give {CRITERIA_COUNTS[0]} to {CRITERIA_COUNTS[-1]} points, as texts or objects with statement",
        )
    read = [_build_criterion(point, position, 1 / len(points)) for position, point in enumerate(points, start=1)]
    _require(len({prompt_key(one.statement) for one in read}) == len(read), "gradingRubric", "two points say the same")
    total = sum(one.weight for one in read)
    return tuple(Criterion(one.label, one.statement, one.weight / total, one.partly_if) for one in read)


def _build_criterion(point: JsonValue, position: int, share: float) -> Criterion:
    given: JsonValue = {"statement": point} if isinstance(point, str) else point
    statement = tidy(_text(given, "statement"))
    if not statement or len(statement) > MAX_ANSWER:
        raise _fault("gradingRubric", f"point {position} needs a statement of at most {MAX_ANSWER} characters")
    weight = given.get("weight", share) if isinstance(given, dict) else share
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight <= 0:
        raise _fault("gradingRubric", f"the weight of point {position} must be a number above 0")
    label = one_line(_text(given, "label"))[:MAX_OPTION] or f"point {position}"
    return Criterion(label, statement, float(weight), tidy(_text(given, "partly_if"))[:MAX_ANSWER] or None)


def _text(given: JsonValue, name: str) -> str:
    value = given.get(name) if isinstance(given, dict) else None
    return value if isinstance(value, str) else ""


def _gives_away(answer: str, prompt: str) -> bool:
    """Whether the prompt holds the answer's words; a single letter or number stands in prompts by chance."""
    plain = folded(answer).rstrip(".!")
    return len(plain) > 3 and occurs_in(plain, folded(prompt))


def _names_several(options: Sequence[str], prompt: str) -> bool:
    """Whether the prompt names candidates: “this or that”."""
    return sum(_gives_away(option, prompt) for option in options) > 1


def _require(holds: bool, field: str, mend: str) -> None:
    if not holds:
        raise _fault(field, mend)


def _fault(field: str, mend: str, *, code: str | None = None) -> BadInput:
    return BadInput(f"{field}: {mend}.", field=field, code=code)
