"""Comparison of a path with a copy of it: additions and descriptions, and never a removal."""

from collections.abc import Mapping, Sequence

from sprout.events import NodeRow
from sprout.learning.paths.copy_comparison import Origin, compare_copy, desc_digest

NOW = "2026-11-27T09:00:00.000Z"


def a_node(id_: str, parent: NodeRow | None = None, title: str = "", desc: str | None = None) -> NodeRow:
    kind = "root" if parent is None else "concept" if parent.type == "root" else "subconcept"
    return NodeRow.model_validate(
        {
            "id": id_,
            "user_id": "someone",
            "type": kind,
            "branch_id": "branch",
            "parent_id": None if parent is None else parent.id,
            "title": title or id_[1:],
            "desc": desc,
            "created_at": NOW,
            "updated_at": NOW,
        }
    )


def taken(*pairs: tuple[NodeRow, NodeRow]) -> Mapping[str, Origin]:
    return {source.id: Origin(copy.id, desc_digest(source)) for source, copy in pairs}


SOURCE = a_node("sTopic")
COPY = a_node("cTopic")
S_LIGHT, C_LIGHT = a_node("sLight", SOURCE, desc="What is seen."), a_node("cLight", COPY, desc="What is seen.")
ORIGINS = taken((SOURCE, COPY), (S_LIGHT, C_LIGHT))


def added_titles(source: Sequence[NodeRow], copy: Sequence[NodeRow]) -> list[str]:
    return [node.title for node in compare_copy(source, copy, ORIGINS).added]


def test_a_copy_that_was_just_made_lacks_nothing() -> None:
    changes = compare_copy([SOURCE, S_LIGHT], [COPY, C_LIGHT], ORIGINS)
    assert (changes.added, changes.described, changes.found) == ((), (), {})


def test_concepts_and_parts_that_were_added_are_offered_parents_first() -> None:
    sound = a_node("sSound", SOURCE)
    source = [SOURCE, S_LIGHT, sound, a_node("sPitch", sound), a_node("sShade", S_LIGHT)]
    assert added_titles(source, [COPY, C_LIGHT]) == ["Sound", "Pitch", "Shade"]


def test_what_the_learner_has_removed_does_not_come_back_nor_does_anything_under_it() -> None:
    assert added_titles([SOURCE, S_LIGHT, a_node("sShade", S_LIGHT)], [COPY]) == []


def test_what_the_source_has_lost_is_no_change() -> None:
    changes = compare_copy([SOURCE], [COPY, C_LIGHT], ORIGINS)
    assert (changes.added, changes.described) == ((), ())


def test_a_changed_description_is_offered_unless_the_copy_says_the_same() -> None:
    changed = S_LIGHT.model_copy(update={"desc": "Waves."})
    assert compare_copy([SOURCE, changed], [COPY, C_LIGHT], ORIGINS).described == ((C_LIGHT, changed),)
    same = C_LIGHT.model_copy(update={"desc": "Waves."})
    assert compare_copy([SOURCE, changed], [COPY, same], ORIGINS).described == ()


def test_a_description_of_the_learners_own_is_no_change_of_the_teacher() -> None:
    own = C_LIGHT.model_copy(update={"desc": "My words."})
    assert compare_copy([SOURCE, S_LIGHT], [COPY, own], ORIGINS).described == ()


def test_a_concept_that_the_learner_has_under_the_same_title_is_found_and_its_parts_are_offered() -> None:
    sound, mine = a_node("sSound", SOURCE), a_node("cMine", COPY, title=" SOUND ")
    changes = compare_copy([SOURCE, S_LIGHT, sound, a_node("sPitch", sound)], [COPY, C_LIGHT, mine], ORIGINS)
    assert changes.found == {sound.id: mine}
    assert [node.title for node in changes.added] == ["Pitch"]


def test_the_version_names_what_is_offered() -> None:
    one, other = a_node("sSound", SOURCE), a_node("sSound", SOURCE, desc="What is heard.")
    versions = [compare_copy([SOURCE, S_LIGHT, node], [COPY, C_LIGHT], ORIGINS).version for node in (one, other, one)]
    assert versions[0] == versions[2] != versions[1]
