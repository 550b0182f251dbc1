// @ts-check
/** Button that saves flashcards for Anki. */

import { useSignal } from "@preact/signals";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import { download } from "../../net/downloads.js";
import * as learnerApi from "../../net/learner_api.js";
import { Icon } from "./icons.js";
import { Fault } from "./shell.js";

/**
 * @param {{ label: string, look?: string, branchId?: string | null, nodeId?: string, due?: boolean }} props which
 *   cards: of a path, of a node, what is due; all by default
 */
export function AnkiDeck({ label, look = "btn sm", ...wanted }) {
  const busy = useSignal(false);
  const refusal = useSignal(/** @type {string | null} */ (null));
  const save = async () => {
    [busy.value, refusal.value] = [true, null];
    try {
      await download(learnerApi.cardsPath(wanted));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal.value = error.message;
    } finally {
      busy.value = false;
    }
  };
  return html`<button class=${look} type="button" disabled=${busy.value} onClick=${save}>
      <${Icon} name="export" small />${label}
    </button>
    ${refusal.value && html`<${Fault} message=${refusal.value} />`}`;
}
