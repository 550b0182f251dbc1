// @ts-check
/** Requests about accounts: signing in and out, passwords, sessions, access tokens. */

import { post, request } from "./api.js";

/** @import { AccessToken, AccountSession, Caller, NewAccessToken, SignInMethods } from "../types.d.ts" */

const at = encodeURIComponent;
/** @param {string} path */
const remove = (path) => request(path, { method: "DELETE" });

/** @returns {Promise<SignInMethods>} */
export const methods = () => request("/sign-in");
/** @param {{ name: string, password: string }} given */
export const signIn = (given) => post("/sign-in", given);
/** Create the first owner. @param {{ code: string, name: string, password: string }} given */
export const setUp = (given) => post("/sign-in/set-up", given);
/** Set the password that a link is for. @param {{ code: string, password: string }} given */
export const setPassword = (given) => post("/sign-in/password", given);
export const signOut = () => post("/sign-out", {});

/** @returns {Promise<Caller>} */
export const caller = () => request("/account");
/** @param {{ oldPassword: string, newPassword: string }} given */
export const changePassword = (given) => post("/account/password", given);

/** @returns {Promise<AccountSession[]>} */
export const sessions = () => request("/account/sessions");
/** @param {string} sessionId */
export const endSession = (sessionId) => remove(`/account/sessions/${at(sessionId)}`);
export const endAllSessions = () => remove("/account/sessions");

/** @returns {Promise<AccessToken[]>} */
export const tokens = () => request("/account/tokens");
/** @param {{ name: string, scopes: string[], days?: number }} given @returns {Promise<NewAccessToken>} */
export const createToken = (given) => post("/account/tokens", given);
/** @param {string} tokenId */
export const revokeToken = (tokenId) => remove(`/account/tokens/${at(tokenId)}`);
