"""A question that is open, and what each step of its ladder of help says to the learner."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sprout.learning.lessons.help import NextStep, is_genuine
from sprout.learning.text.stems import stems
from sprout.learning.text.words import one_line
from sprout.offline.brains.tutoring.frames import Frames
from sprout.offline.brains.tutoring.speech import MOST_OF_ASIDE, Check, Part, Worth, shortened
from sprout.offline.brains.tutoring.teaching import Task, Teaching
from sprout.offline.brains.tutoring.turn import Pending, Turn

QUOTED_WORDS = 14
SAME_IDEA = 0.3
_MARKS = re.compile(r"[<>“”„\"`*_#\[\]|!{}]")


@dataclass(frozen=True, slots=True)
class Open:
    """A turn with its open question; `task` is None where it is not one of this lesson."""

    turn: Turn
    pending: Pending
    teaching: Teaching
    task: Task | None
    frames: Frames

    @property
    def check(self) -> Check | None:
        """What the reply is held against; nothing where the answer is not known here."""
        if self.task is None:
            return None
        mine, theirs = self.turn.since_posed()
        secret = self.task.secret([*theirs, self.turn.words], self.pending.label_of(self.task.answer))
        return Check(secret, "\n".join(mine), self.pending.level)

    @property
    def is_aside(self) -> bool:
        """Whether the words are a question of the learner's own."""
        asks = self.turn.words.rstrip().endswith("?") and self.turn.marked is None
        return self.pending.step is NextStep.WAIT and (self.turn.kind == "clarification" or asks)


def open_question(turn: Turn, teaching: Teaching, frames: Frames) -> Open | None:
    """The turn with its open question; None where none is open."""
    if turn.pending is None:
        return None
    found = teaching.find(turn.pending.prompt)
    return Open(turn, turn.pending, teaching, found[1] if found else None, frames)


def quoted(words: str, most: int = QUOTED_WORDS, *, code: bool = False) -> str:
    """The learner's words as they can stand in quotation marks; empty where nothing is left of them.

    Of a program every sign counts, so it is set as code.
    """
    bare = (one_line(words).replace("`", "") if code else _MARKS.sub("", one_line(words))).split()
    more = " …" if len(bare) > most else ""
    if code:
        return f"`{' '.join(bare[:most])}`{more}" if bare else ""
    return " ".join(bare[:most]).strip(" .,;:") + more


def step_parts(now: Open) -> Iterator[Part]:
    """What the ladder asks for; an attempt that could not be marked is said to be that."""
    marked, frames = now.turn.marked, now.frames
    if marked is not None and marked.state in ("unsure", "ungraded"):
        yield from _unmarked(now)
        return
    match now.pending.step:
        case NextStep.GIVE_HELP:
            yield from _help_parts(now)
        case NextStep.TRY_FIRST:
            yield _once_more(now) or Part(frames.say("try_first"))
            yield from try_parts(now)
        case NextStep.SMALLER_QUESTION:
            smaller = now.turn.smaller or (now.task.smaller if now.task else "")
            yield Part(frames.say("smaller", text=smaller) if smaller else frames.say("smaller_any"))
        case NextStep.CHOICE_OF_TWO:
            yield Part(frames.say("choice_of_two", one=_two_parts(now)[0], two=_two_parts(now)[1]))
        case _ if now.pending.kind == "mcq" and now.turn.kind == "answer":
            yield Part(frames.say("name_an_option"))
            yield from try_parts(now)
        case _:
            yield Part(frames.say("open"))
            yield Part(frames.say("ready"))


def _unmarked(now: Open) -> Iterator[Part]:
    marked, frames = now.turn.marked, now.frames
    assert marked is not None
    yield Part(frames.say(marked.state))
    missing = next((one.label for one in marked.criteria if one.verdict != "met" and one.label), "")
    if marked.next_step:
        yield Part(shortened(marked.next_step, MOST_OF_ASIDE), Worth.SHOULD)
    elif missing:
        yield Part(frames.say("unsure_ask", label=missing), Worth.SHOULD)
    else:
        yield Part(frames.say("ready"))


def _help_parts(now: Open) -> Iterator[Part]:
    """What stands in the learner's words, where it breaks, and the help of exactly this level."""
    yield from standing_parts(now)
    if case := _contrast(now):
        yield Part(now.frames.say("test_case", case=case), Worth.MAY)
    text, check = _prepared(now), now.check
    passes = bool(text) and (check is None or check.passes(text))
    yield Part(text if passes else now.frames.say(f"any_help_{max(1, now.pending.level.value)}"))


def _once_more(now: Open) -> Part | None:
    """What is said to whoever gives the same answer again; None where the words are none."""
    if now.turn.kind != "answer" or not is_genuine(now.turn.words, prompt=now.pending.prompt):
        return None
    words = quoted(now.turn.words, code=now.pending.kind == "code")
    return Part(now.frames.say("said_before", words=words)) if words else None


def _prepared(now: Open) -> str:
    if now.turn.help:
        return now.turn.help
    texts, level = (now.task.help if now.task else ()), now.pending.level.value
    return texts[level - 1] if 0 < level <= len(texts) else ""


def standing_parts(now: Open) -> Iterator[Part]:
    """What of the attempt stands, in the learner's words, and the part that is not there yet."""
    marked, frames = now.turn.marked, now.frames
    if marked is None or marked.correct is None:
        return
    code = now.pending.kind == "code"
    met = next((one for one in marked.criteria if one.verdict == "met" and quoted(one.words)), None)
    half = next((one for one in marked.criteria if one.verdict == "partly" and quoted(one.words)), None)
    if met is not None or half is not None:
        one, name = (met, "stands") if met is not None else (half, "half")
        assert one is not None
        yield Part(frames.say(name, words=quoted(one.words, code=code)), Worth.SHOULD)
    else:
        words = quoted(now.turn.words, code=code)
        yield Part(frames.say("not_it", words=words) if words else frames.say("not_it_wordless"), Worth.SHOULD)
    missing = [one for one in marked.criteria if one.verdict == "missing" and one.label]
    if missing:
        yield Part(frames.say("lacking", label=missing[0].label), Worth.SHOULD)


def _contrast(now: Open) -> str:
    """The lesson's test case, where the learner's wrong idea is the one that it is for."""
    belief = now.turn.marked.misconception if now.turn.marked else ""
    theirs, ours = stems([belief]), stems([now.teaching.idea])
    alike = theirs and ours and len(theirs & ours) >= SAME_IDEA * min(len(theirs), len(ours))
    return now.teaching.case if alike else ""


def try_parts(now: Open) -> Iterator[Part]:
    """The smallest next move, by the kind of answer that is wanted."""
    frames, labels = now.frames, now.task.labels if now.task else []
    kind = now.task.kind if now.task else now.pending.kind
    if kind == "text" and labels:
        yield Part(frames.say("try_text_about", label=labels[0]))
    else:
        yield Part(frames.say(f"try_{kind}" if f"try_{kind}" in frames.texts else "try_text"))


def _two_parts(now: Open) -> tuple[str, str]:
    labels = now.task.labels if now.task else []
    if len(labels) > 1:
        return labels[0], labels[1]
    return now.frames.say("given_or_asked_1"), now.frames.say("given_or_asked_2")
