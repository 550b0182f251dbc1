"""Turn notes: remarks of the server on a learner's message, for the tutor who replies to it."""

from enum import StrEnum


class TurnNote(StrEnum):
    """Kind of a remark, as the state of the turn names it."""

    QUESTION_GONE = "question_gone"
    NO_OPTION = "no_option"
    TWO_OPTIONS = "two_options"
    HARDLY_AN_ANSWER = "hardly_an_answer"
    LESSON_OVER = "lesson_over"


NOTE_TEXTS = {
    TurnNote.QUESTION_GONE: "The learner answers a question that is not open any more: tell them so in a sentence.",
    TurnNote.NO_OPTION: "The learner's words name none of the options, so nothing was marked.",
    TurnNote.TWO_OPTIONS: "The learner's words name two of the options, so nothing was marked.",
    TurnNote.HARDLY_AN_ANSWER: "The learner's words have little to do with the question, so nothing was counted. Ask "
    "whether they are meant as an answer: after a “yes”, or in a whole sentence, they are put beside the model answer.",
    TurnNote.LESSON_OVER: "The lesson is over: `reply` to what the learner asks, and ask nothing.",
}
