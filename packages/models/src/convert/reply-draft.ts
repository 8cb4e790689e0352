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

/** Provider metadata by the name of the provider's package. */
export type ProviderMetadata = Readonly<SharedV4ProviderMetadata>;

export interface DraftText {
  readonly kind: "text";
  readonly id: string;
  readonly text: string;
  readonly metadata: ProviderMetadata;
}

/** OpenAI sends the summaries of one reasoning item as several parts. */
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
  /** Whether the provider reported the end of the call. */
  readonly isComplete: boolean;
  readonly metadata: ProviderMetadata;
}

/** A call of a tool that the provider executes. */
export interface DraftServerTool {
  readonly kind: "server-tool";
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly metadata: ProviderMetadata;
  /** Null until it arrives. */
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

/** The text of all parts. */
export function thinkingText({ parts }: DraftThinking): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join(PART_BREAK);
}

export const PART_BREAK = "\n\n";

/** The first non-empty text field of this name in the metadata of any package, since the package name varies. */
export function findMetadataText(metadata: ProviderMetadata, name: string): string | undefined {
  const value = Object.values(metadata).find((fields) => isText(fields[name]))?.[name];
  return isText(value) ? value : undefined;
}

function isText(value: JSONValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** The arguments as an object; an empty one with the text in `pith.unread` if the text is not a complete JSON object. */
export function parseArguments({ json, isComplete }: DraftCall): Pick<ToolCallBlock, "arguments" | "pith"> {
  const parsed = isComplete ? parseJsonObject(json) : null;
  return parsed ? { arguments: parsed } : { arguments: {}, pith: { unread: truncateUnread(json) } };
}

// Some models send no text for a call without arguments.
export function parseJsonObject(json: string): JSONObject | null {
  if (json.trim() === "") return {};
  if (json.length > MAX_JSON_CHARS) return null;
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isWithinMaxDepth(value) ? (value as JSONObject) : null;
  } catch {
    // Models sometimes write broken JSON; the caller stores the text beside the call.
    return null;
  }
}

const MAX_JSON_CHARS = 4 * 1024 * 1024;

/** A session refuses deeper values. The margin is for the entry, message and blocks around the arguments. */
const MAX_DEPTH = formatLimits.depth - 50;

/** Iterates level by level: recursion would overflow the stack on hostile input. */
function isWithinMaxDepth(value: object): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    if (level.length === 0) return true;
    level = level.filter((each) => typeof each === "object" && each !== null).flatMap((each) => Object.values(each));
  }
  return false;
}

function truncateUnread(json: string): string {
  const [head, tail] = [json.slice(0, MAX_UNREAD_CHARS), json.slice(MAX_UNREAD_CHARS)];
  return tail === "" ? head : `${head.toWellFormed()}… (${tail.length} more characters)`;
}

const MAX_UNREAD_CHARS = 64 * 1024;

/**
 * Restores the name of a called tool: provider packages look names up in a plain object, where names such as `constructor`
 * find an inherited property.
 */
export function restoreToolName(toolName: unknown): string {
  if (typeof toolName === "string") return toolName;
  return Object.getOwnPropertyNames(Object.prototype).find((name) => EMPTY_OBJECT[name] === toolName) ?? "unnamed";
}

const EMPTY_OBJECT: Readonly<Record<string, unknown>> = {};

/** Changes a name that a plain object inherits, in the same way for a call and its result. */
export function escapeToolName(name: string): string {
  return name in EMPTY_OBJECT ? `${name}_` : name;
}
