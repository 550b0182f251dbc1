import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf } from "../../../../static/lib/user_agent.js";

const names = (userAgent) => Object.values(namesOf(userAgent)).filter(Boolean).join(" on ");
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test("a browser is called by its own name, though it also calls itself others", () => {
  assert.equal(names(`Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`), "Chrome on Linux");
  assert.equal(
    names(`Mozilla/5.0 (X11; Linux x86_64) ${CHROME.replace("Chrome", "HeadlessChrome")}`),
    "Chrome on Linux",
  );
  assert.equal(
    names(`Mozilla/5.0 (X11; Linux x86_64) Ubuntu Chromium/90.0 ${CHROME} Safari/537.36`),
    "Chromium on Linux",
  );
  assert.equal(names(`${WINDOWS} ${CHROME} Safari/537.36 Edg/142.0.0.0`), "Edge on Windows");
  assert.equal(names(`${WINDOWS} ${CHROME} Safari/537.36 OPR/125.0.0.0`), "Opera on Windows");
  assert.equal(
    names("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"),
    "Firefox on Windows",
  );
  assert.equal(
    names(
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
    ),
    "Safari on Mac",
  );
});

test("a phone and a tablet are called by their kind", () => {
  assert.equal(names(`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`), "Safari on iPhone");
  assert.equal(names(`${IPHONE} CriOS/142.0 Mobile/15E148 Safari/604.1`), "Chrome on iPhone");
  assert.equal(names(`${IPHONE} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`), "Firefox on iPhone");
  assert.equal(
    names(
      `Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    ),
    "Samsung Internet on Android",
  );
  assert.equal(names(`Mozilla/5.0 (X11; CrOS x86_64 16328.0.0) ${CHROME} Safari/537.36`), "Chrome on ChromeOS");
});

test("a program has the name before its version, and what is neither has none", () => {
  assert.equal(names("curl/8.14.1"), "curl");
  assert.equal(names("python-httpx/0.28.1"), "python-httpx");
  assert.equal(names("Test Browser"), "");
  assert.equal(names(""), "");
});
