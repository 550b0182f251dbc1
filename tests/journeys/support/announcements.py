"""Announcements of a page's live regions, in the order of arrival."""

from playwright.async_api import Page

LISTENER_SCRIPT = """() => {
  const LIVE = '[role=status], [role=alert], [role=log], [aria-live]';
  const words = (node) => node.nodeType === Node.TEXT_NODE ? node.data
    : node.nodeType !== Node.ELEMENT_NODE || node.ariaHidden === 'true' ? ''
    : [...node.childNodes].map(words).join(' ');
  const last = new Map();
  window.heard = [];
  const listen = () => {
    for (const region of document.querySelectorAll(LIVE)) {
      const now = region.ariaLive === 'off' ? '' : words(region).replace(/\\s+/g, ' ').trim();
      if (now && now !== last.get(region)) window.heard.push(now);
      last.set(region, now);
    }
  };
  listen();
  window.heard = [];
  new MutationObserver(listen).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


async def start_listening(page: Page) -> None:
    """Hear everything from now on, until the page is loaded anew."""
    await page.evaluate(LISTENER_SCRIPT)


async def announcements(page: Page) -> list[str]:
    """Announcements since the last call."""
    return [str(words) for words in await page.evaluate("window.heard")]
