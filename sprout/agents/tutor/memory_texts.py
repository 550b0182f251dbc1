"""Memory texts: what the tutor's lookups say of the learner, in the lesson's language.

The learner reads them among their memories, and the tutor finds them again by the title of the lesson.
"""

from pydantic import JsonValue

from sprout.agents.tutor.turn import LessonTurn
from sprout.learning.lessons.fixed_texts import fixed_text
from sprout.learning.text.normalization import one_line

MAX_LISTED = 3
MAX_ITEM = 70
SEPARATOR = " · "


def progress_memory(turn: LessonTurn, result: JsonValue) -> str | None:
    """The score of the diagnostic, and the first questions that were missed, without what was said about them."""
    match result:
        case {"diagnosticScore": int() | float() as score, "weakAreas": list() as missed}:
            texts = [_text(turn, "memory_diagnostic", percent=round(100 * score))]
            if missed:
                texts.append(_text(turn, "memory_missed", listed=_listed(missed)))
            return _unless_leaking(turn, " ".join(texts))
        case _:
            return None


def prerequisite_memory(turn: LessonTurn, result: JsonValue) -> str | None:
    """Text on the unmastered prerequisites; None if all are mastered, or if the text would leak the answer."""
    match result:
        case {"prerequisites": list() as found}:
            weak = [one["title"] for one in found if isinstance(one, dict) and one.get("mastered") is False]
            return _unless_leaking(turn, _text(turn, "memory_prerequisites", listed=_listed(weak))) if weak else None
        case _:
            return None


def _text(turn: LessonTurn, name: str, **values: object) -> str:
    return fixed_text(name, turn.language, title=_short(turn.lesson.node.title), **values)


def _listed(items: list[JsonValue]) -> str:
    return SEPARATOR.join(_short(str(one)) for one in items[:MAX_LISTED])


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= MAX_ITEM else f"{line[: MAX_ITEM - 1].rstrip()}…"


def _unless_leaking(turn: LessonTurn, text: str) -> str | None:
    return text if turn.guard.find_leak(text) is None else None
