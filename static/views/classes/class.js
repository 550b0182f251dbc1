// @ts-check
/** Class screen: how far a class is in a given path, what to do about it, its code and its learners. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/classes.js";
import { html } from "../../lib/html.js";
import { whileVisible } from "../../lib/while_visible.js";
import * as classesApi from "../../net/classes_api.js";
import * as deskApi from "../../net/desk_api.js";
import { deskUrl } from "../../state/router.js";
import { Icon } from "../common/icons.js";
import { LoadingState, useLoaded } from "../common/loaded.js";
import { Mark } from "../common/node_state_shapes.js";
import { Shell } from "../common/shell.js";
import { CellShapes } from "./cell_mark.js";
import { ClassModel } from "./class_budget.js";
import { JoinCode } from "./class_code.js";
import { ClassProgressView } from "./class_progress.js";
import { ClassSide } from "./class_side.js";
import { ConcernsNotice } from "./desk_concerns.js";
import { GiveDialog } from "./give_dialog.js";
import { GivenPaths } from "./given_paths.js";
import { Members } from "./members.js";
import { Poster } from "./poster.js";
import { ClassRecordStore } from "./record_store.js";

/** @import { ClassMember, ClassProgress, GivenPath, SchoolClass } from "../../types.d.ts" */
/** @import { Loading } from "../common/loaded.js" */
/** @import { Opened } from "./class_dialog.js" */
/** @typedef {{ of: SchoolClass, members: ClassMember[], given: GivenPath[], undecided: number }} ClassPage */

const REFRESH_MS = 30_000;

/** @param {string} classId @returns {Promise<ClassPage>} */
async function fetchPage(classId) {
  const [of, members, given, desk] = await Promise.all([
    classesApi.oneClass(classId),
    classesApi.members(classId),
    classesApi.givenPaths(classId),
    deskApi.desk(classId),
  ]);
  return { of, members, given, undecided: desk.items.length };
}

/** @param {{ classId: string }} props */
export function ClassScreen({ classId }) {
  const loading = useLoaded(() => fetchPage(classId));
  const page = loading.found.value;
  const name = page?.of.name;
  useEffect(() => {
    document.title = name === undefined ? t("cl.page") : t("cl.page_of", { name });
  }, [name]);
  return html`<${Shell}>
    <${CellShapes} />
    <div class="wrap cl" aria-busy=${loading.busy.value || undefined}>
      <${LoadingState} of=${loading} words=${t("cl.loading_one")} />
      ${page && html`<${Page} page=${page} onChange=${loading.load} />`}
    </div>
    ${page && html`<${Poster} of=${page.of} />`}
  <//>`;
}

/** @param {{ page: ClassPage, onChange: () => Promise<void> }} props */
function Page({ page, onChange }) {
  const { of, members, given } = page;
  const chosen = useSignal(/** @type {string | null} */ (null));
  const isGiving = useSignal(false);
  const opened = useSignal(/** @type {Opened | null} */ (null));
  const path = given.find(({ id }) => id === chosen.value) ?? given.at(-1);
  const pathId = path?.id ?? null;
  const loading = useLoaded(async () => (pathId ? classesApi.progress(of.id, pathId) : null));
  useEffect(() => {
    if (pathId) loading.load();
  }, [pathId, members.length, path?.copies]);
  useEffect(() => (pathId ? whileVisible(loading.load, REFRESH_MS) : undefined), [pathId]);
  const found = loading.found.value;
  const progress = found?.givenId === pathId ? found : null;
  const isArchived = of.archivedAt !== null;
  return html`
    <${Head}
      page=${page}
      path=${path}
      progress=${progress}
      onGive=${() => {
        isGiving.value = true;
      }}
    />
    <${ConcernsNotice} classId=${of.id} />
    ${isArchived && html`<p class="cl-note">${t("cl.archived_says")}</p>`}
    <div class="cl-cols">
      <div class="cl-main">
        ${members.length === 0 && html`<${Empty} title=${t("cl.no_one_title")} text=${t("cl.no_one")} />`}
        ${members.length > 0 && !path && html`<${Empty} title=${t("cl.no_path_title")} text=${t("cl.no_path")} />`}
        ${members.length > 0 && path && html`<${ProgressState} loading=${loading} isThere=${progress !== null} />`}
        ${
          members.length > 0 &&
          progress &&
          html`<${ClassProgressView}
            key=${progress.givenId}
            progress=${progress}
            given=${given}
            opened=${opened}
            onChoose=${(/** @type {string} */ givenId) => {
              chosen.value = givenId;
            }}
          />`
        }
        ${members.length > 0 && html`<${Members} of=${of} members=${members} isOpen=${!path} onChange=${onChange} />`}
      </div>
      <aside class="cl-side" aria-label=${t("cl.aside")}>
        ${
          members.length > 0 &&
          progress &&
          html`<${ClassSide}
            progress=${progress}
            onSent=${loading.load}
            onOpen=${(/** @type {Opened} */ next) => {
              opened.value = next;
            }}
          />`
        }
        ${!isArchived && html`<${JoinCode} of=${of} onChange=${onChange} />`}
        <${GivenPaths} classId=${of.id} given=${given} onChange=${onChange} />
        ${!isArchived && html`<${ClassModel} of=${of} onChange=${onChange} />`}
        ${!isArchived && html`<${ClassRecordStore} classId=${of.id} />`}
      </aside>
    </div>
    ${
      isGiving.value &&
      html`<${GiveDialog}
        classId=${of.id}
        onClose=${() => {
          isGiving.value = false;
        }}
        onGiven=${async (/** @type {GivenPath} */ one) => {
          chosen.value = one.id;
          await onChange();
        }}
      />`
    }
  `;
}

/** @param {{ loading: Loading<ClassProgress | null>, isThere: boolean }} props */
const ProgressState = ({ loading, isThere }) =>
  (!isThere || loading.problem.value) && html`<${LoadingState} of=${loading} words=${t("cl.loading_progress")} />`;

/** @param {{ title: string, text: string }} props */
const Empty = ({ title, text }) => html`<section class="cl-empty">
  <${Mark} state="ready" />
  <div>
    <h2 class="t18">${title}</h2>
    <p class="dim">${text}</p>
  </div>
</section>`;

/**
 * @param {{
 *   page: ClassPage,
 *   path: GivenPath | undefined,
 *   progress: ClassProgress | null,
 *   onGive: () => void,
 * }} props
 */
const Head = ({ page: { of, members, undecided }, path, progress, onGive }) => html`<header>
  <div>
    <h1 class="t24" dir="auto">${of.name}</h1>
    <p class="dim">${progress ? summaryOf(progress) : t("cl.learners", { n: members.length })}</p>
  </div>
  ${
    path &&
    html`<a class="btn" href=${classesApi.progressTableUrl(of.id, path.id)} download>
        <${Icon} name="export" small />${t("cl.export")}
      </a>
      <a class="btn" href=${classesApi.statementsUrl(of.id, path.id)} download>${t("cl.export_xapi")}</a>`
  }
  ${
    of.archivedAt === null &&
    html`<button class=${path || members.length === 0 ? "btn" : "btn go"} type="button" onClick=${onGive}>
      ${t("cl.give")}
    </button>`
  }
  ${
    members.length > 0 &&
    html`<a class=${undecided ? "btn go" : "btn"} href=${deskUrl(of.id)}>
      ${undecided ? t("cl.decide", { n: undecided }) : t("cl.desk")}
    </a>`
  }
</header>`;

/** @param {ClassProgress} progress */
const summaryOf = ({ learners, concepts, activeThisWeek, stuckSomewhere }) =>
  t("cl.summary", {
    learners: t("cl.learners", { n: learners.length }),
    concepts: t("cl.concepts", { n: concepts.length }),
    active: t("cl.were_here", { n: activeThisWeek }),
    stuck: t("cl.are_stuck", { n: stuckSomewhere }),
  });
