/** Exports `@pith/context/secrets`: finds secrets in texts and keeps them out of a session. Loaded separately, by hosts that want it. */

export { type EnvironmentVariables, findSecretVariables, hasSecret } from "./environment.ts";
export type { GitleaksPattern } from "./gitleaks-patterns.ts";
export { PLACEHOLDER_PATTERN } from "./matches.ts";
export type { SecretPattern } from "./pattern.ts";
export { secretPatterns } from "./patterns.ts";
export { type ChunkRedactor, RedactionStream } from "./redact-stream.ts";
export { type RestoreSecretsResult, type SecretFinding, Vault, type VaultOptions } from "./vault.ts";
