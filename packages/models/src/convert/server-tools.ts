/** Records and replays the runs of tools that a provider executes itself, such as its web search. */

import type {
  JSONObject,
  JSONValue,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResult,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { TextBlock, Tool } from "@pith/context";
import { isRecord } from "../json.ts";
import { type DraftBlock, type DraftServerTool, type ProviderMetadata, parseJsonObject } from "./reply-draft.ts";

/** Add it to the tools with a system message. It is not declared to models without a search of their own. */
export const webSearch: Tool = {
  name: "web_search",
  description: "Searches the web. The provider runs it.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  from: "provider",
};

export function createSearchTool(
  id: LanguageModelV4ProviderTool["id"],
  args: Record<string, unknown> = {},
): LanguageModelV4ProviderTool {
  return { type: "provider", id, name: webSearch.name, args };
}

/** A run as the provider's package reported it, to be sent back unchanged. */
export interface ServerToolRun {
  readonly id: string;
  readonly name: string;
  readonly input: JSONValue;
  readonly output: JSONValue;
  readonly failed?: true;
  /** Whether thinking came before it. OpenAI refuses the run without that thinking. */
  readonly thought?: true;
  readonly beside?: { readonly call?: SharedV4ProviderMetadata; readonly result?: SharedV4ProviderMetadata };
}

/** A text block with an extra field, which pi ignores. */
export interface ServerToolBlock extends TextBlock {
  readonly pith: { readonly served: ServerToolRun };
}

export function createServerToolBlock(text: string, run: ServerToolRun): ServerToolBlock {
  return { type: "text", text, pith: { served: run } };
}

/** The run that a block stores; null for any other block. Blocks come from a file, so every field is checked. */
export function readServerToolRun(block: unknown): ServerToolRun | null {
  if (!isRecord(block) || block.type !== "text" || !isRecord(block.pith) || !isRecord(block.pith.served)) return null;
  const { id, name, input, output, beside: metadata } = block.pith.served;
  if (typeof id !== "string" || typeof name !== "string" || input === undefined || output === undefined) return null;
  if (metadata !== undefined && !(isRecord(metadata) && Object.values(metadata).every(isMetadata))) return null;
  return block.pith.served as unknown as ServerToolRun;
}

function isMetadata(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord);
}

/** Without `output`, the provider sent no result. */
export type ServerToolOutcome = Pick<ServerToolRun, "name" | "input" | "failed"> & { readonly output?: JSONValue };

/** One line for people and for other models. The line breaks separate it from the texts around it. */
export function formatServerTool(outcome: ServerToolOutcome): string {
  return `\n[${describeServerTool(outcome)}]\n`;
}

function describeServerTool({ name, input, output, failed }: ServerToolOutcome): string {
  const action = readField(output, "action");
  const url = readText(action, "url");
  if (url !== "") return describePageAction(url, readText(action, "pattern"));
  const queries = [...findQueries(input), ...findQueries(action)].map((query) => `"${sanitizeText(query)}"`);
  const performed =
    queries.length > 0 || /search/i.test(name) ? "searched the web" : `ran ${sanitizeText(name)} at the provider`;
  const queryText = queries.length > 0 ? ` for ${[...new Set(queries)].join(", ")}` : "";
  if (output === undefined || failed) return `${performed}${queryText}, without a result`;
  const pages = formatPages(output);
  return pages.length > 0 ? `${performed}${queryText}: ${pages.join("; ")}` : `${performed}${queryText}`;
}

function describePageAction(url: string, pattern: string): string {
  return pattern === ""
    ? `opened the web page ${sanitizeText(url)}`
    : `searched for "${sanitizeText(pattern)}" on the web page ${sanitizeText(url)}`;
}

function findQueries(value: JSONValue | undefined): readonly string[] {
  const queryList = readField(value, "queries");
  const query = readText(value, "query");
  const queries = Array.isArray(queryList) ? queryList.filter((each) => typeof each === "string") : [];
  return query === "" ? queries : [query, ...queries];
}

/** The output is a list of pages, or an object with a list of sources. */
function formatPages(output: JSONValue): readonly string[] {
  const pages = Array.isArray(output) ? output : readField(output, "sources");
  return (Array.isArray(pages) ? pages : []).slice(0, MAX_PAGES).flatMap((page) => {
    const [url, title] = [readText(page, "url"), readText(page, "title")];
    if (url === "") return [];
    return [title === "" ? sanitizeText(url) : `${sanitizeText(title)} (${sanitizeText(url)})`];
  });
}

const MAX_PAGES = 10;

function readField(value: JSONValue | undefined, name: string): JSONValue | undefined {
  return isRecord(value) ? (value as JSONObject)[name] : undefined;
}

function readText(value: JSONValue | undefined, name: string): string {
  const text = readField(value, name);
  return typeof text === "string" ? text : "";
}

// Titles are untrusted: they are shortened to one line and cannot close the bracket.
function sanitizeText(text: string): string {
  const cleanText = text
    .slice(0, MAX_TEXT_CHARS * 2)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/[[\]]/g, "|")
    .trim();
  return cleanText.length > MAX_TEXT_CHARS
    ? `${cleanText.slice(0, MAX_TEXT_CHARS - 1).toWellFormed()}…`
    : cleanText.toWellFormed();
}

const MAX_TEXT_CHARS = 200;

export type ServerToolPart = LanguageModelV4ToolCallPart | LanguageModelV4ToolResultPart;

export function toServerToolParts({
  id,
  name,
  input,
  output,
  failed,
  beside: metadata,
}: ServerToolRun): readonly ServerToolPart[] {
  const callFields = { toolCallId: id, toolName: name };
  return [
    {
      type: "tool-call",
      ...callFields,
      input,
      providerExecuted: true,
      ...(metadata?.call && { providerOptions: metadata.call }),
    },
    {
      type: "tool-result",
      ...callFields,
      output: { type: failed ? "error-json" : "json", value: output },
      ...(metadata?.result && { providerOptions: metadata.result }),
    },
  ];
}

export function createServerToolDraft({
  toolCallId,
  toolName,
  input,
  providerMetadata = {},
}: LanguageModelV4ToolCall): DraftServerTool {
  return { kind: "server-tool", id: toolCallId, name: toolName, json: input, metadata: providerMetadata, result: null };
}

/** The call without a result that this result belongs to; undefined for a preliminary result. */
export function findPendingCall(
  blocks: readonly DraftBlock[],
  { toolCallId, preliminary }: LanguageModelV4ToolResult,
): DraftServerTool | undefined {
  const pendingCalls = blocks.filter(
    (block) => block.kind === "server-tool" && !block.result,
  ) as readonly DraftServerTool[];
  return preliminary ? undefined : pendingCalls.findLast(({ id }) => id === toolCallId);
}

export function addServerToolResult(call: DraftServerTool, part: LanguageModelV4ToolResult): DraftServerTool {
  const { result: output, isError: failed = false, providerMetadata: metadata = {} } = part;
  return { ...call, result: { output, failed, metadata } };
}

/** `thought`: thinking came before it. A call without a result becomes a line of text only, since no provider accepts it back. */
export function toServerToolTextBlock(draft: DraftServerTool, { thought }: { readonly thought: boolean }): TextBlock {
  const { id, name, json, metadata, result } = draft;
  const input = parseJsonObject(json) ?? {};
  if (!result) return { type: "text", text: formatServerTool({ name, input }) };
  const { output, failed } = result;
  const run = { id, name, input, output, ...(failed && { failed }), ...(thought && { thought }) };
  return createServerToolBlock(formatServerTool(run), { ...run, ...toMetadataFields(metadata, result.metadata) });
}

function toMetadataFields(call: ProviderMetadata, result: ProviderMetadata): Pick<ServerToolRun, "beside"> {
  const metadata = { ...(!isEmpty(call) && { call }), ...(!isEmpty(result) && { result }) };
  return isEmpty(metadata) ? {} : { beside: metadata };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
