"""Places of nodes on the map, kept with their path."""

import pytest

from harness.builders import a_concept, a_topic
from sprout.errors import NotFound
from sprout.learning.paths.repository import DEFAULT_USER_ID, Place
from sprout.store.paths.paths import SqlPaths


async def test_ui_4_places_are_stored_with_the_path_beside_those_of_the_others(paths: SqlPaths) -> None:
    root = await a_topic(paths)
    first, second = await a_concept(paths, root, "Light"), await a_concept(paths, root, "Shade")
    await _keep(paths, root.branch_id, {first.id: Place(x=-120, layer=0)})
    await _keep(paths, root.branch_id, {second.id: Place(x=40, layer=1.5), "gone": Place(x=1, layer=1)})
    kept = (await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)).places
    assert kept == {first.id: Place(x=-120, layer=0), second.id: Place(x=40, layer=1.5)}


async def test_ui_4_the_place_of_a_node_that_is_gone_goes_with_it(paths: SqlPaths) -> None:
    root = await a_topic(paths)
    first, second = await a_concept(paths, root, "Light"), await a_concept(paths, root, "Shade")
    await _keep(paths, root.branch_id, {node.id: Place(x=0, layer=0) for node in (first, second)})
    await paths.delete_node(first.id, user_id=DEFAULT_USER_ID)
    assert (await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)).places.keys() == {second.id}
    await _keep(paths, root.branch_id, {second.id: Place(x=7, layer=0)})
    assert (await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)).places == {second.id: Place(x=7, layer=0)}


async def test_a_path_without_places_has_none_and_nobody_else_sets_them(paths: SqlPaths) -> None:
    root = await a_topic(paths)
    assert (await paths.graph(root.branch_id or "", user_id=DEFAULT_USER_ID)).places == {}
    with pytest.raises(NotFound):
        await paths.keep_places(root.branch_id or "", {root.id: Place(x=0, layer=0)}, user_id="someone-else")


async def _keep(paths: SqlPaths, branch_id: str | None, places: dict[str, Place]) -> None:
    await paths.keep_places(branch_id or "", places, user_id=DEFAULT_USER_ID)
