"""Reader of GIFT, Moodle's plain text format of questions.

Source: the format's description in Moodle's documentation, "GIFT format".
"""

import re
from collections.abc import Iterator
from html import escape

from sprout.documents.formats.plain_text import decode_text
from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.drafts import (
    FULL_SHARE,
    GAP,
    Answer,
    Drafted,
    LeftOut,
    Stem,
    choice_draft,
    number_draft,
    pair_drafts,
    term_draft,
)
from sprout.documents.question_files.markup import BrokenMarkup, as_html
from sprout.learning.questions.question_files import LeftOutReason
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.normalization import tidy

# What a backslash takes its meaning from stands as a private character while the text is taken apart.
_SPECIAL = "\\~=#{}:"
_HELD = {character: chr(0xF8A0 + at) for at, character in enumerate(_SPECIAL)} | {"n": "\uf8af"}
_RELEASED = {ord(held): character for character, held in _HELD.items()} | {0xF8AF: "\n"}
_NONE_HELD = dict.fromkeys(_RELEASED)
_ESCAPE = re.compile(rf"\\([{re.escape(_SPECIAL)}n])")
_TITLE = re.compile(r"\s*::(.*?)::", re.DOTALL)
_FORMAT = re.compile(r"\s*\[(html|markdown|plain|moodle)\]", re.IGNORECASE)
_CATEGORY = re.compile(r"\$CATEGORY:(.*)", re.IGNORECASE)
_FOLDER = re.compile(r"(?<!/)/(?!/)")
_TAG = re.compile(r"\[tag:([^\]]*)\]", re.IGNORECASE)
_BROKEN = "{"  # in place of answers that do not end
_MARK = re.compile(r"([=~])")
_WEIGHT = re.compile(r"\s*%(-?\d+(?:[.,]\d+)?)%")
_TRUTH = {"t": True, "true": True, "f": False, "false": False}
_NUMBER = r"([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d{1,3})?)"
_RANGE = re.compile(rf"\s*{_NUMBER}\s*(?:\.\.\s*{_NUMBER}|:\s*{_NUMBER})?\s*")


def read_gift(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of the file. Raises UnreadableDocument."""
    text = tidy(decode_text(content)).translate(_NONE_HELD)
    for block, labels in _blocks(_ESCAPE.sub(lambda found: _HELD[found[1]], text)):
        stem, answers = _parts(block, labels)
        try:
            yield from _drafts(stem, answers)
        except LeftOut as left_out:
            yield stem.left_out(left_out.reason)
        except BrokenMarkup:
            yield stem.left_out(LeftOutReason.BROKEN)


def _blocks(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The text of each question, and what it is sorted by; empty lines part questions, but not within braces."""
    category, tags = "", list[str]()
    lines, depth, is_parted = list[str](), 0, False
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        if found := _CATEGORY.match(bare):
            category = _FOLDER.split(_release(found[1]).strip())[-1].replace("//", "/")
            continue
        if bare.startswith("//"):
            tags += [_release(tag).strip() for tag in _TAG.findall(bare)]
            continue
        is_parted = is_parted or not bare
        if lines and is_parted and (depth <= 0 or bare.startswith("::")):
            yield "\n".join(lines), tuple(filter(None, (category, *tags)))
            tags, lines, depth = [], [], 0
        if bare:
            lines.append(line)
            depth, is_parted = depth + bare.count("{") - bare.count("}"), False
    if lines:
        yield "\n".join(lines), tuple(filter(None, (category, *tags)))


def _parts(block: str, labels: tuple[str, ...]) -> tuple[Stem, str | None]:
    """The question, and what stands between its braces; None where there is nothing that asks."""
    title = _TITLE.match(block)
    rest = block[title.end() :] if title else block
    before, opening, behind = rest.partition("{")
    answers, closing, after = behind.partition("}")
    kind = _FORMAT.match(before)
    answers, _, notes = answers.partition("####")
    prompt = _html(before + (f" {GAP} {after}" if after.strip() else ""))
    stem = Stem(_release(title[1]).strip() if title else "", prompt, labels, (_html(notes, kind[1] if kind else ""),))
    return stem, _BROKEN if opening and not closing else answers if opening else None


def _drafts(stem: Stem, answers: str | None) -> Iterator[Drafted]:
    """The questions that the braces make. Raises LeftOut, BrokenMarkup."""
    if answers is None:
        raise LeftOut(LeftOutReason.NO_QUESTION)
    if answers == _BROKEN:
        raise LeftOut(LeftOutReason.BROKEN)
    bare = answers.strip()
    truth = _TRUTH.get(bare.partition("#")[0].strip().lower())
    if not bare:
        raise LeftOut(LeftOutReason.NO_ANSWER)
    if bare.startswith("#"):
        yield _number(stem, bare[1:])
    elif truth is not None:
        yield _true_or_false(stem, truth, bare)
    else:
        yield from _by_marks(stem, bare)


def _true_or_false(stem: Stem, truth: bool, bare: str) -> QuestionDraft:
    """A choice of two; what is said to a wrong answer stands first, and to the right one behind it."""
    said = [_html(note) for note in bare.split("#")[1:3]]
    note = said[-1] if said else ""
    return choice_draft(stem, [Answer("True", 100.0 * truth, note), Answer("False", 100.0 * (not truth), note)])


def _by_marks(stem: Stem, bare: str) -> Iterator[Drafted]:
    pieces = _pieces(bare)
    if len(pieces) > 1 and _MARK.match(bare) is None:
        raise LeftOut(LeftOutReason.BROKEN)
    if all(mark == "=" and "->" in piece for mark, piece in pieces):
        pairs = [tuple(_html(side) for side in piece.partition("#")[0].split("->", 1)) for _, piece in pieces]
        asked = [(left, right) for left, right in pairs if left.strip()]
        yield from pair_drafts(stem, asked, [right for left, right in pairs if not left.strip()])
        return
    answers = [_answer(piece, 100.0 if mark == "=" else 0.0) for mark, piece in pieces]
    is_choice = any(mark == "~" for mark, _ in pieces)
    yield choice_draft(stem, answers) if is_choice else term_draft(stem, answers)


def _pieces(bare: str) -> list[tuple[str, str]]:
    """The answers with their marks; one alone needs no mark."""
    before, *marked = _MARK.split(bare)
    alone = [("=", before)] if before.strip() else []
    return [*alone, *zip(marked[::2], marked[1::2], strict=True)]


def _answer(piece: str, share: float) -> Answer:
    weight = _WEIGHT.match(piece)
    text, _, note = (piece[weight.end() :] if weight else piece).partition("#")
    return Answer(_html(text), float(weight[1].replace(",", ".")) if weight else share, _html(note))


def _number(stem: Stem, text: str) -> QuestionDraft:
    """Of several numbers the first that is worth all points."""
    for piece in [piece for mark, piece in _pieces(text) if mark == "="]:
        weight = _WEIGHT.match(piece)
        value, _, note = (piece[weight.end() :] if weight else piece).partition("#")
        if weight and float(weight[1].replace(",", ".")) < FULL_SHARE:
            continue
        found = _RANGE.fullmatch(_release(value))
        if found is None:
            raise LeftOut(LeftOutReason.BROKEN)
        first, last, within = (float(one.replace(",", ".")) if one else None for one in found.groups())
        assert first is not None, "the pattern begins with it"
        if last is None:
            return number_draft(stem, first, within or 0.0, note=_html(note))
        return number_draft(stem, (first + last) / 2, abs(last - first) / 2, note=_html(note))
    raise LeftOut(LeftOutReason.NO_ANSWER)


def _html(text: str, kind: str = "") -> str:
    """A part of the text as HTML, by the format that it names or, failing that, by what it looks like."""
    named = _FORMAT.match(text)
    kind = (named[1] if named else kind).lower()
    said = _release(text[named.end() :] if named else text).strip()
    if kind == "html":
        return said
    return escape(said, quote=False).replace("\n", "<br>") if kind == "plain" else as_html(said)


def _release(text: str) -> str:
    return text.translate(_RELEASED)
