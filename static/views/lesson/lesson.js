// @ts-check
/** Lesson screen: transcript, docked checkpoint, plan, side questions. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../../i18n/learn.js";
import { html } from "../../lib/html.js";
import { t as common } from "../../lib/i18n.js";
import { loadDraft, saveDraft } from "../../state/drafts.js";
import { openLesson } from "../../state/lesson.js";
import { idToRead, waitingTurn } from "../../state/reading.js";
import { homeUrl, pathsUrl, pathUrl } from "../../state/router.js";
import { DocumentReader } from "../common/document_reader.js";
import { usePathContext } from "../common/path_context.js";
import { EmptyScreen, Fault, Shell } from "../common/shell.js";
import { CheckpointForm } from "./checkpoint.js";
import { CheckpointReminder } from "./checkpoint_reminder.js";
import { Finished } from "./finished.js";
import { LessonRail } from "./rail.js";
import { ReadOn } from "./reading.js";
import { SideColumn } from "./side_questions.js";
import { Transcript } from "./transcript.js";

/** @import { Citation } from "../../types.d.ts" */

/** On narrow screens the side column is too far from the citation. */
const narrow = matchMedia("(max-width: 1100px)");

/** @param {{ branchId: string, conceptId: string, nodeId: string }} props */
export function LessonScreen({ branchId, conceptId, nodeId }) {
  const lesson = useMemo(() => openLesson(nodeId), [nodeId]);
  useEffect(() => lesson.close, [lesson]);
  const cited = useSignal(/** @type {Citation | null} */ (null));
  const read = useSignal(/** @type {Citation | null} */ (null));
  const around = usePathContext(branchId, lesson.ended.value).value;
  const node = around?.all.get(nodeId);
  const concept = around?.all.get(conceptId);
  useEffect(() => {
    if (node) document.title = t("tu.page", { title: node.title });
  }, [node?.title]);
  const state = lesson.state.value;
  const question = state?.question ?? null;
  const begun = useSignal(/** @type {string | null} */ (null));
  const said = lesson.turns.value.filter((turn) => !turn.aside);
  const toRead = idToRead(said, state);
  const isBegun = toRead !== null && (begun.value === toRead || loadDraft(`${toRead}.begun`) !== "");
  const waiting = waitingTurn(said, state, isBegun);
  const isOpen = !lesson.ended.value && !waiting;
  const crumbs = [
    { title: common("nav.paths"), url: pathsUrl() },
    { title: around?.title ?? "", url: pathUrl(branchId) },
    { title: concept?.title ?? "", url: pathUrl(branchId, conceptId) },
    { title: node?.title ?? t("tu.crumb"), url: null },
  ];
  const onCite = useMemo(
    () => (/** @type {Citation} */ citation) => {
      (narrow.matches ? read : cited).value = citation;
    },
    [],
  );
  const problem = /** @type {any} */ (lesson.problem.value);
  if (problem?.status === 404)
    return html`<${Shell}>
      <${EmptyScreen} title=${common("error.gone")} text=${common("not_found.text")}>
        <p><a href=${homeUrl()}>${common("not_found.home")}</a></p>
      <//>
    <//>`;
  if (problem)
    return html`<${Shell} crumbs=${crumbs}>
      <div class="wrap blank"><${Fault} message=${problem.message} onRetry=${lesson.again} /></div>
    <//>`;
  const docked = () => {
    if (lesson.ended.value)
      return html`<${Finished}
        lesson=${lesson}
        branchId=${branchId}
        conceptId=${conceptId}
        around=${around}
      />`;
    if (waiting)
      return html`<${ReadOn}
        key=${waiting.id}
        lesson=${lesson}
        part=${state?.plan[state.chunk - 1]}
        onGoOn=${() => {
          saveDraft(`${toRead}.begun`, "1");
          begun.value = toRead;
        }}
      />`;
    if (state?.reading)
      return html`<${ReadOn}
        key=${`${toRead}.read`}
        lesson=${lesson}
        part=${state.plan[state.chunk]}
        onGoOn=${() => lesson.send({ content: t("rd.go_on_bare"), text: "", aside: false, drawing: null })}
      />`;
    const about = [around?.title, concept?.title, node?.title].join(" ");
    return html`<${CheckpointForm} lesson=${lesson} about=${about} />`;
  };
  return html`<${Shell} crumbs=${crumbs}>
    <div class="tu">
      <${LessonRail} lesson=${lesson} concept=${concept?.title ?? ""} title=${node?.title ?? ""} />
      <${Transcript} lesson=${lesson} title=${node?.title ?? ""} waiting=${waiting} onCite=${onCite} />
      <${SideColumn}
        lesson=${lesson}
        isAsked=${isOpen && question !== null}
        cited=${cited}
        onCite=${onCite}
        onRead=${(/** @type {Citation} */ citation) => {
          read.value = citation;
        }}
      />
      <div class="dock" id="dock">
        ${docked()}
      </div>
      ${isOpen && (question || state?.reading) && html`<${CheckpointReminder} lesson=${lesson} />`}
    </div>
    ${
      read.value &&
      html`<${DocumentReader}
        key=${read.value.passageId}
        documentId=${read.value.documentId}
        name=${read.value.document}
        passageId=${read.value.passageId}
        onClose=${() => {
          read.value = null;
        }}
      />`
    }
  <//>`;
}
