// @ts-check
/** Reviews in the settings: the size of a day, how much shall be recalled, and when a day begins and where. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/review.js";
import { t as you } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import { ApiError } from "../../net/api.js";
import * as reviewsApi from "../../net/reviews_api.js";
import { AnkiDeck } from "../common/anki_deck.js";
import { Icon } from "../common/icons.js";
import { CalendarAddress } from "./calendar_address.js";
import { DueNotice } from "./due_notice.js";
import { RetentionCosts } from "./retention_costs.js";

/** @import { ReviewSettings } from "../../types.d.ts" */

const MINUTES = [5, 10, 20];
const RECALL = [80, 85, 90, 95];
const UTC = "UTC";
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The time zones that this browser knows, with the one that is chosen. @param {string} chosen */
const zonesWith = (chosen) => [...new Set([UTC, chosen, ...Intl.supportedValuesOf("timeZone")])].sort();

export function ReviewsSettings() {
  const settings = useSignal(/** @type {ReviewSettings | null} */ (null));
  const refusal = useSignal(/** @type {string | null} */ (null));
  /** @param {Promise<ReviewSettings>} request */
  const keep = async (request) => {
    refusal.value = null;
    try {
      settings.value = await request;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal.value = error.message;
    }
  };
  useEffect(() => {
    keep(reviewsApi.settings());
  }, []);
  const known = settings.value;
  return html`<section aria-labelledby="reviews">
    <h2 id="reviews">${t("rv.set_title")}</h2>
    <div class="st-in">
      ${
        refusal.value &&
        html`<p class="err" role="alert"><${Icon} name="warn" small /><span>${refusal.value}</span></p>`
      }
      ${
        known &&
        html`
          <${Choices}
            name="review-minutes"
            legend=${t("rv.set_day")}
            values=${MINUTES}
            chosen=${known.minutes}
            words=${(/** @type {number} */ n) => you("pg.minutes", { n })}
            onChosen=${(/** @type {number} */ minutes) => keep(reviewsApi.changeSettings({ minutes }))}
          />
          <${Choices}
            name="review-recall"
            legend=${t("rv.set_recall")}
            values=${RECALL}
            chosen=${Math.round(known.retention * 100)}
            words=${(/** @type {number} */ n) => t("rv.set_percent", { n })}
            onChosen=${(/** @type {number} */ recall) => keep(reviewsApi.changeSettings({ retention: recall / 100 }))}
          />
          <p class="t13 dim">${t("rv.set_recall_how")}</p>
          <${RetentionCosts} />
          <${Pick}
            id="day-start"
            label=${t("rv.set_start")}
            values=${HOURS}
            chosen=${known.dayStartsAt}
            words=${(/** @type {number} */ hour) => `${String(hour).padStart(2, "0")}:00`}
            onChosen=${(/** @type {string} */ hour) => keep(reviewsApi.changeSettings({ dayStartsAt: Number(hour) }))}
          />
          <${Pick}
            id="time-zone"
            label=${t("rv.set_zone")}
            values=${zonesWith(known.timeZone ?? UTC)}
            chosen=${known.timeZone ?? UTC}
            words=${(/** @type {string} */ zone) => zone.replaceAll("_", " ")}
            onChosen=${(/** @type {string} */ timeZone) => keep(reviewsApi.changeSettings({ timeZone }))}
          />
          <${CalendarAddress} />
          <${DueNotice} />
          <div class="st-field">
            <p class="lbl">${t("rv.set_anki")}</p>
            <p class="t13 dim">${t("rv.set_anki_how")}</p>
            <p><${AnkiDeck} label=${t("rv.set_anki_go")} due=${true} /></p>
          </div>
        `
      }
    </div>
  </section>`;
}

/**
 * @param {{
 *   name: string,
 *   legend: string,
 *   values: number[],
 *   chosen: number,
 *   words: (value: number) => string,
 *   onChosen: (value: number) => void,
 * }} props
 */
const Choices = ({ name, legend, values, chosen, words, onChosen }) => html`<fieldset class="st-field">
  <legend class="lbl">${legend}</legend>
  <div class="seg">
    ${values.map(
      (value) => html`<label key=${value}>
        <input type="radio" name=${name} checked=${value === chosen} onChange=${() => onChosen(value)} />
        ${words(value)}
      </label>`,
    )}
  </div>
</fieldset>`;

/**
 * @template {string | number} V
 * @param {{
 *   id: string,
 *   label: string,
 *   values: V[],
 *   chosen: V,
 *   words: (value: V) => string,
 *   onChosen: (value: string) => void,
 * }} props
 */
const Pick = ({ id, label, values, chosen, words, onChosen }) => html`<div class="st-field">
  <label class="lbl" for=${id}>${label}</label>
  <span class="pick">
    <select id=${id} onChange=${(/** @type {any} */ event) => onChosen(event.target.value)}>
      ${values.map(
        (value) => html`<option key=${value} value=${value} selected=${value === chosen}>${words(value)}</option>`,
      )}
    </select>
    <${Icon} name="down" small />
  </span>
</div>`;
