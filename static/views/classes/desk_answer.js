// @ts-check
/** One answer on a teacher's desk: question, words without a name, criteria, what Sprout thought, what the learner says. */

import { t } from "../../i18n/desk.js";
import { commaJoined } from "../../lib/format.js";
import { html } from "../../lib/html.js";
import { drawingUrl } from "../../net/desk_api.js";
import { Icon } from "../common/icons.js";
import { VerdictMark } from "../common/verdict_mark.js";
import { Markdown } from "../rich/markdown.js";

/** @import { DeskItem } from "../../types.d.ts" */

const VERDICTS = /** @type {const} */ ({ met: "dk.met", partly: "dk.half", missing: "dk.missing" });
const MARKS = /** @type {const} */ ({ right: "dk.said_right", partly: "dk.said_partly", missed: "dk.said_missed" });

/** Why it waits, in a few words. @param {DeskItem} item */
export function kindWords({ kind, compared, sure }) {
  if (kind !== "unsure") return t(`dk.${kind}`);
  if (compared) return t("dk.compared");
  return sure === null ? t("dk.unsure") : t("dk.unsure_at", { n: percent(sure) });
}

/** @param {{ classId: string, item: DeskItem, place: number, of: number }} props */
export const DeskAnswer = ({ classId, item, place, of }) => html`<section class="an" aria-label=${t("dk.one")}>
  <div class="row t13 dim an-top">
    <span class="chip"><${Icon} name="flag" small />${kindWords(item)}</span>
    <span>${t("dk.place", { i: place, n: of })}</span>
    <span class="sp hide-s" dir="auto">${item.path}, ${item.concept}</span>
  </div>
  <div class="say-lg" dir="auto"><${Markdown} text=${item.prompt} /></div>
  <${Said} classId=${classId} item=${item} />
  ${item.options.length > 0 && html`<${Options} item=${item} />`}
  ${
    item.format !== "mcq" &&
    html`<details class="an-model">
      <summary>${t("dk.model")}</summary>
      <div class="say" dir="auto"><${Markdown} text=${item.modelAnswer} /></div>
    </details>`
  }
  ${item.criteria.length > 0 && html`<${Criteria} item=${item} />`}
  <${Thought} item=${item} />
  ${
    item.contested &&
    html`<div class="because">
      <h3>${t("dk.says")}</h3>
      <p dir="auto">${item.reason ?? t("dk.no_reason")}</p>
    </div>`
  }
</section>`;

/**
 * The learner's words, with what shows a criterion underlined, and their drawing if the answer is one.
 * @param {{ classId: string, item: DeskItem }} props
 */
function Said({ classId, item }) {
  if (item.answer === null) return html`<p class="an-said dim">${t("dk.unanswered")}</p>`;
  return html`<div class="an-said">
    <small>${t(item.helped ? "dk.helped" : "dk.own")}</small>
    ${item.drawn && html`<img src=${drawingUrl(classId, item.id)} alt=${t("dk.drawing")} />`}
    <p dir="auto">${underlined(item.answer, item.criteria)}</p>
  </div>`;
}

/** @param {string} words @param {DeskItem["criteria"]} criteria */
function underlined(words, criteria) {
  const shown = criteria.filter(({ span, verdict }) => span && verdict && verdict !== "missing");
  const spans = shown.map(({ span }) => ({ from: words.indexOf(span), to: words.indexOf(span) + span.length }));
  const pieces = [];
  let at = 0;
  for (const { from, to } of spans.filter(({ from }) => from >= 0).sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    pieces.push(words.slice(at, from), html`<mark>${words.slice(from, to)}</mark>`);
    at = to;
  }
  return [...pieces, words.slice(at)];
}

/** @param {{ item: DeskItem }} props */
const Options = ({ item }) => html`<div>
  <h2>${t("dk.options")}</h2>
  <ul class="crit">
    ${item.options.map((option) => {
      const notes = [option === item.modelAnswer && t("dk.key"), option === item.answer && t("dk.chosen")];
      return html`<li key=${option}><span dir="auto">${option}</span><span>${commaJoined(notes)}</span></li>`;
    })}
  </ul>
</div>`;

/** @param {{ item: DeskItem }} props */
const Criteria = ({ item }) => html`<div>
  <h2>${t("dk.marked")}</h2>
  <ul class="crit">
    ${item.criteria.map(
      ({ label, statement, verdict, span }) => html`<li key=${label}>
        <${VerdictMark} shape=${verdict ?? "unsure"} />
        <span dir="auto"><b title=${statement}>${label}</b>${span && html`: <q>${span}</q>`}</span>
        <span>${t(verdict ? VERDICTS[verdict] : "dk.unjudged")}</span>
      </li>`,
    )}
  </ul>
</div>`;

/** @param {{ item: DeskItem }} props */
const Thought = ({ item }) => html`<div class="because quiet">
  <h3>${thoughtWords(item)}</h3>
  ${item.feedback && html`<p class="say dim" dir="auto">${item.feedback}</p>`}
  ${item.doubts.map((doubt) => html`<p key=${doubt} class="say dim" dir="auto" lang="en">${doubt}</p>`)}
  ${item.contested && html`<p class="t13 dim">${checkWords(item)}</p>`}
</div>`;

/** @param {DeskItem} item */
function thoughtWords({ mark, sure, compared }) {
  if (compared) return t("dk.said_compared");
  const said = t(mark ? MARKS[mark] : "dk.said_nothing");
  return sure === null ? said : t("dk.said_sure", { said, n: percent(sure) });
}

/** What came of checking a contested question. @param {DeskItem} item */
const checkWords = ({ outcome }) =>
  t(outcome === "held" ? "dk.held" : outcome === "unsettled" ? "dk.unsettled" : "dk.unchecked");

/** @param {number} share */
const percent = (share) => Math.round(share * 100);
