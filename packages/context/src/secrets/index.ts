/** Exports `@pith/context/secrets`: finds secrets in texts and keeps them out of a session. Loaded separately, by hosts that want it. */

export { hasSecret, secretVariables, type Variables } from "./environment.ts";
export type { GitleaksPattern } from "./gitleaks-patterns.ts";
export { PLACEHOLDER } from "./matches.ts";
export type { Family } from "./pattern.ts";
export { families } from "./patterns.ts";
export { type PieceRedaction, SecretStream } from "./redact-stream.ts";
export { type SecretFound, type SecretsRestored, Vault, type VaultParts } from "./vault.ts";
