// @ts-check
/** Problem with which a provider's visit has ended: its code is behind the `#`, and only known ones have words. */

import { t } from "../../i18n/account.js";

const KNOWN = [
  "attempt_invalid",
  "code_invalid",
  "oidc_cancelled",
  "oidc_not_linked",
  "oidc_refused",
  "oidc_taken",
  "oidc_unavailable",
];

/** @returns {string | null} */
export function problemOfAddress() {
  const code = location.hash.slice(1);
  if (!code) return null;
  return t(KNOWN.includes(code) ? /** @type {any} */ (`si.problem.${code}`) : "si.problem.other");
}
