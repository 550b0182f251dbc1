"""Parts of a course that are named by what a learner asks about."""

import re

from sprout.offline.courses.catalogue import lessons
from sprout.offline.courses.course_search import count_needs_met

HALF_OF_NEEDS = 0.5
_SIGN = re.compile(r"(?<!\S)[^\w\s.,;:?!\"'“”‘’`´()]{1,3}(?=[?.!,;:]*(?:\s|\Z))")
_CODE_MARK = re.compile("`")


def signs_in(text: str) -> set[str]:
    """The signs that stand alone in a text, such as "==": no marks of a sentence, and no quotation marks."""
    return {sign.rstrip("?.!,;:") for sign in _SIGN.findall(_CODE_MARK.sub("", text))}


def nearest_part(slug: str, subconcept: str, question: str) -> str:
    """Title of the part that has a sign of the question, or more than half of what it is about; of several the
    one that has most, then the nearest in the course. Empty where there is none.

    Args:
        subconcept: title of the open part.
    """
    titles = [one.subconcept for one in lessons(slug)]
    here = titles.index(subconcept) if subconcept in titles else 0
    signs, found = signs_in(question), list[tuple[int, int, str]]()
    for at, title in enumerate(titles):
        met, of_all = count_needs_met(slug, question, title)
        has_sign = not signs.isdisjoint(signs_in(title))
        if has_sign or met > HALF_OF_NEEDS * of_all:
            found.append((-met - len(signs & signs_in(title)), abs(at - here), title))
    return min(found)[2] if found else ""
