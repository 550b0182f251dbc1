"""Page objects: the visible content as a learner reads it, and a learner's few actions."""

import re
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from harness.journeys.sprout_server import Row, edge_names, titles

END_MS = 120_000
OUTPUT = Path(__file__).resolve().parents[3] / "test-output" / "journeys"
NODES_ON_SCREEN = "document.querySelectorAll('.map .seed, .map .hit, .map .petals > *').length"
READ = """() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent.trim());
  const named = (node) => [node.dataset.id, node.getAttribute('aria-label')];
  return {
    nodes: Object.fromEntries([...document.querySelectorAll('.map .hit')].map(named)),
    petals: document.querySelectorAll('.map .petals > *').length,
    edges: [...document.querySelectorAll('.map [data-edge]')].map((each) => each.dataset.edge).sort(),
    status: texts('.map-head p').join(' '),
    activity: document.querySelector('.act')?.innerText ?? '',
  };
}"""


@dataclass(frozen=True, slots=True)
class MapView:
    """The map: its nodes' names by their ids, its edges' ends; the words under the title; the whole activity panel."""

    nodes: dict[str, str]
    petals: int
    edges: list[str]
    status: str
    activity: str


async def read_map(page: Page) -> MapView:
    return MapView(**await page.evaluate(READ))


async def start_topic(page: Page, topic: str, *, short: bool = False) -> None:
    """Write a topic, press Grow, and wait to be on the path's page."""
    await page.get_by_label("Topic, question or exam").fill(topic)
    if short:
        await page.get_by_role("button", name="Short").click()
    await page.get_by_role("button", name="Grow a path").click()
    await wait_for_path(page)


async def wait_for_path(page: Page) -> None:
    await page.wait_for_url(re.compile(r"/paths/[^/]+$"))


async def wait_for_nodes(page: Page, than: int) -> int:
    """Number of visible nodes, subconcepts as petals, once there are more than so many."""
    grown = await page.wait_for_function(f"(than) => {NODES_ON_SCREEN} > than && {NODES_ON_SCREEN}", arg=than)
    return int(await grown.json_value())


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Activity")


async def wait_for_end(page: Page, words: str = "Done", *, shows_run: bool = True) -> None:
    """Wait until the panel says how the run ended and the map is what the server has.

    Args:
        shows_run: whether what a run did is shown again, by a click, in the place of the next step.
    """
    head = page.locator(".act-head")
    await expect(head.or_(page.locator(".run-line"))).to_be_visible()
    await expect(head.get_by_role("button", name="Stop")).to_have_count(0, timeout=END_MS)
    if words == "Done" and shows_run:
        await show_run(page)
    if shows_run:
        await expect(head).to_contain_text(words)
    else:
        await expect(page.locator(".run-line")).to_be_visible()
    await expect(page.locator(".map .canvas:not(.live)")).to_be_visible()


async def show_run(page: Page) -> None:
    """Show what a run did that has made room for the next step."""
    line = page.locator(".run-line .link")
    await expect(line.or_(page.locator(".run-back"))).to_be_visible(timeout=END_MS)
    if await line.is_visible():
        await line.click()


def assert_same_as_graph(seen: MapView, graph: Row) -> None:
    """Assert that a map shows exactly what the server has, each thing once."""
    concepts = {node["id"]: node["title"] for node in graph["nodes"] if node["type"] == "concept"}
    assert seen.nodes.keys() == concepts.keys()
    assert all(seen.nodes[node_id].startswith(f"{title}. ") for node_id, title in concepts.items())
    assert seen.edges == edge_names(graph)
    assert seen.petals == len(titles(graph, "subconcept"))


def assert_no_duplicates(graph: Row) -> None:
    """Assert that nothing of a path was made twice."""
    made = [(node["parentId"], node["title"].casefold()) for node in graph["nodes"]]
    drawn = [(edge["sourceNodeId"], edge["targetNodeId"]) for edge in graph["edges"]]
    assert len(made) == len(set(made))
    assert len(drawn) == len(set(drawn))


async def take_screenshot(page: Page, name: str) -> None:
    """A screenshot into test-output/, to be looked at."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=OUTPUT / f"{name}.png")
