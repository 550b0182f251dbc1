// @ts-check
/** Appearance: theme and language of this browser. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../i18n/you.js";
import { html } from "../../lib/html.js";
import { chooseLanguage, chosenLanguage, languages } from "../../lib/i18n.js";
import { THEMES, chooseTheme, chosenTheme } from "../../state/settings.js";
import { Icon } from "../common/icons.js";

export function Appearance() {
  const theme = useSignal(chosenTheme());
  useEffect(() => {
    const look = () => {
      theme.value = chosenTheme();
    };
    addEventListener("sprout:theme", look);
    return () => removeEventListener("sprout:theme", look);
  }, []);
  const known = languages();
  return html`<section aria-labelledby="look">
    <h2 id="look">${t("st.look")}</h2>
    <div class="st-in">
      <fieldset class="st-field">
        <legend class="lbl">${t("st.theme")}</legend>
        <div class="seg">
          ${THEMES.map(
            (each) => html`<label key=${each}>
              <input
                type="radio"
                name="theme"
                value=${each}
                checked=${theme.value === each}
                onChange=${() => chooseTheme(each)}
              />
              ${t(`st.theme.${each}`)}
            </label>`,
          )}
        </div>
      </fieldset>
      ${
        known.length > 1 &&
        html`<div class="st-field">
          <label class="lbl" for="language">${t("st.language")}</label>
          <span class="pick">
            <select
              id="language"
              onChange=${(/** @type {Event} */ event) =>
                chooseLanguage(/** @type {HTMLSelectElement} */ (event.target).value)}
            >
              ${known.map(
                ({
                  tag,
                  name,
                }) => html`<option key=${tag} value=${tag} lang=${tag} selected=${tag === chosenLanguage()}>
                  ${name}
                </option>`,
              )}
            </select>
            <${Icon} name="down" small />
          </span>
        </div>`
      }
    </div>
  </section>`;
}
