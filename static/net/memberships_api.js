// @ts-check
/** Requests of those who join classes: codes and cards, joined classes, given paths and their updates. */

import { post, request } from "./api.js";

/** @import { Account, CopiedPath, JoinedClass, JoinedPupil, OpenClass, PathUpdate } from "../types.d.ts" */

const at = encodeURIComponent;

/** The class that a code is for. @param {string} code @returns {Promise<OpenClass>} */
export const findClass = (code) => post("/class-code", { code });
/** Join without an account. @param {{ code: string, nickname: string }} given @returns {Promise<JoinedPupil>} */
export const joinAnew = (given) => post("/sign-in/class", given);
/** Sign in with the words of a card. @param {string} card @returns {Promise<Account>} */
export const signInByCard = (card) => post("/sign-in/card", { card });

/** @returns {Promise<JoinedClass[]>} */
export const joined = () => request("/account/classes");
/** @param {string} code @returns {Promise<JoinedClass>} */
export const joinClass = (code) => post("/account/classes", { code });
/** @param {string} classId @returns {Promise<null>} */
export const leaveClass = (classId) => request(`/account/classes/${at(classId)}`, { method: "DELETE" });

/** The paths that teachers have given. @returns {Promise<CopiedPath[]>} */
export const copies = () => request("/account/paths");
/** What a teacher has changed in a path. @param {string} branchId @returns {Promise<PathUpdate | null>} */
export const update = (branchId) => request(`/branches/${at(branchId)}/update`);
/** Take an update over. @param {string} branchId @param {string} version @returns {Promise<null>} */
export const acceptUpdate = (branchId, version) => post(`/branches/${at(branchId)}/update`, { version });
