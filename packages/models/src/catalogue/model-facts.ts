/** Defines `ModelFacts` (limits, input kinds, prices), its defaults, and the normalised names of providers and models. */

import type { Prices } from "../convert/reply-message.ts";

export type { Prices };

export interface ModelFacts {
  /** Tokens it can see at once, its answer included. */
  readonly contextWindow: number;
  /** Tokens of one answer at most. */
  readonly maxTokens: number;
  readonly prices?: Prices;
  readonly input: readonly InputKind[];
  readonly reasoning: boolean;
  /** False: it can call no tools. Absent where nobody says. */
  readonly tools?: boolean;
}

export type InputKind = "text" | "image";

/**
 * For a model nobody has heard of. Nineteen of twenty models in the snapshot see 128,000 tokens or more; too much is put
 * right by the first overflow, which is learnt from.
 */
export const UNKNOWN_FACTS: ModelFacts = {
  contextWindow: 128_000,
  maxTokens: 8_192,
  input: ["text"],
  reasoning: false,
};

/**
 * For a model on one's own machine whose server does not say what it serves. There too much is cut off in silence, so this
 * is the smallest window a session works in; a setting or the server's word makes it larger.
 */
export const UNKNOWN_LOCAL_FACTS: ModelFacts = { ...UNKNOWN_FACTS, contextWindow: 8_192, maxTokens: 2_048 };

const ALIASES: Readonly<Record<string, string>> = {
  azure: "azure-openai-responses",
  "azure-openai": "azure-openai-responses",
  bedrock: "amazon-bedrock",
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

/** The provider's name in the snapshot; `anthropic.messages` is what the AI SDK calls one of them. */
export function normalizeProviderName(provider: string): string {
  const [name = provider] = provider.toLowerCase().split(".");
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/**
 * What is left of a name without vendor, region, tag and date: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and
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

/** Also without `preview`, which is mostly what a model was called before it was done. */
export function removePreviewSuffix(model: string): string {
  return normalizeModelName(model).replace(/-(?:preview|exp)(?:-\d\d-\d{2,4})?$/, "");
}

/** Also without month and day: `gpt-4-0613`. Last of all, since such dates set apart models of different windows, too. */
export function removeDateSuffix(model: string): string {
  return removePreviewSuffix(model).replace(/-(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/, "");
}

/** Whether it was trained further for one customer; that has another price. */
export function isFineTuned(model: string): boolean {
  return model.toLowerCase().startsWith("ft:");
}

/** `ft:gpt-4.1-2025-04-14:organisation::id`: what it was made of. */
function fineTuningBase(model: string): string {
  return isFineTuned(model) ? (model.split(":")[1] ?? "") : model;
}

const MAX_NAME_LENGTH = 300;
/** `us.anthropic.`: letters up to a dot with a letter behind it, so that the dot of `gpt-5.4` stays. */
const VENDOR_PREFIX = /^(?:[a-z-]{1,20}\.(?=[a-z]))+/;
/** The `v1` is Bedrock's; the V3 of DeepSeek is the model. */
const NAME_SUFFIXES: readonly RegExp[] = [
  /-v\d+:\d+$/,
  /:[\w.-]+$/,
  /-v1$/,
  /[-@]20\d{6}$/,
  /-20\d\d-\d\d-\d\d$/,
  /-latest$/,
  /-00\d$/,
];
