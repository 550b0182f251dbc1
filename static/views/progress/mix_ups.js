// @ts-check
/** Mix-ups of a learner: what was believed, when it showed, a case to test it on, and what cleared it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/mixups.js";
import { comingTime } from "../../lib/coming_time.js";
import { parseMs, day, shorten } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { chosenLanguage } from "../../lib/i18n.js";
import * as api from "../../net/api.js";
import * as learnerApi from "../../net/learner_api.js";
import { lessonUrl, pathsUrl, progressUrl } from "../../state/router.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { NextCard } from "../common/next_card.js";
import { Mark } from "../common/node_state_shapes.js";
import { Shell } from "../common/shell.js";
import { Markdown } from "../rich/markdown.js";

/** @import { MixUp, MixUpEvidence } from "../../types.d.ts" */

const STATES = /** @type {const} */ (["open", "treated", "cleared"]);
const LONGEST_SAID = 60;

export function MixUpsScreen() {
  const loading = useLoaded(() => learnerApi.mixUps(null));
  const hasNext = useSignal(false);
  useEffect(() => {
    document.title = t("mx.page");
  }, []);
  const all = loading.found.value;
  return html`<${Shell}>
    <div class="wrap pg mx" aria-busy=${loading.busy.value || undefined}>
      <p class="mx-back"><a href=${progressUrl()}>${t("mx.back")}</a></p>
      <h1 class="t24">${t("mx.title")}</h1>
      <${NextCard}
        onShown=${(/** @type {boolean} */ isShown) => {
          hasNext.value = isShown;
        }}
      />
      <${LoadingState} of=${loading} words=${t("mx.loading")} />
      ${all && !all.length && html`<${Empty} hasNext=${hasNext.value} />`}
      ${all && all.length > 0 && html`<p class="dim mx-lead">${t("mx.lead")}</p>`}
      ${
        all &&
        STATES.map((state) => {
          const those = all.filter((one) => one.state === state);
          return those.length > 0 && html`<${Group} key=${state} state=${state} mixUps=${those} />`;
        })
      }
    </div>
  <//>`;
}

/** @param {{ hasNext: boolean }} props `hasNext`: whether the filled button stands above */
const Empty = ({ hasNext }) => html`<section class="pg-empty">
  <${Mark} state="ready" />
  <div>
    <h2 class="t18">${t("mx.empty_title")}</h2>
    <p class="dim">${t("mx.empty")}</p>
    <p><a class=${hasNext ? "btn" : "btn go"} href=${pathsUrl()}>${t("mx.empty_go")}</a></p>
  </div>
</section>`;

/** @param {{ state: MixUp["state"], mixUps: MixUp[] }} props */
const Group = ({ state, mixUps }) => html`<section class="mx-group" aria-labelledby=${`mx-${state}`}>
  <h2 id=${`mx-${state}`} class="t18">${t(`mx.${state}`)}</h2>
  ${state === "treated" && html`<p class="t13 dim">${t("mx.treated_says")}</p>`}
  <ul>${mixUps.map((one) => html`<${Item} key=${`${one.branchId} ${one.id}`} mixUp=${one} />`)}</ul>
</section>`;

/** @param {{ mixUp: MixUp }} props */
function Item({ mixUp }) {
  const earlier = mixUp.evidence.slice(0, -1).reverse();
  const last = mixUp.evidence[mixUp.evidence.length - 1];
  return html`<li class="mx-item ${mixUp.state}">
    <blockquote class="say-lg">${t("mx.says", { statement: mixUp.statement })}</blockquote>
    <p class="mx-of t13">
      <span class="dim">${t("mx.of", { title: placeOf(mixUp), path: mixUp.branchTitle ?? "" })}</span>
      ${mixUp.sure && mixUp.state !== "cleared" && html`<span class="chip due">${t("mx.sure")}</span>`}
      ${mixUp.relapses > 0 && html`<span class="chip">${t("mx.back_again", { n: mixUp.relapses })}</span>`}
    </p>
    <${Shown} of=${last} words="mx.led" />
    ${
      mixUp.contrast &&
      mixUp.state !== "cleared" &&
      html`<div class="mx-test">
        <h3>${t("mx.test")}</h3>
        <div class="say"><${Markdown} text=${mixUp.contrast} /></div>
      </div>`
    }
    ${mixUp.clearedBy && html`<${Shown} of=${mixUp.clearedBy} words="mx.cleared" />`}
    ${mixUp.state === "open" && html`<p class="t13 dim">${clearing(mixUp)}</p>`}
    ${
      earlier.length > 0 &&
      html`<details class="mx-more">
        <summary>${t("mx.more", { n: earlier.length })}</summary>
        ${earlier.map((one) => html`<${Shown} key=${one.answerId} of=${one} words="mx.led" />`)}
      </details>`
    }
    <${ToLesson} mixUp=${mixUp} />
  </li>`;
}

/** The part, or the concept where the part is gone. @param {MixUp} mixUp */
const placeOf = (mixUp) => mixUp.title ?? mixUp.conceptTitle ?? "";

/** When a right answer clears it. @param {MixUp} mixUp */
function clearing({ clearsFrom }) {
  const [from, now] = [parseMs(clearsFrom), api.serverNow()];
  return from <= now ? t("mx.clears_now") : t("mx.clears_from", { when: comingTime(from, now, chosenLanguage()) });
}

/** The answer with its question. @param {{ of: MixUpEvidence, words: "mx.led" | "mx.cleared" }} props */
function Shown({ of, words }) {
  const said = shorten(of.said, LONGEST_SAID);
  const led = said ? t("mx.led_to", { said: t("mx.says", { statement: said }) }) : t("mx.led");
  const cleared = said ? t("mx.cleared_by", { said: t("mx.says", { statement: said }) }) : t("mx.cleared_so");
  return html`<div class="mx-shown">
    <p class="t13">
      <b>${words === "mx.led" ? led : cleared}</b>
      <time class="dimmer" datetime=${of.at}>${day(of.at, api.serverNow())}</time>
    </p>
    <div class="say mx-q"><${Markdown} text=${of.prompt} /></div>
  </div>`;
}

/** @param {{ mixUp: MixUp }} props */
function ToLesson({ mixUp }) {
  const { branchId, conceptId, nodeId, state } = mixUp;
  if (!branchId || !conceptId || !nodeId) return null;
  return html`<p>
    <a
      class="btn"
      href=${lessonUrl(branchId, conceptId, nodeId)}
      aria-label=${t(state === "open" ? "mx.learn_about" : "mx.look_about", { title: placeOf(mixUp) })}
    >
      ${t(state === "open" ? "mx.learn" : "mx.look")}
    </a>
  </p>`;
}
