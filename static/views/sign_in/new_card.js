// @ts-check
/** Screen of one who has just joined: the card, shown this once, and the way on to the first step. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import * as pathsApi from "../../net/paths_api.js";
import { startOver } from "../../net/signed_out.js";
import { useDeed } from "../common/deed.js";
import { Icon } from "../common/icons.js";
import { stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { Card, PrintButton } from "./card.js";

/** @import { Joining } from "./join_form.js" */

/** @param {{ joining: Joining }} props */
export function NewCard({ joining: { joined, into } }) {
  const name = joined.account.displayName;
  const next = useNextStep({});
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const isKept = useSignal(false);
  const { busy, problem, run } = useDeed();
  useEffect(() => {
    document.title = t("jn.card_page");
    title.current?.focus();
    const ask = (/** @type {BeforeUnloadEvent} */ event) => {
      if (!isKept.value) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
  const goOn = () => {
    isKept.value = true;
    run(async () => startOver(stepUrl(next ?? (await pathsApi.nextAction({})))));
  };
  return html`<div class="wrap si-card">
    <h1 class="ask-title" tabindex="-1" ref=${title}>${t("jn.card_title", { name })}</h1>
    <div>
      <p>${t("jn.card_says")} ${t("jn.card_once")}</p>
      <p class="dim">${t("jn.card_lost", { teacher: into.teacher })}</p>
      ${
        problem.value &&
        html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${problem.value}</span></p>`
      }
      <div class="stack">
        <button class="btn go" type="button" onClick=${goOn} aria-busy=${busy.value || undefined}>
          ${t("jn.have_it")}
          ${next?.node && html`<small>${t("jn.then", { title: stepTitle(next) })}</small>`}
        </button>
        <${PrintButton} />
      </div>
    </div>
    <${Card} name=${name} className=${into.name} card=${joined.card} />
  </div>`;
}
