// @ts-check
/** Desk of a teacher: answers of a class that wait for a decision, one at a time. */

import { batch, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/desk.js";
import { html } from "../../lib/html.js";
import * as deskApi from "../../net/desk_api.js";
import { classUrl, classesUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Fault, Shell } from "../common/shell.js";
import { ConcernsNotice } from "./desk_concerns.js";
import { Decisions } from "./desk_decisions.js";
import { DeskAnswer, kindWords } from "./desk_answer.js";
import { SharedLessons } from "./desk_shared.js";

/** @import { Decision, DeskItem } from "../../types.d.ts" */

const UNDO_MS = 8_000;
const SECONDS_EACH = 45;

/** @param {{ classId: string }} props */
export function DeskScreen({ classId }) {
  const loading = useLoaded(() => Promise.all([deskApi.desk(classId), deskApi.classOf(classId)]));
  const gone = useSignal(/** @type {string[]} */ ([])); // decided, until the next load
  const later = useSignal(/** @type {string[]} */ ([]));
  const chosen = useSignal(/** @type {string | null} */ (null));
  const made = useSignal(/** @type {{ id: string, words: string } | null} */ (null));
  const problem = useSignal(/** @type {string | null} */ (null));
  const busy = useSignal(false);
  const [page, klass] = loading.found.value ?? [null, null];
  const items = inOrder(page?.items ?? [], later.value).filter(({ id }) => !gone.value.includes(id));
  const item = items.find(({ id }) => id === chosen.value) ?? items[0];
  useEffect(() => {
    if (page) document.title = items.length ? t("dk.page", { n: items.length }) : t("dk.page_none");
  }, [page, items.length]);
  useEffect(() => {
    if (!made.value) return;
    const timer = setTimeout(() => {
      made.value = null;
    }, UNDO_MS);
    return () => clearTimeout(timer);
  }, [made.value]);

  /** @param {() => Promise<void>} job */
  const attempt = async (job) => {
    if (busy.value) return;
    busy.value = true;
    try {
      await job();
      problem.value = null;
    } catch (error) {
      problem.value = /** @type {Error} */ (error).message;
      await loading.load(); // another tab may have decided it, or it is gone
    } finally {
      busy.value = false;
    }
  };
  /** @param {Decision} decision */
  const decide = (decision) =>
    attempt(async () => {
      const { id } = item;
      const { dropped } = await deskApi.decide(classId, id, decision);
      batch(() => {
        made.value = {
          id,
          words: dropped ? t("dk.now_drop_too", { n: dropped }) : t(`dk.now_${decision}`),
        };
        gone.value = [...gone.value, id];
        chosen.value = null;
      });
      loading.load();
    });
  const undo = () =>
    attempt(async () => {
      const { id } = /** @type {{ id: string }} */ (made.value);
      await deskApi.undo(classId, id);
      await loading.load();
      batch(() => {
        made.value = null;
        gone.value = gone.value.filter((one) => one !== id);
        chosen.value = id;
      });
    });
  const putOff = () =>
    batch(() => {
      later.value = [...later.value.filter((id) => id !== item.id), item.id];
      chosen.value = null;
    });

  const title = items.length ? t("dk.title", { n: items.length }) : t("dk.none");
  const crumbs = [
    { title: t("dk.classes"), url: classesUrl() },
    { title: klass?.name ?? "", url: classUrl(classId) },
    { title, url: null },
  ];
  return html`<${Shell} crumbs=${crumbs}>
    <div class="wrap dk-top"><${ConcernsNotice} classId=${classId} /></div>
    <div class="dk" aria-busy=${loading.busy.value || undefined}>
      <aside class="dk-queue" aria-label=${t("dk.waiting")}>
        ${
          page &&
          html`<${Queue} items=${items} current=${item} page=${page} onChoose=${(/** @type {string} */ id) => {
            chosen.value = id;
          }} />`
        }
        <${SharedLessons} classId=${classId} />
      </aside>
      <div>
        <${LoadingState} of=${loading} words=${t("dk.loading")} />
        ${problem.value && html`<${Fault} message=${problem.value} />`}
        ${page && !item && html`<${Empty} classId=${classId} />`}
        ${
          item &&
          html`<${DeskAnswer}
            key=${item.id}
            classId=${classId}
            item=${item}
            place=${items.indexOf(item) + 1}
            of=${items.length}
          />`
        }
        ${
          item &&
          html`<${Decisions}
            key=${`${item.id} keys`}
            classId=${classId}
            item=${item}
            busy=${busy.value}
            onDecide=${decide}
            onLater=${items.length > 1 ? putOff : null}
          />`
        }
        <div class="dk-toast" role="status">
          ${
            made.value &&
            html`<p class="toast">
              <span>${made.value.words}</span>
              <button class="link" type="button" onClick=${undo}>${t("dk.undo")}</button>
            </p>`
          }
        </div>
      </div>
    </div>
  <//>`;
}

/** What was put off comes last. @param {DeskItem[]} items @param {string[]} later */
function inOrder(items, later) {
  const put = later.map((id) => items.find((item) => item.id === id)).filter((item) => item !== undefined);
  return [...items.filter(({ id }) => !later.includes(id)), ...put];
}

/** @param {number} answers */
const minutesFor = (answers) => Math.ceil((answers * SECONDS_EACH) / 60);

/**
 * @param {{ items: DeskItem[], current?: DeskItem, page: { more: boolean, decided: number },
 *   onChoose: (id: string) => void }} props
 */
const Queue = ({ items, current, page, onChoose }) => html`
  <h1 class="t24">${items.length ? t("dk.title", { n: items.length }) : t("dk.none")}</h1>
  ${items.length > 0 && html`<p class="dim">${t("dk.minutes", { n: minutesFor(items.length) })}</p>`}
  <ol class="dk-list">
    ${items.map(
      (item) => html`<li key=${item.id}>
        <button
          type="button"
          aria-current=${item === current ? "true" : undefined}
          onClick=${() => onChoose(item.id)}
        >
          <b dir="auto">${item.prompt}</b>
          <span class="t13 dim">${kindWords(item)}</span>
        </button>
      </li>`,
    )}
  </ol>
  ${page.more && html`<p class="t13 dim">${t("dk.more", { n: items.length })}</p>`}
  ${
    page.decided > 0 &&
    html`<p class="t13 dimmer dk-done"><${Icon} name="check" small />${t("dk.decided", { n: page.decided })}</p>`
  }
`;

/** @param {{ classId: string }} props */
const Empty = ({ classId }) => html`<section class="dk-empty">
  <h2 class="t24">${t("dk.none")}</h2>
  <p class="dim">${t("dk.none_text")}</p>
  <p><a class="btn" href=${classUrl(classId)}>${t("dk.to_class")}</a></p>
</section>`;
