/** Defines the draft of a reply being received, and reads metadata, tool arguments and tool names for it. */

import type {
  JSONObject,
  JSONValue,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ToolCallBlock } from "@pith/context";
import { formatLimits } from "@pith/context/host";

export interface Draft {
  readonly blocks: readonly DraftBlock[];
  readonly usage: LanguageModelV4Usage | null;
  readonly finish: LanguageModelV4FinishReason | null;
  /** The first error that came in the stream. */
  readonly error: { readonly thrown: unknown } | null;
}

export type DraftBlock = DraftText | DraftThinking | DraftCall | DraftServerTool;

/** What the provider said beside the words, by the name of its package. */
export type ProviderMetadata = Readonly<SharedV4ProviderMetadata>;

export interface DraftText {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly metadata: ProviderMetadata;
}

/** OpenAI's summaries come part by part; they are one thought. */
export interface DraftThinking {
  readonly kind: "thinking";
  readonly parts: readonly { readonly id: string; readonly text: string }[];
  readonly metadata: ProviderMetadata;
}

export interface DraftCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly json: string;
  /** Whether the provider said that this is all of it. */
  readonly isComplete: boolean;
  readonly metadata: ProviderMetadata;
}

/** A tool that runs at the provider. */
export interface DraftServerTool {
  readonly kind: "served";
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly metadata: ProviderMetadata;
  /** Null until it comes. */
  readonly result: ServerToolResult | null;
}

export interface ServerToolResult {
  readonly output: JSONValue;
  readonly failed: boolean;
  readonly metadata: ProviderMetadata;
}

export function emptyDraft(): Draft {
  return { blocks: [], usage: null, finish: null, error: null };
}

/** The thought as people read it. */
export function thinkingText({ parts }: DraftThinking): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join(PART_BREAK);
}

export const PART_BREAK = "\n\n";

/** The first text of this name that any package's metadata has; the name in front differs from package to package. */
export function findMetadataText(metadata: ProviderMetadata, name: string): string | undefined {
  const value = Object.values(metadata).find((fields) => isText(fields[name]))?.[name];
  return isText(value) ? value : undefined;
}

function isText(value: JSONValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** The object that the model wrote, or an empty one with the text in `pith.unread` where it is none. */
export function parseArguments({ json, isComplete }: DraftCall): Pick<ToolCallBlock, "arguments" | "pith"> {
  const parsed = isComplete ? parseJsonObject(json) : null;
  return parsed ? { arguments: parsed } : { arguments: {}, pith: { unread: truncateUnread(json) } };
}

// No text at all is how some write a call without arguments.
export function parseJsonObject(json: string): JSONObject | null {
  if (json.trim() === "") return {};
  if (json.length > MAX_JSON_CHARS) return null;
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isWithinMaxDepth(value) ? (value as JSONObject) : null;
  } catch {
    // Models write broken JSON now and then; the text goes beside the call.
    return null;
  }
}

const MAX_JSON_CHARS = 4 * 1024 * 1024;

/** A session refuses to write what nests deeper, and around the arguments stand an entry, its message and its blocks. */
const MAX_DEPTH = formatLimits.depth - 50;

/** Floor by floor: who nests things to the thousandth floor wants to be met by recursion. */
function isWithinMaxDepth(value: object): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    if (level.length === 0) return true;
    level = level.filter((each) => typeof each === "object" && each !== null).flatMap((each) => Object.values(each));
  }
  return false;
}

/** It is shown to the model, which knows what it wrote, and to people. */
function truncateUnread(json: string): string {
  const [head, tail] = [json.slice(0, MAX_UNREAD_CHARS), json.slice(MAX_UNREAD_CHARS)];
  return tail === "" ? head : `${head.toWellFormed()}… (${tail.length} more characters)`;
}

const MAX_UNREAD_CHARS = 64 * 1024;

/**
 * The name that a model called, whatever became of it on the way: provider packages look names up in a plain object, where
 * names such as `constructor` find an inherited property.
 */
export function restoreToolName(toolName: unknown): string {
  if (typeof toolName === "string") return toolName;
  return Object.getOwnPropertyNames(Object.prototype).find((name) => EMPTY_OBJECT[name] === toolName) ?? "unnamed";
}

const EMPTY_OBJECT: Readonly<Record<string, unknown>> = {};

/** A spelling that is found nowhere, the same for a call and its result. */
export function escapeToolName(name: string): string {
  return name in EMPTY_OBJECT ? `${name}_` : name;
}
