/** Exports `@pith/context/secrets`: finds secrets in text and keeps them out of a session. */

export { findSecretVariables, hasSecret } from "./environment.ts";
export { Vault } from "./vault.ts";
