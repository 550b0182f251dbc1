"""One turn of a lesson as the offline tutor reads it: what is taught, where it stands, and what the learner says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sprout.learning.lessons.fading import Fading
from sprout.learning.lessons.help_ladder import HelpLevel, LadderStep
from sprout.learning.lessons.turn_notes import TurnNote
from sprout.learning.text.normalization import folded
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tagged_request import Tag, parse_request

_STATE = re.compile(r"\A\s*<state[\s>]")
_LABELLED = re.compile(r"([A-Z])[.)]\s+(.+)", re.DOTALL)
_QUESTION = re.compile(r"^Question\b", re.MULTILINE)  # where the server puts the question after what is said


@dataclass(frozen=True, slots=True)
class Subject:
    """Topic of the lesson; `passages` are those of the learner's notes."""

    topic: str
    concept: str
    title: str
    desc: str
    after: tuple[str, ...]
    passages: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """The question that is open, and what its ladder of help asks for now; `options` as the learner sees them."""

    prompt: str
    kind: str
    level: HelpLevel
    step: LadderStep
    options: tuple[str, ...] = ()

    @property
    def option_texts(self) -> tuple[str, ...]:
        """The options without their letters."""
        return tuple(text for _, text in self._labelled())

    def label_of(self, option: str) -> str | None:
        """The letter that stands before an option."""
        return next((label for label, text in self._labelled() if folded(text) == folded(option)), None)

    def _labelled(self) -> Iterator[tuple[str, str]]:
        found = (_LABELLED.fullmatch(text.strip()) for text in self.options)
        return ((one[1], one[2]) for one in found if one)


@dataclass(frozen=True, slots=True)
class SettledQuestion:
    """The question that has just been closed.

    Args:
        how: solved, worked_through, compared or changed.
        solution: given where the learner may see it.
        said: what the learner said of their own answer: met, partly or missing; empty where they did not compare.
        misconception: the one that they recognised as theirs.
    """

    prompt: str
    level: int
    how: str
    solution: str
    said: str = ""
    misconception: str = ""

    @property
    def done_alone(self) -> bool:
        """Return True if the learner solved it, or said that they had, without help."""
        return self.how == "solved" and not self.level

    @property
    def comes_again(self) -> bool:
        """Return True if the same idea is to come in a changed form."""
        return not self.done_alone and self.said != "met"


@dataclass(frozen=True, slots=True)
class MarkedCriterion:
    """Grade of one criterion; `words` are the learner's."""

    label: str
    verdict: str
    words: str


@dataclass(frozen=True, slots=True)
class Marking:
    """The grade of the attempt of this turn; `correct` is None where it has none."""

    state: str
    correct: bool | None
    criteria: tuple[MarkedCriterion, ...] = ()
    misconception: str = ""
    next_step: str = ""
    sure: bool = False


@dataclass(frozen=True, slots=True)
class MixUp:
    """A misconception that the learner still holds, with a case that contradicts it, and the parts that it is about."""

    statement: str
    contrast: str
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """State of a lesson at one turn.

    Args:
        kind: opening, answer, clarification or message.
        mastery: 0..1, as the server has it.
        fading: the form of the question that is due, as the server has it.
        neighbours: titles of what the learner knows and easily takes for this, before the last step.
        reached: the lines of the plan that were asked about or read.
        asked: prompts of the questions asked so far, oldest first.
        help: the prepared text of the due level; empty if there is none.
        notes: kinds of the remarks of the server.
        callable_tools: the only tools that may be called; None if all may.
        corrected: whether the last reply was withheld and must be rewritten.
        message: the learner's current message.
        transcript: earlier messages by role ("user" is the learner), oldest first.
    """

    subject: Subject
    kind: str = "opening"
    mastery: float = 0.0
    fading: Fading = Fading.ALONE
    neighbours: tuple[str, ...] = ()
    may_complete: bool = False
    unaided_right: int = 0
    missed: int = 0
    plan: tuple[str, ...] = ()
    reached: frozenset[str] = frozenset()
    asked: tuple[str, ...] = ()
    pending: PendingQuestion | None = None
    settled: SettledQuestion | None = None
    marking: Marking | None = None
    help: str = ""
    mix_ups: tuple[MixUp, ...] = ()
    notes: tuple[str, ...] = ()
    callable_tools: frozenset[str] | None = None
    corrected: bool = False
    message: str = ""
    transcript: tuple[tuple[str, str], ...] = field(default=())

    @property
    def held_here(self) -> MixUp | None:
        """The first mix-up about this part for which there is a case that contradicts it."""
        return next((one for one in self.mix_ups if one.contrast and self.subject.title in one.titles), None)

    @property
    def earlier_messages(self) -> list[str]:
        """The learner's earlier messages."""
        return [text for role, text in self.transcript if role == "user"]

    @property
    def said(self) -> str:
        """All that the tutor has said so far."""
        return "\n".join(text for role, text in self.transcript if role == "assistant")

    @property
    def sees_whole_lesson(self) -> bool:
        """Return True if the transcript goes back to the first question: of a long lesson only the end is told."""
        first = self.transcript[0][1] if self.transcript else ""
        return not self.asked or folded(self.asked[0]) in folded(first)

    @property
    def names_two_options(self) -> bool:
        """Return True if the answer to a choice names two of its options."""
        return TurnNote.TWO_OPTIONS in self.notes

    @property
    def hardly_answers(self) -> bool:
        """Return True if it is to be asked whether the words are meant as an answer."""
        return TurnNote.HARDLY_AN_ANSWER in self.notes

    @property
    def lesson_is_over(self) -> bool:
        return TurnNote.LESSON_OVER in self.notes

    def since_posed(self) -> tuple[list[str], list[str]]:
        """The tutor's explanations and the learner's messages since the open question was first asked."""
        asked = folded(self.pending.prompt) if self.pending else ""
        places = (
            at for at, (role, text) in enumerate(self.transcript) if role == "assistant" and asked in folded(text)
        )
        since = self.transcript[next(places, len(self.transcript)) + 1 :]
        mine = [explanation_in(text) for role, text in since if role == "assistant"]
        return mine, [text for role, text in since if role == "user"]


def explanation_in(reply: str) -> str:
    """The words of a reply as it stands in the transcript, without its question."""
    return _QUESTION.split(reply, maxsplit=1)[0].strip()


def question_in(reply: str) -> str:
    """The question of a reply as it stands in the transcript, options and all; empty if it shows none."""
    return reply.partition("\n\nQuestion:\n")[2]


def read_turn(conversation: Conversation) -> Turn:
    """The turn that the server asks for; an opening of an unnamed subject where it gives no state."""
    place, at = _state_of(conversation)
    if place is None:
        return Turn(_parse_subject(conversation.request))
    blocks = conversation.texts[place][1]
    state = next(parse_request(blocks[at]).children("state"))
    corrected = any(role == "user" and texts for role, texts in conversation.texts[place + 1 :])
    given = state.attributes
    lines = [tag for plan in state.children("plan") for tag in plan.children("can")]
    return Turn(
        _parse_subject(conversation.request),
        kind=given.get("turn", "message"),
        mastery=_number(given.get("mastery", "")),
        fading=next((one for one in Fading if one == given.get("fading")), Fading.ALONE),
        neighbours=tuple(tag.text.strip() for tag in state.children("neighbour")),
        may_complete=given.get("may_complete") == "true",
        unaided_right=int(_number(given.get("unaided_right", ""))),
        missed=int(_number(given.get("missed", ""))),
        plan=tuple(tag.text.strip() for tag in lines),
        reached=frozenset(tag.text.strip() for tag in lines if tag.attributes.get("reached") == "true"),
        asked=tuple(tag.text.strip() for asked in state.children("asked") for tag in asked.children("question")),
        pending=next((_parse_pending(tag) for tag in state.children("pending")), None),
        settled=next((_parse_settled(tag) for tag in state.children("settled")), None),
        marking=next((_parse_marking(tag) for tag in state.children("marking")), None),
        help=state.text_of("help"),
        mix_ups=tuple(map(_parse_mix_up, state.children("mix_up"))),
        notes=tuple(tag.attributes.get("kind", "") for tag in state.children("note")),
        callable_tools=_parse_callable_tools(state),
        corrected=corrected,
        message="\n".join(blocks[at + 1 :]).strip(),
        transcript=tuple((role, "\n".join(texts).strip()) for role, texts in conversation.texts[1:place] if texts),
    )


def _state_of(conversation: Conversation) -> tuple[int | None, int]:
    """The message and the block that hold the server's state: the newest, since a learner may type its tags as well."""
    for place in range(len(conversation.texts) - 1, -1, -1):
        role, blocks = conversation.texts[place]
        at = next((at for at, text in enumerate(blocks) if _STATE.match(text)), None)
        if role == "user" and at is not None and next(parse_request(blocks[at]).children("state"), None):
            return place, at
    return None, 0


def _parse_subject(request: Tag) -> Subject:
    def named(name: str) -> tuple[str, str]:
        tag = next(iter(request.children(name)), None)
        return (tag.text_of("title") or tag.text.strip(), tag.text_of("desc")) if tag else ("", "")

    (topic, _), (concept, _), (title, desc) = named("topic"), named("concept"), named("subconcept")
    after = (
        tag.text_of("title") or tag.text.strip()
        for each in request.children("next")
        for tag in each.children("subconcept")
    )
    passages = (tag for tag in request.children("passage") if tag.text.strip())
    return Subject(topic, concept, title or concept or topic, desc, tuple(filter(None, after)), tuple(passages))


def _parse_callable_tools(state: Tag) -> frozenset[str] | None:
    given = next(iter(state.children("callable_tools")), None)
    return None if given is None else frozenset(name.strip() for name in given.text.split(","))


def _parse_pending(tag: Tag) -> PendingQuestion:
    level, step = int(_number(tag.attributes.get("level", ""))), tag.attributes.get("step", "")
    return PendingQuestion(
        tag.text_of("prompt"),
        tag.attributes.get("type", "text"),
        HelpLevel(min(max(level, HelpLevel.NONE), HelpLevel.WORKED_STEP)),
        next((one for one in LadderStep if one == step), LadderStep.WAIT),
        tuple(option.text.strip() for option in tag.children("option")),
    )


def _parse_settled(tag: Tag) -> SettledQuestion:
    given = tag.attributes
    return SettledQuestion(
        tag.text_of("prompt"),
        int(_number(given.get("level", ""))),
        given.get("how", "solved"),
        tag.text_of("solution"),
        given.get("said", ""),
        tag.text_of("misconception"),
    )


def _parse_marking(tag: Tag) -> Marking:
    given = tag.attributes
    judged = (
        MarkedCriterion(one.attributes.get("label", ""), one.attributes.get("verdict", ""), one.text.strip())
        for one in tag.children("criterion")
    )
    return Marking(
        given.get("state", ""),
        {"true": True, "false": False}.get(given.get("correct", "")),
        tuple(judged),
        tag.text_of("misconception"),
        tag.text_of("next_step"),
        given.get("sure") == "true",
    )


def _parse_mix_up(tag: Tag) -> MixUp:
    titles = tuple(title.text.strip() for title in tag.children("title"))
    return MixUp(tag.text_of("statement"), tag.text_of("contrast"), titles)


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else 0.0
