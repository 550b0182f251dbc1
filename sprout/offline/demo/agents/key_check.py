"""Offline model of the key check: right answers as courses and notes have them, else "cannot tell"."""

from collections.abc import Mapping
from typing import Any

from sprout.offline.courses.catalogue import find_answer
from sprout.offline.demo.conversation import Conversation
from sprout.offline.demo.tagged_request import Tag, passage_texts
from sprout.offline.notes.lesson_plan import answers_in_notes
from sprout.offline.reply import Reply, TextOut, ToolOut

SURE, CANNOT_TELL = 0.95, 0.0


def reply_as_key_check(conversation: Conversation) -> Reply:
    """All solutions in one call; words, where that was not enough."""
    if conversation.calls or not conversation.may_call:
        return Reply([TextOut("That is all that I found.")])
    request = conversation.request
    noted = _answers_in_notes(request)
    solutions = [_solution(question, noted) for question in request.children("question")]
    return Reply([ToolOut("record_solutions", {"solutions": solutions})])


def _solution(question: Tag, noted: Mapping[str, str]) -> dict[str, Any]:
    prompt = question.text_of("prompt")
    known = find_answer(prompt) or noted.get(_normalized(prompt))
    found = {"question_id": question.attributes.get("id", "")}
    match question.attributes.get("format"):
        case _ if known is None:
            return found | {"sure": CANNOT_TELL}
        case "mcq":
            right = [
                one.attributes.get("id")
                for one in question.children("option")
                if _normalized(one.text) == _normalized(known)
            ]
            return found | {"option_id": right[0], "sure": SURE} if right else found | {"sure": CANNOT_TELL}
        case "numeric":
            return found | {"number": known, "sure": SURE}
        case _:
            return found | {"holds": _normalized(question.text_of("answer")) == _normalized(known), "sure": SURE}


def _answers_in_notes(request: Tag) -> dict[str, str]:
    """Correct answers given by the notes, by the prompt of the question."""
    concept = next(iter(request.children("concept")), None)
    answers = answers_in_notes(
        tuple(passage_texts(request.children("passage"))),
        title=concept.text_of("title") if concept else request.text_of("topic"),
        desc=concept.text_of("desc") if concept else "",
    )
    return {_normalized(prompt): answer for prompt, answer in answers.items()}


def _normalized(text: str) -> str:
    return " ".join(text.split())
