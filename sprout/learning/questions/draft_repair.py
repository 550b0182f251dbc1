"""Repair of question drafts: what was meant is clear, and nothing that a learner meets is invented.

What stays wrong after this (no right option, too few criteria, a prompt that tells its answer) is refused by
`validate_draft`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sprout.learning.questions.questions import (
    CRITERIA_COUNTS,
    MAX_ANCHORS,
    MAX_TESTS,
    OPTION_COUNT,
    Criterion,
    Misconception,
    QuestionDraft,
    QuestionFormat,
    parse_number,
)
from sprout.learning.text.normalization import folded, one_line, tidy

MOST_CRITERIA = CRITERIA_COUNTS[-1]

_LABEL = re.compile(r"^\(?([A-Ha-h]|[1-8])[).:]\s+(?=\S)")
_LABEL_ALONE = re.compile(r"(?:option|answer|choice)?\s*\(?([A-Da-d])[).:]?", re.IGNORECASE)
_NUMBER_AND_UNIT = re.compile(
    r"(?:≈|~|=|about|approximately|ca\.)?\s*([-+\u2212]?[\d.,/]+(?:[eE][-+]?\d+)?)\s*(\D.{0,20})?"
)


def mend_draft(draft: QuestionDraft) -> tuple[QuestionDraft, tuple[str, ...]]:
    """The draft as it was meant, and what was mended, in a sentence each that says no secret."""
    notes: list[str] = []
    draft = _with_plain_options(draft, notes)
    draft = _with_fitting_format(draft, notes)
    if draft.format == "mcq":
        draft = _mend_choice(draft, notes)
    elif draft.format == "numeric":
        draft = _mend_number(draft, notes)
    else:
        draft = _mend_open(draft, notes)
    if len(draft.tests) > MAX_TESTS:
        notes.append(f"tests: the first {MAX_TESTS} are enough")
        draft = replace(draft, tests=draft.tests[:MAX_TESTS])
    return replace(draft, solution=tuple(step for step in draft.solution if tidy(step))), tuple(notes)


def _with_plain_options(draft: QuestionDraft, notes: list[str]) -> QuestionDraft:
    """Options without the letters before them, each once; their letters in other fields are resolved."""
    options = [tidy(option) for option in draft.options if tidy(option)]
    if len(options) == 1 and options[0].count(",") == OPTION_COUNT - 1:
        options = [part.strip() for part in options[0].split(",")]
    labels = [_LABEL.match(option) for option in options]
    letters = [label[1].lower() for label in labels if label]
    labelled = len(options) > 1 and len(letters) == len(options) and _in_a_row(letters)
    if labelled:
        notes.append("options: their letters were taken off")
        options = [_LABEL.sub("", option) for option in options]
    kept = list({_loose(option): option for option in reversed(options)}.values())[::-1]
    if len(kept) < len(options):
        notes.append("options: one that stood twice was left out")

    def named(text: str) -> str:
        return _find_option(text, options, letters if labelled else []) or text

    return replace(
        draft,
        options=tuple(kept),
        correct_answer=named(draft.correct_answer) if kept else draft.correct_answer,
        misconceptions=tuple(replace(one, option=named(one.option)) for one in draft.misconceptions),
    )


def _with_fitting_format(draft: QuestionDraft, notes: list[str]) -> QuestionDraft:
    """The draft with the format that its parts make, where they do not make the one that it names."""
    parts: dict[QuestionFormat, bool] = {
        "mcq": len(draft.options) >= OPTION_COUNT and draft.correct_answer in draft.options,
        "numeric": parse_number(draft.correct_answer, unit=draft.unit) is not None,
        "open_ended": len(draft.criteria) in CRITERIA_COUNTS or bool(draft.accepted or draft.program_tests),
    }
    fitting = draft.format
    if not parts[fitting] and not (fitting == "mcq" and draft.options):
        fitting = next((one for one in ("mcq", "open_ended", "numeric") if parts[one]), fitting)
    if fitting == "numeric" != draft.format and not draft.correct_answer.strip():
        fitting = draft.format
    if fitting != draft.format:
        notes.append(f"format: taken as {fitting}, which is what its fields make")
    if fitting != "mcq" and draft.options:
        notes.append(f"options: left out, as a question of the format {fitting} has none")
        draft = replace(draft, options=())
    return replace(draft, format=fitting)


def _mend_choice(draft: QuestionDraft, notes: list[str]) -> QuestionDraft:
    options, right = list(draft.options), draft.correct_answer
    if len(options) == OPTION_COUNT - 1 and right not in options and not _LABEL_ALONE.fullmatch(right.strip()):
        options.insert(len(right) % OPTION_COUNT, tidy(right))
        notes.append("options: the right one was missing and was put among them")
    if len(options) > OPTION_COUNT and right in options:
        wrong = [option for option in options if option != right][: OPTION_COUNT - 1]
        options = [option for option in options if option == right or option in wrong]
        notes.append(f"options: {OPTION_COUNT} are enough")
    kept = [one for one in draft.misconceptions if one.option in options and one.option != right]
    if len(kept) < len(draft.misconceptions):
        notes.append("misconceptions: those that are not of a wrong option were left out")
    return replace(draft, options=tuple(options), misconceptions=_each_once(kept))


def _mend_number(draft: QuestionDraft, notes: list[str]) -> QuestionDraft:
    answer, unit = draft.correct_answer, draft.unit
    found = _NUMBER_AND_UNIT.fullmatch(answer.strip())
    if parse_number(answer, unit=unit) is None and found is not None and parse_number(found[1]) is not None:
        notes.append("correct_answer: the bare number was taken")
        answer, unit = found[1], unit or (found[2] or "").strip() or None
    tolerance = None if draft.tolerance is None else abs(draft.tolerance)
    read = [(_bare_number(one.option), one) for one in draft.misconceptions]
    right = parse_number(answer, unit=unit)
    kept = [replace(one, option=text) for text, one in read if text and parse_number(text) not in (None, right)]
    if len(kept) < len(draft.misconceptions):
        notes.append("misconceptions: those that are not of a wrong number were left out")
    return replace(draft, correct_answer=answer, unit=unit, tolerance=tolerance, misconceptions=_each_once(kept))


def _mend_open(draft: QuestionDraft, notes: list[str]) -> QuestionDraft:
    criteria = list({_loose(one.statement): one for one in reversed(draft.criteria) if one.statement.strip()}.values())
    criteria.reverse()
    if len(criteria) > MOST_CRITERIA:
        notes.append(f"criteria: the first {MOST_CRITERIA} are enough")
        criteria = criteria[:MOST_CRITERIA]
    if len(draft.anchors) > MAX_ANCHORS:
        notes.append(f"anchors: {MAX_ANCHORS} are enough")
    return replace(draft, criteria=tuple(_with_shares(criteria, notes)), anchors=draft.anchors[:MAX_ANCHORS])


def _with_shares(criteria: Sequence[Criterion], notes: list[str]) -> list[Criterion]:
    """The criteria with weights that sum to 1: in proportion, or equal where one has none."""
    weights = [one.weight for one in criteria]
    total = sum(weights)
    if not criteria or (min(weights) > 0 and round(abs(total - 1), 6) <= 0.01):
        shares = weights
    else:
        notes.append("criteria: the weights were brought to a sum of 1")
        shares = [weight / total for weight in weights] if min(weights) > 0 else [1 / len(criteria)] * len(criteria)
    return [
        replace(one, weight=share, label=one.label.strip() or f"Point {position}")
        for position, (one, share) in enumerate(zip(criteria, shares, strict=True), start=1)
    ]


def _find_option(text: str, options: Sequence[str], letters: Sequence[str]) -> str | None:
    """The one option that a text names: by its words, by its letter, or because it is the only one in the text."""
    if text in options:
        return text
    by_words = {_loose(option): option for option in options}
    if _loose(text) in by_words:
        return by_words[_loose(text)]
    bare = _LABEL.sub("", text.strip())
    if _loose(bare) in by_words:
        return by_words[_loose(bare)]
    alone = _LABEL_ALONE.fullmatch(text.strip())
    letter = alone[1].lower() if alone else text.strip().strip(").(").lower()
    names = list(letters) or ["a", "b", "c", "d"]
    if (alone or letters) and letter in names[: len(options)]:
        return options[names.index(letter)]
    inside = [option for option in options if len(_loose(option)) > 2 and _loose(option) in _loose(text)]
    return inside[0] if len(inside) == 1 else None


def _bare_number(text: str) -> str | None:
    """The number in a text that holds nothing else but its unit."""
    found = _NUMBER_AND_UNIT.fullmatch(text.strip())
    return None if found is None else found[1]


def _each_once(misconceptions: Sequence[Misconception]) -> tuple[Misconception, ...]:
    return tuple({one.option: one for one in reversed(misconceptions)}.values())[::-1]


def _loose(text: str) -> str:
    """Key by which a text names an option: quotes and a full stop around it do not count, nor do capitals in words."""
    bare = one_line(text).strip("\"'“”„‘’`").rstrip(".").strip()
    return folded(bare) if re.search(r"[^\W\d_]{4,}", bare) else bare


def _in_a_row(labels: Sequence[str]) -> bool:
    return [ord(label) - ord(labels[0]) for label in labels] == list(range(len(labels)))
