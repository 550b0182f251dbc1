"""Notes of Anki as questions: each card of a note is one; a cloze deletion is a gap, and the back a model answer."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sprout.documents.anki.note_fields import NOTE_FIELDS
from sprout.documents.question_files.anki_cloze import cloze_numbers, with_gap
from sprout.documents.question_files.anki_own_notes import own_choice, own_stem
from sprout.documents.question_files.drafts import (
    WILDCARD,
    Answer,
    Drafted,
    LeftOut,
    Stem,
    required_text,
    term_draft,
    words_draft,
)
from sprout.documents.question_files.markup import BrokenMarkup
from sprout.learning.questions.question_files import LeftOutReason
from sprout.learning.questions.questions import CRITERIA_COUNTS, MAX_TERM_WORDS, QuestionDraft

MAX_GAPS = 50
MAX_NOTE_CHARACTERS = 100_000
_TAG = re.compile(r"\{\{([#^/]?)\s*([^{}]{0,200}?)\s*\}\}")
_NOT_SHOWN_IN_FRONT = re.compile(r"(?:type|hint|tts[^:]*)\s*:", re.IGNORECASE)
_MEDIA_TAG = re.compile(r"\[(?:sound|anki):[^\]]{0,1000}\]")
_PICTURE_PART = "image-occlusion:"
_TEX = (("[$$]", "\\["), ("[/$$]", "\\]"), ("[$]", "\\("), ("[/$]", "\\)"), ("[latex]", ""), ("[/latex]", ""))


@dataclass(frozen=True, slots=True)
class CardTemplate:
    """The two sides of a card: HTML with names of fields in double braces."""

    front: str
    back: str


@dataclass(frozen=True, slots=True)
class NoteType:
    """The fields of some notes, and the cards that are made of them."""

    fields: tuple[str, ...]
    templates: tuple[CardTemplate, ...]


@dataclass(frozen=True, slots=True)
class AnkiNote:
    """A note: HTML for each of its fields, and what it is sorted by: its deck and its tags."""

    fields: tuple[str, ...]
    labels: tuple[str, ...] = ()


BASIC = NoteType(("Front", "Back"), (CardTemplate("{{Front}}", "{{Back}}"),))


def note_drafts(note: AnkiNote, kind: NoteType) -> Iterator[Drafted]:
    """The questions of the note's cards, or why they are left out; a card with an empty front is none."""
    if sum(map(len, note.fields)) > MAX_NOTE_CHARACTERS:
        yield Stem("", note.fields[0][:MAX_NOTE_CHARACTERS]).left_out(LeftOutReason.PROMPT)
        return
    values = {name: _prepared(text) for name, text in zip(kind.fields, note.fields, strict=False)}
    if kind.fields == NOTE_FIELDS and len(note.fields) == len(NOTE_FIELDS):
        yield _own_drafted(values, note.labels)
        return
    is_any = False
    for template in kind.templates:
        front, shown = _render(template.front, values, is_front=True)
        if any(values.get(name, "").strip() for name in shown):
            is_any = True
            back, _ = _render(template.back, {name: "" if name in shown else text for name, text in values.items()})
            yield from _card_drafts(front, back, note.labels)
    if not is_any:
        reason = LeftOutReason.MEDIA if any(map(_MEDIA_TAG.search, note.fields)) else LeftOutReason.PROMPT
        yield Stem("", " ".join(values.values())).left_out(reason)


def sort_labels(deck: str, tags: Sequence[str]) -> tuple[str, ...]:
    """Sort keys of a note: the last level of its deck and of each tag, in words."""
    names = (deck.rpartition("::")[2], *(tag.rpartition("::")[2].replace("_", " ") for tag in tags))
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _card_drafts(front: str, back: str, labels: tuple[str, ...]) -> Iterator[Drafted]:
    numbers = cloze_numbers(front)
    if len(numbers) > MAX_GAPS:
        yield Stem("", front).left_out(LeftOutReason.KIND)
        return
    for number in numbers:
        prompt, hidden = with_gap(front, number)
        yield _drafted(Stem("", prompt, labels, (back,)), hidden)
    if not numbers:
        yield _drafted(Stem("", front, labels), [back])


def _drafted(stem: Stem, answers: Sequence[str]) -> Drafted:
    return _kept(stem, lambda: _draft(stem, answers))


def _own_drafted(values: Mapping[str, str], labels: tuple[str, ...]) -> Drafted:
    stem = own_stem(values, labels)
    return _kept(stem, lambda: own_choice(stem, values) or _draft(stem, [values["Answer"]]))


def _kept(stem: Stem, make: Callable[[], QuestionDraft]) -> Drafted:
    """The draft, or why the question is left out."""
    try:
        return make()
    except LeftOut as left_out:
        return stem.left_out(left_out.reason)
    except BrokenMarkup:
        return stem.left_out(LeftOutReason.BROKEN)


def _draft(stem: Stem, answers: Sequence[str]) -> QuestionDraft:
    """A short answer as a term, a long one in words; of several gaps each is a point. Raises LeftOut, BrokenMarkup."""
    if any(_PICTURE_PART in answer for answer in answers):
        raise LeftOut(LeftOutReason.MEDIA)
    said = [required_text(answer) for answer in answers]
    if len(set(said)) == 1 and WILDCARD not in said[0] and len(said[0].split()) <= MAX_TERM_WORDS:
        return term_draft(stem, [Answer(answers[0], 100.0)])
    points = list(dict.fromkeys(answers))
    if len(points) > CRITERIA_COUNTS[-1]:
        raise LeftOut(LeftOutReason.KIND)
    return words_draft(stem, points)


def _prepared(html: str) -> str:
    """The field without sounds, and with old formulas as new ones."""
    text = _MEDIA_TAG.sub("", html)
    for old, new in _TEX:
        text = text.replace(old, new)
    return text


def _render(template: str, values: Mapping[str, str], *, is_front: bool = False) -> tuple[str, set[str]]:
    """The template with its fields filled in, and their names; what is unknown or hidden is left out."""
    parts, shown, open_sections, at = list[str](), set[str](), list[bool](), 0
    for tag in _TAG.finditer(template):
        parts += [template[at : tag.start()]] if all(open_sections) else []
        at, (sign, name) = tag.end(), (tag[1], tag[2])
        if sign == "/":
            del open_sections[-1:]
        elif sign:
            open_sections.append(bool(values.get(name, "").strip()) == (sign == "#"))
        elif all(open_sections) and not (is_front and _NOT_SHOWN_IN_FRONT.match(name)):
            field = name.rpartition(":")[2].strip()
            parts.append(values.get(field, ""))
            shown.add(field)
    return "".join([*parts, template[at:] if all(open_sections) else ""]), shown
