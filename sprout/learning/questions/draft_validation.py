"""Validation of a question draft: its text tidied, and every fault with how to mend it."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sprout.errors import InvalidQuestion
from sprout.learning.questions.program_tests import program_test_faults, tidy_test
from sprout.learning.questions.questions import (
    CRITERIA_COUNTS,
    DIFFICULTIES,
    MAX_ACCEPTED,
    MAX_ANCHORS,
    MAX_ANSWER,
    MAX_OPTION,
    MAX_PROMPT,
    MAX_SOLUTION,
    MAX_TERM_WORDS,
    MAX_TESTS,
    OPTION_COUNT,
    TERM_LABEL,
    Criterion,
    QuestionDraft,
    option_key,
    parse_number,
)
from sprout.learning.text.normalization import folded, occurs_in, one_line, tidy

WEIGHT_SUM_SLACK = 0.01
MAX_TOLERANCE = 0.5  # of the value; wider is a percentage written as a plain number

_CATCH_ALLS = frozenset({"all of the above", "none of the above", "all of these", "none of these", "both a and b"})
_LETTERS = re.compile(r"[^\W\d_]{4,}")


def validate_draft(draft: QuestionDraft) -> QuestionDraft:
    """The draft with its text tidied; for mcq, `correct_answer` and misconceptions name options exactly as they are
    written. What its format does not use is dropped. A question with accepted terms and without criteria gets one, for
    answers that name no listed term.

    Raises InvalidQuestion, which names every fault and how to mend it, and never the answer: learners see the message.
    """
    tidied = tidy_draft(draft)
    faults = [*_common_faults(tidied), *_FAULTS_OF[tidied.format](tidied), *_prompt_leaks(tidied)]
    if faults:
        raise InvalidQuestion("This question cannot be asked as it is. " + " ".join(faults))
    if tidied.accepted and not tidied.criteria:
        return replace(tidied, criteria=(Criterion(TERM_LABEL, tidied.correct_answer, 1.0),))
    if tidied.format != "mcq":
        return tidied
    return replace(
        tidied,
        correct_answer=_same_option(tidied.correct_answer, tidied.options) or tidied.correct_answer,
        misconceptions=tuple(
            replace(one, option=_same_option(one.option, tidied.options) or one.option) for one in tidied.misconceptions
        ),
    )


def tidy_draft(draft: QuestionDraft) -> QuestionDraft:
    """The draft with its text tidied; what its format does not use is dropped, but for options."""
    kind = draft.format
    accepted = dict.fromkeys(term for one in draft.accepted if (term := one_line(one))) if kind == "open_ended" else {}
    return QuestionDraft(
        prompt=tidy(draft.prompt),
        format=kind,
        correct_answer=tidy(draft.correct_answer),
        difficulty=draft.difficulty,
        tests=tuple(dict.fromkeys(title for test in draft.tests if (title := one_line(test)))),
        options=tuple(tidy(option) for option in draft.options),
        criteria=tuple(_tidy_criterion(one) for one in draft.criteria) if kind == "open_ended" else (),
        tolerance=draft.tolerance if kind == "numeric" else None,
        unit=(one_line(draft.unit or "") or None) if kind == "numeric" else None,
        misconceptions=tuple(
            replace(
                one,
                option=tidy(one.option),
                misconception=tidy(one.misconception),
                contrast=None if one.slip else tidy(one.contrast or "") or None,
            )
            for one in draft.misconceptions
            if (kind != "open_ended" or accepted) and tidy(one.misconception)
        ),
        anchors=tuple(text for anchor in draft.anchors if (text := tidy(anchor))) if kind == "open_ended" else (),
        program_tests=tuple(tidy_test(test) for test in draft.program_tests) if kind == "open_ended" else (),
        accepted=tuple(accepted),
        solution=tuple(tidy(step) for step in draft.solution),
    )


def _tidy_criterion(criterion: Criterion) -> Criterion:
    partly = tidy(criterion.partly_if or "") or None
    wrong = tidy(criterion.misconception or "") or None
    return Criterion(one_line(criterion.label), tidy(criterion.statement), criterion.weight, partly, wrong)


def _common_faults(draft: QuestionDraft) -> Iterator[str]:
    if not draft.prompt:
        yield "The prompt is empty: write a complete question."
    if len(draft.prompt) > MAX_PROMPT:
        yield f"The prompt has {len(draft.prompt)} characters: keep it below {MAX_PROMPT}."
    if not draft.correct_answer:
        yield "correct_answer is empty: give the right option, the number, or a full answer."
    if len(draft.correct_answer) > MAX_ANSWER:
        yield f"correct_answer has {len(draft.correct_answer)} characters: keep it below {MAX_ANSWER}."
    if draft.difficulty not in DIFFICULTIES:
        yield f"difficulty is {draft.difficulty}: choose 1 (recognise) to 5 (explain, judge or generalise)."
    if not draft.tests:
        yield "tests is empty: name the one or two subconcepts that the question tests, by their titles."
    if len(draft.tests) > MAX_TESTS:
        yield f"tests names {len(draft.tests)} subconcepts: keep the one or two that the answer tells most about."
    if not all(draft.solution):
        yield "A step of the solution is empty: write it out, or leave it out."
    if (length := sum(map(len, draft.solution))) > MAX_SOLUTION:
        yield f"The solution has {length} characters: keep it below {MAX_SOLUTION}."


def _choice_faults(draft: QuestionDraft) -> Iterator[str]:
    if len(draft.options) != OPTION_COUNT:
        yield f"There are {len(draft.options)} options: an mcq has {OPTION_COUNT}, one right and three wrong thoughts."
    if not all(draft.options):
        yield "An option is empty: write it out."
    if any(len(option) > MAX_OPTION for option in draft.options):
        yield f"An option has more than {MAX_OPTION} characters: shorten it."
    for first, second in _repeated(draft.options):
        yield f"Options {first} and {second} say the same: replace one by another wrong thought."
    for option in draft.options:
        if folded(option).strip(".!") in _CATCH_ALLS:
            yield f"The option '{option}' points at the others, whose order is not fixed: write a wrong thought."
    if draft.correct_answer and _same_option(draft.correct_answer, draft.options) is None:
        yield (
            "correct_answer is not one of the options: "
            "copy the text of the right option exactly, without a letter before it."
        )
    yield from _misconception_faults(draft)


def _misconception_faults(draft: QuestionDraft) -> Iterator[str]:
    right = _same_option(draft.correct_answer, draft.options)
    for position, one in enumerate(draft.misconceptions, start=1):
        option = _same_option(one.option, draft.options)
        if option is None:
            yield f"Misconception {position} is for something that is not an option: copy the option exactly."
        elif option == right:
            yield f"Misconception {position} is for the right answer: name only wrong options."


def _open_faults(draft: QuestionDraft) -> Iterator[str]:
    yield from _surplus_options(draft)
    yield from program_test_faults(draft.program_tests)
    yield from _term_faults(draft)
    if draft.criteria or not (draft.program_tests or draft.accepted):
        yield from _criteria_faults(draft)
    if len(draft.anchors) > MAX_ANCHORS:
        yield f"There are {len(draft.anchors)} anchors: keep a full answer and a partial one."
    if any(len(anchor) > MAX_ANSWER for anchor in draft.anchors):
        yield f"An anchor has more than {MAX_ANSWER} characters: shorten it."


def _criteria_faults(draft: QuestionDraft) -> Iterator[str]:
    fewest = 1 if draft.accepted else CRITERIA_COUNTS[0]
    if not fewest <= len(draft.criteria) <= CRITERIA_COUNTS[-1]:
        yield (
            f"There are {len(draft.criteria)} criteria: an open question has 2-5, "
            'such as {"label": "the cause", "statement": "names the loss of light", "weight": 0.5}.'
        )
        return
    if any(not criterion.label or not criterion.statement for criterion in draft.criteria):
        yield "A criterion lacks its label or its statement: write both."
    if any(not 0 < criterion.weight <= 1 for criterion in draft.criteria):
        yield "A criterion's weight is not between 0 and 1: give each a share."
    total = sum(criterion.weight for criterion in draft.criteria)
    if not round(abs(total - 1), 6) <= WEIGHT_SUM_SLACK:  # three times 0.33 is a hair below 0.99
        yield f"The weights sum to {total:g}: make them sum to 1."
    for first, second in _repeated([criterion.statement for criterion in draft.criteria]):
        yield f"Criteria {first} and {second} ask for the same: make them independent."


def _term_faults(draft: QuestionDraft) -> Iterator[str]:
    if not draft.accepted:
        return
    if draft.program_tests:
        yield "There are accepted terms and program tests: an answer is either a term or a program, so leave one out."
    if len(draft.accepted) > MAX_ACCEPTED:
        yield f"There are {len(draft.accepted)} accepted terms: keep the {MAX_ACCEPTED} likeliest."
    for position, term in enumerate(draft.accepted, start=1):
        if len(term.split()) > MAX_TERM_WORDS:
            yield f"Accepted term {position} has more than {MAX_TERM_WORDS} words: only short ones can be compared."
    right = {folded(term) for term in draft.accepted}
    for position, one in enumerate(draft.misconceptions, start=1):
        if not one.option or len(one.option.split()) > MAX_TERM_WORDS:
            yield f"Misconception {position} is not for a wrong term of 1-{MAX_TERM_WORDS} words: write the term."
        elif folded(one.option) in right:
            yield f"Misconception {position} is for an accepted term: name only wrong ones."


def _numeric_faults(draft: QuestionDraft) -> Iterator[str]:
    yield from _surplus_options(draft)
    value = parse_number(draft.correct_answer, unit=draft.unit)
    if value is None and draft.correct_answer:
        yield (
            "correct_answer is not a number: write it like 8.33, 1500 or 1/4, "
            "with the unit in unit and no thousands separator."
        )
    if draft.tolerance is None:
        return
    if not (math.isfinite(draft.tolerance) and draft.tolerance >= 0):
        yield "tolerance is not a number of 0 or more: give how far off still counts."
    elif value and draft.tolerance > abs(value) * MAX_TOLERANCE:
        yield (
            "tolerance is more than half of the answer: "
            "it is in the unit of the answer, so where 1 % off still counts, 8.33 has 0.08."
        )


def _surplus_options(draft: QuestionDraft) -> Iterator[str]:
    if draft.options:
        yield f"There are options, but the format is {draft.format}: leave them out, or make it an mcq."


_FAULTS_OF = {"mcq": _choice_faults, "open_ended": _open_faults, "numeric": _numeric_faults}


def _prompt_leaks(draft: QuestionDraft) -> Iterator[str]:
    """Sentences for the model on each way in which the prompt gives its own answer away."""
    prompt = folded(draft.prompt)
    if _gives_away(folded(draft.correct_answer), prompt):
        offered = [option for option in draft.options if _gives_away(folded(option), prompt)]
        if draft.format != "mcq" or len(offered) < 2:  # two: the prompt names the candidates, "… or …?"
            yield "The prompt gives its own answer away: rephrase it so that the answer's words do not stand in it."
    for position, criterion in enumerate(draft.criteria, start=1):
        if _gives_away(folded(criterion.statement), prompt):
            yield f"The prompt says what criterion {position} asks for: rephrase it so that the learner has to say it."
    if any(_gives_away(folded(anchor), prompt) for anchor in draft.anchors):
        yield "The prompt holds one of its anchors: rephrase it so that the learner has to say it."


def _gives_away(answer: str, prompt: str) -> bool:
    """Whether the prompt holds the answer; both folded. Numbers and signs stand in prompts by chance, so for them only
    where the prompt announces them as the answer."""
    if not answer:
        return False
    if re.search(rf"\banswer(?:\s+is|:)\s+{re.escape(answer)}(?!\w)", prompt):
        return True
    words = _LETTERS.findall(answer)
    if not words:
        unspaced = any(unicodedata.category(character) == "Lo" for character in answer)
        return unspaced and len(answer) > 1 and answer in prompt
    return occurs_in(answer.rstrip(".!"), prompt)


def _same_option(text: str, options: Sequence[str]) -> str | None:
    """The option that the text names: as it stands or, failing that, but for capitals and spaces."""
    if text in options:
        return text
    return next((option for option in options if option_key(option) == option_key(text)), None)


def _repeated(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Positions from 1 of texts that repeat an earlier one."""
    first_at: dict[str, int] = {}
    for position, text in enumerate(texts, start=1):
        if not text:
            continue
        earlier = first_at.setdefault(option_key(text), position)
        if earlier != position:
            yield earlier, position
