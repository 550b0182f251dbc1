// @ts-check
/** The learner's paths as plants on one ground line, each with its count and its next step. */

import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/today.js";
import { html } from "../../lib/html.js";
import { givenPaths, loadGivenPaths } from "../../state/given_paths.js";
import { loadSeenLeaves, saveSeenLeaves } from "../../state/seen_leaves.js";
import { pathsUrl, pathUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { lazy } from "../common/lazy.js";
import { stepUrl } from "../common/next_step.js";
import { placementUrl } from "../placement/addresses.js";
import { Plant } from "./plant.js";

/** @import { CopiedPath, NextAction, PlacementOverview, Today, TodayPath } from "../../types.d.ts" */

/** Loaded only if a teacher has given a path. */
const givenLine = lazy(async () => (await import("../common/given_line.js")).GivenLine);

/** @param {{ today: Today }} props */
export function Garden({ today }) {
  const seen = useMemo(loadSeenLeaves, []);
  useEffect(() => saveSeenLeaves(today.paths), [today]);
  useEffect(() => {
    loadGivenPaths();
  }, []);
  return html`<section class="garden" aria-labelledby="garden">
    <header>
      <h2 class="t18" id="garden">${t("td.paths")}</h2>
      <a class="btn sm" href=${pathsUrl()}><${Icon} name="plus" small />${t("td.new")}</a>
    </header>
    <div class="beds">
      ${today.paths.map(
        (path, i) => html`<article class="bed" key=${path.branch.id}>
          <${Plant}
            leaves=${path.leaves}
            parts=${path.parts}
            place=${i}
            seen=${seen?.[path.branch.id] ?? (seen ? 0 : path.leaves.length)}
          />
          <${Words} path=${path} copy=${givenPaths.value.get(path.branch.id)} isDone=${today.done} />
        </article>`,
      )}
    </div>
    ${today.morePaths > 0 && html`<p><a href=${pathsUrl()}>${t("td.all", { n: today.morePaths })}</a></p>`}
    <p class="key t12 dimmer">${t("td.key")}</p>
  </section>`;
}

/** @param {{ path: TodayPath, copy: CopiedPath | undefined, isDone: boolean }} props */
const Words = ({ path, copy, isDone }) => html`<div>
  <h3><a href=${pathUrl(path.branch.id)}>${path.branch.title}</a></h3>
  <p class="t13 dim">${standing(path)}</p>
  ${copy && html`<${givenLine.View} copy=${copy} />`}
  ${
    path.placement?.questions && !path.placement.lastId
      ? html`<${FindStart} branch=${path.branch} placement=${path.placement} />`
      : html`<${Onward} path=${path} isDone=${isDone} />`
  }
</div>`;

/**
 * The offer to find where one starts on a path.
 * @param {{ branch: TodayPath["branch"], placement: PlacementOverview }} props
 */
const FindStart = ({ branch, placement }) => html`
  <p class="nx say dim">${t("td.place_text")}</p>
  <a class="link" href=${placementUrl(branch.id)}>
    ${placement.openId ? t("td.place_on") : t("td.place", { n: placement.minutes })}
    <span class="vh"> ${branch.title}</span>
  </a>
`;

/** "14 of 38 parts learned, 2 due". @param {TodayPath} path */
function standing({ leaves, parts, learnedToday, missedToday, next }) {
  if (next.kind === "growing") return t("td.growing");
  if (next.kind === "answer") return t("td.asks");
  const [done, due] = [leaves.length, [...leaves].filter((one) => one === "d").length];
  if (!done) return t("td.not_started");
  const count = done < parts ? t("td.parts", { done, n: parts }) : t("td.parts_all", { n: parts });
  if (due || missedToday)
    return (
      count + (due ? t("td.parts_due", { n: due }) : "") + (missedToday ? t("td.parts_missed", { n: missedToday }) : "")
    );
  return count + (learnedToday ? t("td.parts_today", { n: learnedToday }) : t("td.parts_fresh"));
}

/** What comes next in a path. @param {{ path: TodayPath, isDone: boolean }} props */
const Onward = ({ path: { next }, isDone }) => html`
  <p class="nx say dim">${next.kind === "done" ? t("td.kept") : (next.node?.title ?? "")}</p>
  ${next.kind === "answer" && html`<a class="link" href=${stepUrl(next)}>${t("td.open")}</a>`}
  ${
    next.node &&
    html`<a class="link" href=${stepUrl(next)}>
      ${t(onwardKey(next, isDone), { n: next.minutes ?? 1 })}
      <span class="vh"> ${next.node.title}</span>
    </a>`
  }
`;

/** @param {NextAction} next @param {boolean} isDone */
function onwardKey(next, isDone) {
  if (isDone) return "td.ahead";
  return next.why === "started" ? "td.go_on" : "td.go_start";
}
