"""What a turn of a lesson means: the learner's words, the open question, what is owed next, and how a reply reads."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sprout.events import AnswerType
from sprout.learning.lessons.help import HelpLevel, Ladder, NextStep, is_genuine
from sprout.learning.lessons.talk import MessageKind
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.keyed_answers import Option, chosen_option
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.text.words import tidy

MOST_CHUNKS = 10
LABELS = "ABCDEFGH"
DRAWN = "[Drawing image attached]"

_ANSWER = "[ANSWER]"
_CLARIFICATION = "[CLARIFICATION]"
_MODE = re.compile(r"\s*mode\s*:\s*(text|code|draw|drawing|mcq)\s*(?:\n|\Z)", re.IGNORECASE)
_PREFIX = r"(?:[\s>#*+\-•]|\d+[.)])*(?:\*\*|__)?\s*"
# What clients take for the marker of a question or of its type, wherever it begins a line (contract §1.9).
_MARKER = re.compile(rf"^({_PREFIX})(?=(?:new |checkpoint )?question\b|mode\s*[:\-–—])", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(r"\(?([A-Ha-h])[).:]?")
_LABELLED = re.compile(r"\(?[A-Ha-h][).:]\s+")


class TurnKind(StrEnum):
    OPENING = "opening"
    ANSWER = "answer"
    CLARIFICATION = "clarification"
    MESSAGE = "message"


KEPT_AS: dict[TurnKind, MessageKind] = {
    TurnKind.OPENING: "learning",
    TurnKind.ANSWER: "evaluation",
    TurnKind.CLARIFICATION: "hint_request",
    TurnKind.MESSAGE: "learning",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a learner sent in one turn; `text` is without the tags that say what it is."""

    kind: TurnKind
    text: str
    mode: AnswerType = "text"


def words_of(content: str) -> Words:
    """The learner's words, told from their tags; nothing at all opens the lesson."""
    said = tidy(content)
    if not said:
        return Words(TurnKind.OPENING, "")
    if _tagged(said, _ANSWER):
        rest = said[len(_ANSWER) :]
        found = _MODE.match(rest)
        text = rest[found.end() :] if found else rest
        return Words(TurnKind.ANSWER, text.strip(), _mode(found[1]) if found else "text")
    if _tagged(said, _CLARIFICATION):
        return Words(TurnKind.CLARIFICATION, said[len(_CLARIFICATION) :].strip())
    return Words(TurnKind.MESSAGE, said)


def _tagged(said: str, tag: str) -> bool:
    return said[: len(tag)].upper() == tag


def _mode(named: str) -> AnswerType:
    match named.lower():
        case "code":
            return "code"
        case "draw" | "drawing":
            return "draw"
        case "mcq":
            return "mcq"
        case _:
            return "text"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A question that the tutor has prepared, with all that belongs to it; everything but its prompt, kind and options
    is secret.

    Args:
        help: a text for each level, in their order.
        smaller: a smaller question on the same idea, for who does not know.
        solution: step by step.
    """

    draft: QuestionDraft
    kind: AnswerType
    help: tuple[str, ...] = ()
    smaller: str = ""
    solution: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Posed:
    """A checkpoint that was asked, and how far its help has gone.

    Args:
        options: of a choice, in the order in which the learner sees them.
        counted: the newest attempt that the ladder has taken in.
        last: the words of that attempt, if it was graded: what was not may be said again.
        missed: how many attempts were wrong.
    """

    id: str
    checkpoint: Checkpoint
    options: tuple[Option, ...] = ()
    ladder: Ladder = Ladder()
    counted: str | None = None
    last: str = ""
    missed: int = 0

    @property
    def prompt(self) -> str:
        return self.checkpoint.draft.prompt

    @property
    def kind(self) -> AnswerType:
        return self.checkpoint.kind

    @property
    def label(self) -> str | None:
        """The letter before the right option."""
        right = self.checkpoint.draft.correct_answer
        return next((LABELS[at] for at, option in enumerate(self.options) if option.text == right), None)

    @property
    def due_help(self) -> str:
        """The prepared text for the level that was reached; nothing where there is none."""
        prepared = self.checkpoint.help
        return prepared[self.ladder.level - 1] if 0 < self.ladder.level <= len(prepared) else ""


class Try(StrEnum):
    """What the learner's words are to an open question."""

    ATTEMPT = "attempt"
    NOT_KNOWN = "not_known"
    HELP_ASKED = "help_asked"
    BESIDE = "beside"  # a question of their own, or talk: the open question waits


def try_at(question: Posed, words: Words, *, drawn: bool = False) -> Try:
    """What the words are to the question: only an answer can be an attempt, and not every answer is one."""
    if words.kind is TurnKind.ANSWER and drawn:
        return Try.ATTEMPT
    if says_nothing(words.text):
        return Try.NOT_KNOWN
    if words.kind is TurnKind.ANSWER and chosen(question, words.text) is not None:
        return Try.ATTEMPT
    answers = () if question.kind == "mcq" else (question.checkpoint.draft.correct_answer,)
    code = question.kind == "code"
    if not is_genuine(words.text, prompt=question.prompt, last=question.last, answers=answers, code=code):
        return Try.HELP_ASKED
    if words.kind is not TurnKind.ANSWER or question.kind == "mcq":
        return Try.BESIDE
    return Try.ATTEMPT


def chosen(question: Posed, text: str) -> Option | None:
    """The option that the words name: by its text, or by the letter that stands before it."""
    if question.kind != "mcq":
        return None
    label = _LABEL.fullmatch(text.strip())
    if label and (at := LABELS.index(label[1].upper())) < len(question.options):
        return question.options[at]
    return chosen_option(question.options, text) or chosen_option(question.options, _LABELLED.sub("", text, count=1))


def moved(question: Posed, what: Try, *, right: bool | None = None) -> Ladder:
    """The ladder of the question after the learner's words.

    Args:
        right: of an attempt; None where it could not be graded.
    """
    match what:
        case Try.ATTEMPT:
            return question.ladder.after_attempt(right=right)
        case Try.NOT_KNOWN:
            return question.ladder.not_known()
        case Try.HELP_ASKED:
            return question.ladder.help_asked()
        case Try.BESIDE:
            return replace(question.ladder, step=NextStep.WAIT)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the learner can do after each chunk, and which chunk it is now, from 1; 0 before the first."""

    can: tuple[str, ...] = ()
    chunk: int = 0

    @property
    def chunks(self) -> int:
        return len(self.can)

    def after(self, settled: Ladder | None, can: Sequence[str], asked: str) -> "Plan":
        """The plan once another question is asked: the next chunk, unless the last one needed help.

        Args:
            settled: of the question before; None for the first.
            can: a new plan, taken where there is none yet.
            asked: what the learner can do who answers the new question, where the plan does not say so yet.
        """
        lines = self.can or tuple(can)[:MOST_CHUNKS]
        same_again = settled is not None and (settled.may_show_answer or settled.level > HelpLevel.NONE)
        chunk = max(1, self.chunk if same_again else min(self.chunk + 1, MOST_CHUNKS))
        return Plan(lines if len(lines) >= chunk or not asked else (*lines, asked)[:MOST_CHUNKS], chunk)


def rendered(explanation: str, question: Posed | None) -> str:
    """A reply as clients read it: the words, then the type and the question (contract §1.9).

    No line of the words can be taken for the marker of a question.
    """
    words = _MARKER.sub(r"→ \1", tidy(explanation))
    if question is None:
        return words
    kind = "text" if question.kind == "mcq" else question.kind
    parts = [words, f"Question Type: {kind}", f"Question:\n{question.prompt}"]
    if question.options:
        parts.append("\n".join(f"{LABELS[at]}. {option.text}" for at, option in enumerate(question.options)))
    return "\n\n".join(part for part in parts if part)


def explanation_in(reply: str) -> str:
    """The words of a rendered reply, without its question."""
    return reply.partition("\n\nQuestion Type:")[0] if not reply.startswith("Question Type:") else ""
