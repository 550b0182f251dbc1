// @ts-check
/** Screen of one who has just joined: the card, shown this once, and the way on to the first step. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n/joining.js";
import { html } from "../../lib/html.js";
import { startOver } from "../../net/signed_out.js";
import { stepTitle, stepUrl, useNextStep } from "../common/next_step.js";
import { Card, PrintButton } from "./card.js";

/** @import { Joining } from "./join_form.js" */

/** @param {{ joining: Joining }} props */
export function NewCard({ joining: { joined, into } }) {
  const name = joined.account.displayName;
  const next = useNextStep({});
  const title = useRef(/** @type {HTMLElement | null} */ (null));
  const isKept = useSignal(false);
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
    startOver(next ? stepUrl(next) : "/");
  };
  return html`<div class="wrap si-card">
    <h1 class="ask-title" tabindex="-1" ref=${title}>${t("jn.card_title", { name })}</h1>
    <div>
      <p>${t("jn.card_says")} ${t("jn.card_once")}</p>
      <p class="dim">${t("jn.card_lost", { teacher: into.teacher })}</p>
      <div class="stack">
        <button class="btn go" type="button" onClick=${goOn}>
          ${t("jn.have_it")}
          ${next?.node && html`<small>${t("jn.then", { title: stepTitle(next) })}</small>`}
        </button>
        <${PrintButton} />
      </div>
    </div>
    <${Card} name=${name} className=${into.name} card=${joined.card} />
  </div>`;
}
