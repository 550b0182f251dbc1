"""One turn of a lesson as the offline tutor reads it: what is taught, where it stands, and what the learner says."""

import re
from dataclasses import dataclass, field

from sprout.learning.lessons.help import HelpLevel, NextStep
from sprout.learning.text.words import folded
from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.request import Tag, read_request

_STATE = re.compile(r"\A\s*<state[\s>]")
_LABELLED = re.compile(r"([A-Z])[.)]\s+(.+)", re.DOTALL)
_QUESTION = re.compile(r"^Question\b", re.MULTILINE)  # where the server puts the question after what is said


@dataclass(frozen=True, slots=True)
class Subject:
    """What the lesson is about; `passages` are what the learner's notes say of it."""

    topic: str
    concept: str
    title: str
    desc: str
    after: tuple[str, ...]
    passages: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """The question that is open, and what its ladder of help asks for now; `options` as the learner sees them."""

    prompt: str
    kind: str
    level: HelpLevel
    step: NextStep
    options: tuple[str, ...] = ()

    def label_of(self, option: str) -> str | None:
        """The letter that stands before an option."""
        shown = (_LABELLED.fullmatch(text.strip()) for text in self.options)
        return next((found[1] for found in shown if found and folded(found[2]) == folded(option)), None)


@dataclass(frozen=True, slots=True)
class Settled:
    """The question that has just been solved, or has to be worked through; then its solution is given."""

    prompt: str
    level: int
    worked_through: bool
    solution: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a grade says of one criterion; `words` are the learner's."""

    label: str
    verdict: str
    words: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The grade of the attempt of this turn; `correct` is None where it has none."""

    state: str
    correct: bool | None
    criteria: tuple[Judged, ...] = ()
    misconception: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a lesson stands.

    Args:
        kind: opening, answer, clarification or message.
        mastery: 0..1, as the server has it.
        asked: prompts that were posed, oldest first.
        help, smaller: the prepared text of the level that is due, and the smaller question; empty where none is.
        corrected: whether what was said last could not be shown and is to be said again.
        words: what the learner says now.
        talk: what was said before, by role ("user" is the learner), oldest first.
    """

    subject: Subject
    kind: str = "opening"
    mastery: float = 0.0
    may_complete: bool = False
    unaided_right: int = 0
    missed: int = 0
    plan: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    pending: Pending | None = None
    settled: Settled | None = None
    marked: Marked | None = None
    help: str = ""
    smaller: str = ""
    corrected: bool = False
    words: str = ""
    talk: tuple[tuple[str, str], ...] = field(default=())

    @property
    def before(self) -> list[str]:
        """What the learner has said before."""
        return [text for role, text in self.talk if role == "user"]

    def since_posed(self) -> tuple[list[str], list[str]]:
        """What the tutor has explained, and what the learner has said, since the open question was asked first."""
        asked = folded(self.pending.prompt) if self.pending else ""
        places = (at for at, (role, text) in enumerate(self.talk) if role == "assistant" and asked in folded(text))
        since = self.talk[next(places, len(self.talk)) + 1 :]
        mine = [_QUESTION.split(text, maxsplit=1)[0] for role, text in since if role == "assistant"]
        return mine, [text for role, text in since if role == "user"]


def read_turn(conversation: Conversation) -> Turn:
    """The turn that the server asks for; an opening of an unnamed subject where it gives no state."""
    place, at = _state_of(conversation)
    if place is None:
        return Turn(_subject(conversation.request))
    blocks = conversation.texts[place][1]
    state = next(read_request(blocks[at]).all("state"))
    corrected = any(role == "user" and texts for role, texts in conversation.texts[place + 1 :])
    given = state.attributes
    return Turn(
        _subject(conversation.request),
        kind=given.get("turn", "message"),
        mastery=_number(given.get("mastery", "")),
        may_complete=given.get("may_complete") == "true",
        unaided_right=int(_number(given.get("unaided_right", ""))),
        missed=int(_number(given.get("missed", ""))),
        plan=tuple(tag.text.strip() for plan in state.all("plan") for tag in plan.all("can")),
        asked=tuple(tag.text.strip() for asked in state.all("asked") for tag in asked.all("question")),
        pending=next((_pending(tag) for tag in state.all("pending")), None),
        settled=next((_settled(tag) for tag in state.all("settled")), None),
        marked=next((_marked(tag) for tag in state.all("marking")), None),
        help=state.text_of("help"),
        smaller=state.text_of("smaller"),
        corrected=corrected,
        words="\n".join(blocks[at + 1 :]).strip(),
        talk=tuple((role, "\n".join(texts).strip()) for role, texts in conversation.texts[1:place] if texts),
    )


def _state_of(conversation: Conversation) -> tuple[int | None, int]:
    """The message and the block that hold the server's state: the newest, since a learner may type its tags as well."""
    for place in range(len(conversation.texts) - 1, -1, -1):
        role, blocks = conversation.texts[place]
        at = next((at for at, text in enumerate(blocks) if _STATE.match(text)), None)
        if role == "user" and at is not None and next(read_request(blocks[at]).all("state"), None):
            return place, at
    return None, 0


def _subject(request: Tag) -> Subject:
    def named(name: str) -> tuple[str, str]:
        tag = next(iter(request.all(name)), None)
        return (tag.text_of("title") or tag.text.strip(), tag.text_of("desc")) if tag else ("", "")

    (topic, _), (concept, _), (title, desc) = named("topic"), named("concept"), named("subconcept")
    after = (tag.text_of("title") or tag.text.strip() for each in request.all("next") for tag in each.all("subconcept"))
    passages = (tag for tag in request.all("passage") if tag.text.strip())
    return Subject(topic, concept, title or concept or topic, desc, tuple(filter(None, after)), tuple(passages))


def _pending(tag: Tag) -> Pending:
    level, step = int(_number(tag.attributes.get("level", ""))), tag.attributes.get("step", "")
    return Pending(
        tag.text_of("prompt"),
        tag.attributes.get("type", "text"),
        HelpLevel(min(max(level, HelpLevel.NONE), HelpLevel.WORKED_STEP)),
        next((one for one in NextStep if one == step), NextStep.WAIT),
        tuple(option.text.strip() for option in tag.all("option")),
    )


def _settled(tag: Tag) -> Settled:
    worked = tag.attributes.get("how") == "worked_through"
    return Settled(
        tag.text_of("prompt"), int(_number(tag.attributes.get("level", ""))), worked, tag.text_of("solution")
    )


def _marked(tag: Tag) -> Marked:
    given = tag.attributes
    judged = (
        Judged(one.attributes.get("label", ""), one.attributes.get("verdict", ""), one.text.strip())
        for one in tag.all("criterion")
    )
    return Marked(
        given.get("state", ""),
        {"true": True, "false": False}.get(given.get("correct", "")),
        tuple(judged),
        tag.text_of("misconception"),
        tag.text_of("next_step"),
    )


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else 0.0
