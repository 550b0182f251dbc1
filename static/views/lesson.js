// @ts-check
/** A lesson: the tutor's words, the open checkpoint docked below them, the plan beside them, questions on the side. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { html } from "../html.js";
import { t as common } from "../i18n.js";
import { t } from "../i18n/learn.js";
import { openLesson } from "../lesson.js";
import { home, pathUrl } from "../router.js";
import { usePath } from "./around.js";
import { Aside } from "./aside.js";
import { CheckpointForm } from "./checkpoint.js";
import { Finished } from "./finished.js";
import { OpenBelow } from "./openbelow.js";
import { Rail } from "./rail.js";
import { DocumentReader } from "./reader.js";
import { Blank, Fault, Shell } from "./shell.js";
import { Talk } from "./talk.js";

/** @import { Citation } from "../types.d.ts" */

/** The side column stands below everything else there, too far from what is cited. */
const narrow = matchMedia("(max-width: 1100px)");

/** @param {{ branchId: string, conceptId: string, nodeId: string }} props */
export function LessonScreen({ branchId, conceptId, nodeId }) {
  const lesson = useMemo(() => openLesson(nodeId), [nodeId]);
  useEffect(() => lesson.close, [lesson]);
  const cited = useSignal(/** @type {Citation | null} */ (null));
  const read = useSignal(/** @type {Citation | null} */ (null));
  const around = usePath(branchId, lesson.ended.value).value;
  const node = around?.all.get(nodeId);
  const concept = around?.all.get(conceptId);
  useEffect(() => { if (node) document.title = t("tu.page", { title: node.title }); }, [node?.title]);
  const crumbs = [{ title: common("nav.paths"), url: home() }, { title: around?.title ?? "", url: pathUrl(branchId) }, { title: concept?.title ?? "", url: pathUrl(branchId, conceptId) }, { title: node?.title ?? t("tu.crumb"), url: null }];
  const onCite = useMemo(() => (/** @type {Citation} */ citation) => { (narrow.matches ? read : cited).value = citation; }, []);
  const problem = /** @type {any} */ (lesson.problem.value);
  if (problem?.status === 404) return html`<${Shell}><${Blank} title=${common("error.gone")} text=${common("not_found.text")}><p><a href=${home()}>${common("not_found.home")}</a></p><//><//>`;
  if (problem) return html`<${Shell} crumbs=${crumbs}><div class="wrap blank"><${Fault} message=${problem.message} onRetry=${lesson.again} /></div><//>`;
  return html`<${Shell} crumbs=${crumbs}>
    <div class="tu">
      <${Rail} lesson=${lesson} concept=${concept?.title ?? ""} title=${node?.title ?? ""} />
      <${Talk} lesson=${lesson} title=${node?.title ?? ""} onCite=${onCite} />
      <${Aside} lesson=${lesson} cited=${cited} onRead=${(/** @type {Citation} */ citation) => { read.value = citation; }} />
      <div class="dock" id="dock">${lesson.ended.value ? html`<${Finished} lesson=${lesson} branchId=${branchId} conceptId=${conceptId} nodeId=${nodeId} around=${around} />` : html`<${CheckpointForm} lesson=${lesson} about=${[around?.title, concept?.title, node?.title].join(" ")} />`}</div>
      ${lesson.state.value?.question && !lesson.ended.value && html`<${OpenBelow} lesson=${lesson} />`}
    </div>
    ${read.value && html`<${DocumentReader} key=${read.value.passageId} documentId=${read.value.documentId} name=${read.value.document} passageId=${read.value.passageId} onClose=${() => { read.value = null; }} />`}
  <//>`;
}
