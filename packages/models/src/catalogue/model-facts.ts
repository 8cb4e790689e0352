/** Defines `ModelFacts` (limits, input kinds, prices), its defaults, and the normalised names of providers and models. */

import type { Prices } from "../convert/reply-message.ts";

export type { Prices };

export interface ModelFacts {
  /** The context window in tokens, the reply included. */
  readonly contextWindow: number;
  /** The most tokens of one reply. */
  readonly maxTokens: number;
  readonly prices?: Prices;
  readonly input: readonly InputKind[];
  readonly reasoning: boolean;
  /** False if the model cannot call tools; absent if unknown. */
  readonly tools?: boolean;
}

export type InputKind = "text" | "image";

/**
 * For an unknown model. Nineteen of twenty models in the snapshot have a window of 128,000 tokens or more. If it is smaller,
 * the first overflow teaches the real one.
 */
export const UNKNOWN_FACTS: ModelFacts = {
  contextWindow: 128_000,
  maxTokens: 8_192,
  input: ["text"],
  reasoning: false,
};

/**
 * For a model on a local server that does not report its window. Local servers truncate silently, so this is the smallest
 * window a session works in. A setting or the server can make it larger.
 */
export const UNKNOWN_LOCAL_FACTS: ModelFacts = { ...UNKNOWN_FACTS, contextWindow: 8_192, maxTokens: 2_048 };

const ALIASES: Readonly<Record<string, string>> = {
  azure: "azure-openai-responses",
  "azure-openai": "azure-openai-responses",
  bedrock: "amazon-bedrock",
  "fireworks-ai": "fireworks",
  copilot: "github-copilot",
  gateway: "vercel-ai-gateway",
  vercel: "vercel-ai-gateway",
  gemini: "google",
  "google-generative-ai": "google",
  vertex: "google-vertex",
  kimi: "moonshotai",
  moonshot: "moonshotai",
  togetherai: "together",
  "z-ai": "zai",
};

/** The provider's name in the snapshot. The AI SDK adds the API, as in `anthropic.messages`. */
export function normalizeProviderName(provider: string): string {
  const [name = provider] = provider.toLowerCase().split(".");
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/**
 * Removes vendor, region, tag and date from a name: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and
 * `anthropic/claude-sonnet-4.5:free` are both `claude-sonnet-4-5`.
 */
export function normalizeModelName(model: string): string {
  const lastSegment = fineTuningBase(model.slice(0, MAX_NAME_LENGTH).toLowerCase()).split("/").at(-1) ?? "";
  const stripped = NAME_SUFFIXES.reduce(
    (name, ending) => name.replace(ending, ""),
    lastSegment.replace(VENDOR_PREFIX, ""),
  );
  return stripped.replaceAll(".", "-");
}

/** Also removes `preview`, since most models keep their name when they leave it. */
export function removePreviewSuffix(model: string): string {
  return normalizeModelName(model).replace(/-(?:preview|exp)(?:-\d\d-\d{2,4})?$/, "");
}

/** Also removes month and day: `gpt-4-0613`. Compared last, since such dates may mean different windows. */
export function removeDateSuffix(model: string): string {
  return removePreviewSuffix(model).replace(/-(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/, "");
}

/** Fine-tuned models have other prices. */
export function isFineTuned(model: string): boolean {
  return model.toLowerCase().startsWith("ft:");
}

/** The base model of `ft:gpt-4.1-2025-04-14:organisation::id`. */
function fineTuningBase(model: string): string {
  return isFineTuned(model) ? (model.split(":")[1] ?? "") : model;
}

const MAX_NAME_LENGTH = 300;
/** `us.anthropic.`: letters up to a dot that a letter follows, so that the dot of `gpt-5.4` stays. */
const VENDOR_PREFIX = /^(?:[a-z-]{1,20}\.(?=[a-z]))+/;
/** Only `v1` is removed, which Bedrock adds; the V3 of DeepSeek is part of the name. */
const NAME_SUFFIXES: readonly RegExp[] = [
  /-v\d+:\d+$/,
  /:[\w.-]+$/,
  /-v1$/,
  /[-@]20\d{6}$/,
  /-20\d\d-\d\d-\d\d$/,
  /-latest$/,
  /-00\d$/,
];
