"""Concepts about which nothing can be asked are named on the page of their path, on both databases."""

from harness.builders import a_concept, a_topic
from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from tests.store.paths.test_repository import NUMBER

ME = Actor(DEFAULT_USER_ID)


async def test_Q7_a_concept_whose_diagnostic_has_nothing_to_ask_is_named_on_its_path(
    paths: SqlPaths, repositories: SqlPathRepository
) -> None:
    topic = await a_topic(paths)
    bare, asked, unmade = [await a_concept(paths, topic, title) for title in ("Bare", "Asked", "Unmade")]
    for concept in (bare, asked, unmade):
        await repositories.edit_graph(concept.id, lambda graph: graph.add("Light reactions", None, utc_now()), actor=ME)
    await repositories.close_empty_diagnostic(bare.id, user_id=ME.user_id)
    await repositories.save_question(asked.id, NUMBER, actor=ME)

    assert await bare_on_page(paths, topic.branch_id) == [bare.id]
    await repositories.save_question(bare.id, NUMBER, actor=ME)
    assert await bare_on_page(paths, topic.branch_id) == []


async def bare_on_page(paths: SqlPaths, branch_id: str | None) -> list[str]:
    return (await paths.graph(branch_id or "", user_id=ME.user_id)).bare
