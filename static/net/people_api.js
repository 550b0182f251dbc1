// @ts-check
/** Requests of owners about the accounts of all, and the security log. */

import { post, request } from "./api.js";

/** @import { Account, ClassSpending, PasswordLink, Person, SecurityEvent } from "../types.d.ts" */

const at = encodeURIComponent;
/** Events that one request for the log brings. */
export const LOG_PAGE = 50;
export const LOG_CSV_URL = "/api/security-log.csv";

/** @returns {Promise<Person[]>} */
export const people = () => request("/people");
/**
 * Create an account; its person sets a password with the link.
 * @param {{ name: string, displayName?: string, role: string }} given
 * @returns {Promise<{ account: Account, link: PasswordLink }>}
 */
export const invite = (given) => post("/people", given);
/**
 * Change a person's role, or whether they may sign in.
 * @param {string} userId
 * @param {{ role?: string, disabled?: boolean }} change
 * @returns {Promise<Account>}
 */
export const change = (userId, change) =>
  request(`/people/${at(userId)}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
/** A new link that sets a person's password. @param {string} userId @returns {Promise<PasswordLink>} */
export const createLink = (userId) => post(`/people/${at(userId)}/link`, {});
/** All classes, and what they cost this month. @returns {Promise<ClassSpending[]>} */
export const classSpending = () => request("/class-spending");

/**
 * The newest events of the security log, or those before one of them.
 * @param {string} [before]
 * @returns {Promise<SecurityEvent[]>}
 */
export const securityLog = (before) =>
  request(`/security-log?limit=${LOG_PAGE}${before ? `&before=${at(before)}` : ""}`);
