/** The door `@pith/context/secrets`: secrets found in texts and kept out of a session. Loaded apart, since not every host wants it. */

export type { Variables } from "./environment.ts";
export { families } from "./families/families.ts";
export type { Family } from "./family.ts";
export type { SecretsRestored } from "./given-placeholders.ts";
export { PLACEHOLDER } from "./placeholder.ts";
export { type PieceRedaction, SecretStream } from "./streaming/secret-stream.ts";
export { type SecretFound, Vault, type VaultParts } from "./vault.ts";
