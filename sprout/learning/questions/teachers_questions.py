"""Teachers' questions: questions that a person adds, under the rules without which nothing can be marked."""

from collections.abc import Sequence

from pydantic import JsonValue

from sprout.errors import BadInput
from sprout.learning.questions.questions import (
    CRITERIA_COUNTS,
    MAX_ANSWER,
    MAX_OPTION,
    MAX_PROMPT,
    Criterion,
    QuestionDraft,
    QuestionFormat,
    parse_number,
    prompt_key,
)
from sprout.learning.text.normalization import folded, occurs_in, one_line, tidy

MAX_OPTIONS = 10
DEFAULT_CRITERION_LABEL = "what a good answer says"


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
    asked, right = tidy(prompt), tidy(correct_answer or "")
    _require(bool(asked) and len(asked) <= MAX_PROMPT, "prompt", f"write a question of 1 to {MAX_PROMPT} characters")
    _require(len(right) <= MAX_ANSWER, "correctAnswer", f"keep it below {MAX_ANSWER} characters")
    offered = tuple(tidy(option) for option in options)
    if format == "mcq":
        right = _right_option(offered, right)
    else:
        _require(not offered, "options", f"leave them out, or make the format mcq: it is {format}")
    if format == "numeric":
        _require(parse_number(right) is not None, "correctAnswer", "write the bare number, like 8.33, 1500 or 1/4")
    criteria = _criteria(rubric, right) if format == "open_ended" else ()
    if format != "numeric" and not (format == "mcq" and _names_several(offered, asked)):
        _require(not _gives_away(right, asked), "prompt", "the answer stands in it; put the question in other words")
    return QuestionDraft(asked, format, right, difficulty, (), options=offered, criteria=criteria)


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


def _criteria(rubric: JsonValue, right: str) -> tuple[Criterion, ...]:
    if rubric is None or rubric in ("", [], {}):
        _require(bool(right), "gradingRubric", "an open question needs the points of a good answer, or correctAnswer")
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


def _fault(field: str, mend: str) -> BadInput:
    return BadInput(f"{field}: {mend}.", field=field)
