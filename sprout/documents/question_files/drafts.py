"""Drafts of questions from the parts that files have: options with shares, terms, numbers, model answers, pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sprout.documents.question_files.markup import BrokenMarkup, to_markdown, to_plain
from sprout.learning.questions.question_files import LeftOutQuestion, LeftOutReason, name_of
from sprout.learning.questions.questions import (
    MAX_ACCEPTED,
    MAX_TERM_WORDS,
    TERM_LABEL,
    Criterion,
    QuestionDraft,
    QuestionFormat,
)
from sprout.learning.questions.teachers_questions import DEFAULT_CRITERION_LABEL, MAX_OPTIONS

FULL_SHARE = 99.0  # of the points; files write a whole as 100 or 99.99999
GAP = "_____"
WILDCARD = "*"

Drafted = QuestionDraft | LeftOutQuestion


class LeftOut(Exception):
    """A question that cannot be taken over."""

    def __init__(self, reason: LeftOutReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Stem:
    """All of a question but what its kind needs.

    Args:
        title: what the file calls it; may be empty.
        prompt: HTML.
        labels: what the file sorts it by.
        notes: HTML of explanations for everybody who has answered.
    """

    title: str
    prompt: str
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name under which the learner sees it."""
        return name_of(self.title or _plain_or_nothing(self.prompt))

    def left_out(self, reason: LeftOutReason) -> LeftOutQuestion:
        """The question, left out."""
        return LeftOutQuestion(self.name, reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that the file foresees: HTML, with its share of the points in percent and what is said to it."""

    html: str
    share: float
    note: str = ""


def choice_draft(stem: Stem, answers: Sequence[Answer]) -> QuestionDraft:
    """A choice with one right option. Raises LeftOut, BrokenMarkup."""
    right = [answer for answer in answers if answer.share >= FULL_SHARE]
    if not right:
        some = sum(answer.share > 0 for answer in answers)
        raise LeftOut(LeftOutReason.SEVERAL_RIGHT if some > 1 else LeftOutReason.NO_ANSWER)
    if len(right) > 1:
        raise LeftOut(LeftOutReason.SEVERAL_RIGHT)
    options = tuple(required_text(answer.html) for answer in answers)
    return _draft(stem, "mcq", options[answers.index(right[0])], notes=[right[0].note], options=options)


def term_draft(stem: Stem, answers: Sequence[Answer]) -> QuestionDraft:
    """A short answer that is one of some terms, or one in words where they are too long to be compared.

    Raises LeftOut, BrokenMarkup.
    """
    right = [(text, one) for one in answers if one.share >= FULL_SHARE and (text := required_text(one.html))]
    if not right:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    whole = [text for text, _ in right if WILDCARD not in text]
    if not whole:
        raise LeftOut(LeftOutReason.KIND)
    terms = tuple(text for text in whole if len(text.split()) <= MAX_TERM_WORDS)[:MAX_ACCEPTED]
    answer = terms[0] if terms else whole[0]
    label = TERM_LABEL if terms else DEFAULT_CRITERION_LABEL
    point = Criterion(label, answer, 1.0)
    return _draft(stem, "open_ended", answer, notes=[right[0][1].note], criteria=(point,), accepted=terms)


def number_draft(
    stem: Stem, value: float, tolerance: float, *, note: str = "", unit: str | None = None
) -> QuestionDraft:
    """A number, with how far off still counts. Raises LeftOut, BrokenMarkup."""
    return _draft(stem, "numeric", f"{value:.12g}", notes=[note], tolerance=tolerance or None, unit=unit)


def words_draft(stem: Stem, points: Sequence[str], *, answer: str = "") -> QuestionDraft:
    """An answer in words, marked by the points that a good one makes. Raises LeftOut, BrokenMarkup.

    Args:
        points, answer: HTML; without a model answer the points are it.
    """
    said = [text for point in points if (text := to_markdown(point).text)]
    model = to_markdown(answer).text or "\n\n".join(said)
    said = said or [model]
    if not model:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    labels = [f"point {at}" for at, _ in enumerate(said, start=1)] if len(said) > 1 else [DEFAULT_CRITERION_LABEL]
    criteria = tuple(Criterion(label, text, 1 / len(said)) for label, text in zip(labels, said, strict=True))
    return _draft(stem, "open_ended", model, notes=[], criteria=criteria)


def pair_drafts(stem: Stem, pairs: Sequence[tuple[str, str]], others: Sequence[str] = ()) -> Iterator[QuestionDraft]:
    """A choice for each pair of a matching question, among what the others are matched with.

    Raises LeftOut, BrokenMarkup.

    Args:
        pairs: HTML of what is asked for and of what fits it.
        others: HTML of what fits nothing.
    """
    options = list(dict.fromkeys(required_text(html) for html in [*(right for _, right in pairs), *others]))
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise LeftOut(LeftOutReason.OPTIONS)
    for asked, right in pairs:
        whole = Stem(stem.title, f"{stem.prompt}<p>{asked}</p>", stem.labels, stem.notes)
        yield _draft(whole, "mcq", required_text(right), notes=[], options=tuple(options))


def required_text(html: str) -> str:
    """The plain text of an answer. Raises LeftOut where it needs a picture, BrokenMarkup."""
    found = to_plain(html)
    if found.has_media:
        raise LeftOut(LeftOutReason.MEDIA)
    return found.text


def _draft(
    stem: Stem,
    format: QuestionFormat,
    right: str,
    *,
    notes: Sequence[str],
    options: tuple[str, ...] = (),
    criteria: tuple[Criterion, ...] = (),
    accepted: tuple[str, ...] = (),
    tolerance: float | None = None,
    unit: str | None = None,
) -> QuestionDraft:
    prompt = to_markdown(stem.prompt)
    if prompt.has_media:
        raise LeftOut(LeftOutReason.MEDIA)
    said = dict.fromkeys(to_markdown(note).text for note in (*stem.notes, *notes))
    return QuestionDraft(
        prompt=prompt.text,
        format=format,
        correct_answer=right,
        difficulty=1,
        tests=stem.labels,
        options=options,
        criteria=criteria,
        accepted=accepted,
        tolerance=tolerance,
        unit=unit,
        solution=tuple(note for note in said if note and note != right),
    )


def _plain_or_nothing(html: str) -> str:
    try:
        return to_plain(html).text
    except BrokenMarkup:
        return ""
