"""What the offline model says as the key check: what courses and notes say is right, else that it cannot tell."""

from collections.abc import Mapping
from typing import Any

from sprout.offline.brains.conversation import Conversation
from sprout.offline.brains.request import Tag, note_texts
from sprout.offline.brains.subconcept import SUBCONCEPTS
from sprout.offline.courses import answer_to
from sprout.offline.notes.path import questions_from_notes
from sprout.offline.reply import Reply, TextOut, ToolOut

SURE, CANNOT_TELL = 0.95, 0.0


def speak_as_key_check(conversation: Conversation) -> Reply:
    """All solutions in one call, then the closing word."""
    if conversation.calls or not conversation.may_call:
        return Reply([TextOut("Solved.")])
    request = conversation.request
    noted = _answers_in_notes(request)
    solutions = [_solution(question, noted) for question in request.all("question")]
    return Reply([ToolOut("record_solutions", {"solutions": solutions})])


def _solution(question: Tag, noted: Mapping[str, str]) -> dict[str, Any]:
    prompt = question.text_of("prompt")
    known = answer_to(prompt) or noted.get(_plain(prompt))
    found = {"question_id": question.attributes.get("id", "")}
    match question.attributes.get("format"):
        case _ if known is None:
            return found | {"sure": CANNOT_TELL}
        case "mcq":
            right = [one.attributes.get("id") for one in question.all("option") if _plain(one.text) == _plain(known)]
            return found | {"option_id": right[0], "sure": SURE} if right else found | {"sure": CANNOT_TELL}
        case "numeric":
            return found | {"number": known, "sure": SURE}
        case _:
            return found | {"holds": _plain(question.text_of("answer")) == _plain(known), "sure": SURE}


def _answers_in_notes(request: Tag) -> dict[str, str]:
    """What the notes say is right, by the prompt of the question that they give."""
    concept = next(iter(request.all("concept")), None)
    least, most = SUBCONCEPTS
    drafts = questions_from_notes(
        note_texts(request.all("passage")),
        least=least,
        most=most,
        title=concept.text_of("title") if concept else request.text_of("topic"),
        desc=concept.text_of("desc") if concept else "",
    )
    answers: dict[str, str] = {}
    for draft in drafts:
        answers.setdefault(_plain(str(draft.fields["prompt"])), str(draft.fields["correct_answer"]))
    return answers


def _plain(text: str) -> str:
    return " ".join(text.split())
