"""What the offline tutor says while a question is open: plain words, in the manner that the learner calls for."""

from collections.abc import Callable

from sprout.learning.lessons.help import NextStep
from sprout.offline.brains.tutoring.asides import aside_parts
from sprout.offline.brains.tutoring.open_question import Open, standing_parts, step_parts, try_parts
from sprout.offline.brains.tutoring.speech import MOST_OF_ASIDE, Part, Worth, spoken
from sprout.offline.brains.tutoring.tactics import Manner, Tactic, times_tried, tried

PAUSE_FROM = 3


def words_while_open(now: Open) -> str:
    """The reply: what the words try is answered in its manner, and the next useful step is always offered."""
    frames, check = now.frames, now.check
    if now.turn.corrected:
        return spoken([Part(frames.say("open")), *try_parts(now)], check) or frames.say("open")
    tactic = _tactic(now)
    if tactic is not None:
        parts = _MANNERS[tactic.manner](now, tactic)
    elif now.is_aside:
        return spoken([*aside_parts(now, check)], check, most=MOST_OF_ASIDE) or frames.say("open")
    else:
        parts = list(step_parts(now))
    return spoken(parts, check) or frames.say("open")


def _tactic(now: Open) -> Tactic | None:
    """What the words try beside answering; an attempt in code has none, and a first guess is an attempt like others."""
    found = tried(now.turn.words)
    if found is None or now.turn.marked is None:
        return found
    first_guess = found.manner is Manner.GUESSES and _times(now, found) == 1
    return None if first_guess or now.pending.kind == "code" else found


def _opens(now: Open, tactic: Tactic) -> Part:
    return Part(tactic.opening(now.frames.code, _times(now, tactic)))


def _times(now: Open, tactic: Tactic) -> int:
    return times_tried(tactic, now.turn.before)


def _due(now: Open) -> list[Part]:
    """What the ladder has moved to by this turn, which is said whatever else is; nothing where it waits."""
    waits = now.pending.step is NextStep.WAIT and now.turn.marked is None
    return [] if waits else [*step_parts(now)]


def _guide(now: Open, tactic: Tactic) -> list[Part]:
    return [_opens(now, tactic), *(_due(now) or try_parts(now))]


def _back(now: Open, tactic: Tactic) -> list[Part]:
    return [_opens(now, tactic), *_parts_of_an_answer(now), *(_due(now) or try_parts(now))]


def _parts_of_an_answer(now: Open) -> list[Part]:
    labels = now.task.labels if now.task else []
    return [Part(now.frames.say("parts", labels="; ".join(labels)), Worth.SHOULD)] if labels else []


def _ready(now: Open, tactic: Tactic) -> list[Part]:
    return [_opens(now, tactic), *(_due(now) or [Part(now.frames.say("ready"))])]


def _wording(now: Open, tactic: Tactic) -> list[Part]:
    asks = [Part(now.frames.say("asks_for", can=now.task.can))] if now.task else [*try_parts(now)]
    return [_opens(now, tactic), *_parts_of_an_answer(now), *asks, *_due(now)]


def _correct(now: Open, tactic: Tactic) -> list[Part]:
    """Kind and firm: what stands, then a case in which the rule must show itself, then the help that is due."""
    frames, check = now.frames, now.check
    case = now.teaching.case
    fits = bool(case) and (check is None or check.passes(case))
    test = Part(frames.say("test_case", case=case) if fits else frames.say("test_yourself"), Worth.SHOULD)
    if now.turn.marked is None and now.pending.step is NextStep.WAIT:
        return [_opens(now, tactic), test, Part(frames.say("open_short"))]
    standing = [*standing_parts(now)]
    due = [part for part in step_parts(now) if part not in standing and part.worth is not Worth.MAY]
    return [_opens(now, tactic), *standing, test, *due]


def _plainly(now: Open, tactic: Tactic) -> list[Part]:
    if _times(now, tactic) > 1:
        return _correct(now, tactic)
    return [_opens(now, tactic), *_due(now)]


def _drift(now: Open, tactic: Tactic) -> list[Part]:
    times = _times(now, tactic)
    says = tactic.said[now.frames.code]
    return [
        Part(says["short"] if times >= PAUSE_FROM else tactic.opening(now.frames.code, times)),
        *(_due(now) or try_parts(now)),
    ]


def _only(now: Open, tactic: Tactic) -> list[Part]:
    return [_opens(now, tactic), *_due(now)]


_MANNERS: dict[Manner, Callable[[Open, Tactic], list[Part]]] = {
    Manner.CARE: _only,
    Manner.DATA: _guide,
    Manner.BACK: _back,
    Manner.CONTEST: _ready,
    Manner.WORDING: _wording,
    Manner.TRUTH: _ready,
    Manner.GUIDE: _guide,
    Manner.GUESSES: _guide,
    Manner.CORRECT: _correct,
    Manner.PLAINLY: _plainly,
    Manner.FASTER: _only,
    Manner.SMALLER: _guide,
    Manner.EXAMPLE: _ready,
    Manner.DRIFT: _drift,
}
