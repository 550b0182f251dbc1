"""Keys of misconceptions in a path file: each is named once at its top, and questions refer to it."""

from collections.abc import Callable, Mapping

from sprout.learning.misconceptions.beliefs import Belief, belief_id
from sprout.learning.paths.path_file import BeliefItem, PathFile, QuestionItem


def named_once(path: PathFile, beliefs: Mapping[str, Belief]) -> PathFile:
    """The path with its misconceptions at its top, in the order in which its questions name them.

    Args:
        path: with sentences in the questions.
        beliefs: those of the topic by id, with their contrast cases; one that no question names comes last.
    """
    found: dict[str, Belief] = {}

    def key_of(statement: str) -> str:
        id_ = belief_id(statement)
        found.setdefault(id_, beliefs.get(id_, Belief(id_, statement)))
        return id_

    concepts = tuple(
        concept.model_copy(update={"questions": tuple(_with_keys(one, key_of) for one in concept.questions)})
        for concept in path.concepts
    )
    listed = found | {id_: beliefs[id_] for id_ in sorted(beliefs) if id_ not in found}
    named = tuple(BeliefItem(key=one.id, statement=one.statement, contrast=one.contrast) for one in listed.values())
    return path.model_copy(update={"concepts": concepts, "misconceptions": named})


def _with_keys(question: QuestionItem, key_of: Callable[[str], str]) -> QuestionItem:
    wrong = tuple(
        one if one.slip else one.model_copy(update={"misconception": key_of(one.misconception)})
        for one in question.misconceptions
    )
    criteria, tests = (
        tuple(
            one.model_copy(update={"misconception": key_of(one.misconception)}) if one.misconception else one
            for one in group
        )
        for group in (question.criteria, question.program_tests)
    )
    return question.model_copy(update={"misconceptions": wrong, "criteria": criteria, "program_tests": tests})
