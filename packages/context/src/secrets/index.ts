/** Exports `@pith/context/secrets`: finds secrets in text and keeps them out of a session. */

export { findSecretVariables, hasSecret } from "./environment.ts";
export type { GitleaksPattern } from "./gitleaks-patterns.ts";
export { secretPatterns } from "./patterns.ts";
export { Vault } from "./vault.ts";
