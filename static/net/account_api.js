// @ts-check
/** Requests about accounts: signing in and out, passwords, passkeys, linked identities, sessions, access tokens. */

import { post, put, request } from "./api.js";

/** @import {
 *   AccessToken, Account, AccountSession, EmailAddress, LinkedIdentity, NewAccessToken, Passkey, PasskeyOptions,
 *   SignInMethods
 * } from "../types.d.ts" */

const at = encodeURIComponent;
/** @param {string} path */
const remove = (path) => request(path, { method: "DELETE" });

/** @returns {Promise<SignInMethods>} */
export const methods = () => request("/sign-in");
/**
 * The account, or what is asked for besides the password.
 * @param {{ name: string, password: string }} given @returns {Promise<Account | PasskeyOptions>}
 */
export const signIn = (given) => post("/sign-in", given);
/** @returns {Promise<PasskeyOptions>} */
export const passkeyOptions = () => post("/sign-in/passkey/options", {});
/** @param {object} proof */
export const signInWithPasskey = (proof) => post("/sign-in/passkey", proof);
/** Where to sign in at the provider. @param {string} [code] of a link @returns {Promise<{ url: string }>} */
export const visitProvider = (code) => post("/sign-in/oidc", code ? { code } : {});
/** Create the first owner without a password. @param {{ code: string, name: string }} given
 *  @returns {Promise<{ path: string }>} */
export const inviteOwner = (given) => post("/sign-in/set-up/link", given);
/** @param {string} code of a link @returns {Promise<PasskeyOptions>} */
export const passkeyOptionsByLink = (code) => post("/sign-in/link/passkey/options", { code });
/** @param {object} given */
export const addPasskeyByLink = (given) => post("/sign-in/link/passkey", given);
/** Create the first owner. @param {{ code: string, name: string, password: string }} given */
export const setUp = (given) => post("/sign-in/set-up", given);
/**
 * Set the password that a link is for: the account, or what is asked for besides the password.
 * @param {{ code: string, password: string }} given @returns {Promise<Account | PasskeyOptions>}
 */
export const setPassword = (given) => post("/sign-in/password", given);
/** Request a link for a new password; the answer is the same for any name. @param {{ name: string, language: string }} given */
export const requestLink = (given) => post("/sign-in/forgotten", given);
/** @param {string} code of the link that was sent to the address */
export const confirmEmail = (code) => post("/sign-in/email", { code });
export const signOut = () => post("/sign-out", {});

/** @param {{ oldPassword: string, newPassword: string }} given */
export const changePassword = (given) => post("/account/password", given);

/** @returns {Promise<EmailAddress>} */
export const email = () => request("/account/email");
/** Have a link sent that confirms an address. @param {{ email: string, language: string }} given @returns {Promise<EmailAddress>} */
export const setEmail = (given) => put("/account/email", given);
export const removeEmail = () => remove("/account/email");

/** @returns {Promise<Passkey[]>} */
export const passkeys = () => request("/account/passkeys");
/** @returns {Promise<PasskeyOptions>} */
export const newPasskeyOptions = () => post("/account/passkey-options", {});
/** @param {object} given */
export const addPasskey = (given) => post("/account/passkeys", given);
/** @param {string} passkeyId */
export const removePasskey = (passkeyId) => remove(`/account/passkeys/${at(passkeyId)}`);
/** @param {boolean} afterPassword @returns {Promise<Account>} */
export const askForPasskey = (afterPassword) => put("/account/second-factor", { afterPassword });

/** @returns {Promise<LinkedIdentity[]>} */
export const identities = () => request("/account/identities");
/** @returns {Promise<{ url: string }>} */
export const linkIdentity = () => post("/account/identities", {});
/** @param {string} identityId */
export const unlinkIdentity = (identityId) => remove(`/account/identities/${at(identityId)}`);

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
