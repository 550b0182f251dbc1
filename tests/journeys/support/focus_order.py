"""The focus on its way through a page: where Tab stops, and whether one sees it there."""

from playwright.async_api import Page

MOST_STOPS = 120
START = "() => { document.querySelector('.skip').focus(); scrollTo(0, 0); window.stops = new Set(); }"
STOP = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const at = document.activeElement;
  if (!at || at === document.body || window.stops.has(at)) return null;
  window.stops.add(at);
  const shown = at.matches('input') && at.closest('label') || at;
  const name = (at.getAttribute('aria-label') ?? at.textContent).trim().slice(0, 60) || at.outerHTML.slice(0, 80);
  const { left, right, top, bottom } = shown.getBoundingClientRect();
  const within = (low, high, most) => {
    const [from, to] = [Math.max(low, 0), Math.min(high, most)];
    return [from + 1, (from + to) / 2, to - 1];
  };
  const isThere = (x, y) => {
    const found = document.elementFromPoint(x, y);
    return found !== null && (shown.contains(found) || found === shown);
  };
  const seen = within(left, right, innerWidth).some((x) => within(top, bottom, innerHeight).some((y) => isThere(x, y)));
  return { name, seen };
}"""


async def walk_focus_stops(page: Page) -> list[str]:
    """Press Tab from the page's first link to its end; the names of its stops, of each of which one sees a part.

    Raises AssertionError with the names of those that something covers, or that are out of sight.
    """
    await page.evaluate(START)
    stops: list[str] = []
    hidden: list[str] = []
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        stop = await page.evaluate(STOP)
        if stop is None:
            break
        stops.append(stop["name"])
        if not stop["seen"]:
            hidden.append(stop["name"])
    assert not hidden, hidden
    return stops
