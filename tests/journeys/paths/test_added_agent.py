"""An agent that was added by configuration, on the page."""

from pathlib import Path

from playwright.async_api import Browser, expect

from harness.browser import open_page
from sprout.offline.reply import ToolOut
from sprout.offline.script import Scripted
from sprout.offline.server import running_offline_server
from tests.journeys.support.map_view import panel, show_run
from tests.project.extended_server import SUMMARY, USER, first_of_kind, import_fractions, model_settings, sprout_serving
from tests.web.handlers.teaching.lesson_server import calls, says


async def test_its_run_stands_on_its_path_under_its_own_name_with_what_it_came_to(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripted([calls(ToolOut("get_parts", {})), says("In short: equal parts.")])
    async with (
        running_offline_server(script) as model,
        sprout_serving(tmp_path, **SUMMARY, **model_settings(model)) as (_, address),
        import_fractions(address) as (client, nodes),
    ):
        (
            await client.post(f"/api/agents/summary/nodes/{first_of_kind(nodes, 'root')}/run", json=USER)
        ).raise_for_status()
        async with open_page(browser, f"{address}/paths/{nodes[0]['branchId']}") as page:
            await show_run(page)
            await expect(panel(page).get_by_role("heading", name="summary")).to_be_visible()
            await expect(panel(page).get_by_text("In short: equal parts.").first).to_be_visible()
            await expect(panel(page)).not_to_contain_text("Concept agent")
