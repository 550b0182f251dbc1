"""Notes that Sprout itself made for Anki, as the questions that they were: choices stay choices."""

from collections.abc import Mapping

from sprout.documents.question_files.drafts import Answer, Stem, choice_draft, required_text
from sprout.learning.questions.questions import QuestionDraft


def own_stem(values: Mapping[str, str], labels: tuple[str, ...]) -> Stem:
    """The question with its explanation; where the passage is from is no part of it."""
    return Stem("", values["Question"], labels, (values["Why"],))


def own_choice(stem: Stem, values: Mapping[str, str]) -> QuestionDraft | None:
    """The choice; None where the note has no options. Raises LeftOut, BrokenMarkup."""
    options = [item.partition("</li>")[0] for item in values["Options"].split("<li>")[1:]]
    if not options:
        return None
    right = required_text(values["Answer"])
    return choice_draft(stem, [Answer(option, 100.0 * (required_text(option) == right)) for option in options])
