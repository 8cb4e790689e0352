/** The door `@pith/context/secrets`: secrets found in texts and kept out of a session. Loaded apart, since not every host wants it. */

export type { Variables } from "./environment.ts";
export { PLACEHOLDER } from "./matches.ts";
export type { Family } from "./pattern.ts";
export { families } from "./patterns.ts";
export { type PieceRedaction, SecretStream } from "./redact-stream.ts";
export type { SecretsRestored } from "./vault.ts";
export { type SecretFound, Vault, type VaultParts } from "./vault.ts";
